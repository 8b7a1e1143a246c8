// Where births take their terms from. Each draws a term and knows how probable a given term is,
// which the way back of a birth asks for. A size too large for p or for a row gives no term, in
// place of another try: 2^-k stays the probability of every size, with no sum to divide by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/individuals.hpp"
#include "rng.hpp"

namespace bayesdnf {

double log_factorial(std::size_t k);

// Any term at all: a size k with probability 2^-k, then any k of the p literals.
class PlainTerms {
  public:
    explicit PlainTerms(std::size_t p) : p_(p) {}

    // An empty term when the size exceeds p.
    Term draw(Philox& rng) const;
    double log_probability(const Term& term) const;

  private:
    std::size_t p_;
};

// Terms of rows: a positive individual, a size k with probability 2^-k, and k of the literals that
// are true of the individual.
class RowTerms {
  public:
    RowTerms(const BitView& view, const Individuals& individuals);

    // Memory that a chain keeps between calls; the rows themselves are shared by all chains.
    struct Room {
        Term held;
        std::vector<double> share;  // by number of true literals; 0: not yet known
    };

    // An empty term when there are no positives, or the size exceeds the row's literals.
    Term draw(Philox& rng, Room& room) const;
    // -inf for a term that no positive row holds. `mask`: its rows.
    double log_probability(const Term& term, const Word* mask, Room& room) const;

  private:
    const Individuals* individuals_;
    std::vector<std::uint32_t> literals_;  // true ones, by positive row
    std::uint32_t fewest_ = 0, most_ = 0;
    const BitView* view_;
};

// Terms worth a try, found beforehand, and how probably each is drawn.
class ListedTerms {
  public:
    ListedTerms() = default;
    // Equal terms are drawn as often as all of them together; weights are above 0.
    ListedTerms(std::vector<Term> terms, const std::vector<double>& weights);

    bool empty() const { return terms_.empty(); }
    const Term& draw(Philox& rng) const;
    // -inf for a term that is not listed.
    double log_probability(const Term& term) const;

  private:
    std::vector<Term> terms_;    // sorted
    std::vector<double> up_to_;  // weights of the terms up to each, added up
};

}  // namespace bayesdnf
