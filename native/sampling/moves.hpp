// Moves of a chain over functions: each proposes, works out the log acceptance ratio, and commits
// or leaves the state as it was. States are unordered sets of terms; a proposal outside the support
// is rejected, and a move that is not possible in a state does nothing. A ratio is the posterior's,
// times the probability of proposing the way back over that of the way out.
//
// Births and deaths, splits and merges are chosen with probability 1/2 each in every state.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/individuals.hpp"
#include "rng.hpp"
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
    redraw
};
constexpr std::size_t kMoves = 8;

// Terms worth a try, found beforehand, and how probably each is drawn.
class ListedTerms {
  public:
    ListedTerms() = default;
    // Equal terms are drawn as often as all of them together; weights are above 0.
    ListedTerms(std::vector<Term> terms, const std::vector<double>& weights);

    bool empty() const { return terms_.empty(); }
    const Term& draw(Philox& rng) const;
    // -inf for a term that is not listed.
    double log_probability(const Term& term) const;

  private:
    std::vector<Term> terms_;           // sorted
    std::vector<double> up_to_;         // weights of the terms up to each, added up
};

struct MoveSettings {
    // redraw: probability of taking no term out; of taking a term out whole, to be put back with
    // one literal more or none, rather than without one of its literals
    double empty_base = 0.2, whole_base = 0.4;
    // grown births: how far the data decide which literal comes next; one is drawn for each
    std::vector<double> growth{0.5, 1.0};
    ListedTerms listed;
};

// Terms that row-based births draw: a positive individual, a size k with probability 2^-k, and k of
// the literals that are true of the individual. Also the probability of drawing a given term.
class RowTerms {
  public:
    RowTerms(const BitView& view, const Individuals& individuals);

    // An empty term when there are no positives, or the size exceeds the row's literals.
    Term draw(Philox& rng) const;
    // -inf for a term that no positive row holds. `mask`: its rows.
    double log_probability(const Term& term, const Word* mask) const;

  private:
    const Individuals* individuals_;
    std::vector<std::uint32_t> literals_;  // true ones, by positive row
    std::uint32_t fewest_ = 0;
    bool alike_ = true;  // every row has as many
    const BitView* view_;
};

class Mover {
  public:
    Mover(const RowTerms& rows, MoveSettings settings) : rows_(&rows), settings_(settings) {}

    // One move of a kind at a temperature; whether the state changed.
    bool operator()(Move move, State& state, const Heat& heat, Philox& rng) const;

  private:
    bool flip(State& state, const Heat& heat, Philox& rng) const;
    bool swap(State& state, const Heat& heat, Philox& rng) const;
    bool birth(State& state, const Heat& heat, Philox& rng) const;
    bool row_birth(State& state, const Heat& heat, Philox& rng) const;
    bool grown_birth(State& state, const Heat& heat, Philox& rng) const;
    bool listed_birth(State& state, const Heat& heat, Philox& rng) const;
    bool split(State& state, const Heat& heat, Philox& rng) const;
    bool redraw(State& state, const Heat& heat, Philox& rng) const;

    const RowTerms* rows_;
    MoveSettings settings_;
};

}  // namespace bayesdnf
