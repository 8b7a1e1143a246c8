// Draw one of many by log weights, and say how probable it was.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

#include "rng.hpp"

namespace bayesdnf {

// exp(x) for x <= 0, to about 1e-9: plain arithmetic that the compiler turns into vector code, and
// the same bits everywhere. Only ever used to draw proposals; never 0.
inline double quick_exp(double x) {
    constexpr double kShift = 0x1.8p52;  // adding it rounds to the nearest whole number
    const double t = std::max(x, -700.0) * 1.4426950408889634;
    const double shifted = t + kShift;
    const double r = (t - (shifted - kShift)) * 0.6931471805599453;
    const double e =
        1 + r * (1 + r * (1. / 2 + r * (1. / 6 + r * (1. / 24 + r * (1. / 120 + r * (1. / 720))))));
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(e) +
                                 (std::bit_cast<std::uint64_t>(shifted) << 52));
}

// One of `logs.size()` indices with weights exp(logs[i]); -inf has no weight.
class Choice {
  public:
    std::vector<double> logs;

    // To be called once `logs` is filled; false where nothing has any weight.
    bool weigh() {
        const std::size_t n = logs.size();
        weights_.resize(n);
        top_ = n == 0 ? -INFINITY : *std::max_element(logs.begin(), logs.end());
        if (top_ == -INFINITY) return false;
        for (std::size_t i = 0; i < n; ++i) weights_[i] = quick_exp(logs[i] - top_);
        sum_ = 0;
        for (std::size_t i = 0; i < n; ++i) {
            if (logs[i] == -INFINITY) weights_[i] = 0;
            sum_ += weights_[i];
        }
        return true;
    }

    std::size_t draw(Philox& rng) const {
        double target = rng.uniform() * sum_;
        std::size_t last = 0;
        for (std::size_t i = 0; i < weights_.size(); ++i) {
            if (weights_[i] == 0) continue;
            last = i;
            target -= weights_[i];
            if (target < 0) break;
        }
        return last;
    }

    double log_probability(std::size_t i) const { return std::log(weights_[i] / sum_); }

  private:
    std::vector<double> weights_;
    double top_ = 0, sum_ = 0;
};

// Accept a proposal whose log acceptance ratio is given; nothing is drawn for one that goes up.
inline bool accept(double log_ratio, Philox& rng) {
    return log_ratio >= 0 || std::log(rng.uniform_positive()) < log_ratio;
}

}  // namespace bayesdnf
