#include "search/opening.hpp"

#include <algorithm>

#include "faults.hpp"

namespace bayesdnf {

void Opening::look(const State& state, std::size_t without, Height height) {
    posterior_ = &state.posterior();
    simple_ = posterior_->simple();
    state.others(without, height, others_);
    const Parts& parts = others_.parts;
    const std::size_t n_others = state.size() - (without == kNone ? 0 : 1);
    const std::size_t n_layers = parts.n_layers() + (others_.joins ? 0 : 1);
    others_prior_ =
        state.terms_prior(without) + posterior_->prior().of_count(n_others + 1, n_layers);
    log_factorials_ = &posterior_->log_factorials();
    n_parts_ = static_cast<std::size_t>(others_.layer);
    const std::size_t n_segments = posterior_->view().n_segments();
    n_strata_ = n_segments / 2;
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
    for (std::size_t s = 0; s < n_strata_; ++s) sum += in_stratum(t, s, true, true);
    return sum;
}

double Opening::in_stratum(const Taken& t, std::size_t s, bool positives, bool negatives) const {
    const CellLikelihood& cells = posterior_->cells();
    Count positive = own_[s], negative = own_[n_strata_ + s];
    double sum = 0;
    for (std::size_t h = 0; h < n_parts_; ++h) {
        const Count* left = others_.parts.count(h);
        const Count* taken = t.first + h * t.part_step;
        const Count a = positives ? taken[s * t.segment_step] : 0;
        const Count b = negatives ? taken[(n_strata_ + s) * t.segment_step] : 0;
        sum += cells.cell(h == 0, left[s] - a, left[n_strata_ + s] - b);
        positive += a;
        negative += b;
    }
    return sum + cells.cell(false, positive, negative);
}

double Opening::separation_of_parts(const Taken& t) const {
    const LookUp& f = *log_factorials_;
    const auto rate = [&f](Count a, Count b) { return f[a] + f[b] - f[a + b + 1]; };
    double sum = 0;
    for (std::size_t s = 0; s < n_strata_; ++s) {
        Count positive = 0, negative = 0;
        for (std::size_t h = 0; h < n_parts_; ++h) {
            const Count* left = others_.parts.count(h);
            const Count a = t.first[h * t.part_step + s * t.segment_step];
            const Count b = t.first[h * t.part_step + (n_strata_ + s) * t.segment_step];
            sum += rate(left[s] - a, left[n_strata_ + s] - b);
            positive += a;
            negative += b;
        }
        sum += rate(positive, negative);
    }
    return sum;
}

template <class Stays, class Goes>
void Opening::add_up(const Taken& first, std::size_t n, Stays stays, Goes goes, double* out,
                     Count* totals) const {
    std::vector<Count>&positive = positive_, &negative = negative_;
    positive.resize(n);
    negative.resize(n);
    if (totals != nullptr) std::fill(totals, totals + n, Count{0});
    for (std::size_t s = 0; s < n_strata_; ++s) {
        std::fill(positive.begin(), positive.end(), Count{0});
        std::fill(negative.begin(), negative.end(), Count{0});
        for (std::size_t h = 0; h < n_parts_; ++h) {
            const Count left_positive = others_.parts.count(h)[s];
            const Count left_negative = others_.parts.count(h)[n_strata_ + s];
            const Count* a = first.first + h * first.part_step + s * first.segment_step;
            const Count* b = a + n_strata_ * first.segment_step;
            for (std::size_t l = 0; l < n; ++l) {
                out[l] += stays(h, left_positive - a[l], left_negative - b[l]);
                positive[l] += a[l];
                negative[l] += b[l];
            }
        }
        for (std::size_t l = 0; l < n; ++l) out[l] += goes(s, positive[l], negative[l]);
        if (totals != nullptr)
            for (std::size_t l = 0; l < n; ++l) totals[l] += positive[l] + negative[l];
    }
}

void Opening::bounds(const Taken& first, std::size_t n, double* out, Count* totals) const {
    if (simple_) {
        const Count *a = first.first, *b = first.first + first.segment_step;
        const Likelihood& likelihood = posterior_->likelihood();
        for (std::size_t l = 0; l < n; ++l) {
            out[l] = likelihood.bound(marked_.positive + a[l], marked_.negative + b[l]);
            totals[l] = a[l] + b[l];
        }
        return;
    }
    std::fill(out, out + n, above_);
    if (!posterior_->strata().empty()) {
        std::fill(totals, totals + n, Count{0});
        for (std::size_t s = 0; s < n_strata_; ++s) {
            const Likelihood& likelihood = posterior_->strata()[s];
            const Count* a = first.first + s * first.segment_step;
            const Count* b = a + n_strata_ * first.segment_step;
            for (std::size_t l = 0; l < n; ++l) {
                out[l] += likelihood.unordered(own_[s] + a[l], own_[n_strata_ + s] + b[l]);
                totals[l] += a[l] + b[l];
            }
        }
        return;
    }
    const CellLikelihood& cells = posterior_->cells();
    add_up(
        first, n, [&](std::size_t h, Count a, Count b) { return cells.cell(h == 0, a, b); },
        [&](std::size_t s, Count a, Count b) {
            return cells.cell(false, own_[s] + a, own_[n_strata_ + s] + b);
        },
        out, totals);
}

void Opening::separations(const Taken& first, std::size_t n, double* out) const {
    if (simple_) {
        for (std::size_t l = 0; l < n; ++l)
            out[l] = separation({first.first + l, first.part_step, first.segment_step});
        return;
    }
    std::fill(out, out + n, 0.0);
    const LookUp& f = *log_factorials_;
    const auto rate = [&f](std::size_t, Count a, Count b) { return f[a] + f[b] - f[a + b + 1]; };
    add_up(first, n, rate, rate, out, nullptr);
}

// The log likelihood is convex in the counts, so it is highest where a term keeps all or nothing of
// each cell. Looked at are the corners that treat all parts alike: with one layer these are all.
double Opening::hope(const Taken& t) const {
    double sum = above_;
    for (std::size_t s = 0; s < n_strata_; ++s)
        sum += std::max(std::max(in_stratum(t, s, true, true), in_stratum(t, s, false, false)),
                        std::max(in_stratum(t, s, true, false), in_stratum(t, s, false, true)));
    return sum;
}

}  // namespace bayesdnf
