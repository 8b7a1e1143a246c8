// Our search for the best function: beam and large-neighbourhood search, informed annealing.
#pragma once

#include <cmath>
#include <vector>

#include "rng.hpp"
#include "search/state.hpp"
#include "stop.hpp"

namespace bayesdnf {

// How a restart anneals.
struct HuntSettings {
    std::size_t steps = 2000;   // of informed annealing
    double hottest = 0.02;      // first inverse temperature of the likelihood; the last is 1
    double prior_power = 0.25;  // inverse temperature of the prior, as a power of the likelihood's
    // Rates that are taken for known while it anneals, or NaN: none. See restart().
    double pi0 = NAN, pi1 = NAN;
    std::size_t width = 1;  // of the beam that rebuilds at those rates
};

// Where a restart came to, and the terms it had at the rates that were taken for known.
struct Restarted {
    State end;
    std::vector<Term> met;
};

// Terms of several functions or lists are seldom allowed together: of those that exclude each other
// the first ones stay. A state of which no part is allowed stays as it is.
void make_allowed(State& state);

// Add terms grown by beam while that helps.
void add_terms(State& state, std::size_t width, const Stop& stop);

// The best state that comes of adding several terms, up to `depth` of them, none of which needs to
// help by itself: of each number of terms the `kept` best states go on, as long as they are within
// `loss` nats of the start.
struct Together {
    std::size_t width, depth, kept;
    double loss;
};
void add_terms_together(State& state, const Together& how, const Stop& stop);

// Add terms one by one, then take each term out in turn and rebuild; in full
// depth also put several longer terms in the place of one.
enum class Depth { quick, full };
void rebuild(State& state, std::size_t width, const Stop& stop, Depth depth = Depth::full);

// The best one-literal change or deletion, again and again, until none helps.
void polish(State& state, const Stop& stop);

// Terms go to other layers, neighbouring layers change places or become one, while that helps.
void arrange(State& state, const Stop& stop);

// Where a search begins: at the null function, or, where literals are required, at some function
// that uses them. It may be outside the support where none is easily found.
State beginning(const Posterior& posterior, const Stop& stop);

// One numbered restart; the result depends on the data, the settings, the start and the stream
// only.
//
// It anneals from `start` (the null function: from the beginning) and polishes. With both rates
// integrated out the log likelihood is convex in the counts: it is the upper envelope of the linear
// ones that known rates give, and has a basin for each slope that pays. A function that marks most
// positives with many false alarms and one that marks few rows and hardly a negative are such
// basins, and no path of small changes leads from one to the other. Annealing at known rates looks
// for the best function of one slope; where it ends, the rates are set free again. What it comes to
// is worth a rebuild().
Restarted restart(const Posterior& posterior, const HuntSettings& settings, const State& start,
                  Philox rng, const Stop& stop);

}  // namespace bayesdnf
