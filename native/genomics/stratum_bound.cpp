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
// the first line bounds it. Slopes are chosen for the squares of most rows that matter at all.
constexpr double kNear = 6;
constexpr std::array kUsual = {1.0, 2.0, 4.0, 7.0, 11.0};
constexpr std::array kSlopes = {0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1.0, 1.05,
                                1.1, 1.2, 1.3, 1.4, 1.6, 1.8, 2.0, 2.5,  3.5};
constexpr double kLineSlack = 0.01;      // for single precision
constexpr double kLow = -1e6;            // where there is nothing to be bounded
constexpr double kOverlap = 1e-4;        // of ranges, for the same reason
constexpr Count kMostBounded = 2000000;  // beyond which it would need more
// Of standard deviations, and of the distance from chance: steps in which positives are tried.
constexpr double kFineStep = 0.25, kCoarseStep = 0.05;

template <class Whole>
double real(Whole n) {
    return static_cast<double>(n);
}

// Two rows of a likelihood for a given m, next to each other among those tried, and how far a line
// may lie below the likelihood between them if it does not at either end.
struct Stretch {
    double off[2], square[2], value[2], sag;
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
    double least() const { return std::max(1.0, real(n_)); }  // no row counts as one

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
        const double size = std::max(least(), this->size(m));
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
            visit(Stretch{
                {real(a) - chance, real(next) - chance}, {here, there}, {worth, worth_there}, sag});
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

// By range of m (n + 1 - m), and whether the smaller side has fewer cases than by chance.
using Lines = std::array<double, kBoundLines>;

Lines all_at(double value) {
    Lines lines;
    lines.fill(value);
    return lines;
}

double bits_of(double q) { return std::bit_cast<std::uint32_t>(static_cast<float>(q)); }

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
    const auto added = [&](Count a, Count b) {
        return static_cast<float>(likelihood.unordered(a, b) - likelihood.null() + kLineSlack);
    };
    bound.none = added(0, 0);
    bound.all = added(likelihood.n_positive(), likelihood.n_negative());
    bound.least = static_cast<float>(curve.least());
    const double lowest = bits_of(curve.least());
    const double highest = bits_of(std::max(curve.least(), curve.size((n + 1) / 2)));
    bound.lowest = static_cast<float>(lowest);
    constexpr double kWithin = 0.999;  // so that the highest is in the last one
    bound.ranges = static_cast<float>(kWithin * real(kBoundRanges) / (highest - lowest + 1));
    if (n > kMostBounded) {  // everything may be
        std::fill_n(bound.near, kBoundLines, std::numeric_limits<float>::max());
        return bound;
    }
    // Where lines of given slopes must begin, near chance and far from it. What single precision
    // may take for either side of a border counts on both.
    const double blurred = 1e-3 + 1e-6 * real(n);
    struct Starts {
        Lines near = all_at(kNever), far = all_at(kNever);
        Lines most = all_at(0);  // of the squares there are
    };
    const auto begin = [&](Starts& starts, Count m, const Lines& near, const Lines& far) {
        const double q = std::max(curve.size(m), curve.least());
        const auto range = [&](double of) {
            const double at = (bits_of(of) - lowest) * static_cast<double>(bound.ranges);
            return static_cast<std::size_t>(std::clamp(at, 0.0, real(kBoundRanges - 1)));
        };
        const std::size_t low = range(q * (1 - kOverlap)), high = range(q * (1 + kOverlap));
        curve.visit(m, [&](const Stretch& s) {
            for (const bool fewer : {false, true}) {
                const double sign = (2 * m <= n) == fewer ? -1 : 1;
                if (std::max(sign * s.off[0], sign * s.off[1]) < -blurred) continue;
                for (std::size_t r = low; r <= high; ++r) {
                    const std::size_t k = r + (fewer ? kBoundRanges : 0);
                    starts.near[k] = std::max(starts.near[k], start_of<true>(s, near[k]));
                    starts.far[k] = std::max(starts.far[k], start_of<false>(s, far[k]));
                    starts.most[k] = std::max({starts.most[k], s.square[0], s.square[1]});
                }
            }
        });
    };
    std::array<Starts, kSlopes.size()> tried;
    for (std::size_t i = 0; i < kSlopes.size(); ++i) {
        const Lines same = all_at(kSlopes[i]);
        for (Count m = 0; m <= n; m += std::max(Count{1}, std::min(m, n - m) / 8))
            begin(tried[i], m, same, same);
        // Where the likelihood can be furthest from chance.
        for (const Count m : {likelihood.n_positive(), likelihood.n_negative()})
            begin(tried[i], m, same, same);
    }
    Lines near_slopes = all_at(1), far_slopes = all_at(1), least = all_at(INFINITY);
    for (std::size_t k = 0; k < kBoundLines; ++k)
        for (std::size_t i = 0; i < kSlopes.size(); ++i)
            for (std::size_t j = 0; j < kSlopes.size(); ++j) {
                double sum = 0;
                for (const double usual : kUsual) {
                    const double x = std::min(usual, tried[i].most[k]);
                    sum += std::max({kLow, tried[i].near[k] + kSlopes[i] * x,
                                     tried[j].far[k] + kSlopes[j] * x});
                }
                if (sum >= least[k]) continue;
                least[k] = sum;
                near_slopes[k] = kSlopes[i];
                far_slopes[k] = kSlopes[j];
            }
    Starts starts;
    for (Count m = 0; m <= n; ++m) begin(starts, m, near_slopes, far_slopes);
    const double unit = curve.unit() * (1 + 1e-5) * (1 + static_cast<double>(kRoughRatio));
    for (std::size_t k = 0; k < kBoundLines; ++k) {
        bound.near[k] = static_cast<float>(std::max(starts.near[k], kLow) + kLineSlack);
        bound.near_slope[k] = static_cast<float>(near_slopes[k] * unit);
        bound.far[k] = static_cast<float>(std::max(starts.far[k], kLow) + kLineSlack);
        bound.far_slope[k] = static_cast<float>(far_slopes[k] * unit);
    }
    return bound;
}

}  // namespace bayesdnf
