#include "model/posterior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "faults.hpp"
#include "model/special.hpp"

namespace bayesdnf {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

// log Gamma(up + i) + log Gamma(down + n - i) for i in 0..n.
std::vector<double> two_sided(double up, double down, Count n) {
    std::vector<double> table(n + 1);
    for (Count i = 0; i <= n; ++i) table[i] = log_gamma(up + i) + log_gamma(down + (n - i));
    return table;
}

}  // namespace

// i log(up) + (n - i) log(down) for i in 0..n.
static std::vector<double> two_rates(double up, double down, Count n) {
    std::vector<double> table(n + 1);
    for (Count i = 0; i <= n; ++i)
        table[i] = static_cast<double>(i) * std::log(up) +
                   static_cast<double>(n - i) * std::log(down);
    return table;
}

Likelihood::Likelihood(Effect e, Count n_positive, Count n_negative)
    : effect_(e),
      n_positive_(n_positive),
      n_negative_(n_negative),
      flat_(e.a0 == 1 && e.b0 == 1 && e.a1 == 1 && e.b1 == 1),
      positive_(two_sided(e.a1, e.a0, n_positive)),
      negative_(two_sided(e.b1, e.b0, n_negative)),
      marked_(two_sided(e.a1 + e.b1, e.a0 + e.b0, n_positive + n_negative)),
      constant_(-log_beta(e.a0, e.b0) - log_beta(e.a1, e.b1)),
      null_(log_beta(e.a + n_positive, e.b + n_negative) - log_beta(e.a, e.b)),
      log_prior_order_(log_order_probability(e.a0, e.b0, e.a1, e.b1)),
      largest_order_(0) {
    even_.assign(static_cast<std::size_t>(n_positive) + 1, n_negative);
    if (e.known()) effect_.ordered = flat_ = false;
    if (effect_.ordered) {
        largest_order_ = log_prior_order_;
        const double odds = static_cast<double>(n_negative) / static_cast<double>(n_positive);
        for (Count a = 0; a < n_positive; ++a)
            even_[a] = static_cast<Count>(static_cast<double>(a) * odds);
    }
    if (!e.known()) return;
    positive_ = two_rates(e.pi1, e.pi0, n_positive);
    negative_ = two_rates(1 - e.pi1, 1 - e.pi0, n_negative);
    marked_.assign(marked_.size(), 0.0);
    constant_ = 0;
}

double Likelihood::order_factor(Count a, Count b) const {
    const Count c = n_positive_ - a, u = n_negative_ - b;
    if (flat_) {
        // The probability of the wrong order lies in [t, t / (1 - r)]; below e^-37.5 it is lost
        // beside 1 in double precision and the factor is 2.
        const double r = static_cast<double>(b) * static_cast<double>(c) /
                         ((a + 2.0) * (u + 2.0));
        if (r < 1) {
            const double n = static_cast<double>(n_positive_ + n_negative_);
            const double log_t =
                std::log((n_positive_ + 1.0) * (n_negative_ + 1.0) /
                         ((n + 2.0) * (a + 1.0) * (u + 1.0))) -
                (unordered(a, b) - unordered(0, 0));
            if (log_t - std::log1p(-r) < -37.5) return -log_prior_order_;
        }
    }
    return log_order_probability(effect_.a0 + c, effect_.b0 + u, effect_.a1 + a, effect_.b1 + b) -
           log_prior_order_;
}

double Likelihood::operator()(Count a, Count b) const {
    const double value = unordered(a, b);
    return effect_.ordered && !planted(Fault::order_forgotten) ? value + order_factor(a, b) : value;
}

double FunctionPrior::operator()(Terms terms) const {
    if (terms.size() >= count_.size()) return kImpossible;
    // Terms come in any order; summing by size keeps the result independent of it.
    std::size_t largest = 0;
    for (const LiteralIds t : terms) largest = std::max(largest, t.size());
    if (largest >= size_.size()) return kImpossible;
    std::vector<std::int64_t> of_size(largest + 1, 0);
    std::int64_t weight = 0;
    for (const LiteralIds t : terms) {
        ++of_size[t.size()];
        if (!weights_.empty())
            for (const std::int32_t l : t) weight += weights_[l];
    }
    double sum = count_[terms.size()];
    for (std::size_t k = 0; k <= largest; ++k)
        if (of_size[k] != 0)
            sum += static_cast<double>(of_size[k]) *
                   size_[planted(Fault::size_shifted) && k > 1 ? k - 1 : k];
    if (planted(Fault::orderings_forgotten)) sum -= log_gamma(static_cast<double>(terms.size()) + 1);
    return sum + static_cast<double>(weight) * 0x1p-32;
}

Posterior::Posterior(const BitView& view, const Support& support, FunctionPrior prior,
                     Effect effect)
    : view_(view),
      support_(support),
      prior_(std::move(prior)),
      likelihood_(effect, view.totals()[0], view.totals()[1]) {}

Score Posterior::score(Terms terms) const {
    const std::size_t n_words = view_.n_words();
    std::vector<Word> mask(n_words), marked(n_words, 0);
    std::vector<Count> covers(terms.size());
    for (std::size_t i = 0; i < terms.size(); ++i) {
        view_.term_mask(mask.data(), terms[i]);
        covers[i] = view_.count_all(mask.data());
        view_.simd().or_into(marked.data(), marked.data(), mask.data(), n_words);
    }
    Count counts[2];
    view_.count(marked.data(), counts);
    Score s{support_.check(terms, covers), prior_(terms), 0, counts[0], counts[1]};
    s.log_likelihood = terms.empty() ? likelihood_.null() : likelihood_(counts[0], counts[1]);
    return s;
}

}  // namespace bayesdnf
