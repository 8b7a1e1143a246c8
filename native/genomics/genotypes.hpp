// Genotypes as bits: each variant has three planes, one bit per sample. `known`: the call is not
// missing; `carrier`: at least one copy of the counted allele; `two`: two copies.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/bits.hpp"
#include "genomics/simd/pairs.hpp"

namespace bayesdnf {

constexpr std::size_t kPlanesPerVariant = 3;
enum GenotypePlane : std::size_t { kKnown, kCarrier, kTwo };

// One variant of a PLINK 1 .bed file, two bits a sample, four samples a byte, lowest bits first:
// 00 two copies of the first allele, 10 one, 11 none, 01 missing. Writes words_for(n) words to
// each plane, for the first allele; bits past the last sample are clear.
void read_bed_variant(const std::uint8_t* bytes, std::size_t n_samples, Word* known, Word* carrier,
                      Word* two);

// The same from one byte a sample: 0, 1 or 2 copies, anything else missing.
void read_copies(const std::int8_t* copies, std::size_t n_samples, Word* known, Word* carrier,
                 Word* two);

// Takes the samples of a mask, in their order, out of planes: what splits cases from controls.
// The moves that a mask asks for are worked out once; a word then takes six steps, whatever the
// mask, and no special instruction.
class Picker {
  public:
    explicit Picker(std::span<const Word> mask);
    std::size_t n_picked() const { return n_picked_; }
    // Of n planes, stride words apart; words_for(n_picked()) words of each, out_stride apart.
    void pick(const Word* planes, std::size_t stride, std::size_t n, Word* out,
              std::size_t out_stride) const;
    void operator()(const Word* plane, Word* out) const { pick(plane, 0, 1, out, 0); }

  private:
    std::vector<PickMoves> words_;
    std::size_t n_picked_ = 0;
};

// How alike two variants are on samples known in both: sums of copies, squares and products.
struct Likeness {
    Count n, x, y, xx, yy, xy;
    double r_squared() const;
};
Likeness likeness(const Word* a, const Word* b, std::size_t stride, std::size_t n_words,
                  const Simd& simd);

// Variants to keep so that none is closer than r_squared to a kept one at most `window` base
// pairs before it on its chromosome. Of two that are too alike the one with the rarer minor
// allele goes. chromosome and position must be sorted together.
std::vector<std::uint8_t> prune(const Word* planes, std::size_t n_words, std::size_t n_variants,
                                const std::int32_t* chromosome, const std::int64_t* position,
                                std::int64_t window, double r_squared);

// Pairs of samples whose KING-robust kinship is at least `least`: with h the smaller number of
// heterozygous calls of the two, (both heterozygous - 2 opposite homozygous) / 2h + 1/2 - (sum of
// heterozygous calls) / 4h, over variants known in both (Manichaikul et al. 2010, equation 11).
struct Related {
    std::int32_t first, second;
    double kinship;
};
std::vector<Related> relatives(const Word* planes, std::size_t n_words, std::size_t n_variants,
                               std::size_t n_samples, double least, std::size_t n_threads);

}  // namespace bayesdnf
