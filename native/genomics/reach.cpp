#include "genomics/reach.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace bayesdnf {
namespace {

// Values above the null function's likelihood that have levels of their own: steps of a quarter up
// to 16, then of a sixteenth of the value.
constexpr double kStep = 0.25, kEven = 16, kGrowth = 1.0625;
constexpr std::size_t kEvenSteps = 64, kSteps = kEvenSteps + 128;

double value_of(std::size_t step) {
    if (step <= kEvenSteps) return kStep * static_cast<double>(step);
    return kEven * std::pow(kGrowth, static_cast<double>(step - kEvenSteps));
}

// The last step whose value is not above this one, which is 0 or more.
std::size_t step_below(double value) {
    const double at = value < kEven ? value / kStep
                                    : static_cast<double>(kEvenSteps) +
                                          std::log(value / kEven) / std::log(kGrowth);
    auto step = static_cast<std::size_t>(std::min(at, static_cast<double>(kSteps - 1)));
    while (step > 0 && value_of(step) > value) --step;
    return step;
}

// Beyond this many rows single precision would need more slack: off by chance is then a difference
// of counts that are no longer exact beside it.
constexpr Count kMostRows = 2000000;
// Single precision, and rates of cells that differ by less than it tells apart.
constexpr double kSlack = 0.01, kRounding = 0.05;

// Everything exceeds these.
constexpr Reach::Levels kNothing = [] {
    Reach::Levels levels{};
    levels.fill(-1);
    return levels;
}();

}  // namespace

Reach::Reach(const Likelihood& likelihood, bool unions)
    : likelihood_(likelihood),
      n_(likelihood.n_positive() + likelihood.n_negative()),
      share_(static_cast<double>(likelihood.n_positive()) / static_cast<double>(n_)),
      floor_(std::max(likelihood.null(), likelihood.bound(0, 0))),
      made_(kSteps),
      once_(kSteps) {
    // The best ANDs mark less than half of the rows, the best unions few, or nearly all.
    constexpr std::array<double, kReachLevels - 1> kOfUnions = {
        1.0 / 128, 1.0 / 64,  1.0 / 32,  1.0 / 12,  1.0 / 4,
        3.0 / 4,   11.0 / 12, 31.0 / 32, 63.0 / 64, 127.0 / 128};
    constexpr std::array<double, kAndLevels - 1> kOfAnds = {1.0 / 64, 1.0 / 32, 1.0 / 12, 1.0 / 4,
                                                            7.0 / 8};
    cuts_.fill(std::numeric_limits<float>::max());
    for (std::size_t k = 0; k < (unions ? kOfUnions.size() : kOfAnds.size()); ++k)
        cuts_[k] =
            static_cast<float>(static_cast<double>(n_) * (unions ? kOfUnions[k] : kOfAnds[k]));
    if (!likelihood.ordered()) return;
    for (Count a = 0; a <= likelihood.n_positive(); ++a)
        floor_ = std::max(floor_, likelihood.bound(a, likelihood.n_negative()));
}

const Reach::Levels& Reach::levels(double value) const {
    if (n_ > kMostRows || !(value > floor_)) return kNothing;
    const std::size_t step = step_below(value - likelihood_.null());
    std::call_once(once_[step], [&] {
        const double at = likelihood_.null() + value_of(step);
        made_[step] = std::make_unique<Levels>(at > floor_ ? make(at) : kNothing);
    });
    return *made_[step];
}

// For a given m the bound is convex in a: below the value around r m, where it is at all, and above
// it from some a on to either side. That a moves by little from one m to the next.
std::vector<double> Reach::least_squares(double value) const {
    const Count positives = likelihood_.n_positive(), negatives = likelihood_.n_negative();
    std::vector<double> least(static_cast<std::size_t>(n_) + 1,
                              std::numeric_limits<double>::infinity());
    const auto reached = [&](Count a, Count m) { return likelihood_.bound(a, m - a) >= value; };
    Count up = 0, down = 0;
    for (Count m = 0; m <= n_; ++m) {
        const Count low = std::max(Count{0}, m - negatives), high = std::min(m, positives);
        const double chance = share_ * static_cast<double>(m);
        const Count above = std::clamp(static_cast<Count>(std::ceil(chance)), low, high);
        const Count below = std::clamp(static_cast<Count>(std::floor(chance)), low, high);
        double& square = least[as_index(m)];
        const auto take = [&](Count a) {
            const double off = static_cast<double>(a) - chance;
            square = std::min(square, off * off);
        };
        if (reached(above, m) || (both_directions() && reached(below, m))) {
            square = 0;
            continue;
        }
        up = std::clamp(up, above, high);
        while (up > above && reached(up - 1, m)) --up;
        while (up <= high && !reached(up, m)) ++up;
        if (up <= high) take(up);
        if (!both_directions()) continue;
        down = std::clamp(down, low, below);
        while (down < below && reached(down + 1, m)) ++down;
        while (down >= low && !reached(down, m)) --down;
        if (down >= low) take(down);
    }
    return least;
}

Reach::Levels Reach::make(double value) const {
    const std::vector<double> least = least_squares(value);
    Levels levels;
    levels.fill(std::numeric_limits<float>::max());  // where nothing reaches the value
    std::size_t k = 0;
    for (Count i = 1; i <= n_; ++i) {
        while (k < cuts_.size() && static_cast<float>(i) >= cuts_[k]) ++k;
        const double m = static_cast<double>(i);
        const double level = (1 - kSlack) * least[as_index(i)] / (m * (beyond() - m));
        levels[k] = std::min(levels[k], static_cast<float>(level - kRounding / beyond()));
    }
    return levels;
}

}  // namespace bayesdnf
