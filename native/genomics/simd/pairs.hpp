// Loops of the scans, compiled per instruction set: rows that planes have in common, and which of
// many variants beside one could be worth an exact score.
//
// Counting by tables. Four rows of a plane are a number below 16, and so are four rows of another;
// how many rows they share is an entry of a table of 16 by 16. A byte shuffle looks up 16 bytes or
// more at once: for four rows of one variant (which choose the table) it answers for many other
// variants (the lanes). An entry holds the answers for two planes of the one variant, four bits
// each. That is fewer steps than AND and popcount wherever popcounts of vectors take several steps,
// and the counts of neighbouring variants come out side by side, ready for the screen.
//
// Like data/simd/loops.cpp this is plain code: no library header with inline functions.
#pragma once

#include <cstddef>
#include <cstdint>

#include "data/bits.hpp"

namespace bayesdnf {

constexpr std::size_t kLanes = 128;       // variants that are looked up side by side
constexpr std::size_t kRowGroup = 16;     // variants that are counted against the lanes in one go
constexpr std::size_t kPairLevels = 9;    // levels of two variants: what a row may be made of
constexpr std::size_t kReachLevels = 11;  // ranges of the number of rows, for unions
constexpr std::size_t kAndLevels = 6;     // and for ANDs
constexpr std::size_t kStrataCells = 9;   // of which all sets are tried within strata
constexpr std::size_t kStrataSets = std::size_t{1} << kStrataCells;
constexpr std::size_t kStrataRoom =
    (2 * kStrataCells + 1) * 16;  // what the screen remembers of one

// Numbers of four rows are padded to a multiple of three, after which sums of four bits are full.
constexpr std::size_t quads_for(std::size_t rows) { return divide_up(rows, std::size_t{12}) * 3; }

// A sum of levels with signs.
struct LevelSum {
    std::uint8_t n;
    std::uint8_t level[kPairLevels];
    std::int8_t sign[kPairLevels];
};

// What m rows of a stratum, `off` more of them cases than by chance, can add to a score. With q for
// m (beyond - m) it is at most near[k] + near_slope[k] off^2 / q or far[k] + far_slope[k] off^2 /
// q, whichever is more, less kFall log2 q: two rates in place of one cost half a log of q. There
// are kBoundRanges of log q, each twice: first where the smaller side, marked rows or the others,
// has more cases than by chance, then where it has fewer. Logarithms are a float's exponent and
// mantissa, read as one number.
constexpr std::size_t kBoundRanges = 8, kBoundLines = 2 * kBoundRanges;
constexpr float kFall = 0.34657359F;        // log(2) / 2
constexpr float kRoughRatio = 1.0F / 2048;  // by which off^2 / q may be off; slopes make up for it
struct StratumBound {
    float share, beyond;   // the share of cases; one more than there are rows
    float least;           // q of one row; no row counts as one
    float lowest, ranges;  // where the first range of logarithms begins; ranges to a unit of them
    float near[kBoundLines], near_slope[kBoundLines], far[kBoundLines], far_slope[kBoundLines];
    float none, all;  // what no row adds, and what all rows do
};

// A row, which is one variant or two, beside the lanes, and what must be reached.
struct ScreenRow {
    // Of cases and of controls: rows of row level u, lane level v and a lane at (u * 3 + v) *
    // kLanes, those of the next stratum `segment` further on. Levels of lanes below the first are
    // not there.
    const std::int32_t* counts[2];
    std::size_t segment;
    std::size_t first_level;
    const LevelSum *of_row, *of_lane;
    std::size_t n_of_row, n_of_lane;
    bool plain;   // these are the ANDs of dominant, recessive and heterozygous of two variants
    bool unions;  // judge the best union of all products of sums, not the best product
    bool both_directions;
    float share, beyond;  // the share of cases; one more than there are rows
    // A product of m rows, a of them cases, may be worth a look if (a - share m)^2 exceeds
    // m (beyond - m) times the level of m's range and the lane. Range k ends before cuts[k]. Lanes
    // whose best sub-term is worse than the row's have the row's levels.
    const float *cuts, *levels, *lanes_alone, *levels_of_row;
    float alone;  // the row's best sub-term; no lane is worse than -infinity
    // With more than one stratum, in place of these: what each can add, and by lane what all of
    // them must add up to.
    const StratumBound* strata;
    std::size_t n_strata;
    const float* wanted;
    bool complements;  // marking the other rows scores the same
    float* room;       // kStrataRoom numbers for each stratum, for unions
};

// How the bits of a word that are picked move next to each other: those of step[s] by 2^s places.
struct PickMoves {
    Word mask, step[6];
    unsigned picked;
};

struct PairLoops {
    // The picked bits of n planes of n_words words, stride words apart, next to each other; planes
    // are out_stride words apart and begin as zeros.
    void (*pick)(const PickMoves* moves, std::size_t n_words, const Word* planes,
                 std::size_t stride, std::size_t n, Word* out, std::size_t out_stride);
    // Rows of n_planes planes, at most kLanes, as lanes: out[quad * kLanes + plane].
    void (*lanes)(const Word* planes, std::size_t stride, std::size_t n_planes, std::size_t rows,
                  std::uint8_t* out);
    // Two planes of one variant, four rows of each to a number.
    void (*quads)(const Word* low, const Word* high, std::size_t rows, std::uint16_t* out);
    // For row i, at most kRowGroup: rows of its low and of its high plane and of each lane, to
    // low[i * stride + lane] and high[i * stride + lane].
    void (*count)(const std::uint16_t* quads, std::size_t n_rows, std::size_t n_quads,
                  const std::uint8_t* lanes, std::int32_t* low, std::int32_t* high,
                  std::size_t stride);
    // Bit i of out: lane i may be worth a look; kLanes bits. In single precision and never too
    // strict, so that no result depends on how it is rounded.
    void (*screen)(const ScreenRow& row, Word* out);
};

struct StrataLoops {
    // The same within strata.
    void (*screen)(const ScreenRow& row, Word* out);
    // What every set of `n` cells of one pair may add up to over all strata, kStrataSets numbers,
    // those of sets with cell i at places with bit i. Of stratum s and cell i there are
    // rows[s * kStrataCells + i] rows, cases[s * kStrataCells + i] of them cases.
    void (*bound_unions)(const StratumBound* strata, std::size_t n_strata, const float* cases,
                         const float* rows, std::size_t n, float* sums);
};

// Those of the instruction set in use, and of another.
const PairLoops& pair_loops();
const PairLoops& pair_loops_of(const Simd& simd);
const StrataLoops& strata_loops();
const StrataLoops& strata_loops_of(const Simd& simd);

}  // namespace bayesdnf
