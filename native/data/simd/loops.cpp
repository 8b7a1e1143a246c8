// One source, compiled once per instruction set with BAYESDNF_SIMD_NAME set to its name.
//
// A Lane is what differs between instruction sets: how wide a vector is, how AND and popcount
// are done on it, and how four accumulators become four integers. The loops are written once.
// This file includes no library header with inline code: a function compiled here for AVX-512
// must never be the one the linker keeps for everybody else.
#include "data/bits.hpp"

#if defined(__AVX512VPOPCNTDQ__) || defined(__AVX2__)
#include <immintrin.h>
#endif

#if defined(__GNUC__)
#define BAYESDNF_PREFETCH(address) __builtin_prefetch(address, 0, 2)
#else
#define BAYESDNF_PREFETCH(address) ((void)(address))
#endif

#define BAYESDNF_JOIN2(a, b) a##b
#define BAYESDNF_JOIN(a, b) BAYESDNF_JOIN2(a, b)
#define BAYESDNF_TEXT2(a) #a
#define BAYESDNF_TEXT(a) BAYESDNF_TEXT2(a)

namespace bayesdnf {
namespace {

#if defined(__AVX512VPOPCNTDQ__)

struct Lane {
    using Vector = __m512i;
    using Sum = __m512i;
    static constexpr std::size_t width = 8;
    static Vector load(const Word* p) { return _mm512_loadu_si512(p); }
    static Vector load_first(const Word* p, std::size_t n) {
        return _mm512_maskz_loadu_epi64(static_cast<__mmask8>((1u << n) - 1), p);
    }
    static void store(Word* p, Vector v) { _mm512_storeu_si512(p, v); }
    static Vector and_(Vector a, Vector b) { return _mm512_and_si512(a, b); }
    static Vector or_(Vector a, Vector b) { return _mm512_or_si512(a, b); }
    static Vector and_not(Vector a, Vector b) { return _mm512_andnot_si512(b, a); }
    static Sum zero() { return _mm512_setzero_si512(); }
    static Sum add(Sum a, Sum b) { return _mm512_add_epi64(a, b); }
    static Sum add_popcount(Sum s, Vector v) { return _mm512_add_epi64(s, _mm512_popcnt_epi64(v)); }
    static Vector broadcast(Word w) { return _mm512_set1_epi64(static_cast<long long>(w)); }
    static void put(Count* p, Sum s) { _mm512_storeu_si512(p, s); }
    static Count total(Sum s) { return _mm512_reduce_add_epi64(s); }
    // Four sums at once: a few shuffles and adds instead of four separate reductions.
    static void add_totals(const Sum (&s)[4], Count* out) {
        const __m512i ab =
            _mm512_add_epi64(_mm512_unpacklo_epi64(s[0], s[1]), _mm512_unpackhi_epi64(s[0], s[1]));
        const __m512i cd =
            _mm512_add_epi64(_mm512_unpacklo_epi64(s[2], s[3]), _mm512_unpackhi_epi64(s[2], s[3]));
        const __m256i ab4 =
            _mm256_add_epi64(_mm512_castsi512_si256(ab), _mm512_extracti64x4_epi64(ab, 1));
        const __m256i cd4 =
            _mm256_add_epi64(_mm512_castsi512_si256(cd), _mm512_extracti64x4_epi64(cd, 1));
        const __m256i sum = _mm256_add_epi64(_mm256_permute2x128_si256(ab4, cd4, 0x20),
                                             _mm256_permute2x128_si256(ab4, cd4, 0x31));
        __m256i* p = reinterpret_cast<__m256i*>(out);
        _mm256_storeu_si256(p, _mm256_add_epi64(_mm256_loadu_si256(p), sum));
    }
};

#elif defined(__AVX2__)

struct Lane {
    using Vector = __m256i;
    using Sum = __m256i;
    static constexpr std::size_t width = 4;
    static Vector load(const Word* p) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p));
    }
    static Vector load_first(const Word* p, std::size_t n) {
        alignas(32) static const long long edge[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
        const __m256i keep = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(edge + 4 - n));
        return _mm256_maskload_epi64(reinterpret_cast<const long long*>(p), keep);
    }
    static void store(Word* p, Vector v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
    static Vector and_(Vector a, Vector b) { return _mm256_and_si256(a, b); }
    static Vector or_(Vector a, Vector b) { return _mm256_or_si256(a, b); }
    static Vector and_not(Vector a, Vector b) { return _mm256_andnot_si256(b, a); }
    static Sum zero() { return _mm256_setzero_si256(); }
    static Sum add(Sum a, Sum b) { return _mm256_add_epi64(a, b); }
    // Nibble look-up; the bytes of one vector are added up at once, so no carry can be lost.
    static Sum add_popcount(Sum s, Vector v) {
        const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1,
                                               1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
        const __m256i low = _mm256_set1_epi8(0x0f);
        const __m256i lo = _mm256_shuffle_epi8(table, _mm256_and_si256(v, low));
        const __m256i hi =
            _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(v, 4), low));
        return _mm256_add_epi64(s,
                                _mm256_sad_epu8(_mm256_add_epi8(lo, hi), _mm256_setzero_si256()));
    }
    static Vector broadcast(Word w) { return _mm256_set1_epi64x(static_cast<long long>(w)); }
    static void put(Count* p, Sum s) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), s); }
    static Count total(Sum s) {
        const __m128i half =
            _mm_add_epi64(_mm256_castsi256_si128(s), _mm256_extracti128_si256(s, 1));
        return _mm_extract_epi64(half, 0) + _mm_extract_epi64(half, 1);
    }
    static void add_totals(const Sum (&s)[4], Count* out) {
        const __m256i ab =
            _mm256_add_epi64(_mm256_unpacklo_epi64(s[0], s[1]), _mm256_unpackhi_epi64(s[0], s[1]));
        const __m256i cd =
            _mm256_add_epi64(_mm256_unpacklo_epi64(s[2], s[3]), _mm256_unpackhi_epi64(s[2], s[3]));
        const __m256i sum = _mm256_add_epi64(_mm256_permute2x128_si256(ab, cd, 0x20),
                                             _mm256_permute2x128_si256(ab, cd, 0x31));
        __m256i* p = reinterpret_cast<__m256i*>(out);
        _mm256_storeu_si256(p, _mm256_add_epi64(_mm256_loadu_si256(p), sum));
    }
};

#else

struct Lane {
    using Vector = Word;
    using Sum = Count;
    static constexpr std::size_t width = 1;
    static Vector load(const Word* p) { return *p; }
    static Vector load_first(const Word* p, std::size_t) { return *p; }
    static void store(Word* p, Vector v) { *p = v; }
    static Vector and_(Vector a, Vector b) { return a & b; }
    static Vector or_(Vector a, Vector b) { return a | b; }
    static Vector and_not(Vector a, Vector b) { return a & ~b; }
    static Sum zero() { return 0; }
    static Sum add(Sum a, Sum b) { return a + b; }
    static Sum add_popcount(Sum s, Vector v) {
#if defined(__aarch64__) || defined(__POPCNT__)
        return s + __builtin_popcountll(v);
#else
        v -= (v >> 1) & 0x5555555555555555u;
        v = (v & 0x3333333333333333u) + ((v >> 2) & 0x3333333333333333u);
        v = (v + (v >> 4)) & 0x0f0f0f0f0f0f0f0fu;
        return s + static_cast<Count>((v * 0x0101010101010101u) >> 56);
#endif
    }
    static Vector broadcast(Word w) { return w; }
    static void put(Count* p, Sum s) { *p = s; }
    static Count total(Sum s) { return s; }
    static void add_totals(const Sum (&s)[4], Count* out) {
        for (std::size_t i = 0; i < 4; ++i) out[i] += s[i];
    }
};

#endif

// Words of a mask kept in the first-level cache while all planes pass by.
constexpr std::size_t kBlock = 1024;

// Words of a segment from which the planes come from memory rather than from a cache; the next
// planes are then asked for while these are counted.
constexpr std::size_t kFarSegment = 4096;

// Four planes against M masks over n words; adds to counts.
// Register blocking: each plane word that is loaded meets M masks and each mask word four planes,
// so that loads per AND-and-count fall from two to (M + 4) / (4 M). The 4 M sums stay in
// registers.
template <std::size_t M, bool Far>
inline void four_planes(const Word* const (&masks)[M], const Word* plane, std::size_t plane_stride,
                        std::size_t n, Count* counts, std::size_t mask_counts) {
    typename Lane::Sum sums[M][4];
    for (auto& row : sums)
        for (auto& s : row) s = Lane::zero();
    std::size_t w = 0;
    const auto step = [&](auto load) {
        if constexpr (Far)
            if (w % 8 == 0)  // once per cache line
                for (std::size_t j = 4; j < 8; ++j) BAYESDNF_PREFETCH(plane + j * plane_stride + w);
        const typename Lane::Vector p[4] = {load(plane + w), load(plane + plane_stride + w),
                                            load(plane + 2 * plane_stride + w),
                                            load(plane + 3 * plane_stride + w)};
        for (std::size_t m = 0; m < M; ++m) {
            const typename Lane::Vector mask = load(masks[m] + w);
            for (std::size_t j = 0; j < 4; ++j)
                sums[m][j] = Lane::add_popcount(sums[m][j], Lane::and_(mask, p[j]));
        }
    };
    for (; w + Lane::width <= n; w += Lane::width)
        step([](const Word* p) { return Lane::load(p); });
    if (const std::size_t rest = n - w; rest > 0)
        step([rest](const Word* p) { return Lane::load_first(p, rest); });
    for (std::size_t m = 0; m < M; ++m) Lane::add_totals(sums[m], counts + m * mask_counts);
}

Count and_popcount(const Word* a, const Word* b, std::size_t n) {
    typename Lane::Sum s[4] = {Lane::zero(), Lane::zero(), Lane::zero(), Lane::zero()};
    std::size_t w = 0;
    for (; w + 4 * Lane::width <= n; w += 4 * Lane::width)
        for (std::size_t i = 0; i < 4; ++i)
            s[i] = Lane::add_popcount(s[i], Lane::and_(Lane::load(a + w + i * Lane::width),
                                                       Lane::load(b + w + i * Lane::width)));
    typename Lane::Sum sum = Lane::add(Lane::add(s[0], s[1]), Lane::add(s[2], s[3]));
    for (; w + Lane::width <= n; w += Lane::width)
        sum = Lane::add_popcount(sum, Lane::and_(Lane::load(a + w), Lane::load(b + w)));
    if (const std::size_t rest = n - w; rest > 0)
        sum = Lane::add_popcount(
            sum, Lane::and_(Lane::load_first(a + w, rest), Lane::load_first(b + w, rest)));
    return Lane::total(sum);
}

Count popcount(const Word* a, std::size_t n) { return and_popcount(a, a, n); }

template <std::size_t M>
void sweep_masks(const Word* masks, std::size_t mask_stride, const Word* planes,
                 std::size_t plane_stride, std::size_t n_planes, Segments segments, Count* counts,
                 std::size_t counts_stride, std::size_t segment_counts) {
    for (std::size_t s = 0; s < segments.n; ++s) {
        const std::size_t end = segments.offsets[s + 1];
        Count* const out = counts + s * segment_counts;
        for (std::size_t w = segments.offsets[s]; w < end; w += kBlock) {
            const std::size_t n = end - w < kBlock ? end - w : kBlock;
            const Word* block[M];
            for (std::size_t m = 0; m < M; ++m) block[m] = masks + m * mask_stride + w;
            std::size_t j = 0;
            if (Lane::width > 1 && end - segments.offsets[s] >= kFarSegment)
                for (; j + 8 <= n_planes; j += 4)
                    four_planes<M, true>(block, planes + j * plane_stride + w, plane_stride, n,
                                         out + j, counts_stride);
            for (; j + 4 <= n_planes; j += 4)
                four_planes<M, false>(block, planes + j * plane_stride + w, plane_stride, n,
                                      out + j, counts_stride);
            for (; j < n_planes; ++j)
                for (std::size_t m = 0; m < M; ++m)
                    out[m * counts_stride + j] +=
                        and_popcount(block[m], planes + j * plane_stride + w, n);
        }
    }
}

void sweep(const Word* masks, std::size_t mask_stride, std::size_t n_masks, const Word* planes,
           std::size_t plane_stride, std::size_t n_planes, Segments segments, Count* counts,
           std::size_t counts_stride) {
    const std::size_t segment_counts = n_masks * counts_stride;
    for (std::size_t s = 0; s < segments.n; ++s)
        for (std::size_t m = 0; m < n_masks; ++m)
            for (std::size_t j = 0; j < n_planes; ++j)
                counts[s * segment_counts + m * counts_stride + j] = 0;
    std::size_t m = 0;
    for (; m + 4 <= n_masks; m += 4)
        sweep_masks<4>(masks + m * mask_stride, mask_stride, planes, plane_stride, n_planes,
                       segments, counts + m * counts_stride, counts_stride, segment_counts);
    for (; m < n_masks; ++m)
        sweep_masks<1>(masks + m * mask_stride, mask_stride, planes, plane_stride, n_planes,
                       segments, counts + m * counts_stride, counts_stride, segment_counts);
}

// V vectors of planes side by side against one mask over n words; words without a row are skipped.
template <std::size_t V, class Load>
inline void planes_by_word(const Word* mask, const Word* by_word, std::size_t word_stride,
                           std::size_t n, Load load, typename Lane::Sum (&sums)[V]) {
    for (auto& s : sums) s = Lane::zero();
    for (std::size_t w = 0; w < n; ++w) {
        if (mask[w] == 0) continue;
        const typename Lane::Vector held = Lane::broadcast(mask[w]);
        const Word* words = by_word + w * word_stride;
        for (std::size_t v = 0; v < V; ++v)
            sums[v] = Lane::add_popcount(sums[v], Lane::and_(held, load(words + v * Lane::width)));
    }
}

void sweep_by_word(const Word* masks, std::size_t mask_stride, std::size_t n_masks,
                   const Word* by_word, std::size_t word_stride, std::size_t n_planes,
                   Segments segments, Count* counts, std::size_t counts_stride) {
    constexpr std::size_t kVectors = 4;
    const auto load = [](const Word* p) { return Lane::load(p); };
    for (std::size_t s = 0; s < segments.n; ++s) {
        const std::size_t first = segments.offsets[s], n = segments.offsets[s + 1] - first;
        for (std::size_t m = 0; m < n_masks; ++m) {
            const Word* mask = masks + m * mask_stride + first;
            const Word* words = by_word + first * word_stride;
            Count* const out = counts + (s * n_masks + m) * counts_stride;
            std::size_t j = 0;
            for (; j + kVectors * Lane::width <= n_planes; j += kVectors * Lane::width) {
                typename Lane::Sum sums[kVectors];
                planes_by_word(mask, words + j, word_stride, n, load, sums);
                for (std::size_t v = 0; v < kVectors; ++v)
                    Lane::put(out + j + v * Lane::width, sums[v]);
            }
            typename Lane::Sum sum[1];
            for (; j + Lane::width <= n_planes; j += Lane::width) {
                planes_by_word(mask, words + j, word_stride, n, load, sum);
                Lane::put(out + j, sum[0]);
            }
            if (const std::size_t rest = n_planes - j; rest > 0) {
                planes_by_word(
                    mask, words + j, word_stride, n,
                    [rest](const Word* p) { return Lane::load_first(p, rest); }, sum);
                Count last[Lane::width];
                Lane::put(last, sum[0]);
                for (std::size_t i = 0; i < rest; ++i) out[j + i] = last[i];
            }
        }
    }
}

template <class Operation>
inline void combine(Word* out, const Word* a, const Word* b, std::size_t n, Operation op) {
    std::size_t w = 0;
    for (; w + Lane::width <= n; w += Lane::width)
        Lane::store(out + w, op(Lane::load(a + w), Lane::load(b + w)));
    for (; w < n; ++w) {  // the tail goes through one padded vector, so nothing past n is written
        Word last[Lane::width];
        Lane::store(last, op(Lane::load_first(a + w, 1), Lane::load_first(b + w, 1)));
        out[w] = last[0];
    }
}

void and_into(Word* out, const Word* a, const Word* b, std::size_t n) {
    combine(out, a, b, n, [](auto x, auto y) { return Lane::and_(x, y); });
}
void or_into(Word* out, const Word* a, const Word* b, std::size_t n) {
    combine(out, a, b, n, [](auto x, auto y) { return Lane::or_(x, y); });
}
void and_not_into(Word* out, const Word* a, const Word* b, std::size_t n) {
    combine(out, a, b, n, [](auto x, auto y) { return Lane::and_not(x, y); });
}

}  // namespace

extern const Simd BAYESDNF_JOIN(simd_, BAYESDNF_SIMD_NAME);
const Simd BAYESDNF_JOIN(simd_, BAYESDNF_SIMD_NAME) = {BAYESDNF_TEXT(BAYESDNF_SIMD_NAME),
                                                       sweep,
                                                       sweep_by_word,
                                                       popcount,
                                                       and_popcount,
                                                       and_into,
                                                       or_into,
                                                       and_not_into};

}  // namespace bayesdnf
