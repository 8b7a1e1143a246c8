// Tables of counts of levels, and the rows of literals and of genotype cells in them.
//
// A variant has three nested levels: call known, at least one copy, two copies. Every literal
// (dominant, recessive, heterozygous and their negations) is a sum or difference of its variant's
// levels, so every AND of literals, and every genotype cell, is one of counts of levels.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "genomics/findings.hpp"

namespace bayesdnf {

// Rows of each combination of levels, [segment][level of a][level of b]…, flat.
template <std::size_t N>
using LevelCounts = std::array<std::array<Count, N>, 2>;
constexpr std::size_t power(std::size_t base, std::size_t exponent) {
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}
// The same of so many variants, by stratum.
template <std::size_t Variants>
struct TableOf {
    using ByStratum = std::span<const LevelCounts<power(kLevels, Variants)>>;
};
template <std::size_t Variants>
using StrataCounts = typename TableOf<Variants>::ByStratum;

// Each coding as a sum of levels known, carrier, two.
inline constexpr std::array<std::array<Count, kLevels>, kCodings> kOfLevels = {{
    {0, 1, 0},   // dominant
    {0, 0, 1},   // recessive
    {0, 1, -1},  // heterozygous
    {1, -1, 0},
    {1, 0, -1},
    {1, -1, 1},
}};
// Copies 0, 1 and 2 as sums of levels.
inline constexpr std::array<std::array<Count, kLevels>, kLevels> kCopies = {
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

}  // namespace bayesdnf
