#include "data/rows.hpp"

#include <algorithm>
#include <vector>

#include "rng.hpp"

namespace bayesdnf {
namespace {

constexpr std::uint64_t kSeed[2] = {0x243F6A8885A308D3u, 0x13198A2E03707344u};
constexpr std::uint64_t kFactor[2] = {0xA4093822299F31D1u, 0x082EFA98EC4E6C89u};

// Takes one word more into one half of a row's hash. Canonical rows are sorted by these hashes, so
// every random choice of a row depends on this formula: it must stay what it is.
inline std::uint64_t mix(std::uint64_t hash, std::uint64_t word, int lane) {
    const Product p = multiply(hash ^ word ^ kSeed[lane], kFactor[lane]);
    return (p.high ^ p.low) + (hash << 1 | hash >> 63);
}

// Words of up to 64 planes at one word index, transposed: block[i] holds row i's columns.
inline void load_block(const Word* planes, std::size_t stride, std::size_t n_planes,
                       std::size_t word, Word block[64]) {
    for (std::size_t j = 0; j < n_planes; ++j) block[j] = planes[j * stride + word];
    std::fill(block + n_planes, block + 64, Word{0});
    transpose_block(block);
}

}  // namespace

void transpose_block(Word block[64]) {
    // Recursive transposition (Warren, Hacker's Delight 7-3): exchange the off-diagonal quarters
    // of ever smaller squares, 6 passes of 32 exchanges.
    Word low = 0x00000000FFFFFFFFu;
    for (int step = 32; step > 0; step >>= 1, low ^= low << step) {
        for (int i = 0; i < 64; i = (i + step + 1) & ~step) {
            const Word swap = ((block[i] >> step) ^ block[i + step]) & low;
            block[i] ^= swap << step;
            block[i + step] ^= swap;
        }
    }
}

void hash_rows(const Word* planes, std::size_t stride, std::size_t n_planes, std::size_t n_rows,
               std::uint64_t* hashes) {
    for (std::size_t i = 0; i < n_rows; ++i) {
        hashes[2 * i] = 0;
        hashes[2 * i + 1] = 0;
    }
    Word block[64];
    for (std::size_t j = 0; j < n_planes; j += 64) {
        const std::size_t width = std::min<std::size_t>(64, n_planes - j);
        for (std::size_t w = 0; w < words_for(n_rows); ++w) {
            load_block(planes + j * stride, stride, width, w, block);
            const std::size_t rows = std::min(n_rows - w * 64, kWordBits);
            for (std::size_t i = 0; i < rows; ++i) {
                std::uint64_t* h = hashes + 2 * (w * 64 + i);
                h[0] = mix(h[0], block[i], 0);
                h[1] = mix(h[1], block[i], 1);
            }
        }
    }
}

void gather_rows(const Word* planes, std::size_t stride, std::size_t n_planes, std::size_t n_rows,
                 const std::int64_t* sources, const std::size_t* rows_per_segment,
                 Segments segments, Word* out, std::size_t out_stride) {
    std::vector<Word> columns(words_for(n_rows) * kWordBits);  // one word per source row
    Word block[64];
    for (std::size_t j = 0; j < n_planes; j += 64) {
        const std::size_t width = std::min<std::size_t>(64, n_planes - j);
        for (std::size_t w = 0; w < words_for(n_rows); ++w)
            load_block(planes + j * stride, stride, width, w, columns.data() + w * kWordBits);
        const std::int64_t* source = sources;
        for (std::size_t s = 0; s < segments.n; ++s) {
            std::size_t left = rows_per_segment[s];
            for (std::size_t w = segments.offsets[s]; w < segments.offsets[s + 1]; ++w) {
                const std::size_t rows = std::min(left, kWordBits);
                for (std::size_t i = 0; i < rows; ++i) block[i] = columns[as_index(source[i])];
                std::fill(block + rows, block + 64, Word{0});
                transpose_block(block);
                for (std::size_t c = 0; c < width; ++c) out[(j + c) * out_stride + w] = block[c];
                source += rows;
                left -= rows;
            }
        }
    }
}

void append_bits(Word* dst, std::size_t first, const Word* src, std::size_t n) {
    const std::size_t shift = first % kWordBits;
    Word* const out = dst + first / kWordBits;
    for (std::size_t w = 0; w < words_for(n); ++w) {
        const std::size_t left = n - w * kWordBits;
        const Word word = left >= kWordBits ? src[w] : src[w] & ((Word{1} << left) - 1);
        out[w] |= word << shift;
        const Word carried = shift == 0 ? 0 : word >> (kWordBits - shift);
        if (carried != 0) out[w + 1] |= carried;
    }
}

// Two independent mixes of the words (multiply and shift, with odd constants).
Hash hash_words(const Word* words, std::size_t n) {
    constexpr Hash kFactor = {0xFF51AFD7ED558CCDu, 0xC4CEB9FE1A85EC53u};
    Hash hash = {0x9E3779B97F4A7C15u, 0xC2B2AE3D27D4EB4Fu};
    for (std::size_t w = 0; w < n; ++w)
        for (std::size_t lane = 0; lane < 2; ++lane) {
            const std::uint64_t mixed = (hash[lane] ^ words[w]) * kFactor[lane];
            hash[lane] = mixed ^ mixed >> 32;
        }
    return hash;
}

}  // namespace bayesdnf
