// How a chain's new term grows: which literal comes next, or that the term is finished.
//
// A literal is preferred that parts the rows which the other terms leave unmarked well into
// positives and negatives, as the beam ranks partial terms. Whether to stop is decided by what the
// function would score with the term as it is and with the best ranked literal added. Every term
// that literals may make up has some probability, whatever its parts score.
#pragma once

#include "rng.hpp"
#include "search/choice.hpp"
#include "search/neighbours.hpp"

namespace bayesdnf {

class Growth {
  public:
    // Look at the term `partial` beside the terms of `state` other than `without`, at a height;
    // `power` says how far the data decide. False when the term is empty and nothing may be added.
    bool look(const State& state, std::size_t without, Height height, const Term& partial,
              const Heat& heat, double power);

    bool stops(Philox& rng) const { return rng.uniform() < stop_; }
    double log_stop() const { return std::log(stop_); }
    std::size_t draw(Philox& rng) const { return choice_.draw(rng); }
    // Of going on, and with this literal.
    double log_probability(std::size_t literal) const {
        return std::log1p(-stop_) + choice_.log_probability(literal);
    }

  private:
    Extensions extensions_;
    Choice choice_;
    double stop_ = 0;  // probability
};

}  // namespace bayesdnf
