// One literal more, fewer or another in one term: what each would mark, from one sweep.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "search/opening.hpp"
#include "search/state.hpp"

namespace bayesdnf {

// What base + {l} would take of the rows that are open to it, for some bases and every l.
class Extensions {
  public:
    // Beside the terms of `state` other than `without`, at a height. Memory is kept between calls,
    // so whoever looks often keeps its Extensions: a restart, a chain.
    void look(const State& state, std::size_t without, Height height, std::span<const Term> bases);

    const Opening& opening() const { return opening_; }
    bool may(std::size_t base, std::size_t l) const { return may_[base * p_ + l] != 0; }
    Taken taken(std::size_t base, std::size_t l) const {
        return {counts_.data() + base * opening_.n_parts() * p_ + l, p_, n_masks_ * p_};
    }
    // Bounds of the likelihood with each literal beside a base and, where `counted`, the rows that
    // it would take then.
    void bounds(std::size_t base, double* out, bool counted) {
        totals_.resize(p_);
        opening_.bounds(taken(base, 0), p_, out, counted ? totals_.data() : nullptr);
    }
    Count total(std::size_t l) const { return totals_[l]; }
    // By the base as it is.
    Taken own(std::size_t base) const {
        return {own_.data() + base * opening_.n_parts() * n_segments_, n_segments_, 1};
    }
    Count own_total(std::size_t base) const {
        const Count* first = own(base).first;
        return std::accumulate(first, first + opening_.n_parts() * n_segments_, Count{0});
    }

  private:
    std::size_t p_ = 0, n_masks_ = 0, n_segments_ = 0;
    Opening opening_;
    std::vector<Word> masks_, rows_;
    std::vector<Count> counts_, own_, totals_;
    std::vector<std::uint8_t> may_;
    SweepRoom room_;
};

// Whether to look at literals that leave a term no row which the others do not mark already, and at
// those that take none of these rows away: they make it longer and nothing else.
enum class Idle { left_out, kept };

// Tempered upper bounds on the log posterior of base + {l} beside the terms of `state` other than
// `without`, at a height, for every literal l, -inf where l may not be added; and last for the base
// itself, -inf when it is empty. A size that the prior rules out is taken for what a longer term
// may come to, so that terms can grow through it.
void extension_bounds(const State& state, std::size_t without, Height height, const Term& base,
                      const Heat& heat, Idle idle, Extensions& extensions,
                      std::vector<double>& bounds);

// Drop a literal, add one, or both (a swap); -1 where there is none.
struct Change {
    std::int32_t dropped, added;
    double bound;  // upper bound on the log posterior of the changed function
};

// Changes of term i whose bound is above `floor`, antichain and cover not looked at: those are for
// the change that is chosen.
void changes_of_term(const State& state, std::size_t i, double floor, Extensions& extensions,
                     std::vector<Change>& changes);

Term changed(const Term& term, const Change& change);

}  // namespace bayesdnf
