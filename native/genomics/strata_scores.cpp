#include "genomics/strata_scores.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace bayesdnf {
namespace {

// Above 0 where the marked rows of a stratum are positive more often than the others (Mantel and
// Haenszel's difference).
double raised(const Likelihood& stratum, Count a, Count b) {
    const Count positives = stratum.n_positive(), negatives = stratum.n_negative();
    return static_cast<double>(a * negatives - b * positives) /
           static_cast<double>(std::max(Count{1}, positives + negatives));
}

// The best of some; of those that score the same the first one that raises the risk.
struct Best {
    double score = -INFINITY, raised = 0;
    std::size_t at = 0;
    void offer(std::size_t i, double value, double by) {
        if (value < score || (value == score && (raised > 0 || by <= 0))) return;
        *this = {value, by, i};
    }
};

}  // namespace

StrataScores::StrataScores(const Effect& effect, const CaseSplit& split)
    : complements_(effect.a0 == effect.a1 && effect.b0 == effect.b1 && !effect.known()) {
    for (std::size_t s = 0, n = split.n_strata(); s < n; ++s) {
        strata_.emplace_back(effect, static_cast<Count>(split.rows(s)),
                             static_cast<Count>(split.rows(n + s)));
        bounds_.push_back(stratum_bound(strata_.back()));
        null_ += strata_.back().null();
        n_rows_ += strata_.back().n_positive() + strata_.back().n_negative();
    }
}

template <class Rows>
bool StrataScores::best_of(std::span<const Rows> rows, std::size_t n, double least,
                           Finding& out) const {
    Best best;
    for (std::size_t i = 0; i < n; ++i) {
        double score = 0, by = 0;
        Count a = 0, b = 0;
        for (std::size_t s = 0; s < size(); ++s) {
            const Count x = rows[s][0][i], y = rows[s][1][i];
            score += strata_[s].unordered(x, y);
            by += raised(strata_[s], x, y);
            a += x;
            b += y;
        }
        if (a + b == 0 || score < least) continue;
        best.offer(i, score, by);
        if (best.at != i) continue;
        out.positive = a;
        out.negative = b;
    }
    if (best.score == -INFINITY) return false;
    out.log_bayes_factor = best.score;
    out.what = static_cast<std::uint32_t>(best.at);
    return true;
}

template <std::size_t N>
void StrataScores::bound_unions(std::span<const LevelCounts<N>> cells,
                                std::span<const std::uint8_t> which, float* sums) const {
    std::vector<float> cases(cells.size() * kStrataCells), rows(cells.size() * kStrataCells);
    for (std::size_t s = 0; s < cells.size(); ++s)
        for (std::size_t i = 0; i < which.size(); ++i) {
            const Count a = cells[s][0][which[i]], b = cells[s][1][which[i]];
            cases[s * kStrataCells + i] = static_cast<float>(a);
            rows[s * kStrataCells + i] = static_cast<float>(a + b);
        }
    strata_loops().bound_unions(bounds_.data(), cells.size(), cases.data(), rows.data(),
                                which.size(), sums);
}

// One union for all strata: there is no order of the cells to go by, so every union is looked at.
// All cells together are no marker. `sum` is what the strata must add up to, for the bounds.
template <std::size_t Variants>
bool StrataScores::best_union(StrataCounts<Variants> counts, double least, float sum,
                              Finding& out) const {
    constexpr std::size_t kCells = power(kLevels, Variants);
    if constexpr (kCells > kStrataCells) {
        return false;  // whoever makes the table refuses these
    } else {
        std::vector<LevelCounts<kCells>> cells(size());
        LevelCounts<kCells> all{};
        for (std::size_t s = 0; s < size(); ++s) {
            cells_of<Variants>(counts[s], cells[s]);
            for (std::size_t c = 0; c < 2; ++c)
                for (std::size_t i = 0; i < kCells; ++i) all[c][i] += cells[s][c][i];
        }
        std::array<std::uint8_t, kCells> present;
        std::size_t n = 0;
        Count in_cells = 0;
        for (std::size_t i = 0; i < kCells; ++i) {
            if (all[0][i] + all[1][i] == 0) continue;
            present[n++] = static_cast<std::uint8_t>(i);
            in_cells += all[0][i] + all[1][i];
        }
        if (n < 2) return false;
        // Where no row is outside the cells, a union and the others score the same: leave out those
        // with the last cell.
        const bool half = complements_ && in_cells == n_rows_;
        const std::uint32_t everything = (std::uint32_t{1} << n) - 1;
        const std::uint32_t end = half ? (everything + 1) / 2 : everything;
        std::array<float, kStrataSets> sums;
        bound_unions<kCells>(cells, {present.data(), n - std::size_t{half}}, sums.data());
        Best best;
        for (std::uint32_t set = 1; set < end; ++set) {
            if (sums[set] < sum) continue;
            double score = 0, by = 0;
            for (std::size_t s = 0; s < size(); ++s) {
                Count a = 0, b = 0;
                for (std::uint32_t left = set; left != 0; left &= left - 1) {
                    const std::size_t i = present[static_cast<std::size_t>(std::countr_zero(left))];
                    a += cells[s][0][i];
                    b += cells[s][1][i];
                }
                score += strata_[s].unordered(a, b);
                by += raised(strata_[s], a, b);
            }
            if (score >= least) best.offer(set, score, by);
        }
        if (best.score == -INFINITY) return false;
        auto set = static_cast<std::uint32_t>(best.at);
        if (half && best.raised < 0) set ^= everything;
        out.log_bayes_factor = best.score;
        out.what = 0;
        out.positive = out.negative = 0;
        for (std::size_t k = 0; k < n; ++k) {
            if ((set >> k & 1u) == 0) continue;
            out.what |= std::uint32_t{1} << present[k];
            out.positive += all[0][present[k]];
            out.negative += all[1][present[k]];
        }
        return true;
    }
}

template <std::size_t Variants>
using RowsOf = LevelCounts<power(kCodings, Variants)>;
template bool StrataScores::best_of(std::span<const RowsOf<1>>, std::size_t, double,
                                    Finding&) const;
template bool StrataScores::best_of(std::span<const RowsOf<2>>, std::size_t, double,
                                    Finding&) const;
template bool StrataScores::best_of(std::span<const RowsOf<3>>, std::size_t, double,
                                    Finding&) const;
template bool StrataScores::best_union<1>(StrataCounts<1>, double, float, Finding&) const;
template bool StrataScores::best_union<2>(StrataCounts<2>, double, float, Finding&) const;
template bool StrataScores::best_union<3>(StrataCounts<3>, double, float, Finding&) const;

}  // namespace bayesdnf
