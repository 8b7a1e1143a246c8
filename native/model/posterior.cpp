#include "model/posterior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "faults.hpp"
#include "model/special.hpp"

namespace bayesdnf {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

double real(Count n) { return static_cast<double>(n); }

// log Gamma(up + i) + log Gamma(down + n - i) for i in 0..n.
std::vector<double> two_sided(double up, double down, Count n) {
    std::vector<double> table;
    table.reserve(static_cast<std::size_t>(n) + 1);
    for (Count i = 0; i <= n; ++i)
        table.push_back(log_gamma(up + real(i)) + log_gamma(down + real(n - i)));
    return table;
}

// i log(up) + (n - i) log(down) for i in 0..n.
std::vector<double> two_rates(double up, double down, Count n) {
    std::vector<double> table;
    table.reserve(static_cast<std::size_t>(n) + 1);
    for (Count i = 0; i <= n; ++i)
        table.push_back(real(i) * std::log(up) + real(n - i) * std::log(down));
    return table;
}

}  // namespace

Likelihood::Likelihood(Effect e, Count n_positive, Count n_negative)
    : effect_(e),
      n_positive_(n_positive),
      n_negative_(n_negative),
      flat_(e.a0 == 1 && e.b0 == 1 && e.a1 == 1 && e.b1 == 1),
      positive_(two_sided(e.a1, e.a0, n_positive)),
      negative_(two_sided(e.b1, e.b0, n_negative)),
      marked_(two_sided(e.a1 + e.b1, e.a0 + e.b0, n_positive + n_negative)),
      constant_(-log_beta(e.a0, e.b0) - log_beta(e.a1, e.b1)),
      null_(log_beta(e.a + real(n_positive), e.b + real(n_negative)) - log_beta(e.a, e.b)),
      log_prior_order_(log_order_probability(e.a0, e.b0, e.a1, e.b1)),
      largest_order_(0) {
    even_.assign(static_cast<std::size_t>(n_positive) + 1, n_negative);
    if (e.known()) effect_.ordered = flat_ = false;
    if (effect_.ordered) {
        largest_order_ = log_prior_order_;
        const double odds = static_cast<double>(n_negative) / static_cast<double>(n_positive);
        for (Count a = 0; a < n_positive; ++a)
            even_[as_index(a)] = static_cast<Count>(static_cast<double>(a) * odds);
    }
    if (!e.known()) return;
    positive_ = two_rates(e.pi1, e.pi0, n_positive);
    negative_ = two_rates(1 - e.pi1, 1 - e.pi0, n_negative);
    marked_.assign(marked_.size(), 0.0);
    constant_ = 0;
    if (!e.null_apart) null_ = unordered(0, 0);
}

double Likelihood::order_factor(Count a, Count b) const {
    const double marked = real(a), marked_not = real(b);
    const double rest = real(n_positive_ - a), rest_not = real(n_negative_ - b);
    if (flat_) {
        // The probability of the wrong order lies in [t, t / (1 - r)]; below e^-37.5 it is lost
        // beside 1 in double precision and the factor is 2.
        const double r = marked_not * rest / ((marked + 2.0) * (rest_not + 2.0));
        if (r < 1) {
            const double n = real(n_positive_ + n_negative_);
            const double log_t = std::log((real(n_positive_) + 1.0) * (real(n_negative_) + 1.0) /
                                          ((n + 2.0) * (marked + 1.0) * (rest_not + 1.0))) -
                                 (unordered(a, b) - unordered(0, 0));
            if (log_t - std::log1p(-r) < -37.5) return -log_prior_order_;
        }
    }
    return log_order_probability(effect_.a0 + rest, effect_.b0 + rest_not, effect_.a1 + marked,
                                 effect_.b1 + marked_not) -
           log_prior_order_;
}

double Likelihood::operator()(Count a, Count b) const {
    const double value = unordered(a, b);
    return effect_.ordered && !planted(Fault::order_forgotten) ? value + order_factor(a, b) : value;
}

double FunctionPrior::operator()(Terms terms) const {
    if (terms.size() >= count_.size()) return kImpossible;
    std::size_t largest = 0;
    for (const LiteralIds t : terms) largest = std::max(largest, t.size());
    if (largest >= size_.size()) return kImpossible;
    std::vector<std::int64_t> of_size(largest + 1, 0);
    std::int64_t sum = 0;
    for (const LiteralIds t : terms) {
        ++of_size[t.size()];
        for (const std::int32_t l : t) sum += weight(l);
    }
    const double value = of_sizes(terms.size(), of_size, sum);
    if (!planted(Fault::orderings_forgotten)) return value;
    return value - log_gamma(static_cast<double>(terms.size()) + 1);
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
    const MarkedCounts m = count(marked.data());
    return {support_.check(terms, covers), prior_(terms),
            terms.empty() ? likelihood_.null() : likelihood_(m.positive, m.negative), m};
}

const std::vector<double>& Posterior::log_factorials() const {
    std::call_once(factorials_made_, [this] {
        const Count rows = likelihood_.n_positive() + likelihood_.n_negative();
        log_factorials_.reserve(static_cast<std::size_t>(rows) + 2);
        for (Count k = 0; k <= rows + 1; ++k)
            log_factorials_.push_back(log_gamma(static_cast<double>(k) + 1.0));
    });
    return log_factorials_;
}

}  // namespace bayesdnf
