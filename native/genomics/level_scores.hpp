// Counts of levels -> the best marker on one, two or three variants and its log Bayes factor. All
// that scans know of scores is here.
//
// A variant has three nested levels: call known, at least one copy, two copies. Every literal
// (dominant, recessive, heterozygous and their negations) is a sum or difference of its variant's
// levels, so every AND of literals, and every genotype cell, is one of counts of levels.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "genomics/findings.hpp"
#include "genomics/reach.hpp"
#include "model/posterior.hpp"

namespace bayesdnf {

// Rows of each combination of levels, [segment][level of a][level of b]…, flat.
template <std::size_t N>
using LevelCounts = std::array<std::array<Count, N>, 2>;

class LevelScores {
  public:
    LevelScores(ScanRules rules, const Effect& effect, Count n_positive, Count n_negative);

    const ScanRules& rules() const { return rules_; }
    // Whether the calls that are known matter: where a literal holds for lack of copies.
    bool needs_known() const { return needs_known_; }

    // The finding on variants of one, two or three levels' counts, whose best sub-term has the log
    // Bayes factor `sub`; false when it cannot reach `least`, a key.
    template <std::size_t Variants, std::size_t N>
    bool operator()(const LevelCounts<N>& counts, double sub, double least, Finding& out) const;

    // The same for many at once, and only whether they may reach a key. The row that is screened
    // beside its lanes: one variant, or two.
    ScreenRow screen(std::size_t variants_of_row) const;
    const Reach& reach() const { return reach_; }
    // What a finding must exceed to have a key of at least `least`.
    const Reach::Levels& levels(double sub, double least) const {
        return reach_.levels(wanted(sub, least));
    }

  private:
    double base(double sub) const { return rules_.by_gain ? std::max(0.0, sub) : 0.0; }
    // The likelihood to reach; less by what rounding may take off, and offers decide.
    double wanted(double sub, double least) const;
    double times_log(Count x) const { return times_log_[as_index(x)]; }
    // The best of n places; what is there already must be exceeded.
    template <std::size_t N>
    bool best_of(const LevelCounts<N>& rows, std::size_t n, double least, double& best,
                 Finding& out) const;
    template <std::size_t N>
    double saturated(const LevelCounts<N>& cells) const;
    template <std::size_t N>
    bool best_union(const LevelCounts<N>& cells, double least, Finding& out) const;

    ScanRules rules_;
    Likelihood likelihood_;
    Reach reach_;
    bool needs_known_;
    bool plain_;  // dominant, recessive and heterozygous
    // Where the marked rows are the less risky ones the likelihood's bound is at most `even_`.
    double even_;
    std::array<std::array<Count, kLevels>, kCodings> forms_;  // the codings, as sums of levels
    std::vector<LevelSum> of_one_, of_two_;                   // the same, or cells, for the screen
    std::vector<double> times_log_;                           // x log x
};

}  // namespace bayesdnf
