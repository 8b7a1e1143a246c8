// log P(X <= Y) for two independent Beta variables: the factor of the ordered model.
#include <algorithm>
#include <cmath>
#include <limits>

#include "posterior.hpp"
#include "special.hpp"

namespace bayesdnf {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

bool is_whole(double x) { return x == std::floor(x); }

// Beta-binomial(n, a, b): a Binomial(n, p) count with p ~ Beta(a, b).
struct BetaBinomial {
    double n, a, b;

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
// trapezoid rule in logit x, which converges geometrically for such bell-shaped integrands.
double integrate(double alpha0, double beta0, double alpha1, double beta1) {
    constexpr int kPoints = 400;
    // In logit x, Y's density is log-concave with tails exp(alpha1 t) and exp(-beta1 t).
    const double centre = std::log(alpha1 / beta1);
    const double spread = std::sqrt(1 / alpha1 + 1 / beta1);
    const double low = centre - 12 * spread - 40 / alpha1;
    const double high = centre + 12 * spread + 40 / beta1;
    // The integrand's own peak may lie between the two means: widen towards X's.
    const double other = std::log(alpha0 / beta0);
    const double first = std::min(low, other), last = std::max(high, other);
    const double h = (last - first) / kPoints;
    double logs[kPoints + 1];
    double top = -kInfinity;
    for (int i = 0; i <= kPoints; ++i) {
        const double t = first + i * h;
        const double log_x = -std::log1p(std::exp(-t)), log_1mx = -std::log1p(std::exp(t));
        const double x = std::exp(log_x);
        logs[i] = x <= 0 || x >= 1
                      ? (x >= 1 ? alpha1 * log_x + beta1 * log_1mx : -kInfinity)
                      : alpha1 * log_x + beta1 * log_1mx + log_beta_cdf(x, alpha0, beta0);
        top = std::max(top, logs[i]);
    }
    double sum = 0;
    for (const double l : logs) sum += std::exp(l - top);
    return std::min(0.0, std::log(sum * h) + top - log_beta(alpha1, beta1));
}

// Continued fraction of the incomplete Beta function (modified Lentz).
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

double log_beta_cdf(double x, double a, double b) {
    const double front = a * std::log(x) + b * std::log1p(-x) - log_beta(a, b);
    if (x < (a + 1) / (a + b + 2)) return front + std::log(beta_fraction(x, a, b) / a);
    return std::log1p(-std::exp(front + std::log(beta_fraction(1 - x, b, a) / b)));
}

double log_order_probability(double alpha0, double beta0, double alpha1, double beta1) {
    // Y ~ Beta with whole parameters is an order statistic of N uniforms: Y >= x exactly when at
    // most alpha1 - 1 of them fall below x. Likewise for X.
    if (is_whole(alpha1) && is_whole(beta1))
        return BetaBinomial{alpha1 + beta1 - 1, alpha0, beta0}.log_at_most(alpha1 - 1);
    if (is_whole(alpha0) && is_whole(beta0))
        return BetaBinomial{alpha0 + beta0 - 1, alpha1, beta1}.log_at_least(alpha0);
    return integrate(alpha0, beta0, alpha1, beta1);
}

}  // namespace bayesdnf
