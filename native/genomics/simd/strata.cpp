// The screens within strata. One source, compiled once per instruction set with BAYESDNF_SIMD_NAME
// set to its name.
#include "genomics/simd/vectors.hpp"

namespace bayesdnf {
namespace {

// What a stratum adds at most, of m rows, `off` more of them cases than by chance: the higher of
// two lines at so far from it, less the logarithm.
inline Floats at_most(const StratumBound& of, Floats off, Floats m) {
    const Floats zero = {};
    Floats q = m * (of.beyond - m);
    q = q > zero + of.least ? q : zero + of.least;
    const Floats log = as_floats(bits_of(q));
    const Integers none = {}, fewer = none + static_cast<std::int32_t>(kBoundRanges);
    Integers line = as_integers((log - of.lowest) * of.ranges);
    line += ((m < zero + 0.5F * of.beyond) ^ (off > zero)) ? fewer : none;
    const Floats square = off * off * rough_reciprocal(q);
    const Floats near = look_up(of.near, line) + look_up(of.near_slope, line) * square;
    const Floats far = look_up(of.far, line) + look_up(of.far_slope, line) * square;
    constexpr float kOneBits = 0x3f800000, kExponent = 1 << 23;
    return (near > far ? near : far) - (log - kOneBits) * (kFall / kExponent);
}

// The same, and exactly where no row is marked, or every row.
inline Floats at_most_exactly(const StratumBound& of, Floats off, Floats m) {
    const Floats zero = {};
    Floats found = at_most(of, off, m);
    found = m > zero + (of.beyond - 1.5F) ? zero + of.all : found;
    return m < zero + 0.5F ? zero + of.none : found;
}

// The same of cases and controls.
inline Floats of_rows(const StratumBound& of, Floats cases, Floats controls) {
    const Floats m = cases + controls;
    return at_most(of, cases - of.share * m, m);
}

// Sums over strata, of what the screen judges in one of them.
struct StrataScreen {
    const ScreenRow& row;
    std::size_t lane;
    Floats most;

    const std::int32_t* counts(std::size_t stratum, std::size_t s) const {
        return row.counts[s] + stratum * row.segment + lane;
    }
    void take(Floats sum) { most = sum > most ? sum : most; }
};

void judge_plain_strata(StrataScreen& screen) {
    Floats sums[9] = {};
    for (std::size_t stratum = 0; stratum < screen.row.n_strata; ++stratum) {
        Floats rows[2][9];
        for (std::size_t s = 0; s < 2; ++s) plain_products(screen.counts(stratum, s), rows[s]);
        const StratumBound& of = screen.row.strata[stratum];
        for (std::size_t i = 0; i < 9; ++i) sums[i] += of_rows(of, rows[0][i], rows[1][i]);
    }
    // By number: references to vectors, also those of a range, claim an alignment they lack.
    for (std::size_t i = 0; i < 9; ++i) screen.take(sums[i]);
}

// Rows of a product of sums of levels.
inline Floats of_product(const LevelSum& of_row, const LevelSum& of_lane,
                         const std::int32_t* counts) {
    Floats total = {};
    for (std::size_t t = 0; t < of_lane.n; ++t)
        total += static_cast<float>(of_lane.sign[t]) *
                 of_level(of_row, counts + of_lane.level[t] * kLanes);
    return total;
}

void judge_sums_strata(StrataScreen& screen) {
    const ScreenRow& row = screen.row;
    for (std::size_t f = 0; f < row.n_of_row; ++f)
        for (std::size_t g = 0; g < row.n_of_lane; ++g) {
            Floats sum = {};
            for (std::size_t stratum = 0; stratum < row.n_strata; ++stratum) {
                const Floats a =
                    of_product(row.of_row[f], row.of_lane[g], screen.counts(stratum, 0));
                const Floats b =
                    of_product(row.of_row[f], row.of_lane[g], screen.counts(stratum, 1));
                sum += of_rows(row.strata[stratum], a, b);
            }
            screen.take(sum);
        }
}

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
            const Floats found = at_most_exactly(row_.strata[s], over, m);
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

// The best unions of each stratum add up to no less than the best union for all of them. Where they
// reach what is wanted, that is looked at more closely.
void judge_unions_strata(StrataScreen& screen) {
    const ScreenRow& row = screen.row;
    auto* const room = reinterpret_cast<StratumRoom*>(row.room);
    Floats sum = {};
    bool complements = true;
    for (std::size_t s = 0; s < row.n_strata; ++s) {
        Floats cases[kStrataCells], controls[kStrataCells], outside = {};
        genotype_cells(screen.counts(s, 0), cases);
        genotype_cells(screen.counts(s, 1), controls);
        outside += row.strata[s].beyond - 1.0F;
        for (std::size_t i = 0; i < kStrataCells; ++i) {
            const Floats all = cases[i] + controls[i];
            *reinterpret_cast<Floats*>(room[s].cases[i]) = cases[i];
            *reinterpret_cast<Floats*>(room[s].rows[i]) = all;
            outside -= all;
        }
        const bool alike = row.complements && !any(outside > Floats{} + 0.5F);
        const Floats most = best_union_at_most(row.strata[s], cases, controls, alike);
        *reinterpret_cast<Floats*>(room[s].most) = most;
        complements &= alike;
        sum += most;
    }
    float sums[kPiece];
    *reinterpret_cast<Floats*>(sums) = sum;
    for (std::size_t j = 0; j < kPiece; ++j) {
        const float wanted = row.wanted[screen.lane + j];
        if (sums[j] >= wanted && !OneUnion(row, room, j, wanted).may_reach(complements))
            sums[j] = -1e30F;
    }
    screen.take(*reinterpret_cast<const Floats*>(sums));
}

void screen(const ScreenRow& row, Word* out) {
    for (std::size_t w = 0; w < kLanes / kWordBits; ++w) out[w] = 0;
    const Floats zero = {};
    for (std::size_t lane = 0; lane < kLanes; lane += kPiece) {
        StrataScreen screen = {row, lane, zero - 1e30F};
        if (row.plain)
            judge_plain_strata(screen);
        else if (row.unions)
            judge_unions_strata(screen);
        else
            judge_sums_strata(screen);
        float most[kPiece];
        *reinterpret_cast<Floats*>(most) = screen.most;
        for (std::size_t j = 0; j < kPiece; ++j)
            out[(lane + j) / kWordBits] |= static_cast<Word>(most[j] >= row.wanted[lane + j])
                                           << ((lane + j) % kWordBits);
    }
}

// Rows of every set of cells: those of a set with a further cell are those without it, and its own.
inline void sum_sets(const float* cells, std::size_t n, float* sets) {
    sets[0] = 0;
    for (std::size_t i = 0, size = 1; i < n; ++i, size *= 2)
        for (std::size_t set = 0; set < size; ++set) sets[size + set] = sets[set] + cells[i];
}

void bound_unions(const StratumBound* strata, std::size_t n_strata, const float* cases,
                  const float* rows, std::size_t n, float* sums) {
    float off[kStrataSets] = {}, m[kStrataSets] = {};
    const std::size_t size = std::size_t{1} << n;
    for (std::size_t set = 0; set < kStrataSets; ++set) sums[set] = 0;
    for (std::size_t s = 0; s < n_strata; ++s) {
        float over[kStrataCells];
        for (std::size_t i = 0; i < n; ++i)
            over[i] = cases[s * kStrataCells + i] - strata[s].share * rows[s * kStrataCells + i];
        sum_sets(over, n, off);
        sum_sets(rows + s * kStrataCells, n, m);
        for (std::size_t set = 0; set < size; set += kPiece) {
            *reinterpret_cast<Floats*>(sums + set) +=
                at_most(strata[s], floats_at(off + set), floats_at(m + set));
        }
    }
}

}  // namespace

extern const StrataLoops BAYESDNF_JOIN(strata_loops_, BAYESDNF_SIMD_NAME);
const StrataLoops BAYESDNF_JOIN(strata_loops_, BAYESDNF_SIMD_NAME) = {screen, bound_unions};

}  // namespace bayesdnf
