// Unions of the genotype cells of two variants within strata: what the best one of each stratum
// adds at most, and whether one union for all strata may reach what is wanted.
#pragma once

#include "genomics/simd/at_most.hpp"

namespace bayesdnf {
namespace {

// The nine genotype cells of two variants, copies (0, 0), (0, 1), …
inline void genotype_cells(const std::int32_t* counts, Floats* cells) {
    Integers l[kStrataCells];
    for (std::size_t i = 0; i < kStrataCells; ++i) l[i] = integers_at(counts + i * kLanes);
    const Integers found[kStrataCells] = {l[0] - l[1] - l[3] + l[4],
                                          l[1] - l[2] - l[4] + l[5],
                                          l[2] - l[5],
                                          l[3] - l[4] - l[6] + l[7],
                                          l[4] - l[5] - l[7] + l[8],
                                          l[5] - l[8],
                                          l[6] - l[7],
                                          l[7] - l[8],
                                          l[8]};
    for (std::size_t i = 0; i < kStrataCells; ++i) cells[i] = as_floats(found[i]);
}

// Compared and exchanged in this order, nine numbers are sorted.
constexpr std::uint8_t kExchanges[25][2] = {{0, 3}, {1, 7}, {2, 5}, {4, 8}, {0, 7}, {2, 4}, {3, 8},
                                            {5, 6}, {0, 2}, {1, 3}, {4, 5}, {7, 8}, {1, 4}, {3, 6},
                                            {5, 7}, {0, 1}, {2, 4}, {3, 5}, {6, 8}, {2, 3}, {4, 5},
                                            {6, 7}, {1, 2}, {3, 4}, {5, 6}};

// What the best union of cells adds in one stratum. There it takes the cells from some rate of
// cases on, or those below it (LevelScores::best_union); where complements score the same, the
// first are enough.
Floats best_union_at_most(const StratumBound& of, const Floats* cases, const Floats* controls,
                          bool complements) {
    const Floats zero = {};
    Floats all[kStrataCells], off[kStrataCells], rate[kStrataCells];
    for (std::size_t i = 0; i < kStrataCells; ++i) {
        all[i] = cases[i] + controls[i];
        off[i] = cases[i] - of.share * all[i];
        rate[i] = cases[i] * reciprocal(all[i] > zero ? all[i] : zero + 1.0F);
    }
    BAYESDNF_UNROLL(25)
    for (const auto& pair : kExchanges) {
        const std::size_t a = pair[0], b = pair[1];
        const auto exchange = rate[a] < rate[b];
        const auto order = [&](Floats* of_cells) {
            const Floats first = of_cells[a], second = of_cells[b];
            of_cells[a] = exchange ? second : first;
            of_cells[b] = exchange ? first : second;
        };
        order(all);
        order(off);
        order(rate);
    }
    Floats most = zero + of.none;
    const auto take = [&](Floats over, Floats m) {
        const Floats found = at_most_exactly(of, over, m);
        most = found > most ? found : most;
    };
    Floats over = zero, m = zero;
    for (std::size_t i = 0; i < kStrataCells; ++i) take(over += off[i], m += all[i]);
    if (complements) return most;
    over = m = zero;
    for (std::size_t i = kStrataCells; i-- > 0;) take(over += off[i], m += all[i]);
    return most;
}

// What the screen of unions remembers of a stratum: by lane of a piece, cases and rows of each
// cell, and what a union adds at most.
struct StratumRoom {
    float cases[kStrataCells][kPiece], rows[kStrataCells][kPiece], most[kPiece];
};
static_assert(sizeof(StratumRoom) <= kStrataRoom * sizeof(float));

// Of cells of copies (0, 0), (0, 1), … those that few rows are in come first, where the counted
// alleles are the minor ones; the others the other way round.
constexpr std::uint8_t kBySize[2][2][kStrataCells] = {
    {{8, 5, 7, 2, 6, 4, 3, 1, 0}, {6, 3, 7, 0, 8, 4, 5, 1, 2}},
    {{2, 5, 1, 8, 0, 4, 3, 7, 6}, {0, 3, 1, 6, 2, 4, 5, 7, 8}}};
constexpr std::size_t kLowCells = 4;  // that are tried last

// Which of the first numbers have which bit set.
constexpr std::size_t kHighCells = kStrataCells - kLowCells;
constexpr std::size_t kHighSets = std::size_t{1} << kHighCells;
struct Bits {
    alignas(64) float bit[kHighCells][kHighSets];
    constexpr Bits() : bit{} {
        for (std::size_t i = 0; i < kHighCells; ++i)
            for (std::size_t set = 0; set < kHighSets; ++set)
                bit[i][set] = (set >> i & 1u) != 0 ? 1.0F : 0.0F;
    }
};
constexpr Bits kBits;

// The cells of one lane in one stratum: rows, and how many more of them are cases than by chance.
struct LaneCells {
    float off[kStrataCells], rows[kStrataCells];

    LaneCells(const StratumRoom& room, std::size_t lane, const std::uint8_t* order, float share) {
        for (std::size_t i = 0; i < kStrataCells; ++i) {
            const float cases = room.cases[order[i]][lane];
            rows[i] = room.rows[order[i]][lane];
            off[i] = cases - share * rows[i];
        }
    }

    // kPiece sets of n cells, from set `first` on.
    static Floats of_sets(const float* of_cells, std::size_t n, std::size_t first) {
        Floats sum = {};
        for (std::size_t i = 0; i < n; ++i) sum += of_cells[i] * floats_at(&kBits.bit[i][first]);
        return sum;
    }
};

// The first cells by their rates of cases, highest first. In double precision different rates stay
// different, and there is room for the number of a cell.
struct ByRate {
    std::uint64_t key[kLowCells];

    ByRate(const StratumRoom& room, std::size_t lane, const std::uint8_t* order) {
        for (std::size_t i = 0; i < kLowCells; ++i) {
            const float n = room.rows[order[i]][lane];
            const double rate =
                static_cast<double>(room.cases[order[i]][lane]) / (n > 0 ? n : 1.0F);
            key[i] = (__builtin_bit_cast(std::uint64_t, rate) & ~std::uint64_t{kLowCells - 1}) | i;
        }
        for (std::size_t end = kLowCells; end-- > 1;)
            for (std::size_t i = 0; i < end; ++i) {
                const std::uint64_t a = key[i], b = key[i + 1];
                key[i] = a > b ? a : b;
                key[i + 1] = a > b ? b : a;
            }
    }
    std::size_t operator[](std::size_t i) const { return key[i] % kLowCells; }
};

// Whether one union for all strata may add up to what is wanted. Every set of the cells with most
// rows is tried, with the best of the others in each stratum: those with the highest rates, or the
// lowest. Where that reaches it, every set of the others is tried beside it. Strata that are still
// to come add what any union does. Where complements score the same, sets with the last cell are
// left out.
class OneUnion {
  public:
    OneUnion(const ScreenRow& row, const StratumRoom* room, std::size_t lane, float wanted)
        : row_(row), room_(room), lane_(lane), wanted_(wanted) {
        const auto fewer_twos = [&](std::size_t two, std::size_t step) {
            float more = 0;
            for (std::size_t i = 0; i < 3; ++i)
                more += room->rows[i * step][lane] - room->rows[two + i * step][lane];
            return more >= 0;
        };
        order_ = kBySize[fewer_twos(6, 1) ? 0 : 1][fewer_twos(2, 3) ? 0 : 1];
        for (std::size_t s = 0; s < row.n_strata; ++s) {
            in_all_ += room[s].most[lane];
            if (room[s].most[lane] > room[start_].most[lane]) start_ = s;
        }
    }

    bool may_reach(bool complements) const {
        const std::size_t n_high = kHighCells - (complements ? 1 : 0);
        for (std::size_t first = 0; first < std::size_t{1} << n_high; first += kPiece) {
            float sums[kPiece];
            const auto beside = [&](std::size_t s) { return at_most_beside(s, first, n_high); };
            if (!sum_up(beside, sums)) continue;
            for (std::size_t j = 0; j < kPiece; ++j)
                if (sums[j] >= wanted_ && any_beside(first + j, n_high)) return true;
        }
        return false;
    }

  private:
    // Sums over strata, as long as one of them may reach what is wanted; then false.
    template <class OfStratum>
    bool sum_up(const OfStratum& of_stratum, float* sums) const {
        Floats sum = {};
        float left = in_all_;
        for (std::size_t i = 0; i < row_.n_strata; ++i) {
            const std::size_t s =
                i + start_ < row_.n_strata ? i + start_ : i + start_ - row_.n_strata;
            sum += of_stratum(s);
            left -= room_[s].most[lane_];
            const float least = i + 1 < row_.n_strata ? wanted_ - left : wanted_;
            if (!any(sum >= Floats{} + least)) return false;
        }
        *reinterpret_cast<Floats*>(sums) = sum;
        return true;
    }

    LaneCells cells_of(std::size_t s) const {
        return {room_[s], lane_, order_, row_.strata[s].share};
    }

    // kPiece sets of the last cells, from set `first` on, each with the best of the first cells.
    Floats at_most_beside(std::size_t s, std::size_t first, std::size_t n_high) const {
        const LaneCells cells = cells_of(s);
        const ByRate ranked(room_[s], lane_, order_);
        const Floats off = LaneCells::of_sets(cells.off + kLowCells, n_high, first);
        const Floats rows = LaneCells::of_sets(cells.rows + kLowCells, n_high, first);
        Floats most = at_most_exactly(row_.strata[s], off, rows);
        const auto take = [&](Floats over, Floats m) {
            const Floats found = at_most(row_.strata[s], over, m);
            most = found > most ? found : most;
        };
        Floats over = off, m = rows;
        for (std::size_t i = 0; i < kLowCells; ++i)
            take(over += cells.off[ranked[i]], m += cells.rows[ranked[i]]);
        over = off, m = rows;
        for (std::size_t i = kLowCells; i-- > 1;)
            take(over += cells.off[ranked[i]], m += cells.rows[ranked[i]]);
        return most;
    }

    // The same of one set of the last cells with every set of the first.
    bool any_beside(std::size_t high, std::size_t n_high) const {
        for (std::size_t first = 0; first < std::size_t{1} << kLowCells; first += kPiece) {
            float sums[kPiece];
            const auto of_sets = [&](std::size_t s) {
                const LaneCells cells = cells_of(s);
                Floats off = LaneCells::of_sets(cells.off, kLowCells, first);
                Floats rows = LaneCells::of_sets(cells.rows, kLowCells, first);
                for (std::size_t i = 0; i < n_high; ++i) {
                    off += cells.off[kLowCells + i] * kBits.bit[i][high];
                    rows += cells.rows[kLowCells + i] * kBits.bit[i][high];
                }
                return at_most_exactly(row_.strata[s], off, rows);
            };
            if (sum_up(of_sets, sums)) return true;
        }
        return false;
    }

    const ScreenRow& row_;
    const StratumRoom* room_;
    std::size_t lane_;
    float wanted_, in_all_ = 0;
    const std::uint8_t* order_;
    std::size_t start_ = 0;
};

}  // namespace
}  // namespace bayesdnf
