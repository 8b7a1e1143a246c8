#include "genomics/level_scores.hpp"

#include <algorithm>
#include <cmath>

namespace bayesdnf {
namespace {

// Rows of a segment of each class in all strata.
Count rows_of(const CaseSplit& split, std::size_t c) {
    Count sum = 0;
    for (std::size_t s = 0; s < split.n_strata(); ++s)
        sum += static_cast<Count>(split.rows(c * split.n_strata() + s));
    return sum;
}

// A sum of levels, for the screen.
LevelSum level_sum(const std::array<Count, kLevels>& form) {
    LevelSum sum = {};
    for (std::size_t level = 0; level < kLevels; ++level) {
        if (form[level] == 0) continue;
        sum.level[sum.n] = static_cast<std::uint8_t>(level);
        sum.sign[sum.n++] = static_cast<std::int8_t>(form[level]);
    }
    return sum;
}

LevelSum product(const LevelSum& a, const LevelSum& b) {
    LevelSum sum = {};
    for (std::size_t i = 0; i < a.n; ++i)
        for (std::size_t j = 0; j < b.n; ++j) {
            sum.level[sum.n] = static_cast<std::uint8_t>(a.level[i] * kLevels + b.level[j]);
            sum.sign[sum.n++] = static_cast<std::int8_t>(a.sign[i] * b.sign[j]);
        }
    return sum;
}

}  // namespace

LevelScores::LevelScores(ScanRules rules, const Effect& effect, const CaseSplit& split)
    : rules_(std::move(rules)),
      likelihood_(effect, rows_of(split, 0), rows_of(split, 1)),
      null_(likelihood_.null()),
      reach_(likelihood_, rules_.measure == Measure::cells),
      needs_known_(
          rules_.measure == Measure::cells ||
          std::any_of(rules_.codings.begin(), rules_.codings.end(), [](auto c) { return c >= 3; })),
      plain_(rules_.codings == std::vector<std::uint8_t>{0, 1, 2}),
      even_(INFINITY) {
    for (std::size_t f = 0; f < rules_.codings.size(); ++f)
        forms_[f] = kOfLevels[rules_.codings[f]];
    if (rules_.measure == Measure::cells)
        for (const auto& form : kCopies) of_one_.push_back(level_sum(form));
    else
        for (std::size_t f = 0; f < rules_.codings.size(); ++f)
            of_one_.push_back(level_sum(forms_[f]));
    for (const LevelSum& a : of_one_)
        for (const LevelSum& b : of_one_) of_two_.push_back(product(a, b));
    if (split.n_strata() > 1) {
        null_ = strata_.emplace(effect, split).null();
        return;
    }
    const Count n_positive = likelihood_.n_positive(), n_negative = likelihood_.n_negative();
    if (likelihood_.ordered()) {
        even_ = -INFINITY;
        for (Count a = 0; a <= n_positive; ++a)
            even_ = std::max(even_, likelihood_.bound(a, n_negative));
    }
    if (rules_.measure == Measure::cells) {
        times_log_.assign(static_cast<std::size_t>(n_positive + n_negative) + 1, 0);
        for (std::size_t i = 1; i < times_log_.size(); ++i)
            times_log_[i] = static_cast<double>(i) * std::log(static_cast<double>(i));
    }
}

ScreenRow LevelScores::screen(std::size_t variants_of_row) const {
    const std::vector<LevelSum>& of_row = variants_of_row == 1 ? of_one_ : of_two_;
    ScreenRow row = {};
    row.of_row = of_row.data();
    row.n_of_row = of_row.size();
    row.of_lane = of_one_.data();
    row.n_of_lane = of_one_.size();
    row.first_level = needs_known_ ? 0 : 1;
    row.plain = plain_ && variants_of_row == 1 && rules_.measure == Measure::conjunction;
    row.unions = rules_.measure == Measure::cells;
    row.both_directions = reach_.both_directions();
    row.share = static_cast<float>(reach_.share());
    row.beyond = static_cast<float>(reach_.beyond());
    row.cuts = reach_.cuts().data();
    row.n_strata = n_strata();
    if (!strata_) return row;
    row.strata = strata_->bounds().data();
    row.complements = strata_->complements();
    return row;
}

double LevelScores::wanted(double sub, double least) const {
    constexpr double kRounding = 1e-9;
    const double value = null_ + base(sub) + least;
    return value - kRounding * std::abs(value);
}

template <std::size_t N>
bool LevelScores::best_of(const LevelCounts<N>& rows, std::size_t n, double least, double& best,
                          Finding& out) const {
    double most = -INFINITY;
    for (std::size_t i = 0; i < n; ++i)
        most = std::max(most, likelihood_.bound(rows[0][i], rows[1][i]));
    if (most < least) return false;
    bool found = false;
    for (std::size_t i = 0; i < n; ++i) {
        const Count a = rows[0][i], b = rows[1][i];
        if (a + b == 0) continue;
        if (const double bound = likelihood_.bound(a, b); bound <= best || bound < least) continue;
        const double exact = likelihood_(a, b);
        if (exact <= best || exact < least) continue;
        best = exact;
        found = true;
        out.what = static_cast<std::uint32_t>(i);
        out.positive = a;
        out.negative = b;
    }
    if (found) out.log_bayes_factor = best;
    return found;
}

// No union of cells is likelier than a rate for each cell, and one for the rows of no cell.
template <std::size_t N>
double LevelScores::saturated(const LevelCounts<N>& cells) const {
    Count a = likelihood_.n_positive(), b = likelihood_.n_negative();
    double sum = 0;
    for (std::size_t i = 0; i < N; ++i) {
        const Count x = cells[0][i], y = cells[1][i];
        sum += times_log(x) + times_log(y) - times_log(x + y);
        a -= x;
        b -= y;
    }
    constexpr double kRounding = 1e-6;
    return sum + times_log(a) + times_log(b) - times_log(a + b) +
           likelihood_.largest_order_factor() + kRounding;
}

// The likelihood is convex in the marked positives and negatives (it is the logarithm of an
// integral of exponentials), so of all unions of cells the best one takes those with the highest
// rates, down to some rate, or those with the lowest. Where none of them, or all, would be better
// still, there is no marker to be found, and what is returned may not be the best of the rest.
template <std::size_t N>
bool LevelScores::best_union(const LevelCounts<N>& cells, double least, Finding& out) const {
    std::array<std::uint8_t, N> order;
    std::size_t n = 0;
    for (std::size_t i = 0; i < N; ++i) {
        if (cells[0][i] + cells[1][i] == 0) continue;
        std::size_t j = n++;
        const auto higher = [&](std::size_t x, std::size_t y) {
            return cells[0][x] * cells[1][y] > cells[0][y] * cells[1][x];
        };
        for (; j > 0 && higher(i, order[j - 1]); --j) order[j] = order[j - 1];
        order[j] = static_cast<std::uint8_t>(i);
    }
    bool found = false;
    double best = -INFINITY;
    for (bool lowest : {false, true}) {
        if (n < 2 || (lowest && std::max(least, best) > even_)) break;
        if (lowest) std::reverse(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n));
        LevelCounts<N> sums;
        Count a = 0, b = 0;
        for (std::size_t j = 0; j + 1 < n; ++j) {  // all cells together are no marker
            sums[0][j] = a += cells[0][order[j]];
            sums[1][j] = b += cells[1][order[j]];
        }
        if (!best_of(sums, n - 1, least, best, out)) continue;
        found = true;
        std::uint32_t marked = 0;
        for (std::size_t j = 0; j <= out.what; ++j) marked |= std::uint32_t{1} << order[j];
        out.what = marked;
    }
    return found;
}

template <std::size_t Variants, std::size_t N, std::size_t Most>
std::size_t LevelScores::products(const LevelCounts<N>& counts, LevelCounts<Most>& rows) const {
    const std::size_t n_forms = rules_.codings.size();
    std::size_t n = N;
    for (std::size_t s = 0; s < 2; ++s) {
        if (Variants == 2 && plain_) {
            plain_products(counts[s].data(), rows[s].data());
            continue;
        }
        std::array<Count, Most> from;
        std::copy(counts[s].begin(), counts[s].end(), from.begin());
        n = N;
        for (std::size_t axis = 0; axis < Variants; ++axis) {
            n = combine_axis(from.data(), n, forms_, n_forms, rows[s].data());
            if (axis + 1 < Variants) std::copy_n(rows[s].begin(), n, from.begin());
        }
    }
    return n;
}

template <std::size_t Variants>
std::uint32_t LevelScores::spelled(std::uint32_t product) const {
    std::uint32_t what = 0, unit = 1;
    for (std::size_t v = 0; v < Variants; ++v, unit *= kCodings) {
        const auto after =
            static_cast<std::uint32_t>(power(rules_.codings.size(), Variants - 1 - v));
        what += rules_.codings[product / after] * unit;
        product %= after;
    }
    return what;
}

template <std::size_t Variants>
bool LevelScores::operator()(StrataCounts<Variants> counts, double sub, double least,
                             Finding& out) const {
    constexpr std::size_t N = power(kLevels, Variants);
    const double wanted = this->wanted(sub, least);
    bool found;
    if (rules_.measure == Measure::cells) {
        if (strata_) {
            found = strata_->best_union<Variants>(counts, wanted, least_sum(sub, least), out);
        } else {
            LevelCounts<N> cells;
            cells_of<Variants>(counts[0], cells);
            if (saturated(cells) < wanted) return false;
            found = best_union(cells, wanted, out);
        }
    } else {
        using Rows = LevelCounts<power(kCodings, Variants)>;
        if (strata_) {
            std::vector<Rows> rows(counts.size());
            std::size_t n = 0;
            for (std::size_t s = 0; s < counts.size(); ++s)
                n = products<Variants>(counts[s], rows[s]);
            found = strata_->best_of<Rows>(rows, n, wanted, out);
        } else {
            Rows rows;
            const std::size_t n = products<Variants>(counts[0], rows);
            double best = -INFINITY;
            found = best_of(rows, n, wanted, best, out);
        }
        if (found) out.what = spelled<Variants>(out.what);
    }
    if (!found) return false;
    out.log_bayes_factor -= null_;
    out.gain = out.log_bayes_factor - std::max(0.0, sub);
    out.key = rules_.by_gain ? out.gain : out.log_bayes_factor;
    return true;
}

template bool LevelScores::operator()<1>(StrataCounts<1>, double, double, Finding&) const;
template bool LevelScores::operator()<2>(StrataCounts<2>, double, double, Finding&) const;
template bool LevelScores::operator()<3>(StrataCounts<3>, double, double, Finding&) const;

}  // namespace bayesdnf
