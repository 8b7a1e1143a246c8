#include "model/posterior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "faults.hpp"
#include "model/special.hpp"

namespace bayesdnf {
namespace {

constexpr double kImpossible = -std::numeric_limits<double>::infinity();

double real(Count n) { return static_cast<double>(n); }

// log Gamma(up + i) + log Gamma(down + n - i) for i in 0..n.
LookUp two_sided(double up, double down, Count n) {
    return {n, [=](Count i) { return log_gamma(up + real(i)) + log_gamma(down + real(n - i)); }};
}

// i log(up) + (n - i) log(down) for i in 0..n.
LookUp two_rates(double up, double down, Count n) {
    return {n, [=](Count i) { return real(i) * std::log(up) + real(n - i) * std::log(down); }};
}

// log Gamma(first + i) for i in 0..n.
LookUp log_gammas(double first, Count n) {
    return {n, [=](Count i) { return log_gamma(first + real(i)); }};
}

}  // namespace

Likelihood::Likelihood(Effect e, Count n_positive, Count n_negative)
    : effect_(e),
      n_positive_(n_positive),
      n_negative_(n_negative),
      flat_(e.a0 == 1 && e.b0 == 1 && e.a1 == 1 && e.b1 == 1),
      odds_(real(n_negative) / real(n_positive)),
      positive_(e.known() ? two_rates(e.pi1, e.pi0, n_positive)
                          : two_sided(e.a1, e.a0, n_positive)),
      negative_(e.known() ? two_rates(1 - e.pi1, 1 - e.pi0, n_negative)
                          : two_sided(e.b1, e.b0, n_negative)),
      marked_(e.known() ? LookUp(n_positive + n_negative, [](Count) { return 0.0; })
                        : two_sided(e.a1 + e.b1, e.a0 + e.b0, n_positive + n_negative)),
      constant_(-log_beta(e.a0, e.b0) - log_beta(e.a1, e.b1)),
      null_(log_beta(e.a + real(n_positive), e.b + real(n_negative)) - log_beta(e.a, e.b)),
      log_prior_order_(log_order_probability(e.a0, e.b0, e.a1, e.b1)),
      largest_order_(0) {
    if (e.known()) effect_.ordered = flat_ = false;
    if (effect_.ordered) {
        largest_order_ = log_prior_order_;
        orders_ = std::make_shared<CountCache>();
    }
    if (!e.known()) return;
    constant_ = 0;
    if (!e.null_apart) null_ = unordered(0, 0);
}

void Likelihood::tabulate() {
    cells_ =
        CellLookUp(n_positive_, n_negative_, [this](Count a, Count b) { return unordered(a, b); });
}

void Likelihood::add_unordered(Count marked_positive, Count marked_negative, const Count* a,
                               const Count* b, std::size_t n, double* out) const {
    if (!cells_.empty()) {
        const double* const values = cells_.data() + cells_.at(marked_positive, marked_negative);
        for (std::size_t i = 0; i < n; ++i) out[i] += values[cells_.at(a[i], b[i])];
        return;
    }
    positive_.in_loop([&](const auto& positive) {
        negative_.in_loop([&](const auto& negative) {
            marked_.in_loop([&](const auto& marked) {
                for (std::size_t i = 0; i < n; ++i) {
                    const Count one = marked_positive + a[i], other = marked_negative + b[i];
                    out[i] += positive[one] + negative[other] - marked[one + other] + constant_;
                }
            });
        });
    });
}

double Likelihood::order_factor(Count a, Count b) const {
    const double marked = real(a), marked_not = real(b);
    const double rest = real(n_positive_ - a), rest_not = real(n_negative_ - b);
    if (flat_) {
        // With uniform priors the wrong order has the probability of a hypergeometric upper tail
        // (docs/model.md, "Order"), t its first term and r the second over the first. Such ratios
        // fall, so the tail lies in [t, t / (1 - r)]; below e^-37.5 it is lost beside 1 in double
        // precision and the factor is 2.
        const double r = marked_not * rest / ((marked + 2.0) * (rest_not + 2.0));
        if (r < 1) {
            const double n = real(n_positive_ + n_negative_);
            const double log_t = std::log((real(n_positive_) + 1.0) * (real(n_negative_) + 1.0) /
                                          ((n + 2.0) * (marked + 1.0) * (rest_not + 1.0))) -
                                 (unordered(a, b) - unordered(0, 0));
            if (log_t - std::log1p(-r) < -37.5) return -log_prior_order_;
        }
    }
    return (*orders_)(a, b, [&] {
        return log_order_probability(effect_.a0 + rest, effect_.b0 + rest_not, effect_.a1 + marked,
                                     effect_.b1 + marked_not) -
               log_prior_order_;
    });
}

double Likelihood::operator()(Count a, Count b) const {
    const double value = unordered(a, b);
    return effect_.ordered && !planted(Fault::order_forgotten) ? value + order_factor(a, b) : value;
}

void Likelihood::bounds(Count marked_positive, Count marked_negative, const Count* positive,
                        const Count* negative, std::size_t n, double* out) const {
    const double* const p = positive_.table(n_positive_);
    const double* const q = negative_.table(n_negative_);
    const double* const t = marked_.table(n_positive_ + n_negative_);
    if (p == nullptr || q == nullptr || t == nullptr) {
        for (std::size_t i = 0; i < n; ++i)
            out[i] = bound(marked_positive + positive[i], marked_negative + negative[i]);
        return;
    }
    for (std::size_t i = 0; i < n; ++i) {  // the same sum without a question at every look-up
        const Count a = marked_positive + positive[i];
        const Count b = std::min(marked_negative + negative[i], even(a));
        out[i] = p[a] + q[b] - t[a + b] + constant_ - largest_order_;
    }
}

CellLikelihood::Table::Table(double alpha, double beta, Count most_positive, Count most_negative)
    : first_(log_gammas(alpha, most_positive)),
      second_(log_gammas(beta, most_negative)),
      all_(log_gammas(alpha + beta, most_positive + most_negative)),
      constant_(-log_beta(alpha, beta)) {}

CellLikelihood::Table::Table(std::size_t n_classes, Count most_of_class, Count most)
    : first_(log_gammas(1, most_of_class)),
      all_(log_gammas(static_cast<double>(n_classes), most)),
      constant_(log_gamma(static_cast<double>(n_classes))) {}

namespace {

// The most rows that one segment of a class has.
Count most_of(const std::vector<Count>& totals, std::size_t n_classes, std::size_t c) {
    const auto n_strata = static_cast<std::ptrdiff_t>(totals.size() / n_classes);
    const auto begin = totals.begin() + static_cast<std::ptrdiff_t>(c) * n_strata;
    if (planted(Fault::strata_pooled)) return std::accumulate(begin, begin + n_strata, Count{0});
    return *std::max_element(begin, begin + n_strata);
}

}  // namespace

CellLikelihood::Table CellLikelihood::table(double alpha, double beta,
                                            const std::vector<Count>& totals,
                                            std::size_t n_classes) {
    if (n_classes == 2) return {alpha, beta, most_of(totals, 2, 0), most_of(totals, 2, 1)};
    Count most = 0, all = 0;
    for (std::size_t c = 0; c < n_classes; ++c) {
        most = std::max(most, most_of(totals, n_classes, c));
        all += most_of(totals, n_classes, c);
    }
    return {n_classes, most, all};
}

CellLikelihood::CellLikelihood(const Effect& e, const std::vector<Count>& totals,
                               std::size_t n_classes)
    : n_classes_(n_classes),
      n_strata_(totals.size() / n_classes),
      lowest_(table(e.a0, e.b0, totals, n_classes)),
      higher_(table(e.a1, e.b1, totals, n_classes)),
      null_(0) {
    for (std::size_t s = 0; s < n_strata_; ++s) {
        if (n_classes > 2)
            null_ += cell(true, [&](std::size_t c) { return totals[c * n_strata_ + s]; });
        else
            null_ += log_beta(e.a + real(totals[s]), e.b + real(totals[n_strata_ + s])) -
                     log_beta(e.a, e.b);
    }
}

FunctionPrior::FunctionPrior(std::vector<double> count, std::vector<double> size,
                             std::vector<std::int64_t> weights, std::size_t layers)
    : count_(std::move(count)),
      size_(std::move(size)),
      reach_(size_),
      weights_(std::move(weights)),
      layers_(layers) {
    // From the end, so that each entry already holds the best of all that are longer.
    for (std::size_t k = reach_.size(); k-- > 1;)
        reach_[k - 1] = std::max(reach_[k - 1], reach_[k]);
    if (layers == 1) return;
    // Ways to spread m terms over all of g layers: the last one goes to any of g, beside others or
    // alone. No differences, so nothing is lost to rounding.
    std::vector<double> log_ways(layers + 1, kImpossible);
    log_ways[0] = 0;
    by_layers_.assign(count_.size() * layers, kImpossible);
    for (std::size_t m = 1; m < count_.size(); ++m) {
        for (std::size_t g = layers; g > 0; --g) {
            const double high = std::max(log_ways[g], log_ways[g - 1]);
            if (high == kImpossible) continue;
            const double low = std::min(log_ways[g], log_ways[g - 1]);
            log_ways[g] =
                std::log(static_cast<double>(g)) + high + std::log1p(std::exp(low - high));
        }
        log_ways[0] = kImpossible;
        // 2^-g, divided by what they add up to.
        const std::size_t most = std::min(m, layers);
        const double log_total = std::log1p(-std::ldexp(1.0, -static_cast<int>(most)));
        for (std::size_t g = 1; g <= most; ++g) {
            const double log_share = -static_cast<double>(g) * kLog2 - log_total;
            by_layers_[m * layers + g - 1] =
                (planted(Fault::layers_uncounted) ? 0 : log_share) -
                (planted(Fault::surjections_as_powers)
                     ? static_cast<double>(m) * std::log(static_cast<double>(g))
                     : log_ways[g]);
        }
    }
}

double FunctionPrior::operator()(Terms terms, std::size_t layers) const {
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
    const double value = of_sizes(terms.size(), layers, of_size, sum);
    if (!planted(Fault::orderings_forgotten)) return value;
    return value - log_gamma(static_cast<double>(terms.size()) + 1);
}

namespace {

// Rows of the segments from first to last.
Count sum_of(const std::vector<Count>& totals, std::size_t first, std::size_t last) {
    return std::accumulate(totals.begin() + static_cast<std::ptrdiff_t>(first),
                           totals.begin() + static_cast<std::ptrdiff_t>(last), Count{0});
}

}  // namespace

Posterior::Posterior(const BitView& view, const Support& support, FunctionPrior prior,
                     Effect effect, std::size_t n_classes)
    : view_(view),
      support_(support),
      prior_(std::move(prior)),
      n_classes_(n_classes),
      likelihood_(effect, sum_of(view.totals(), 0, n_strata()),
                  sum_of(view.totals(), n_strata(), view.n_segments())),
      cells_(simple() ? std::nullopt
                      : std::optional<CellLikelihood>({effect, view.totals(), n_classes})) {
    if (simple() || prior_.layers() > 1 || n_classes > 2) return;
    const std::vector<Count>& totals = view.totals();
    for (std::size_t s = 0; s < totals.size() / 2; ++s)
        strata_.emplace_back(effect, totals[s], totals[totals.size() / 2 + s]);
    tabulate_strata();
}

void Posterior::tabulate_strata() {
    constexpr Count kMost = Count{1} << 20;  // entries of all: 8 MiB
    const Count most_a = most_of(view_.totals(), 2, 0), most_b = most_of(view_.totals(), 2, 1);
    Count entries = CellLookUp::size(most_a, most_b);
    for (const Likelihood& l : strata_)
        entries = saturating_add(entries, CellLookUp::size(l.n_positive(), l.n_negative()));
    if (entries > kMost) return;
    for (Likelihood& l : strata_) l.tabulate();
    const LookUp& f = log_factorials();
    shares_ =
        CellLookUp(most_a, most_b, [&](Count a, Count b) { return f[a] + f[b] - f[a + b + 1]; });
}

Score Posterior::score(Terms terms, Layers layers) const {
    const std::size_t n_words = view_.n_words();
    std::vector<Word> masks(terms.size() * n_words);
    std::vector<const Word*> rows;
    for (std::size_t i = 0; i < terms.size(); ++i) {
        view_.term_mask(masks.data() + i * n_words, terms[i]);
        rows.push_back(masks.data() + i * n_words);
    }
    Parts parts;
    parts.assign(view_, rows, layers, Parts::Covers::counted);
    return {support_.check(terms, layers, parts.covers(), parts.lowest()),
            prior_(terms, parts.n_layers()), log_likelihood(parts), parts.counts()};
}

double Posterior::log_likelihood(const Parts& parts) const {
    const std::size_t n_layers = parts.n_layers();
    if (simple()) {
        const Count* marked = parts.count(n_layers);
        return n_layers == 0 ? likelihood_.null() : likelihood_(marked[0], marked[1]);
    }
    if (n_layers == 0) return cells_->null();
    double sum = 0;
    for (std::size_t h = 0; h <= n_layers; ++h) sum += cells_->part(h == 0, parts.count(h));
    return sum;
}

const LookUp& Posterior::log_factorials() const {
    std::call_once(factorials_made_, [this] {
        const Count n_rows = likelihood_.n_positive() + likelihood_.n_negative();
        log_factorials_ = log_gammas(1.0, n_rows + static_cast<Count>(n_classes_) - 1);
    });
    return log_factorials_;
}

}  // namespace bayesdnf
