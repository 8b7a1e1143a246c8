// Our search for the best function: beam and large-neighbourhood search, informed annealing.
#pragma once

#include "rng.hpp"
#include "search/state.hpp"
#include "stop.hpp"

namespace bayesdnf {

struct HuntSettings {
    std::size_t steps = 2000;  // of informed annealing
    double hottest = 0.02;     // first inverse temperature of the likelihood; the last is 1
    std::size_t width = 8;     // of the beam that rebuilds the result
};

// Add terms grown by beam while that helps, then take each term out in turn and rebuild.
// Wide beams are shared out over threads.
void rebuild(State& state, std::size_t width, const Stop& stop, std::size_t n_threads = 1);

// The best one-literal change or deletion, again and again, until none helps.
void polish(State& state, const Stop& stop);

// Where a search begins: at the null function, or, where literals are required, at some function
// that uses them. It may be outside the support where none is easily found.
State beginning(const Posterior& posterior, const Stop& stop);

// One numbered restart; the result depends on the data, the settings and the stream only.
State restart(const Posterior& posterior, const HuntSettings& settings, Philox rng,
              const Stop& stop);

}  // namespace bayesdnf
