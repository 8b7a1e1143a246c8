// Segment counts and sizes -> log posterior, from tables. No lgamma in a loop.
//
// Scores are pure functions of integers, summed in one fixed order, so that a state rebuilt from
// its terms scores to the same bits. Compiled once, without contraction or fast-math.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "data/matrix.hpp"
#include "faults.hpp"
#include "model/count_cache.hpp"
#include "model/parts.hpp"
#include "model/look_up.hpp"
#include "model/support.hpp"

namespace bayesdnf {

// Priors of the two rates, Beta(a0, b0) unmarked and Beta(a1, b1) marked, and of the null
// function's single rate, Beta(a, b). Or the two rates themselves, where they are known; they then
// have the order they have.
struct Effect {
    double a0 = 1, b0 = 1, a1 = 1, b1 = 1, a = 1, b = 1;
    bool ordered = true;
    double pi0 = NAN, pi1 = NAN;  // both or none
    // Whether the null function has a rate of its own. Otherwise it is a function that marks no
    // row, as it is for searches at rates that are known for a while only.
    bool null_apart = true;
    bool known() const { return !std::isnan(pi0); }
};

// log P(X <= Y) for independent X ~ Beta(alpha0, beta0), Y ~ Beta(alpha1, beta1).
double log_order_probability(double alpha0, double beta0, double alpha1, double beta1);

// Collapsed likelihood: both rates integrated out, or known, P[a] + Q[b] - T[a + b] from tables.
class Likelihood {
  public:
    Likelihood(Effect effect, Count n_positive, Count n_negative);

    // Marked positives and marked negatives -> log P(y | function), order factor included.
    double operator()(Count marked_positive, Count marked_negative) const;
    double unordered(Count marked_positive, Count marked_negative) const {
        return positive_[marked_positive] + negative_[marked_negative] -
               marked_[marked_positive + marked_negative] + constant_;
    }
    // Keeps the same for all counts in one table, which add_unordered() then takes it from.
    void tabulate();
    // Adds it to out[i] for `marked` rows and a[i], b[i] more, for n candidates.
    void add_unordered(Count marked_positive, Count marked_negative, const Count* a, const Count* b,
                       std::size_t n, double* out) const;
    double order_factor(Count marked_positive, Count marked_negative) const;
    double null() const { return null_; }

    // An upper bound that costs three look-ups, for ranking many candidates: the order factor at
    // its largest. Where the marked rows are the less risky ones, marking fewer negatives can only
    // raise the ordered likelihood, so they are taken down to where both rates are equal.
    double bound(Count marked_positive, Count marked_negative) const {
        const Count negative = std::min(marked_negative, even(marked_positive));
        return unordered(marked_positive, negative) - largest_order_;
    }
    // The same for n candidates side by side that take some more rows than are marked already.
    void bounds(Count marked_positive, Count marked_negative, const Count* positive,
                const Count* negative, std::size_t n, double* out) const;
    double largest_order_factor() const { return -largest_order_; }
    bool has(Count marked_positive, Count marked_negative) const {
        return 0 <= marked_positive && marked_positive <= n_positive_ && 0 <= marked_negative &&
               marked_negative <= n_negative_;
    }

    bool ordered() const { return effect_.ordered; }
    bool known() const { return effect_.known(); }
    Count n_positive() const { return n_positive_; }
    Count n_negative() const { return n_negative_; }

  private:
    // By marked positives: the most marked negatives at which the marked rows are not the less
    // risky ones. Without an order of the rates, all of them.
    Count even(Count marked_positive) const {
        if (!effect_.ordered || marked_positive >= n_positive_) return n_negative_;
        return static_cast<Count>(static_cast<double>(marked_positive) * odds_);
    }

    Effect effect_;
    Count n_positive_, n_negative_;
    bool flat_;    // all four parameters are 1: the skip rule applies
    double odds_;  // negatives for each positive
    LookUp positive_, negative_, marked_;
    CellLookUp cells_;  // empty until tabulate()
    double constant_, null_, log_prior_order_;
    double largest_order_;  // what the order factor can add at most, negated
    // Order factors that were computed: sums, or integrals where no parameter is whole, of which a
    // chain meets the same ones again and again. Copies have the same effect, and share it.
    std::shared_ptr<CountCache> orders_;
};

// Likelihood of lists of layers, with strata, or of more than two classes: every part has class
// shares of its own in every stratum, without an order between them. A sum over the cells: of two
// classes log B(alpha + a, beta + b) - log B(alpha, beta), a positives and b negatives; of more
// log D(1 + counts) - log D(1), D the multivariate Beta function.
class CellLikelihood {
  public:
    // totals: rows of each segment, those of the first class in every stratum, then of the next.
    CellLikelihood(const Effect& effect, const std::vector<Count>& totals, std::size_t n_classes);

    std::size_t n_strata() const { return n_strata_; }
    std::size_t n_classes() const { return n_classes_; }
    // rows(c): those of class c in the cell.
    template <class Rows>
    double cell(bool lowest, const Rows& rows) const {
        return (lowest ? lowest_ : higher_)(n_classes_, rows);
    }
    // One part: `rows` by segment. `lowest`: part 0, the rows that no layer marks.
    double part(bool lowest, const Count* rows) const {
        if (planted(Fault::strata_pooled))
            return cell(lowest, [&](std::size_t c) { return sum_of(rows + c * n_strata_); });
        double sum = 0;
        for (std::size_t s = 0; s < n_strata_; ++s)
            sum += cell(lowest, [&](std::size_t c) { return rows[c * n_strata_ + s]; });
        return sum;
    }
    double null() const { return null_; }

  private:
    // Integrals over one cell's class shares, from tables of log-gamma.
    class Table {
      public:
        Table(double alpha, double beta, Count most_positive, Count most_negative);
        // Dirichlet(1, ..., 1).
        Table(std::size_t n_classes, Count most_of_class, Count most);
        template <class Rows>
        double operator()(std::size_t n_classes, const Rows& rows) const {
            if (n_classes == 2) {
                const Count a = rows(0), b = rows(1);
                return first_[a] + second_[b] - all_[a + b] + constant_;
            }
            double sum = 0;
            Count all = 0;
            for (std::size_t c = 0; c < n_classes; ++c) {
                const Count n = rows(c);
                sum += first_[n];
                all += n;
            }
            return sum - all_[all] + constant_;
        }

      private:
        LookUp first_, second_, all_;  // of more than two classes the first stands for each
        double constant_;
    };
    static Table table(double alpha, double beta, const std::vector<Count>& totals,
                       std::size_t n_classes);

    Count sum_of(const Count* of_strata) const {
        return std::accumulate(of_strata, of_strata + n_strata_, Count{0});
    }

    std::size_t n_classes_, n_strata_;
    Table lowest_, higher_;
    double null_;
};

// Prior on functions and lists, as tables of logs: any prior on m and k runs at full speed.
class FunctionPrior {
  public:
    // count[m]: log weight of m terms (m! included where orderings count); size[k]: log weight of
    // one term of k literals. Beyond a table's end: impossible. weights: per literal, fixed point,
    // in units of 2^-32; empty: all zero. layers: the most that a list may have.
    FunctionPrior(std::vector<double> count, std::vector<double> size,
                  std::vector<std::int64_t> weights, std::size_t layers = 1);

    double operator()(Terms terms, std::size_t layers) const;

    // The same by parts, for candidates that differ in one term. Of m terms in g layers: that
    // there are m of them, that they stand in g layers, and in these.
    double of_count(std::size_t m, std::size_t g) const {
        return m < count_.size() ? count_[m] + of_layers(m, g) : -INFINITY;
    }
    std::size_t layers() const { return layers_; }
    double of_size(std::size_t k) const { return k < size_.size() ? size_[k] : -INFINITY; }
    // The best log weight that a term of k literals can come to by growing, as it is or longer.
    double reach(std::size_t k) const { return k < reach_.size() ? reach_[k] : -INFINITY; }
    // In units of 2^-32: sums of these are exact, whatever their order.
    std::int64_t weight(std::int32_t l) const {
        return weights_.empty() ? 0 : weights_[as_index(l)];
    }
    static double log_of(std::int64_t weight) { return static_cast<double>(weight) * 0x1p-32; }
    double of_literal(std::int32_t l) const { return log_of(weight(l)); }
    double of_term(LiteralIds term) const {
        double sum = of_size(term.size());
        for (const std::int32_t l : term) sum += of_literal(l);
        return sum;
    }

    // Of m terms, of_size[k] of them with k literals, whose literals' weights add up to `weight`.
    // Summed by size, so that the order of the terms does not matter. Every search and every chain
    // comes to its prior here; inline, because annealing does so millions of times a second.
    double of_sizes(std::size_t m, std::size_t layers, const std::vector<std::int64_t>& of_size,
                    std::int64_t weight) const {
        double sum = of_count(m, layers);
        std::int64_t left = static_cast<std::int64_t>(m);
        for (std::size_t k = 0; left > 0; ++k)
            if (of_size[k] != 0) {
                const bool fault = planted(Fault::size_shifted) && k > 1;
                sum += static_cast<double>(of_size[k]) * this->of_size(fault ? k - 1 : k);
                left -= of_size[k];
            }
        return sum + log_of(weight);
    }

  private:
    // log P(g layers | m terms) - log of the number of ways to spread m terms over all of g layers.
    double of_layers(std::size_t m, std::size_t g) const {
        if (m == 0 || layers_ == 1) return 0;
        return g <= layers_ ? by_layers_[m * layers_ + g - 1] : -INFINITY;
    }

    std::vector<double> count_, size_, reach_;
    std::vector<std::int64_t> weights_;
    std::size_t layers_;
    std::vector<double> by_layers_;  // of m terms and g layers at m * layers_ + g - 1
};

// Rows that a function marks, by their outcome.
struct MarkedCounts {
    Count positive = 0, negative = 0;
};

struct Score {
    Verdict verdict;
    double log_prior;
    double log_likelihood;
    std::vector<Count> cells;  // rows of part h in segment s at h * n_segments + s
};

// What a function or a list scores on a table whose segments are the first class of every stratum,
// then the next one of every stratum. Of two classes the positives are the first.
class Posterior {
  public:
    Posterior(const BitView& view, const Support& support, FunctionPrior prior, Effect effect,
              std::size_t n_classes = 2);
    // The same scores, other literals on offer.
    Posterior(const Posterior& other, const Support& support)
        : view_(other.view_),
          support_(support),
          prior_(other.prior_),
          n_classes_(other.n_classes_),
          likelihood_(other.likelihood_),
          cells_(other.cells_),
          strata_(other.strata_),
          shares_(other.shares_) {}

    std::size_t n_classes() const { return n_classes_; }
    std::size_t n_strata() const { return view_.n_segments() / n_classes_; }
    // Whether there are two parts, two classes and one stratum: likelihood() then says it all.
    bool simple() const { return prior_.layers() == 1 && view_.n_segments() == 2; }
    // layers: of each term, from 1, none left out.
    Score score(Terms terms, Layers layers) const;
    double log_likelihood(const Parts& parts) const;
    MarkedCounts count(const Word* mask) const {
        Count counts[2];
        view_.count(mask, counts);
        return {counts[0], counts[1]};
    }
    // log k! for k from 0 to n_classes - 1 more than there are rows. Made when it is first asked
    // for, by whichever thread that is, and shared by all.
    const LookUp& log_factorials() const;
    const BitView& view() const { return view_; }
    const Support& support() const { return support_; }
    // Of a simple posterior.
    const Likelihood& likelihood() const { return likelihood_; }
    // Of one that is not.
    const CellLikelihood& cells() const { return *cells_; }
    // Of one layer and two classes with strata: the same of each stratum, from one look-up, or from
    // three in place of six where strata are large.
    const std::vector<Likelihood>& strata() const { return strata_; }
    // Of these log B(a + 1, b + 1) for cells of any stratum; empty where strata are large.
    const CellLookUp& shares() const { return shares_; }
    const FunctionPrior& prior() const { return prior_; }

  private:
    void tabulate_strata();

    const BitView& view_;
    const Support& support_;
    FunctionPrior prior_;
    std::size_t n_classes_;
    Likelihood likelihood_;
    std::optional<CellLikelihood> cells_;
    std::vector<Likelihood> strata_;
    CellLookUp shares_;
    mutable std::once_flag factorials_made_;
    mutable LookUp log_factorials_;
};

}  // namespace bayesdnf
