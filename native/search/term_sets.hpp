// Every set of m listed terms that scores more than a target: branch and bound over sets of terms.
#pragma once

#include <cstdint>
#include <vector>

#include "model/posterior.hpp"
#include "stop.hpp"

namespace bayesdnf {

// What to look for, among functions whose likelihood rises with marked positives and falls with
// marked negatives. Rows on which the same literals hold are one cell; cells with positives come
// first.
struct TermSetsWish {
    std::vector<double> worth;                     // log prior of each term
    std::vector<std::vector<std::int32_t>> cells;  // that each marks, ascending
    std::vector<Count>
        kept_off;               // negatives that it marks beyond these without a literal, at least
    std::vector<double> saved;  // what its log prior is less than without one; where replaceable
    std::vector<Count> positive, negative;  // rows of each cell
    std::size_t n_positive = 0;             // cells with positives
    std::size_t n_terms = 1;                // m
    double constant = 0;                    // log prior of m terms
    double fewer = 0;                       // log prior of m - 1 terms
    Count least_positive = 0, most_positive = 0, least_negative = 0, most_negative = 0;  // marked
    double target = 0;
    bool removable = false;    // a function without one of its terms is allowed as well
    bool replaceable = false;  // and so is one with a term in place of another
    std::size_t most = 1000;   // sets to keep; one more halts the search
};

struct TermSets {
    std::vector<std::vector<std::int32_t>> sets;
    bool complete = false;  // a best function of all is among the sets, if in the box and above
    std::uint64_t nodes = 0;
};

TermSets better_sets(const Likelihood& likelihood, const TermSetsWish& wish, const Stop& stop);

}  // namespace bayesdnf
