// Every one-literal change of one term, scored in one sweep.
#pragma once

#include <vector>

#include "state.hpp"

namespace bayesdnf {

// Drop a literal, add one, or both (a swap); -1 where there is none.
struct Change {
    std::int32_t dropped, added;
    double bound;  // upper bound on the log posterior of the changed function
};

// Changes of term i, antichain and cover not looked at: those are for the change that is chosen.
void changes_of_term(const State& state, std::size_t i, std::vector<Change>& changes);

Term changed(const Term& term, const Change& change);

}  // namespace bayesdnf
