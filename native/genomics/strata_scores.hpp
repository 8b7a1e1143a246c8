// Scores within strata: sums over strata, each with rates of its own, which have no order.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "genomics/blocks.hpp"
#include "genomics/findings.hpp"
#include "genomics/level_tables.hpp"
#include "genomics/stratum_bound.hpp"
#include "model/posterior.hpp"

namespace bayesdnf {

class StrataScores {
  public:
    StrataScores(const Effect& effect, const CaseSplit& split);

    std::size_t size() const { return strata_.size(); }
    double null() const { return null_; }
    const std::vector<StratumBound>& bounds() const { return bounds_; }
    // Whether marking the other rows scores the same.
    bool complements() const { return complements_; }

    // The best of the first n places of tables of rows, one for each stratum; false where none
    // reaches `least`.
    template <class Rows>
    bool best_of(std::span<const Rows> rows, std::size_t n, double least, Finding& out) const;
    // The best union of cells, of tables of levels; one union for all strata. `sum` is what the
    // strata must add up to by their bounds.
    template <std::size_t Variants>
    bool best_union(StrataCounts<Variants> counts, double least, float sum, Finding& out) const;

  private:
    // What every union of some cells may add up to.
    template <std::size_t N>
    void bound_unions(std::span<const LevelCounts<N>> cells, std::span<const std::uint8_t> which,
                      float* sums) const;

    std::vector<Likelihood> strata_;
    std::vector<StratumBound> bounds_;
    double null_ = 0;
    Count n_rows_ = 0;
    bool complements_;
};

}  // namespace bayesdnf
