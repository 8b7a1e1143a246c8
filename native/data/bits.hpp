// Packed words: AND, OR, AND-NOT, popcount, and the one door to the columns, sweep().
//
// Integer loops are the only code compiled per instruction set (native/data/simd/loops.cpp);
// which one runs is decided once, at first use. All of them return the same integers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <vector>

#include "sizes.hpp"

namespace bayesdnf {

// The environment asks for something that there is not.
class SettingError : public std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

using Word = std::uint64_t;
using Count = std::int64_t;

constexpr std::size_t kWordBits = 64;

constexpr std::size_t words_for(std::size_t bits) { return divide_up(bits, kWordBits); }

// Rows [0, bits) of a word sequence set, the padding clear.
inline void fill_ones(Word* out, std::size_t bits, std::size_t n_words) {
    for (std::size_t w = 0; w < n_words; ++w) {
        const std::size_t first = w * kWordBits;
        const std::size_t left = bits > first ? bits - first : 0;
        out[w] = left >= kWordBits ? ~Word{0} : (Word{1} << left) - 1;
    }
}

// Number of the lowest bit that is set; there must be one.
inline std::size_t lowest_bit(Word word) { return as_index(std::countr_zero(word)); }

// Where each segment lies: segment s is words [offsets[s], offsets[s + 1]).
struct Segments {
    const std::size_t* offsets;
    std::size_t n;
};

struct Simd {
    const char* name;

    // counts[(segment * n_masks + mask) * counts_stride + plane] = rows of the segment in both.
    void (*sweep)(const Word* masks, std::size_t mask_stride, std::size_t n_masks,
                  const Word* planes, std::size_t plane_stride, std::size_t n_planes,
                  Segments segments, Count* counts, std::size_t counts_stride);

    // The same for planes that lie side by side, word by word: word w of plane j at
    // by_word[w * word_stride + j]. Faster where segments are short, because a vector holds the
    // same word of several planes, and counts need not be added up across it.
    void (*sweep_by_word)(const Word* masks, std::size_t mask_stride, std::size_t n_masks,
                          const Word* by_word, std::size_t word_stride, std::size_t n_planes,
                          Segments segments, Count* counts, std::size_t counts_stride);

    Count (*popcount)(const Word* a, std::size_t n);
    Count (*and_popcount)(const Word* a, const Word* b, std::size_t n);
    void (*and_into)(Word* out, const Word* a, const Word* b, std::size_t n);
    void (*or_into)(Word* out, const Word* a, const Word* b, std::size_t n);
    void (*and_not_into)(Word* out, const Word* a, const Word* b, std::size_t n);  // a AND NOT b
};

// Every instruction set this processor can run, the portable one first.
const std::vector<const Simd*>& available_simd();

// The instruction set in use: the last available one, unless BAYESDNF_SIMD names another.
const Simd& simd();

// The available one of that name; throws std::invalid_argument listing the names otherwise.
const Simd& simd_named(const char* name);

}  // namespace bayesdnf
