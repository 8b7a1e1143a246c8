// Draw one of many by log weights, and say how probable it was.
#pragma once

#include <algorithm>
#include <array>
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
        const std::size_t n_blocks = (n + kBlock - 1) / kBlock;
        // Whole blocks, so that all loops below are over vectors; what is beyond the end weighs 0.
        logs.resize(n_blocks * kBlock, -INFINITY);
        weights_.resize(n_blocks * kBlock);
        sums_.resize(n_blocks);
        std::array<double, kLanes> tops;
        tops.fill(-INFINITY);
        for (std::size_t i = 0; i < logs.size(); i += kLanes)
            for (std::size_t j = 0; j < kLanes; ++j) tops[j] = std::max(tops[j], logs[i + j]);
        const double top = *std::max_element(tops.begin(), tops.end());
        if (top > -INFINITY)
            for (std::size_t i = 0; i < logs.size(); ++i)
                weights_[i] = logs[i] == -INFINITY ? 0.0 : quick_exp(logs[i] - top);
        logs.resize(n);
        if (top == -INFINITY) return false;
        sum_ = 0;
        for (std::size_t b = 0; b < n_blocks; ++b) {
            std::array<double, kLanes> lanes{};
            for (std::size_t i = b * kBlock; i < (b + 1) * kBlock; i += kLanes)
                for (std::size_t j = 0; j < kLanes; ++j) lanes[j] += weights_[i + j];
            sums_[b] = (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
            sum_ += sums_[b];
        }
        return true;
    }

    // Only after weigh() said that something has weight.
    std::size_t draw(Philox& rng) const {
        double target = rng.uniform() * sum_;
        std::size_t b = 0;
        while (b + 1 < sums_.size() && target >= sums_[b]) target -= sums_[b++];
        while (sums_[b] == 0) --b;  // rounding may have gone past the last block of any weight
        std::size_t last = 0;
        for (std::size_t i = b * kBlock; i < (b + 1) * kBlock; ++i) {
            if (weights_[i] == 0) continue;
            last = i;
            target -= weights_[i];
            if (target < 0) break;
        }
        return last;
    }

    double log_probability(std::size_t i) const { return std::log(weights_[i] / sum_); }

  private:
    static constexpr std::size_t kLanes = 4, kBlock = 32;
    std::vector<double> weights_, sums_;  // of each, and of each block
    double sum_ = 0;
};

// Accept a proposal whose log acceptance ratio is given; nothing is drawn for one that goes up.
inline bool accept(double log_ratio, Philox& rng) {
    return log_ratio >= 0 || std::log(rng.uniform_positive()) < log_ratio;
}

}  // namespace bayesdnf
