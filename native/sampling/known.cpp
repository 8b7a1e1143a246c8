#include "sampling/known.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>

#include "faults.hpp"

namespace bayesdnf {

KnownFunctions::KnownFunctions(std::vector<State> states) {
    std::map<std::vector<LayeredTerm>, State*> by_key;
    for (State& state : states) {
        if (!state.value().allowed())
            throw std::invalid_argument("a known function is outside the support");
        by_key.try_emplace(state.canonical(), &state);
    }
    for (const auto& [key, state] : by_key) {
        keys_.push_back(key);
        states_.push_back(std::move(*state));
    }
}

bool KnownFunctions::jump(State& state, const Heat& heat, Philox& rng) const {
    const auto key = state.canonical();
    const auto here = std::lower_bound(keys_.begin(), keys_.end(), key);
    if (here == keys_.end() || *here != key) return false;
    // The next function is drawn by the tempered posterior whatever the present one is: a Gibbs
    // step among the listed functions, which needs no acceptance.
    const Heat own = planted(Fault::jump_unheated) ? Heat{1, 1} : heat;
    double highest = -INFINITY;
    for (const State& s : states_) highest = std::max(highest, s.value().tempered(own));
    std::vector<double> up_to;
    up_to.reserve(states_.size());
    double sum = 0;
    for (const State& s : states_)
        up_to.push_back(sum += planted(Fault::jump_unweighted)
                                   ? 1.0
                                   : std::exp(s.value().tempered(own) - highest));
    const auto next = std::upper_bound(up_to.begin(), up_to.end() - 1, rng.uniform() * sum);
    const auto number = static_cast<std::size_t>(next - up_to.begin());
    if (number == static_cast<std::size_t>(here - keys_.begin())) return false;
    state = states_[number];
    return true;
}

}  // namespace bayesdnf
