#include "genomics/stratum_bound.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

namespace bayesdnf {
namespace {

constexpr double kNever = -std::numeric_limits<double>::infinity();
// Squares are in units in which a likelihood rises by about 1 near chance, so in nats. Up to kNear
// the first line bounds it. Slopes are chosen for what most rows add that matter at all.
constexpr double kNear = 6, kUsualNear = 3, kUsualFar = 10;
constexpr std::array kSlopes = {0.9, 1.0, 1.05, 1.1, 1.15, 1.2, 1.3, 1.4, 1.6, 1.8, 2.2, 3.0};
constexpr double kRatio = 4;             // of the ranges of m (n + 1 - m)
constexpr double kLineSlack = 0.01;      // for single precision
constexpr double kOverlap = 1e-4;        // of ranges, for the same reason
constexpr Count kMostBounded = 2000000;  // beyond which it would need more
// Of standard deviations, and of the distance from chance: steps in which positives are tried.
constexpr double kFineStep = 0.25, kCoarseStep = 0.05;

double real(Count n) { return static_cast<double>(n); }

// Two rows of a likelihood for a given m, next to each other among those tried, and how far a line
// may lie below the likelihood between them if it does not at either end.
struct Stretch {
    double square[2], value[2], sag;
};

class Curve {
  public:
    explicit Curve(const Likelihood& likelihood)
        : likelihood_(likelihood),
          positives_(likelihood.n_positive()),
          n_(positives_ + likelihood.n_negative()),
          share_(n_ > 0 ? real(positives_) / real(n_) : 0) {
        const double spread = share_ * (1 - share_);
        unit_ = spread > 0 ? real(n_ + 1) / (2 * spread) : 0;
    }

    Count n() const { return n_; }
    double share() const { return share_; }
    double unit() const { return unit_; }  // of squares
    double size(Count m) const { return real(m) * real(n_ + 1 - m); }

    template <class Visit>
    void visit(Count m, const Visit& visit) const {
        const Count low = std::max(Count{0}, m - likelihood_.n_negative());
        const Count high = std::min(m, positives_);
        const double chance = share_ * real(m);
        const Count middle = std::clamp(static_cast<Count>(chance), low, high);
        walk(m, chance, middle, high, 1, visit);
        walk(m, chance, middle, low, -1, visit);
    }

  private:
    template <class Visit>
    void walk(Count m, double chance, Count from, Count to, Count way, const Visit& visit) const {
        const double size = std::max({1.0, real(n_), this->size(m)});  // no row counts as one
        const double fall = kFall * rough_log2(static_cast<float>(size));
        const double fine = unit_ > 0 ? kFineStep * std::sqrt(size / (2 * unit_)) : 1;
        const auto square = [&](Count a) {
            return unit_ * (real(a) - chance) * (real(a) - chance) / size;
        };
        const auto value = [&](Count a) {
            return likelihood_.unordered(a, m - a) - likelihood_.null() + fall;
        };
        Count a = from;
        double here = square(a), worth = value(a);
        do {
            const double wanted = std::max(fine, kCoarseStep * std::abs(real(a) - chance));
            const Count step =
                std::min(std::max(Count{1}, static_cast<Count>(wanted)), way * (to - a));
            const Count next = a + way * step;
            const double there = square(next), worth_there = value(next);
            // Between them the likelihood is below its chord, and a line over squares below its own
            // by at most this, times its slope.
            const double sag = step > 1 ? unit_ * real(step) * real(step) / (4 * size) : 0;
            visit(Stretch{{here, there}, {worth, worth_there}, sag});
            a = next;
            here = there;
            worth = worth_there;
        } while (a != to);
    }

    const Likelihood& likelihood_;
    Count positives_, n_;
    double share_, unit_ = 0;
};

// Where a line of a slope must begin to lie above what of a stretch is near chance, or far from it:
// what is between the ends is either.
template <bool Near>
double start_of(const Stretch& s, double slope) {
    double start = kNever;
    for (std::size_t e = 0; e < 2; ++e) {
        const bool here = Near ? s.square[e] <= kNear : s.square[e] > kNear;
        const bool there = Near ? s.square[1 - e] <= kNear : s.square[1 - e] > kNear;
        if (here || (there && s.sag > 0)) start = std::max(start, s.value[e] - slope * s.square[e]);
    }
    return start + slope * s.sag;
}

using Ranges = std::array<double, kBoundRanges>;

// The ranges that m may be held to be in; the first and the last.
std::array<std::size_t, 2> ranges_of(double size,
                                     const std::array<double, kBoundRanges - 1>& cuts) {
    std::array<std::size_t, 2> range = {0, 0};
    for (const double cut : cuts) {
        range[0] += size >= cut * (1 + kOverlap);
        range[1] += size >= cut * (1 - kOverlap);
    }
    return range;
}

}  // namespace

double rough_log2(float x) {
    return (std::bit_cast<std::uint32_t>(x) - 0x3f800000U) / static_cast<double>(1 << 23);
}

StratumBound stratum_bound(const Likelihood& likelihood) {
    const Curve curve(likelihood);
    const Count n = curve.n();
    StratumBound bound = {};
    bound.share = static_cast<float>(curve.share());
    bound.beyond = static_cast<float>(n + 1);
    std::array<double, kBoundRanges - 1> cuts;
    double cut = curve.size((n + 1) / 2);
    for (std::size_t k = cuts.size(); k-- > 0;) {
        cut /= kRatio;
        cuts[k] = cut;
        bound.cuts[k] = static_cast<float>(cut);
    }
    if (n > kMostBounded) {  // everything may be
        for (float* const starts : {bound.near, bound.near_from})
            std::fill_n(starts, kBoundRanges, std::numeric_limits<float>::max());
        return bound;
    }
    // Where lines must begin: near chance, by range of m, with slopes of their own, and far from
    // it.
    struct Lines {
        Ranges near;
        double far = kNever;
    };
    const auto begin = [&](Lines& lines, Count m, const Ranges& near_slopes, double far_slope) {
        const auto range = ranges_of(curve.size(m), cuts);
        curve.visit(m, [&](const Stretch& s) {
            for (std::size_t k = range[0]; k <= range[1]; ++k)
                lines.near[k] = std::max(lines.near[k], start_of<true>(s, near_slopes[k]));
            lines.far = std::max(lines.far, start_of<false>(s, far_slope));
        });
    };
    Ranges near_slopes, least_near;
    near_slopes.fill(1);
    least_near.fill(INFINITY);
    double far_slope = 1, least_far = INFINITY;
    for (const double slope : kSlopes) {
        Ranges same;
        same.fill(slope);
        Lines lines;
        lines.near.fill(kNever);
        for (Count m = 0; m <= n; m += std::max(Count{1}, m / 8)) begin(lines, m, same, slope);
        // Where the likelihood can be furthest from chance.
        for (const Count m : {likelihood.n_positive(), likelihood.n_negative()})
            begin(lines, m, same, slope);
        for (std::size_t k = 0; k < kBoundRanges; ++k)
            if (const double at = lines.near[k] + slope * kUsualNear; at < least_near[k])
                least_near[k] = at, near_slopes[k] = slope;
        if (const double at = lines.far + slope * kUsualFar; at < least_far)
            least_far = at, far_slope = slope;
    }
    Lines lines;
    lines.near.fill(kNever);
    for (Count m = 0; m <= n; ++m) begin(lines, m, near_slopes, far_slope);
    constexpr double kLow = -1e6;  // where there is nothing to be bounded
    for (std::size_t k = 0; k < kBoundRanges; ++k) {
        bound.near[k] = static_cast<float>(std::max(lines.near[k], kLow) + kLineSlack);
        bound.near_slope[k] = static_cast<float>(near_slopes[k] * curve.unit());
    }
    float start = bound.near[kBoundRanges - 1], slope = 0;
    for (std::size_t k = kBoundRanges; k-- > 0;) {
        bound.near_from[k] = start = std::max(start, bound.near[k]);
        bound.slope_from[k] = slope = std::max(slope, bound.near_slope[k]);
    }
    bound.far = static_cast<float>(std::max(lines.far, kLow) + kLineSlack);
    bound.far_slope = static_cast<float>(far_slope * curve.unit() * (1 + 1e-5));
    return bound;
}

}  // namespace bayesdnf
