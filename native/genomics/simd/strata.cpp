// The screens within strata. One source, compiled once per instruction set with BAYESDNF_SIMD_NAME
// set to its name.
#include "genomics/simd/strata_unions.hpp"

namespace bayesdnf {
namespace {

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
