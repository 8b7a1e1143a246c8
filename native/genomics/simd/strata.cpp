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
        Floats found = at_most(of, over, m);
        found = m > zero + (of.beyond - 1.5F) ? zero + of.all : found;
        found = m < zero + 0.5F ? zero + of.none : found;
        most = found > most ? found : most;
    };
    Floats over = zero, m = zero;
    for (std::size_t i = 0; i < kStrataCells; ++i) take(over += off[i], m += all[i]);
    if (complements) return most;
    over = m = zero;
    for (std::size_t i = kStrataCells; i-- > 0;) take(over += off[i], m += all[i]);
    return most;
}

// The best unions of each stratum add up to no less than the best union for all of them.
void judge_unions_strata(StrataScreen& screen) {
    const ScreenRow& row = screen.row;
    Floats sum = {};
    for (std::size_t stratum = 0; stratum < row.n_strata; ++stratum) {
        Floats cases[kStrataCells], controls[kStrataCells], outside = {};
        genotype_cells(screen.counts(stratum, 0), cases);
        genotype_cells(screen.counts(stratum, 1), controls);
        outside += row.strata[stratum].beyond - 1.0F;
        for (std::size_t i = 0; i < kStrataCells; ++i) outside -= cases[i] + controls[i];
        const bool complements = row.complements && !any(outside > Floats{} + 0.5F);
        sum += best_union_at_most(row.strata[stratum], cases, controls, complements);
    }
    screen.take(sum);
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
