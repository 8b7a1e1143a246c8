// Counts of levels -> the best marker on one, two or three variants and its log Bayes factor. All
// that scans know of scores is here.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "genomics/blocks.hpp"
#include "genomics/findings.hpp"
#include "genomics/level_tables.hpp"
#include "genomics/reach.hpp"
#include "genomics/strata_scores.hpp"
#include "model/posterior.hpp"

namespace bayesdnf {

class LevelScores {
  public:
    // With more than one stratum the rates of each are its own, and have no order.
    LevelScores(ScanRules rules, const Effect& effect, const CaseSplit& split);

    const ScanRules& rules() const { return rules_; }
    std::size_t n_strata() const { return strata_ ? strata_->size() : 1; }
    // Whether the calls that are known matter: where a literal holds for lack of copies.
    bool needs_known() const { return needs_known_; }

    // The finding on variants of one, two or three levels' counts, whose best sub-term has the log
    // Bayes factor `sub`; false when it cannot reach `least`, a key.
    template <std::size_t Variants>
    bool operator()(StrataCounts<Variants> counts, double sub, double least, Finding& out) const;

    // The same for many at once, and only whether they may reach a key. The row that is screened
    // beside its lanes: one variant, or two.
    ScreenRow screen(std::size_t variants_of_row) const;
    const Reach& reach() const { return reach_; }
    // What a finding must exceed to have a key of at least `least`.
    const Reach::Levels& levels(double sub, double least) const {
        return reach_.levels(wanted(sub, least));
    }
    // The same within strata, for the sum of what they add; with slack for single precision.
    float least_sum(double sub, double least) const {
        const double value = base(sub) + least;
        return static_cast<float>(value - 1e-3 - 1e-6 * std::abs(value));
    }

    // What rows of each stratum can add, and whether marking the other rows scores the same;
    // without strata nothing and false.
    std::span<const StratumBound> bounds() const {
        if (!strata_) return {};
        return strata_->bounds();
    }
    bool complements() const { return strata_ && strata_->complements(); }

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
    // How many products of literals there are, and their rows. From places in the list of codings
    // to codings.
    template <std::size_t Variants, std::size_t N, std::size_t Most>
    std::size_t products(const LevelCounts<N>& counts, LevelCounts<Most>& rows) const;
    template <std::size_t Variants>
    std::uint32_t spelled(std::uint32_t product) const;

    ScanRules rules_;
    Likelihood likelihood_;               // of all rows
    std::optional<StrataScores> strata_;  // where there are several
    double null_;
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
