// Rows of a packed matrix as things of their own: hash them, gather them, append them.
//
// Planes are columns, so a row is one bit in each plane. Blocks of 64 planes by 64 rows are
// transposed in registers; a row's 64 columns are then one word, and row work costs one word
// operation per 64 columns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "data/bits.hpp"

namespace bayesdnf {

// In place: bit j of block[i] becomes bit i of block[j].
void transpose_block(Word block[64]);

// hashes[2 * row], hashes[2 * row + 1]: 128 bits that depend on the row's bits and nothing else.
// Rows are bits [0, n_rows) of each plane.
void hash_rows(const Word* planes, std::size_t stride, std::size_t n_planes, std::size_t n_rows,
               std::uint64_t* hashes);

// out[plane] bit i (inside its segment) = planes[plane] bit sources[row i of that segment].
// Segment s holds rows_per_segment[s] rows and starts at word offsets[s] of each output plane.
void gather_rows(const Word* planes, std::size_t stride, std::size_t n_planes, std::size_t n_rows,
                 const std::int64_t* sources, const std::size_t* rows_per_segment,
                 Segments segments, Word* out, std::size_t out_stride);

// ORs bits [0, n) of src into dst at bit `first`; the target bits must be clear.
void append_bits(Word* dst, std::size_t first, const Word* src, std::size_t n);

// 128 bits of one sequence of n words: columns of literals and sets of marked rows are compared by
// them. Files of draws hold them, so they must stay what they are.
using Hash = std::array<std::uint64_t, 2>;
Hash hash_words(const Word* words, std::size_t n);

}  // namespace bayesdnf
