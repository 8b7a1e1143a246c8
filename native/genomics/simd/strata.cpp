// The screens within strata. One source, compiled once per instruction set with BAYESDNF_SIMD_NAME
// set to its name.
#include "genomics/simd/vectors.hpp"

namespace bayesdnf {
namespace {

// The higher of the two lines at a distance from chance of `off`, less the logarithm.
inline Floats line_above(const StratumBound& of, const float* starts, const float* slopes,
                         Floats off, Floats q) {
    const Floats zero = {};
    const Floats least = zero + (of.beyond - 1.0F);  // that of one row; no row counts as one
    q = q > least ? q : least;
    const Floats square = at_least_ratio(off * off, q);
    Floats near = zero + starts[0], slope = zero + slopes[0];
    for (std::size_t k = 1; k < kBoundRanges; ++k) {
        const auto further = q >= zero + of.cuts[k - 1];
        near = further ? zero + starts[k] : near;
        slope = further ? zero + slopes[k] : slope;
    }
    near += slope * square;
    const Floats far = of.far + of.far_slope * square;
    constexpr float kOneBits = 0x3f800000, kExponent = 1 << 23;
    return (near > far ? near : far) - (as_floats(bits_of(q)) - kOneBits) * (kFall / kExponent);
}

// What a stratum adds at most, of m rows, a of them cases.
inline Floats at_most(const StratumBound& of, Floats a, Floats m) {
    return line_above(of, of.near, of.near_slope, a - of.share * m, m * (of.beyond - m));
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
        for (std::size_t i = 0; i < 9; ++i)
            sums[i] += at_most(of, rows[0][i], rows[0][i] + rows[1][i]);
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
                sum += at_most(row.strata[stratum], a, a + b);
            }
            screen.take(sum);
        }
}

// Unions of genotype cells. No order of the cells is best in all strata, so every union is judged,
// but most of them many at a time: the cells are put in or left out two by two, the largest first,
// and what those that are left could still change is bounded.
constexpr std::size_t kTurns = (kStrataCells - 1) / 2;

// Cells of one stratum.
struct StratumCells {
    Floats cases[kStrataCells], rows[kStrataCells];
    // What the cells that are left after a turn can add to the cases over chance, and take off, and
    // their rows.
    Floats up[kTurns], down[kTurns], rest[kTurns];
    Floats in_cases, in_rows;  // of the cells in the union
};
static_assert(sizeof(StratumCells) <= kStratumScratch * sizeof(float));

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

class UnionScreen {
  public:
    explicit UnionScreen(StrataScreen& screen)
        : screen_(screen),
          row_(screen.row),
          cells_(reinterpret_cast<StratumCells*>(row_.scratch)),
          wanted_(floats_at(row_.wanted + screen.lane)) {}

    void judge() {
        read();
        sort();
        for (std::size_t s = 0; s < row_.n_strata; ++s) look_ahead(s);
        // A union and its complement score the same where each row is in a cell: then those without
        // the largest cell are enough.
        take_turn<0>(false, true);
        if (halved_) return;
        put(order_[0], 1.0F);
        take_turn<0>(true, false);
    }

  private:
    void read() {
        const Floats zero = {};
        Floats outside = zero;
        for (std::size_t i = 0; i < kStrataCells; ++i) total_[i] = zero;
        for (std::size_t s = 0; s < row_.n_strata; ++s) {
            StratumCells& of = cells_[s];
            Floats controls[kStrataCells];
            genotype_cells(screen_.counts(s, 0), of.cases);
            genotype_cells(screen_.counts(s, 1), controls);
            outside += row_.strata[s].beyond - 1.0F;
            for (std::size_t i = 0; i < kStrataCells; ++i) {
                of.rows[i] = of.cases[i] + controls[i];
                total_[i] += of.rows[i];
                outside -= of.rows[i];
            }
            of.in_cases = of.in_rows = zero;
        }
        halved_ = row_.complements && !any(outside > zero + 0.5F);
    }

    // Cells by how many rows they have over all strata and these lanes, most first.
    void sort() {
        float rows[kStrataCells];
        for (std::size_t i = 0; i < kStrataCells; ++i) {
            const float own = sum_of(total_[i]);
            std::size_t j = i;
            for (; j > 0 && rows[j - 1] < own; --j) {
                rows[j] = rows[j - 1];
                order_[j] = order_[j - 1];
            }
            rows[j] = own;
            order_[j] = i;
        }
    }

    void look_ahead(std::size_t s) {
        const Floats zero = {};
        StratumCells& of = cells_[s];
        Floats up = zero, down = zero, rest = zero;
        for (std::size_t turn = kTurns; turn-- > 0;) {
            of.up[turn] = up;
            of.down[turn] = down;
            of.rest[turn] = rest;
            for (const std::size_t cell : {order_[2 * turn + 1], order_[2 * turn + 2]}) {
                const Floats off = of.cases[cell] - row_.strata[s].share * of.rows[cell];
                up += off > zero ? off : zero;
                down -= off < zero ? off : zero;
                rest += of.rows[cell];
            }
        }
    }

    // Put a cell into the union, or with a sign of -1 take it out.
    void put(std::size_t cell, float sign) {
        for (std::size_t s = 0; s < row_.n_strata; ++s) {
            cells_[s].in_cases += sign * cells_[s].cases[cell];
            cells_[s].in_rows += sign * cells_[s].rows[cell];
        }
    }

    // Every choice of the next two cells. `some`: a cell is in the union already; `open`: one has
    // been left out, which can be said of all unions where complements score the same.
    template <std::size_t Turn>
    void take_turn(bool some, bool open) {
        const std::size_t first = order_[2 * Turn + 1], second = order_[2 * Turn + 2];
        choose<Turn>(some, true);
        put(first, 1);
        choose<Turn>(true, true);
        put(second, 1);
        choose<Turn>(true, open);
        put(first, -1);
        choose<Turn>(true, true);
        put(second, -1);
    }

    template <std::size_t Turn>
    void choose(bool some, bool open) {
        if constexpr (Turn + 1 < kTurns) {
            // With no cell in the union, or none out of it, what is left makes up one side alone
            // and can be far from chance.
            if (!some || !open || any(most_after(Turn) >= wanted_)) take_turn<Turn + 1>(some, open);
        } else if (some && open) {
            Floats sum = {};
            for (std::size_t s = 0; s < row_.n_strata; ++s)
                sum += at_most(row_.strata[s], cells_[s].in_cases, cells_[s].in_rows);
            screen_.take(sum);
            wanted_ = sum >= wanted_ ? Floats{} + 1e30F : wanted_;  // these lanes are let through
        }
    }

    // What the union with any of the cells left after a turn adds up to at most: cases over chance
    // lie between two ends, and m (beyond - m), which is concave, is least at one of its ends.
    Floats most_after(std::size_t turn) const {
        constexpr float kSlack = 1e-3F;  // what rounding of sums may take off
        Floats sum = Floats{} + kSlack;
        for (std::size_t s = 0; s < row_.n_strata; ++s) {
            const StratumCells& cells = cells_[s];
            const StratumBound& of = row_.strata[s];
            const Floats m = cells.in_rows, more = m + cells.rest[turn];
            const Floats off = cells.in_cases - of.share * m;
            const Floats high = off + cells.up[turn], low = cells.down[turn] - off;
            const Floats at_m = m * (of.beyond - m), at_more = more * (of.beyond - more);
            sum += line_above(of, of.near_from, of.slope_from, high > low ? high : low,
                              at_m < at_more ? at_m : at_more);
        }
        return sum;
    }

    StrataScreen& screen_;
    const ScreenRow& row_;
    StratumCells* const cells_;
    Floats wanted_, total_[kStrataCells];
    std::size_t order_[kStrataCells];
    bool halved_ = false;
};

void screen(const ScreenRow& row, Word* out) {
    for (std::size_t w = 0; w < kLanes / kWordBits; ++w) out[w] = 0;
    const Floats zero = {};
    for (std::size_t lane = 0; lane < kLanes; lane += kPiece) {
        StrataScreen screen = {row, lane, zero - 1e30F};
        if (row.plain)
            judge_plain_strata(screen);
        else if (row.unions)
            UnionScreen(screen).judge();
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
    float a[kStrataSets] = {}, m[kStrataSets] = {};
    const std::size_t size = std::size_t{1} << n;
    for (std::size_t set = 0; set < kStrataSets; ++set) sums[set] = 0;
    for (std::size_t s = 0; s < n_strata; ++s) {
        sum_sets(cases + s * kStrataCells, n, a);
        sum_sets(rows + s * kStrataCells, n, m);
        for (std::size_t set = 0; set < size; set += kPiece) {
            *reinterpret_cast<Floats*>(sums + set) +=
                at_most(strata[s], floats_at(a + set), floats_at(m + set));
        }
    }
}

}  // namespace

extern const StrataLoops BAYESDNF_JOIN(strata_loops_, BAYESDNF_SIMD_NAME);
const StrataLoops BAYESDNF_JOIN(strata_loops_, BAYESDNF_SIMD_NAME) = {screen, bound_unions};

}  // namespace bayesdnf
