// Functions worth being at, found before the first step. A chain that is at one of them may go to
// any of them: the next is drawn by the posterior among them, so there is nothing to accept.
#pragma once

#include <vector>

#include "rng.hpp"
#include "search/state.hpp"

namespace bayesdnf {

class KnownFunctions {
  public:
    KnownFunctions() = default;
    // Throws std::invalid_argument for one outside the support.
    explicit KnownFunctions(std::vector<State> states);

    // Goes from a known state to any that is known; whether it changed. Nothing is drawn, and
    // nothing done, where the state is not among them.
    bool jump(State& state, const Heat& heat, Philox& rng) const;

  private:
    std::vector<State> states_;                   // distinct, by their keys
    std::vector<std::vector<LayeredTerm>> keys_;  // canonical, sorted
};

}  // namespace bayesdnf
