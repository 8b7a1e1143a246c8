// One literal more, fewer or another in one term: what each would mark, from one sweep.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/state.hpp"

namespace bayesdnf {

// What base + {l} would add to the rows that the other terms mark, for some bases and every l.
class Extensions {
  public:
    // Beside the terms of `state` other than `without`. Memory is kept between calls, so whoever
    // looks often keeps its Extensions: a restart, a chain.
    void look(const State& state, std::size_t without, std::span<const Term> bases);

    const Marked& rest() const { return rest_; }
    // Log prior of the other terms, and of there being one more.
    double others_prior() const { return others_prior_; }
    bool may(std::size_t base, std::size_t l) const { return may_[base * p_ + l] != 0; }
    Count positive(std::size_t base, std::size_t l) const { return counts_[base * p_ + l]; }
    Count negative(std::size_t base, std::size_t l) const {
        return counts_[(n_bases_ + base) * p_ + l];
    }
    // The base's own open rows.
    const Count* own(std::size_t base) const { return own_.data() + 2 * base; }

  private:
    std::size_t p_ = 0, n_bases_ = 0;
    Marked rest_;
    double others_prior_ = 0;
    std::vector<Word> masks_;
    std::vector<Count> counts_, own_;
    std::vector<std::uint8_t> may_;
    SweepRoom room_;
};

// Whether to look at literals that leave a term no row which the others do not mark already.
enum class Idle { left_out, kept };

// Tempered upper bounds on the log posterior of base + {l} beside the terms of `state` other than
// `without`, for every literal l, -inf where l may not be added; and last for the base itself, -inf
// when it is empty. A size that the prior rules out is taken for what a longer term may come to,
// so that terms can grow through it.
void extension_bounds(const State& state, std::size_t without, const Term& base, const Heat& heat,
                      Idle idle, Extensions& extensions, std::vector<double>& bounds);

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
