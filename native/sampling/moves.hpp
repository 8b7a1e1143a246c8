// Moves of a chain over functions: each proposes, works out the log acceptance ratio, and commits
// or leaves the state as it was. States are unordered sets of terms; a proposal outside the support
// is rejected, and a move that is not possible in a state does nothing. A ratio is the posterior's,
// times the probability of proposing the way back over that of the way out.
//
// Births and deaths, splits and merges are chosen with probability 1/2 each in every state. In a
// list of layers a new term is put at one of the places there are for it, each alike, and changed
// terms stay in their layers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "rng.hpp"
#include "sampling/growth.hpp"
#include "sampling/known.hpp"
#include "sampling/respellings.hpp"
#include "sampling/term_draws.hpp"
#include "search/choice.hpp"
#include "search/neighbours.hpp"
#include "search/state.hpp"

namespace bayesdnf {

enum class Move : std::uint8_t {
    flip,
    swap,
    birth,
    row_birth,
    grown_birth,
    listed_birth,
    split,
    redraw,
    layer,
    jump,
    respell
};
// As people read them and as checkpoints hold them, in the order of the enum.
constexpr std::array kMoveNames = {"flip",        "swap",         "birth",  "row birth",
                                   "grown birth", "listed birth", "split",  "redraw",
                                   "layer",       "jump",         "respell"};
constexpr std::size_t kMoves = kMoveNames.size();

struct MoveSettings {
    // redraw: probability of taking no term out; of taking a term out whole, to be put back with
    // one literal more or none, rather than without one of its literals
    double empty_base = 0.2, whole_base = 0.4;
    // grown births: how far the data decide which literal comes next; one is drawn for each
    std::vector<double> growth{0.5, 1.0};
    ListedTerms listed;
    KnownFunctions known;
};

class Mover {
  public:
    Mover(const RowTerms& rows, MoveSettings settings)
        : rows_(&rows), settings_(std::move(settings)) {}

    // One move of a kind at a temperature; whether the state changed.
    bool operator()(Move move, State& state, const Heat& heat, Philox& rng);

  private:
    bool flip(State& state, const Heat& heat, Philox& rng);
    bool swap(State& state, const Heat& heat, Philox& rng);
    bool birth(State& state, const Heat& heat, Philox& rng);
    bool row_birth(State& state, const Heat& heat, Philox& rng);
    bool grown_birth(State& state, const Heat& heat, Philox& rng);
    bool listed_birth(State& state, const Heat& heat, Philox& rng);
    bool split(State& state, const Heat& heat, Philox& rng);
    bool redraw(State& state, const Heat& heat, Philox& rng);
    bool layer(State& state, const Heat& heat, Philox& rng);
    bool relocate(State& state, const Heat& heat, Philox& rng);
    bool respell(State& state, const Heat& heat, Philox& rng);

    const RowTerms* rows_;
    MoveSettings settings_;
    // Memory, kept from move to move: nothing in it is part of a chain's state.
    RowTerms::Room row_room_;
    std::vector<Word> mask_;
    Extensions extensions_;
    Choice choice_;
    std::vector<double> bounds_;
    Growth growth_;
    State::Others others_;
    Respellings respellings_;
};

}  // namespace bayesdnf
