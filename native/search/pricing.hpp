// The terms that gain most at given prices of rows: branch and bound over conjunctions.
#pragma once

#include <cstdint>
#include <vector>

#include "model/posterior.hpp"
#include "stop.hpp"

namespace bayesdnf {

// What to look for. A term is worth what its size and its literals are, and the prices of the rows
// that it marks. All are whole numbers in one unit, so that sums are exact.
struct PricingWish {
    std::vector<std::int64_t> sizes;     // by the number of literals, up to the longest allowed
    std::vector<std::int64_t> literals;  // of each literal of the table
    std::vector<std::int64_t> prices;    // of each bit of a row mask, of any sign
    std::int64_t negative_cost = 0;      // of each marked negative, beside its price
    std::vector<Word> rows;              // that count: a mask; empty: all of them
    std::int64_t floor = 0;              // least worth
    std::size_t most = SIZE_MAX;         // keep that many; one of `every` too many halts the search
    bool every = false;                  // all that reach the floor; otherwise the best ones
    Count most_positive = INT64_MAX, most_negative = INT64_MAX;  // rows that a term may mark
    std::uint64_t max_nodes = UINT64_MAX;
};

struct PricedTerms {
    std::vector<Term> terms;
    std::vector<std::int64_t> worth;
    bool complete = false;     // no other term reaches the floor, or the worth of the kept ones
    std::int64_t ceiling = 0;  // no term at all is worth more
    std::uint64_t nodes = 0;
};

// Terms of a table that some prior allows one by one: what they may be made of.
struct TermSpace {
    std::vector<std::int32_t> literals;  // that a term may hold
    // Whether a term that holds one literal less, and marks the same negatives, is never worse:
    // because the prior prefers it, and more positives (`more_positives`) do no harm. Otherwise it
    // has to mark the same positives too.
    bool shorter_is_better = false, more_positives = false;
};

// Of a size that no term has.
constexpr std::int64_t kNoSize = INT64_MIN / 4;

PricedTerms priced_terms(const Posterior& posterior, const TermSpace& space,
                         const PricingWish& wish, const Stop& stop);

}  // namespace bayesdnf
