// Gamma and Beta functions in logs, safe on threads.
#pragma once

#include <cmath>

namespace bayesdnf {

constexpr double kLog2 = 0.6931471805599453;

inline double log_gamma(double x) {
#if defined(__unix__) || defined(__APPLE__)
    int sign = 0;  // lgamma itself writes a global
    return ::lgamma_r(x, &sign);
#else
    return std::lgamma(x);
#endif
}

inline double log_beta(double a, double b) {
    return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
}

// log of the regularised incomplete Beta function I_x(a, b), x given as its logit: with small
// parameters much of the mass lies where x or 1 - x is below the range of double.
double log_beta_cdf(double logit_x, double a, double b);

}  // namespace bayesdnf
