// Blocks of variants made ready for counting: cases apart from controls, four rows to a number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/aligned.hpp"
#include "genomics/findings.hpp"
#include "genomics/genotypes.hpp"
#include "genomics/simd/pairs.hpp"

namespace bayesdnf {

// Who is a case and who a control: the segments of every scan, cases of each stratum, then controls
// of each. Without strata there are two.
class CaseSplit {
  public:
    // segments: masks of n_words each, one after the other.
    CaseSplit(std::span<const Word> segments, std::size_t n_words);

    std::size_t n_words() const { return n_words_; }
    std::size_t n_segments() const { return pick_.size(); }
    std::size_t n_strata() const { return pick_.size() / 2; }
    std::size_t rows(std::size_t segment) const { return pick_[segment].n_picked(); }
    std::size_t n_quads(std::size_t segment) const { return quads_for(rows(segment)); }
    // A level of n variants whose planes lie one after the other, one segment of it; the words of
    // variant i begin at out[i * words_for(rows)].
    void split(const Word* variants, std::size_t n, std::size_t level, std::size_t segment,
               std::vector<Word>& out) const;

  private:
    std::size_t n_words_;
    std::vector<Picker> pick_;
};

// Levels of up to kLanes variants, as the counting loop looks them up.
class LaneBlock {
  public:
    // known: whether the calls that are known are counted too.
    void fill(const CaseSplit& split, const Word* variants, std::size_t n, bool known);
    std::size_t size() const { return n_; }
    bool known() const { return known_; }
    const std::uint8_t* level(std::size_t segment, std::size_t level) const {
        return lanes_[segment][level].data();
    }

  private:
    std::size_t n_ = 0;
    bool known_ = false;
    std::vector<Word> words_;
    std::vector<std::array<AlignedVector<std::uint8_t>, kLevels>> lanes_;  // by segment
};

// Two planes each of many rows of a table of counts. A row is a variant or two; what it is beside
// the lanes is the business of whoever fills it.
class QuadRows {
  public:
    void resize(const CaseSplit& split, std::size_t n) {
        n_quads_.resize(split.n_segments());
        quads_.resize(split.n_segments());
        for (std::size_t s = 0; s < split.n_segments(); ++s) {
            n_quads_[s] = split.n_quads(s);
            quads_[s].resize(n * n_quads_[s]);
        }
    }
    std::uint16_t* row(std::size_t segment, std::size_t i) {
        return quads_[segment].data() + i * n_quads_[segment];
    }
    const std::uint16_t* row(std::size_t segment, std::size_t i) const {
        return quads_[segment].data() + i * n_quads_[segment];
    }

  private:
    std::vector<std::size_t> n_quads_;  // by segment
    std::vector<std::vector<std::uint16_t>> quads_;
};

}  // namespace bayesdnf
