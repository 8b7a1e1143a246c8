// Grow the best term to put beside the others: a beam over conjunctions.
#pragma once

#include "search/state.hpp"
#include "stop.hpp"

namespace bayesdnf {

struct Grown {
    Term term;                 // empty: nothing that the support allows
    double score = -INFINITY;  // exact log posterior with it
    Height height = kFirstLayer;
};

// The best term found beside the terms of `state` other than `without`, at a height. Partial terms
// are ranked by how well they part the rows that are open to them; finished ones are judged by the
// posterior. A partial term is given up when not even losing all its negatives could make it the
// best. Only a term that scores above `floor` is wanted: the higher it is, the sooner that is
// decided. The term is longer than `start` and holds all its literals.
Grown grow_term(const State& state, std::size_t without, Height height, std::size_t width,
                double floor, const Stop& stop, const Term& start = {});

// The best of all heights at which it may stand.
Grown grow_anywhere(const State& state, std::size_t without, std::size_t width, double floor,
                    const Stop& stop, const Term& start = {});

}  // namespace bayesdnf
