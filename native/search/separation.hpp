// How well a partial term separates positives from negatives: what beams and chains rank by.
#pragma once

#include "model/posterior.hpp"

namespace bayesdnf {

// Of the rows that the other terms leave open, a partial term covers a positives and b negatives.
// Its rank is the log probability of the open rows' outcomes, up to a constant, when the covered
// and the other open rows have a rate each, uniform a priori:
//   log B(1 + a, 1 + b) + log B(1 + open positives - a, 1 + open negatives - b).
// The posterior itself would not do: it also asks what the term is worth as it stands, and a term
// that is to become good may have to pass through parts that are worth nothing.
class Separation {
  public:
    // `rest`: what the other terms mark.
    Separation(const Posterior& posterior, const MarkedCounts& rest)
        : log_factorial_(posterior.log_factorials().data()),
          positive_(posterior.likelihood().n_positive() - rest.positive),
          negative_(posterior.likelihood().n_negative() - rest.negative) {}

    double operator()(Count a, Count b) const {
        const double* f = log_factorial_;
        return f[a] + f[b] - f[a + b + 1] + f[positive_ - a] + f[negative_ - b] -
               f[positive_ + negative_ - a - b + 1];
    }

    Count open_positive() const { return positive_; }
    Count open_negative() const { return negative_; }

  private:
    const double* log_factorial_;  // the posterior's: complete before it is handed out
    Count positive_, negative_;
};

}  // namespace bayesdnf
