// A chain over functions: a mix of moves, at one temperature or at several that exchange states.
//
// A chain is a function of the data, the settings, its start and its Philox stream, and its whole
// state is small: the terms at each temperature in their order, their layers, the stream, and the
// step. Draws of
// a step: for each temperature, uniform for the kind of move, then the move's own; then, when it is
// time to exchange and there is more than one temperature, uniform_positive for each pair whose
// exchange goes down.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "data/rows.hpp"
#include "sampling/catalogue.hpp"
#include "sampling/moves.hpp"
#include "stop.hpp"

namespace bayesdnf {

// What the chains of one run share.
struct ChainProblem {
    const Posterior& posterior;
    RowTerms row_terms;
};

struct ChainSettings {
    std::array<double, kMoves> mix{};  // probability of each kind of move
    MoveSettings moves;
    std::vector<double> betas{1.0};  // inverse temperatures of the likelihood, the first is 1
    std::uint64_t exchange_every = 10;
};

// Draws of a stretch of a chain: each distinct function once, and per draw its number.
struct Record {
    struct Function {
        Value value;
        std::vector<Count> cells;  // rows of each part, by segment
        Hash rows;                 // of the way it parts the rows
    };
    Catalogue catalogue;
    std::vector<Function> functions;  // as numbered in the catalogue
    std::vector<std::int64_t> draws;
    std::vector<double> likelihoods;  // log likelihood at each temperature, draw after draw
    std::array<std::int64_t, kMoves> tried{}, changed{};
    std::vector<std::int64_t> exchanges_tried, exchanged;  // between neighbouring temperatures
};

class Chain {
  public:
    // starts: the terms at each temperature; layers: of these terms. Throws std::invalid_argument
    // for one not allowed.
    Chain(const ChainProblem& problem, ChainSettings settings,
          const std::vector<std::vector<Term>>& starts,
          const std::vector<std::vector<std::int32_t>>& layers, Philox rng, std::uint64_t step = 0);

    // Goes on for `steps` steps, fewer when told to stop; every `every`-th step of the chain's
    // count, from its beginning, is a draw of the state at inverse temperature 1.
    Record advance(std::uint64_t steps, std::uint64_t every, const Stop& stop);

    // Takes the next step n times over, each time from here: where it leads at each temperature, as
    // numbers of the catalogue, one try after the other. Only the stream goes on. For tests.
    std::vector<std::int64_t> single_steps(std::uint64_t n, Catalogue& catalogue);

    const std::vector<State>& states() const { return states_; }
    const Philox& rng() const { return rng_; }
    std::uint64_t step() const { return step_; }

  private:
    void take_step(Record& record);
    void exchange(Record& record);

    ChainSettings settings_;
    Mover mover_;
    std::vector<State> states_;
    Philox rng_;
    std::uint64_t step_;
};

}  // namespace bayesdnf
