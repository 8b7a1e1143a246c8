// Vectors of lanes, for the screens. Everything here is local to the file that includes it: each
// instruction set has its own.
#pragma once

#include "genomics/simd/pairs.hpp"

#if defined(__AVX512BW__) || defined(__AVX2__)
#include <immintrin.h>
#endif

// A name of this instruction set's own.
#define BAYESDNF_JOIN2(a, b) a##b
#define BAYESDNF_JOIN(a, b) BAYESDNF_JOIN2(a, b)

// Loops whose every step has places of its own in arrays, which then live in registers.
#if defined(__clang__)
#define BAYESDNF_UNROLL(n) _Pragma("unroll")
#elif defined(__GNUC__)
#define BAYESDNF_PRAGMA(text) _Pragma(#text)
#define BAYESDNF_UNROLL(n) BAYESDNF_PRAGMA(GCC unroll n)
#else
#define BAYESDNF_UNROLL(n)
#endif

namespace bayesdnf {
namespace {

// Lanes that the screen works on at a time. What compilers have in common is vectors with the
// operators of numbers; elsewhere a vector is a number.
#if defined(__GNUC__)
#if defined(__AVX512BW__)
constexpr std::size_t kPiece = 16;
#elif defined(__AVX2__)
constexpr std::size_t kPiece = 8;
#else
constexpr std::size_t kPiece = 4;
#endif
typedef float Floats __attribute__((vector_size(4 * kPiece), aligned(4)));
typedef std::int32_t Integers __attribute__((vector_size(4 * kPiece), aligned(4)));
inline Floats as_floats(Integers x) { return __builtin_convertvector(x, Floats); }
inline Integers as_integers(Floats x) { return __builtin_convertvector(x, Integers); }
inline Integers bits_of(Floats x) { return reinterpret_cast<Integers>(x); }
#else
constexpr std::size_t kPiece = 1;
using Floats = float;
using Integers = std::int32_t;
inline Floats as_floats(Integers x) { return static_cast<float>(x); }
inline Integers as_integers(Floats x) { return static_cast<Integers>(x); }
inline Integers bits_of(Floats x) { return __builtin_bit_cast(Integers, x); }
#endif

inline Floats floats_at(const float* p) { return *reinterpret_cast<const Floats*>(p); }
inline Integers integers_at(const std::int32_t* p) { return *reinterpret_cast<const Integers*>(p); }

// Whether a comparison holds in any lane.
template <class Mask>
inline bool any(Mask mask) {
#if defined(__AVX512BW__)
    return _mm512_movepi32_mask(reinterpret_cast<__m512i>(mask)) != 0;
#elif defined(__AVX2__)
    return _mm256_movemask_epi8(reinterpret_cast<__m256i>(mask)) != 0;
#elif defined(__GNUC__)
    bool found = false;
    for (std::size_t j = 0; j < kPiece; ++j) found |= mask[j] != 0;
    return found;
#else
    return mask;
#endif
}

// 1 / x, off by up to kRoughRatio of it where that is quicker.
inline Floats rough_reciprocal(Floats x) {
#if defined(__AVX512BW__)
    return (Floats)_mm512_rcp14_ps((__m512)x);
#elif defined(__AVX2__)
    return (Floats)_mm256_rcp_ps((__m256)x);
#else
    return 1.0F / x;
#endif
}

// The same but for the last bits, by a step of Newton's.
inline Floats reciprocal(Floats x) {
    const Floats rough = rough_reciprocal(x);
    return rough * (2.0F - x * rough);
}

// Entries of a table of kBoundLines numbers.
inline Floats look_up(const float* table, Integers at) {
    static_assert(kBoundLines == 16);
#if defined(__AVX512BW__)
    return (Floats)_mm512_permutexvar_ps((__m512i)at, _mm512_loadu_ps(table));
#elif defined(__AVX2__)
    const __m256i place = (__m256i)at;
    const __m256 low = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table), place);
    const __m256 high = _mm256_permutevar8x32_ps(_mm256_loadu_ps(table + 8), place);
    return (Floats)_mm256_blendv_ps(low, high, (__m256)_mm256_slli_epi32(place, 28));
#elif defined(__GNUC__)
    Floats found;
    for (std::size_t j = 0; j < kPiece; ++j) found[j] = table[at[j]];
    return found;
#else
    return table[at];
#endif
}

constexpr std::size_t kLaneLevels = 3;

// A sum of levels of the row, beside one level of some lanes.
inline Floats of_level(const LevelSum& sum, const std::int32_t* counts) {
    Integers total = {};
    for (std::size_t t = 0; t < sum.n; ++t) {
        const Integers at = integers_at(counts + sum.level[t] * kLaneLevels * kLanes);
        total = sum.sign[t] > 0 ? total + at : total - at;
    }
    return as_floats(total);
}

// The ANDs of dominant, recessive and heterozygous of a row of one variant: the usual case, written
// out. Others go through sums of levels one by one.
inline void plain_products(const std::int32_t* counts, Floats* rows) {
    const auto at = [&](std::size_t u, std::size_t v) {
        return integers_at(counts + (u * kLaneLevels + v) * kLanes);
    };
    const Integers cc = at(1, 1), ct = at(1, 2), tc = at(2, 1), tt = at(2, 2);
    const Integers products[9] = {cc,      ct,      cc - ct,          tc, tt, tc - tt,
                                  cc - tc, ct - tt, cc - ct - tc + tt};
    for (std::size_t i = 0; i < 9; ++i) rows[i] = as_floats(products[i]);
}

}  // namespace
}  // namespace bayesdnf
