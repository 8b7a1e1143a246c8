// Exhaustive scans of genotypes: every variant, every pair, every triple of a chosen set, scored
// by the collapsed log Bayes factor against "no marker".
//
// A variant has three nested levels: call known, at least one copy, two copies. Rows of every
// combination of levels come from one sweep of the planes; every literal (dominant, recessive,
// heterozygous and their negations) is a sum or difference of its variant's levels, so every AND of
// literals, and every genotype cell, is one of level counts. No other pass over the rows is made.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genomics/genotypes.hpp"
#include "model/posterior.hpp"
#include "stop.hpp"

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
    explicit Findings(std::size_t most) : most_(most) {}
    // The key that a finding must reach to stand a chance.
    double least() const { return heap_.size() < most_ ? -INFINITY : heap_.front().key; }
    void offer(const Finding& finding);
    void take_in(const Findings& others) {
        for (const Finding& f : others.heap_) offer(f);
    }
    std::vector<Finding> sorted() const;

  private:
    std::size_t most_;
    std::vector<Finding> heap_;
};

// Genotypes split into cases and controls, with the score of every variant alone.
class ScanTable {
  public:
    ScanTable(const Word* planes, std::size_t n_words, std::size_t n_variants,
              std::span<const Word> cases, std::span<const Word> controls, const Effect& effect,
              ScanRules rules, std::span<const std::int32_t> chromosome,
              std::span<const std::int64_t> position, std::size_t n_threads);

    std::size_t n_variants() const { return n_variants_; }
    const ScanRules& rules() const { return rules_; }
    const std::vector<Finding>& singles() const { return singles_; }

    // Pairs come in tasks, numbered; every pair is in exactly one.
    std::size_t n_tasks() const;
    // Scan tasks and keep what is best; a task that `stop` cuts short is not counted as done.
    // Returns how many tasks from `first` on were done; tasks are first, first + step, ….
    std::size_t scan_pairs(std::size_t first, std::size_t last, std::size_t step,
                           std::size_t n_threads, const Stop& stop, Findings& best) const;
    std::size_t pairs_in(std::size_t task) const;

    // Triples of a rising set of variants whose first member is chosen[i], first <= i < last.
    std::size_t scan_triples(std::span<const std::int32_t> chosen, std::size_t first,
                             std::size_t last, std::size_t n_threads, const Stop& stop,
                             Findings& best) const;

  private:
    // Rows of each combination of levels, [segment][level of a][level of b]…, flat.
    template <std::size_t N>
    using Counts = std::array<std::array<Count, N>, 2>;

    const Word* levels(std::size_t v) const { return words_.data() + v * n_swept_ * stride_; }
    Segments segments() const { return {offsets_.data(), 2}; }
    double times_log(Count x) const { return times_log_[as_index(x)]; }
    bool apart(std::int32_t a, std::int32_t b) const;
    void score_singles();
    Counts<kLevels * kLevels> pair_counts(const std::vector<Count>& swept, std::size_t masks,
                                          std::size_t planes, std::size_t x, std::size_t y) const;
    void scan_task(std::size_t task, Findings& best, std::vector<Count>& counts) const;
    // The finding on variants of one, two or three levels' counts; false when it cannot reach
    // `least`, a key.
    template <std::size_t Variants, std::size_t N>
    bool score(const Counts<N>& counts, double sub, double least, Finding& out) const;
    template <std::size_t N>
    bool best_of(const Counts<N>& rows, std::size_t n, double least, Finding& out) const;
    template <std::size_t N>
    double saturated(const Counts<N>& cells) const;
    template <std::size_t N>
    bool best_union(const Counts<N>& cells, double least, Finding& out) const;

    std::size_t n_variants_, n_swept_;  // levels that are swept: the last two, or all three
    ScanRules rules_;
    std::vector<std::int32_t> chromosome_;
    std::vector<std::int64_t> position_;
    std::array<std::size_t, 3> offsets_;  // of the two segments, and the end
    std::size_t stride_;
    std::vector<Word> words_;
    std::vector<Counts<kLevels>> margins_;
    Likelihood likelihood_;
    // Where the marked rows are the less risky ones the likelihood's bound is at most `even_`.
    double even_;
    std::array<std::array<Count, kLevels>, kCodings> forms_;  // the codings, as sums of levels
    std::vector<double> times_log_;                           // x log x
    bool plain_;  // dominant, recessive and heterozygous
    std::vector<Finding> singles_;
};

}  // namespace bayesdnf
