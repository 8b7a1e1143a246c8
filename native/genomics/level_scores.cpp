#include "genomics/level_scores.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace bayesdnf {
namespace {

// Each coding as a sum of levels known, carrier, two.
constexpr std::array<std::array<Count, kLevels>, kCodings> kOfLevels = {{
    {0, 1, 0},   // dominant
    {0, 0, 1},   // recessive
    {0, 1, -1},  // heterozygous
    {1, -1, 0},
    {1, 0, -1},
    {1, -1, 1},
}};
// Copies 0, 1 and 2 as sums of levels.
constexpr std::array<std::array<Count, kLevels>, kLevels> kCopies = {
    {{1, -1, 0}, {0, 1, -1}, {0, 0, 1}}};

// Replace the last axis of a flat array, of `levels` entries, by linear combinations of it, and
// bring it to the front: after as many turns as there are axes the order is the original one.
template <class Forms>
inline std::size_t combine_axis(const Count* in, std::size_t size, const Forms& forms,
                                std::size_t n_forms, Count* out) {
    const std::size_t rest = size / kLevels;
    for (std::size_t f = 0; f < n_forms; ++f) {
        const auto& form = forms[f];
        for (std::size_t r = 0; r < rest; ++r) {
            const Count* x = in + r * kLevels;
            out[f * rest + r] = form[0] * x[0] + form[1] * x[1] + form[2] * x[2];
        }
    }
    return n_forms * rest;
}

// The nine ANDs of dominant, recessive and heterozygous: the usual case, written out.
inline void plain_products(const Count* levels, Count* rows) {
    const Count cc = levels[4], ct = levels[5], tc = levels[7], tt = levels[8];
    const Count products[] = {cc,      ct,      cc - ct,          tc, tt, tc - tt,
                              cc - tc, ct - tt, cc - ct - tc + tt};
    std::copy(std::begin(products), std::end(products), rows);
}

// The nine genotype cells of two variants, written out as well.
inline void plain_cells(const Count* l, Count* cells) {
    const Count differences[] = {l[0] - l[1] - l[3] + l[4],
                                 l[1] - l[2] - l[4] + l[5],
                                 l[2] - l[5],
                                 l[3] - l[4] - l[6] + l[7],
                                 l[4] - l[5] - l[7] + l[8],
                                 l[5] - l[8],
                                 l[6] - l[7],
                                 l[7] - l[8],
                                 l[8]};
    std::copy(std::begin(differences), std::end(differences), cells);
}

// Cells of a flat table of levels.
template <std::size_t Variants, std::size_t N>
inline void cells_of(const LevelCounts<N>& counts, LevelCounts<N>& cells) {
    for (std::size_t s = 0; s < 2; ++s) {
        if (Variants == 2) {
            plain_cells(counts[s].data(), cells[s].data());
            continue;
        }
        std::array<Count, N> from = counts[s];
        for (std::size_t axis = 0; axis < Variants; ++axis) {
            combine_axis(from.data(), N, kCopies, kLevels, cells[s].data());
            from = cells[s];
        }
    }
}

// Rows of a segment of each class in all strata.
Count rows_of(const CaseSplit& split, std::size_t c) {
    Count sum = 0;
    for (std::size_t s = 0; s < split.n_strata(); ++s)
        sum += static_cast<Count>(split.rows(c * split.n_strata() + s));
    return sum;
}

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

bool operator<(const Finding& a, const Finding& b) {
    return a.key != b.key ? a.key > b.key : a.variants < b.variants;
}

void Findings::offer(const Finding& finding) {
    if (heap_.size() < most_) {
        heap_.push_back(finding);
        std::push_heap(heap_.begin(), heap_.end());
    } else if (most_ > 0 && finding < heap_.front()) {
        std::pop_heap(heap_.begin(), heap_.end());
        heap_.back() = finding;
        std::push_heap(heap_.begin(), heap_.end());
    }
}

std::vector<Finding> Findings::sorted() const {
    std::vector<Finding> out = heap_;
    std::sort(out.begin(), out.end());
    return out;
}

LevelScores::LevelScores(ScanRules rules, const Effect& effect, const CaseSplit& split)
    : rules_(std::move(rules)),
      likelihood_(effect, rows_of(split, 0), rows_of(split, 1)),
      null_(likelihood_.null()),
      complements_(effect.a0 == effect.a1 && effect.b0 == effect.b1 && !effect.known()),
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
    if (const std::size_t n = split.n_strata(); n > 1) {
        null_ = 0;
        for (std::size_t s = 0; s < n; ++s) {
            strata_.emplace_back(effect, static_cast<Count>(split.rows(s)),
                                 static_cast<Count>(split.rows(n + s)));
            bounds_.push_back(stratum_bound(strata_.back()));
            null_ += strata_.back().null();
        }
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
    row.strata = bounds_.data();
    row.n_strata = n_strata();
    row.complements = complements_;
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
bool LevelScores::best_and_of(StrataCounts<Variants> counts, double least, Finding& out) const {
    constexpr std::size_t kMost = power(kCodings, Variants);
    std::array<double, kMost> score{}, by{};
    LevelCounts<kMost> rows, all{};
    std::size_t n = 0;
    for (std::size_t s = 0; s < counts.size(); ++s) {
        n = products<Variants>(counts[s], rows);
        for (std::size_t i = 0; i < n; ++i) {
            const Count a = rows[0][i], b = rows[1][i];
            score[i] += strata_[s].unordered(a, b);
            by[i] += raised(strata_[s], a, b);
            all[0][i] += a;
            all[1][i] += b;
        }
    }
    Best best;
    for (std::size_t i = 0; i < n; ++i)
        if (all[0][i] + all[1][i] > 0 && score[i] >= least) best.offer(i, score[i], by[i]);
    if (best.score == -INFINITY) return false;
    out.log_bayes_factor = best.score;
    out.what = spelled<Variants>(static_cast<std::uint32_t>(best.at));
    out.positive = all[0][best.at];
    out.negative = all[1][best.at];
    return true;
}

template <std::size_t N>
void LevelScores::bound_unions(std::span<const LevelCounts<N>> cells,
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
bool LevelScores::best_union_of(StrataCounts<Variants> counts, double least, float sum,
                                Finding& out) const {
    constexpr std::size_t kCells = power(kLevels, Variants);
    if constexpr (kCells > kStrataCells) {
        return false;  // whoever makes the table refuses these
    } else {
        std::vector<LevelCounts<kCells>> cells(counts.size());
        LevelCounts<kCells> all{};
        for (std::size_t s = 0; s < counts.size(); ++s) {
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
        const bool half =
            complements_ && in_cells == likelihood_.n_positive() + likelihood_.n_negative();
        const std::uint32_t everything = (std::uint32_t{1} << n) - 1;
        const std::uint32_t end = half ? (everything + 1) / 2 : everything;
        std::array<float, kStrataSets> sums;
        bound_unions<kCells>(cells, {present.data(), n - std::size_t{half}}, sums.data());
        Best best;
        for (std::uint32_t set = 1; set < end; ++set) {
            if (sums[set] < sum) continue;
            double score = 0, by = 0;
            for (std::size_t s = 0; s < counts.size(); ++s) {
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
bool LevelScores::operator()(StrataCounts<Variants> counts, double sub, double least,
                             Finding& out) const {
    constexpr std::size_t N = power(kLevels, Variants);
    const double wanted = this->wanted(sub, least);
    bool found;
    if (n_strata() > 1) {
        found = rules_.measure == Measure::cells
                    ? best_union_of<Variants>(counts, wanted, least_sum(sub, least), out)
                    : best_and_of<Variants>(counts, wanted, out);
    } else if (rules_.measure == Measure::cells) {
        LevelCounts<N> cells;
        cells_of<Variants>(counts[0], cells);
        if (saturated(cells) < wanted) return false;
        found = best_union(cells, wanted, out);
    } else {
        LevelCounts<power(kCodings, Variants)> rows;
        const std::size_t n = products<Variants>(counts[0], rows);
        double best = -INFINITY;
        found = best_of(rows, n, wanted, best, out);
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
