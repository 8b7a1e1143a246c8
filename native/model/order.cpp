// log P(X <= Y) for two independent Beta variables: the factor of the ordered model.
#include <algorithm>
#include <cmath>
#include <limits>

#include "model/posterior.hpp"
#include "model/special.hpp"

namespace bayesdnf {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_whole(double x) { return x == std::floor(x); }

// Beta-binomial(n, a, b): a Binomial(n, p) count with p ~ Beta(a, b).
struct BetaBinomial {
    double n, a, b;

    // Whether the sums below come to an end soon. Without a geometric bound every term is added;
    // with it those of some nine standard deviations. Past 2^53 adding 1 changes nothing.
    bool summable() const {
        constexpr double kMostTerms = 1e6, kExact = 9007199254740992.0;
        if (n <= kMostTerms) return true;
        const double sum = a + b,
                     spread = std::sqrt(n * (a / sum) * (b / sum) * (sum + n) / (sum + 1));
        return n < kExact && a >= 1 && b >= 1 && 9 * spread <= kMostTerms;
    }
    double log_pmf(double i) const {
        return log_gamma(n + 1) - log_gamma(i + 1) - log_gamma(n - i + 1) +
               log_beta(i + a, n - i + b) - log_beta(a, b);
    }
    // log of the sum of pmf over i..n (step +1) or i..0 (step -1), by term-to-term ratios.
    // With a, b >= 1 the ratios fall monotonically away from the mode, so the rest is bounded by a
    // geometric series; otherwise every term is added.
    double log_tail(double i, int step) const {
        if (i < 0 || i > n) return -kInfinity;
        const bool unimodal = a >= 1 && b >= 1;
        double term = 1, sum = 1;
        for (;; i += step) {
            if (i + step < 0 || i + step > n) break;
            const double ratio = step > 0 ? (n - i) * (a + i) / ((i + 1) * (b + n - i - 1))
                                          : i * (b + n - i) / ((n - i + 1) * (a + i - 1));
            term *= ratio;
            sum += term;
            if (unimodal && ratio < 1 && term * ratio < 1e-18 * sum * (1 - ratio)) break;
        }
        return std::log(sum);
    }
    double log_upper(double i) const {
        return i > n ? -kInfinity : (i <= 0 ? 0.0 : log_pmf(i) + log_tail(i, +1));
    }
    double log_lower(double i) const {
        return i < 0 ? -kInfinity : (i >= n ? 0.0 : log_pmf(i) + log_tail(i, -1));
    }
    // log P(count >= i), from whichever tail is the shorter.
    double log_at_least(double i) const {
        return i > n * a / (a + b) ? log_upper(i) : std::log1p(-std::exp(log_lower(i - 1)));
    }
    double log_at_most(double i) const {
        return i < n * a / (a + b) ? log_lower(i) : std::log1p(-std::exp(log_upper(i + 1)));
    }
};

// Neither arm whole: the integral of Y's density times X's distribution function, by the
// trapezoid rule in t = logit x. The log of the integrand is concave in t, so its peak and the
// stretch that matters are found by walking; the logistic function's poles at distance pi bound
// the step, and with a step of a half the rule is exact to rounding.
double integrate(double alpha0, double beta0, double alpha1, double beta1) {
    constexpr double kNegligible = 45, kStep = 0.5, kFewest = 400, kMost = 1e6;
    const auto log_at = [&](double t) {
        const double fall = std::log1p(std::exp(-std::fabs(t)));
        return (t < 0 ? alpha1 * t : -beta1 * t) - (alpha1 + beta1) * fall +
               log_beta_cdf(t, alpha0, beta0);
    };
    // X's distribution function rises, so the peak lies to the right of Y's own.
    double low = std::log(alpha1 / beta1), high = low, step = 0.01;
    while (log_at(high + step) > log_at(high)) high += step, step *= 2;
    high += step;
    for (int i = 0; i < 80; ++i) {
        const double third = (high - low) / 3;
        if (log_at(low + third) < log_at(high - third))
            low += third;
        else
            high -= third;
    }
    const double peak = (low + high) / 2, top = log_at(peak);
    const double spread = std::sqrt(1 / alpha1 + 1 / beta1);  // of Y's logit, when it is narrow
    const auto edge = [&](double direction) {
        double reach = std::min(0.01, spread);
        while (log_at(peak + direction * reach) > top - kNegligible) reach *= 1.25;
        return peak + direction * reach;
    };
    const double first = edge(-1), last = edge(+1);
    const int points =
        static_cast<int>(std::min(kMost, std::max(kFewest, std::ceil((last - first) / kStep))));
    const double h = (last - first) / points;
    double sum = 0;
    for (int i = 0; i <= points; ++i) sum += std::exp(log_at(first + i * h) - top);
    return std::min(0.0, std::log(sum * h) + top - log_beta(alpha1, beta1));
}

// Continued fraction of the incomplete Beta function (DLMF 8.17.22, by the modified Lentz method).
double beta_fraction(double x, double a, double b) {
    constexpr double kTiny = 1e-300;
    const auto guard = [](double v) { return std::fabs(v) < kTiny ? kTiny : v; };
    double c = 1, d = 1 / guard(1 - (a + b) * x / (a + 1)), f = d;
    for (int m = 1; m < 10000; ++m) {
        double step = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / guard(1 + step * d);
        c = guard(1 + step / c);
        f *= c * d;
        step = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / guard(1 + step * d);
        c = guard(1 + step / c);
        f *= c * d;
        if (std::fabs(c * d - 1) < 1e-15) break;
    }
    return f;
}

}  // namespace

double log_beta_cdf(double t, double a, double b) {
    constexpr double kFar = 40;  // x or 1 - x below rounding: one power of it is left
    if (t < -kFar) return a * t - std::log(a) - log_beta(a, b);
    if (t > kFar) return std::log1p(-std::exp(-b * t - std::log(b) - log_beta(a, b)));
    const double log_x = -std::log1p(std::exp(-t)), log_rest = -std::log1p(std::exp(t));
    const double x = std::exp(log_x), rest = std::exp(log_rest);
    const double front = a * log_x + b * log_rest - log_beta(a, b);
    // The fraction converges fast on this side only; on the other one, I_x(a, b) = 1 - I_1-x(b, a).
    if (x < (a + 1) / (a + b + 2)) return front + std::log(beta_fraction(x, a, b) / a);
    return std::log1p(-std::exp(front + std::log(beta_fraction(rest, b, a) / b)));
}

double log_order_probability(double alpha0, double beta0, double alpha1, double beta1) {
    // Y ~ Beta with whole parameters is an order statistic of N uniforms: Y >= x exactly when at
    // most alpha1 - 1 of them fall below x. Likewise for X.
    const BetaBinomial below{alpha1 + beta1 - 1, alpha0, beta0};
    if (is_whole(alpha1) && is_whole(beta1) && below.summable())
        return below.log_at_most(alpha1 - 1);
    const BetaBinomial above{alpha0 + beta0 - 1, alpha1, beta1};
    if (is_whole(alpha0) && is_whole(beta0) && above.summable()) return above.log_at_least(alpha0);
    // Of the two, the narrower one as the density: the other's distribution function is then
    // smooth at every step. X <= Y is 1 - Y <= 1 - X.
    if (1 / alpha0 + 1 / beta0 < 1 / alpha1 + 1 / beta1)
        return integrate(beta1, alpha1, beta0, alpha0);
    return integrate(alpha0, beta0, alpha1, beta1);
}

}  // namespace bayesdnf
