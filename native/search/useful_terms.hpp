// Which terms a best function may hold, by what it would gain without them: step 5 of the argument
// in docs/bound.md.
#pragma once

#include <cstdint>
#include <vector>

#include "search/term_sets.hpp"

namespace bayesdnf {

class UsefulTerms {
  public:
    UsefulTerms(const Likelihood& likelihood, const TermSetsWish& wish);

    double log_likelihood(Count a, Count b);

    // Whether a term may be in a best function: which would be worse without it, by the positives
    // that it alone marks, and worse without one of its literals. So many negatives are marked at
    // least.
    bool pays(std::int32_t term, Count unique, Count negative);

    // Terms, of some, in whose place no other one of these is never worse: not less likely a
    // priori, with the same positives at least, and negatives of this one at most. Empty, and
    // `halted`, where it is stopped.
    std::vector<std::int32_t> undominated(std::vector<std::int32_t> terms, const Stop& stop,
                                          bool& halted) const;

  private:
    template <class Work>
    double looked_up(std::vector<double>& table, Count i, Count negative, const Work& work);
    double loss(Count n, Count negative);
    double cost(Count n, Count negative);

    const Likelihood& likelihood_;
    const TermSetsWish& wish_;
    std::size_t n_negative_rows_;
    std::vector<double> table_, losses_, costs_;
};

}  // namespace bayesdnf
