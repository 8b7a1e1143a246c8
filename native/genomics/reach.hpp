// How far from chance rows must be for a likelihood to reach a value, as levels that vectors of
// counts can be held against.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <mutex>
#include <vector>

#include "genomics/simd/pairs.hpp"
#include "model/posterior.hpp"

namespace bayesdnf {

// Of m marked rows let a be positive, and r the share of positives among all n rows. For every m
// there is a least (a - r m)^2 at which the likelihood's bound reaches a value; divided by
// m (n + 1 - m) it changes slowly with m, so that a level for each of a few ranges of m says nearly
// all. One set of levels serves all values from its own up to the next.
class Reach {
  public:
    using Levels = std::array<float, kReachLevels>;

    // unions: of cells, else ANDs are held against the levels.
    Reach(const Likelihood& likelihood, bool unions);

    // Whether rows that are positive less often than by chance count too.
    bool both_directions() const { return !likelihood_.ordered(); }
    // Range k of m ends before cuts()[k].
    const std::array<float, kReachLevels - 1>& cuts() const { return cuts_; }
    double share() const { return share_; }
    double beyond() const { return static_cast<double>(n_ + 1); }
    // What must be exceeded for the bound to be `value` or more; safe to ask from several threads.
    const Levels& levels(double value) const;

  private:
    Levels make(double value) const;
    // The least square over m, or one that cannot be.
    std::vector<double> least_squares(double value) const;

    const Likelihood& likelihood_;
    Count n_;
    double share_;
    std::array<float, kReachLevels - 1> cuts_;
    double floor_;  // up to this, marking nothing or the less risky rows would do as well
    // Values of which there are levels, in steps that grow; none at first.
    mutable std::vector<std::unique_ptr<Levels>> made_;
    mutable std::vector<std::once_flag> once_;
};

}  // namespace bayesdnf
