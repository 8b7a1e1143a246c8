#include "search/opening.hpp"

#include <algorithm>

namespace bayesdnf {

void Opening::look(const State& state, std::size_t without, Height height) {
    posterior_ = &state.posterior();
    simple_ = posterior_->simple();
    state.others(without, height, others_);
    const Parts& parts = others_.parts;
    const std::size_t n_others = state.size() - (without == kNone ? 0 : 1);
    const std::size_t n_layers = parts.n_layers() + (others_.joins ? 0 : 1);
    // Everything in the prior that no candidate for this place changes; a candidate adds its own
    // term's part.
    others_prior_ =
        state.terms_prior(without) + posterior_->prior().of_count(n_others + 1, n_layers);
    log_factorials_ = &posterior_->log_factorials();
    n_parts_ = static_cast<std::size_t>(others_.layer);
    const std::size_t n_segments = posterior_->view().n_segments();
    n_classes_ = posterior_->n_classes();
    n_strata_ = posterior_->n_strata();
    own_.assign(n_segments, 0);
    if (others_.joins) std::copy_n(parts.count(n_parts_), n_segments, own_.begin());
    if (simple_) {
        marked_ = {own_[0], own_[1]};
        open_ = {parts.count(0)[0], parts.count(0)[1]};
        return;
    }
    above_ = 0;
    // Without the place's own layer the others keep the numbers they have without it.
    for (std::size_t h = n_parts_ + (others_.joins ? 1 : 0); h <= parts.n_layers(); ++h)
        // Rows of higher layers are out of reach for a term here, so their evidence is a constant
        // of the place.
        above_ += posterior_->cells().part(false, parts.count(h));
}

void Opening::open_rows(const Word* rows, Word* masks) const {
    const BitView& view = posterior_->view();
    for (std::size_t h = 0; h < n_parts_; ++h)
        view.simd().and_into(masks + h * view.n_words(), others_.parts.rows(h), rows,
                             view.n_words());
}

double Opening::bound_of_parts(const Taken& t) const {
    double sum = above_;
    for (std::size_t s = 0; s < n_strata_; ++s)
        sum += in_stratum(t, s, [](std::size_t) { return true; });
    return sum;
}

template <class Takes>
double Opening::in_stratum(const Taken& t, std::size_t s, const Takes& takes) const {
    const CellLikelihood& cells = posterior_->cells();
    const auto taken = [&](std::size_t h, std::size_t c) {
        return takes(c) ? t.first[h * t.part_step + (c * n_strata_ + s) * t.segment_step] : 0;
    };
    double sum = 0;
    for (std::size_t h = 0; h < n_parts_; ++h) {
        const Count* left = others_.parts.count(h);
        sum += cells.cell(h == 0,
                          [&](std::size_t c) { return left[c * n_strata_ + s] - taken(h, c); });
    }
    return sum + cells.cell(false, [&](std::size_t c) {
        Count rows = own_[c * n_strata_ + s];
        for (std::size_t h = 0; h < n_parts_; ++h) rows += taken(h, c);
        return rows;
    });
}

template <class Rows>
double Opening::shares(const Rows& rows) const {
    const LookUp& f = *log_factorials_;
    if (n_classes_ == 2) {  // without a loop
        const Count a = rows(0), b = rows(1);
        // log B(a + 1, b + 1): the evidence of these rows under one uniform rate. Sums of it over
        // the two sides of a split rank partial terms by how well they separate the rows, whatever
        // the rates are.
        return f[a] + f[b] - f[a + b + 1];
    }
    double sum = 0;
    Count all = 0;
    for (std::size_t c = 0; c < n_classes_; ++c) {
        const Count n = rows(c);
        sum += f[n];
        all += n;
    }
    return sum - f[all + static_cast<Count>(n_classes_) - 1];
}

double Opening::separation_of_parts(const Taken& t) const {
    double sum = 0;
    for (std::size_t s = 0; s < n_strata_; ++s) {
        const auto taken = [&](std::size_t h, std::size_t c) {
            return t.first[h * t.part_step + (c * n_strata_ + s) * t.segment_step];
        };
        for (std::size_t h = 0; h < n_parts_; ++h) {
            const Count* left = others_.parts.count(h);
            sum += shares([&](std::size_t c) { return left[c * n_strata_ + s] - taken(h, c); });
        }
        sum += shares([&](std::size_t c) {
            Count rows = 0;
            for (std::size_t h = 0; h < n_parts_; ++h) rows += taken(h, c);
            return rows;
        });
    }
    return sum;
}

template <class Stays, class Goes>
void Opening::add_up(const Taken& first, std::size_t n, Stays stays, Goes goes, double* out,
                     Count* totals) const {
    const std::size_t class_step = n_strata_ * first.segment_step;
    if (totals != nullptr) std::fill(totals, totals + n, Count{0});
    for (std::size_t s = 0; s < n_strata_; ++s) {
        taken_.assign(n_classes_ * n, 0);
        Count* const taken = taken_.data();
        for (std::size_t h = 0; h < n_parts_; ++h) {
            const Count* left = others_.parts.count(h) + s;
            const Count* from = first.first + h * first.part_step + s * first.segment_step;
            for (std::size_t l = 0; l < n; ++l)
                out[l] += stays(h, [=, this](std::size_t c) {
                    return left[c * n_strata_] - from[c * class_step + l];
                });
            for (std::size_t c = 0; c < n_classes_; ++c)
                for (std::size_t l = 0; l < n; ++l) taken[c * n + l] += from[c * class_step + l];
        }
        for (std::size_t l = 0; l < n; ++l)
            out[l] += goes(s, [=](std::size_t c) { return taken[c * n + l]; });
        if (totals != nullptr)
            for (std::size_t c = 0; c < n_classes_; ++c)
                for (std::size_t l = 0; l < n; ++l) totals[l] += taken[c * n + l];
    }
}

void Opening::bounds(const Taken& first, std::size_t n, double* out, Count* totals) const {
    if (simple_) {
        const Count *a = first.first, *b = first.first + first.segment_step;
        posterior_->likelihood().bounds(marked_.positive, marked_.negative, a, b, n, out);
        if (totals != nullptr)
            for (std::size_t l = 0; l < n; ++l) totals[l] = a[l] + b[l];
        return;
    }
    std::fill(out, out + n, above_);
    if (!posterior_->strata().empty()) {
        if (totals != nullptr) std::fill(totals, totals + n, Count{0});
        for (std::size_t s = 0; s < n_strata_; ++s) {
            const Likelihood& likelihood = posterior_->strata()[s];
            const Count* a = first.first + s * first.segment_step;
            const Count* b = a + n_strata_ * first.segment_step;
            likelihood.add_unordered(own_[s], own_[n_strata_ + s], a, b, n, out);
            if (totals != nullptr)
                for (std::size_t l = 0; l < n; ++l) totals[l] += a[l] + b[l];
        }
        return;
    }
    const CellLikelihood& cells = posterior_->cells();
    add_up(
        first, n, [&](std::size_t h, const auto& rows) { return cells.cell(h == 0, rows); },
        [&](std::size_t s, const auto& rows) {
            return cells.cell(false,
                              [&](std::size_t c) { return own_[c * n_strata_ + s] + rows(c); });
        },
        out, totals);
}

// The same sum as separation_of_parts comes to, in one loop.
template <class LogFactorials>
void Opening::add_separations(const Taken& first, std::size_t n, std::size_t s,
                              const LogFactorials& f, double* out) const {
    const Count* a = first.first + s * first.segment_step;
    const Count* b = a + n_strata_ * first.segment_step;
    const Count open_a = others_.parts.count(0)[s], open_b = others_.parts.count(0)[n_strata_ + s];
    for (std::size_t l = 0; l < n; ++l) {
        const Count left_a = open_a - a[l], left_b = open_b - b[l];
        out[l] += f[left_a] + f[left_b] - f[left_a + left_b + 1];
        out[l] += f[a[l]] + f[b[l]] - f[a[l] + b[l] + 1];
    }
}

void Opening::separations(const Taken& first, std::size_t n, double* out) const {
    if (simple_) {
        const Count all = open_.positive + open_.negative;
        const double* const f = log_factorials_->table(all + 1);
        const Count *a = first.first, *b = first.first + first.segment_step;
        for (std::size_t l = 0; l < n; ++l)
            out[l] = f == nullptr
                         ? separation({a + l, first.part_step, first.segment_step})
                         : f[a[l]] + f[b[l]] - f[a[l] + b[l] + 1] + f[open_.positive - a[l]] +
                               f[open_.negative - b[l]] - f[all - a[l] - b[l] + 1];
        return;
    }
    std::fill(out, out + n, 0.0);
    if (const CellLookUp& shares = posterior_->shares(); !shares.empty()) {
        const Count* const open = others_.parts.count(0);
        for (std::size_t s = 0; s < n_strata_; ++s) {
            const Count* const a = first.first + s * first.segment_step;
            const Count* const b = a + n_strata_ * first.segment_step;
            const double* const taken = shares.data();
            const double* const left = taken + shares.at(open[s], open[n_strata_ + s]);
            for (std::size_t l = 0; l < n; ++l) {
                const Count at = shares.at(a[l], b[l]);
                out[l] = out[l] + left[-at] + taken[at];
            }
        }
        return;
    }
    if (n_parts_ == 1 && n_classes_ == 2) {
        log_factorials_->in_loop([&](const auto& f) {
            for (std::size_t s = 0; s < n_strata_; ++s) add_separations(first, n, s, f, out);
        });
        return;
    }
    const auto of = [this](std::size_t, const auto& rows) { return shares(rows); };
    add_up(first, n, of, of, out, nullptr);
}

// The log likelihood is convex in the counts, so it is highest where a term keeps all or nothing of
// each cell. Looked at are the corners that treat all parts alike and keep or lose no, one or every
// class: with one layer and at most three classes these are all.
double Opening::best_corner(const Taken& t, std::size_t s) const {
    double best = std::max(in_stratum(t, s, [](std::size_t) { return true; }),
                           in_stratum(t, s, [](std::size_t) { return false; }));
    for (std::size_t one = 0; one < n_classes_; ++one) {
        best = std::max(best, in_stratum(t, s, [=](std::size_t c) { return c == one; }));
        if (n_classes_ > 2)
            best = std::max(best, in_stratum(t, s, [=](std::size_t c) { return c != one; }));
    }
    return best;
}

double Opening::hope(const Taken& t) const {
    double sum = above_;
    for (std::size_t s = 0; s < n_strata_; ++s) sum += best_corner(t, s);
    return sum;
}

}  // namespace bayesdnf
