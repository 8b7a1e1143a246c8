// What rows of a stratum can add to a score, as a bound that vectors of counts can be held against.
#pragma once

#include "genomics/simd/pairs.hpp"
#include "model/posterior.hpp"

namespace bayesdnf {

// The logarithm of a float of 1 or more as the screen takes it: below it by at most .09.
double rough_log2(float x);

// Of m marked rows let a be positive. For every m the likelihood, without an order of the rates, is
// convex in a and least near chance, and rises about as the square of a's distance from chance,
// divided by m (n + 1 - m). So two lines over that square bound it well, one near chance and one
// far from it, both less half a logarithm of the same m (n + 1 - m). Never too low, rounding in
// single precision included.
StratumBound stratum_bound(const Likelihood& likelihood);

}  // namespace bayesdnf
