#include "genomics/genotypes.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <mutex>

#include "data/rows.hpp"
#include "threads.hpp"

namespace bayesdnf {
namespace {

// The even bits of a word, close together in its lower half.
inline Word even_bits(Word x) {
    x &= 0x5555555555555555u;
    x = (x | x >> 1) & 0x3333333333333333u;
    x = (x | x >> 2) & 0x0f0f0f0f0f0f0f0fu;
    x = (x | x >> 4) & 0x00ff00ff00ff00ffu;
    x = (x | x >> 8) & 0x0000ffff0000ffffu;
    return (x | x >> 16) & 0x00000000ffffffffu;
}

inline Word little_endian(const std::uint8_t* bytes) {
    if constexpr (std::endian::native == std::endian::little) {
        Word w;
        std::memcpy(&w, bytes, sizeof w);
        return w;
    } else {
        Word w = 0;
        for (int i = 7; i >= 0; --i) w = w << 8 | bytes[i];
        return w;
    }
}

}  // namespace

void read_bed_variant(const std::uint8_t* bytes, std::size_t n_samples, Word* known, Word* carrier,
                      Word* two) {
    constexpr std::size_t kBytes = kWordBits / 4;  // of 64 samples
    const std::size_t n_words = words_for(n_samples);
    for (std::size_t w = 0; w < n_words; ++w, bytes += kBytes) {
        const std::size_t left = n_samples - w * kWordBits;
        std::uint8_t last[kBytes] = {};
        const std::uint8_t* from = bytes;
        if (left < kWordBits) {
            std::memcpy(last, bytes, (left + 3) / 4);
            from = last;
        }
        const Word first = little_endian(from), second = little_endian(from + 8);
        const Word low = even_bits(first) | even_bits(second) << 32;
        const Word high = even_bits(first >> 1) | even_bits(second >> 1) << 32;
        const Word there = left < kWordBits ? (Word{1} << left) - 1 : ~Word{0};
        known[w] = (high | ~low) & there;
        carrier[w] = ~low & there;
        two[w] = ~(low | high) & there;
    }
}

void read_copies(const std::int8_t* copies, std::size_t n_samples, Word* known, Word* carrier,
                 Word* two) {
    for (std::size_t w = 0; w < words_for(n_samples); ++w) {
        const std::size_t rows = std::min(n_samples - w * kWordBits, kWordBits);
        const std::int8_t* from = copies + w * kWordBits;
        Word any = 0, some = 0, both = 0;
        for (std::size_t i = 0; i < rows; ++i) {
            const auto c = static_cast<std::uint8_t>(from[i]);
            any |= Word{c <= 2} << i;
            some |= Word{c == 1 || c == 2} << i;
            both |= Word{c == 2} << i;
        }
        known[w] = any;
        carrier[w] = some;
        two[w] = both;
    }
}

// Hacker's Delight (Warren), "compress": in step s, bits move right by 2^s when the number of
// unpicked bits below them has that binary digit.
Picker::Picker(std::span<const Word> mask) : words_(mask.size()) {
    for (std::size_t w = 0; w < mask.size(); ++w) {
        PickMoves& moves = words_[w];
        moves.mask = mask[w];
        moves.picked = static_cast<unsigned>(std::popcount(mask[w]));
        n_picked_ += moves.picked;
        Word m = mask[w], unpicked = ~m << 1;
        for (unsigned s = 0; s < 6; ++s) {
            Word parity = unpicked;  // of the number of unpicked bits below, by prefix XOR
            for (unsigned shift = 1; shift < kWordBits; shift <<= 1) parity ^= parity << shift;
            const Word move = parity & m;
            moves.step[s] = move;
            m = (m ^ move) | move >> (1u << s);
            unpicked &= ~parity;
        }
    }
}

void Picker::pick(const Word* planes, std::size_t stride, std::size_t n, Word* out,
                  std::size_t out_stride) const {
    for (std::size_t j = 0; j < n; ++j)
        std::fill_n(out + j * out_stride, words_for(n_picked_), Word{0});
    pair_loops().pick(words_.data(), words_.size(), planes, stride, n, out, out_stride);
}

double Likeness::r_squared() const {
    const double m = static_cast<double>(n);
    const double cov =
        m * static_cast<double>(xy) - static_cast<double>(x) * static_cast<double>(y);
    const double vx = m * static_cast<double>(xx) - static_cast<double>(x) * static_cast<double>(x);
    const double vy = m * static_cast<double>(yy) - static_cast<double>(y) * static_cast<double>(y);
    return vx > 0 && vy > 0 ? cov * cov / (vx * vy) : 0.0;
}

// Copies are carrier + two, and two lies within carrier: every sum is a few popcounts.
Likeness likeness(const Word* a, const Word* b, std::size_t stride, std::size_t n_words,
                  const Simd& simd) {
    const auto both = [&](GenotypePlane i, GenotypePlane j) {
        return simd.and_popcount(a + i * stride, b + j * stride, n_words);
    };
    const Count ac = both(kCarrier, kKnown), ad = both(kTwo, kKnown);
    const Count bc = both(kKnown, kCarrier), bd = both(kKnown, kTwo);
    return {
        both(kKnown, kKnown),
        ac + ad,
        bc + bd,
        ac + 3 * ad,
        bc + 3 * bd,
        both(kCarrier, kCarrier) + both(kCarrier, kTwo) + both(kTwo, kCarrier) + both(kTwo, kTwo)};
}

std::vector<std::uint8_t> prune(const Word* planes, std::size_t n_words, std::size_t n_variants,
                                const std::int32_t* chromosome, const std::int64_t* position,
                                std::int64_t window, double r_squared) {
    const Simd& k = simd();
    const std::size_t size = kPlanesPerVariant * n_words;
    std::vector<double> minor(n_variants);
    for (std::size_t v = 0; v < n_variants; ++v) {
        const Word* p = planes + v * size;
        const double n = static_cast<double>(k.popcount(p + kKnown * n_words, n_words));
        const double copies = static_cast<double>(k.popcount(p + kCarrier * n_words, n_words) +
                                                  k.popcount(p + kTwo * n_words, n_words));
        const double share = n > 0 ? copies / (2 * n) : 0;
        minor[v] = std::min(share, 1 - share);
    }
    std::vector<std::uint8_t> keep(n_variants, 1);
    for (std::size_t v = 1; v < n_variants; ++v)
        for (std::size_t u = v; u-- > 0 && keep[v];) {
            if (chromosome[u] != chromosome[v] || position[v] - position[u] > window) break;
            if (!keep[u]) continue;
            const Likeness pair =
                likeness(planes + u * size, planes + v * size, n_words, n_words, k);
            if (pair.r_squared() > r_squared) keep[minor[v] > minor[u] ? u : v] = 0;
        }
    return keep;
}

std::vector<Related> relatives(const Word* planes, std::size_t n_words, std::size_t n_variants,
                               std::size_t n_samples, double least, std::size_t n_threads) {
    // Sample-major: for each sample the variants where it is heterozygous, and homozygous of
    // either kind.
    const std::size_t width = words_for(n_variants);
    std::vector<Word> het(n_samples * width), two(n_samples * width), none(n_samples * width);
    std::vector<Word> known(n_samples * width);
    for (std::size_t b = 0; b < width; ++b) {
        const std::size_t variants = std::min(n_variants - b * kWordBits, kWordBits);
        for (std::size_t w = 0; w < n_words; ++w) {
            Word block[kPlanesPerVariant][kWordBits] = {};
            for (std::size_t v = 0; v < variants; ++v) {
                const Word* p = planes + (b * kWordBits + v) * kPlanesPerVariant * n_words + w;
                for (std::size_t i = 0; i < kPlanesPerVariant; ++i) block[i][v] = p[i * n_words];
            }
            for (auto& plane : block) transpose_block(plane);
            for (std::size_t i = 0; i < kWordBits && w * kWordBits + i < n_samples; ++i) {
                const std::size_t at = (w * kWordBits + i) * width + b;
                known[at] = block[kKnown][i];
                two[at] = block[kTwo][i];
                het[at] = block[kCarrier][i] & ~block[kTwo][i];
                none[at] = block[kKnown][i] & ~block[kCarrier][i];
            }
        }
    }
    const Simd& k = simd();
    std::vector<std::vector<Related>> found(n_samples);
    parallel_for(n_samples, n_threads, [&](std::size_t i) {
        const auto both = [&](const std::vector<Word>& a, const std::vector<Word>& b,
                              std::size_t j) {
            return static_cast<double>(
                k.and_popcount(a.data() + i * width, b.data() + j * width, width));
        };
        for (std::size_t j = i + 1; j < n_samples; ++j) {
            const double shared = both(het, het, j);
            const double opposite = both(two, none, j) + both(none, two, j);
            const double of_i = both(het, known, j), of_j = both(known, het, j);
            const double fewer = std::min(of_i, of_j);
            if (fewer == 0) continue;
            const double kinship =
                (shared - 2 * opposite) / (2 * fewer) + 0.5 - (of_i + of_j) / (4 * fewer);
            if (kinship >= least)
                found[i].push_back(
                    {static_cast<std::int32_t>(i), static_cast<std::int32_t>(j), kinship});
        }
    });
    std::vector<Related> all;
    for (const auto& some : found) all.insert(all.end(), some.begin(), some.end());
    return all;
}

}  // namespace bayesdnf
