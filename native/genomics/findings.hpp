// What scans look for and what they find.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/bits.hpp"

namespace bayesdnf {

constexpr std::size_t kLevels = 3;
constexpr std::size_t kCodings = 6;  // dominant, recessive, heterozygous, and NOT of each
constexpr std::size_t kMostVariants = 3;

// What is scored: the best AND of one literal of each variant, or the best union of cells of the
// variants' genotype table, which is how a marker without any AND shows itself.
enum class Measure : std::uint8_t { conjunction, cells };

struct ScanRules {
    std::vector<std::uint8_t> codings = {0, 1, 2};
    Measure measure = Measure::conjunction;
    bool by_gain = true;  // rank by gain over the best sub-term, else by the Bayes factor itself
    std::size_t top = 1000;
    std::int64_t gap = 0;  // variants of one chromosome must be at least so far apart
};

struct Finding {
    double key;                                        // what it is ranked by
    std::array<std::int32_t, kMostVariants> variants;  // rising; -1 where there is none
    // Conjunction: the codings in base 6, the first variant's the lowest digit. Cells: a bit for
    // each marked cell, numbered by copies in base 3, the first variant's the highest digit.
    std::uint32_t what;
    Count positive, negative;
    double log_bayes_factor, gain;
};
bool operator<(const Finding& a, const Finding& b);  // the better one first; ties by variants

// The best findings by key, ties by variants: the same whatever the order they come in.
class Findings {
  public:
    // floor: a key that others hold as many findings of as can be kept.
    explicit Findings(std::size_t most, double floor = -INFINITY) : most_(most), floor_(floor) {}
    // The key that a finding must reach to stand a chance.
    double least() const {
        return heap_.size() < most_ ? floor_ : std::fmax(floor_, heap_.front().key);
    }
    void offer(const Finding& finding);
    void take_in(const Findings& others) {
        for (const Finding& f : others.heap_) offer(f);
    }
    std::vector<Finding> sorted() const;

  private:
    std::size_t most_;
    double floor_;
    std::vector<Finding> heap_;
};

}  // namespace bayesdnf
