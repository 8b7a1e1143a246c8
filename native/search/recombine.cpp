#include "search/recombine.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "search/hunt.hpp"

namespace bayesdnf {
namespace {

// Terms of the pool to put in for terms of the state to leave out; kNone in place of either.
struct Exchange {
    double bound;
    std::array<std::size_t, 2> out, in;
    // Equal bounds are decided by the numbers, so that the result is the same everywhere.
    bool operator<(const Exchange& o) const {
        if (bound != o.bound) return bound > o.bound;
        return out != o.out ? out < o.out : in < o.in;
    }
};

class Recombination {
  public:
    Recombination(State& state, const std::vector<Term>& pool)
        : state_(state),
          posterior_(state.posterior()),
          pool_(pool),
          n_words_(posterior_.view().n_words()),
          stride_(posterior_.view().stride()),
          planes_(pool.size() * stride_),
          terms_(posterior_.view().over(planes_.data(), pool.size())) {
        for (std::size_t t = 0; t < pool.size(); ++t) {
            posterior_.view().term_mask(planes_.data() + t * stride_, pool[t]);
            priors_.push_back(posterior_.prior().of_term(pool[t]));
        }
    }

    // Makes the best exchange; false where none helps. Those of one term at most come first: they
    // are the fewest, and most that help are among them.
    bool improve(const Stop& stop) {
        std::vector<Base> bases;
        bases.push_back(without(kNone));
        for (std::size_t i = 0; i < state_.size(); ++i) bases.push_back(without(i));
        exchanges_.clear();
        find_rivals();
        look(bases, false, stop);
        if (exchange(stop)) return true;
        // Of each way to leave out one term or none, the first terms to put in that promise most.
        std::vector<Base> begun;
        for (const Base& base : bases)
            for (const auto& [bound, term] : base.best) begun.push_back(with(base, term));
        exchanges_.clear();
        look(begun, true, stop);
        look_at_pairs(stop);
        return exchange(stop);
    }

  private:
    static constexpr std::size_t kFirst = 6;  // terms to try a second one beside
    static constexpr std::size_t kAtOnce = 64;

    // Whether two terms cannot stand in one function.
    bool exclude(const Term& x, const Term& y) const {
        return posterior_.support().beside(x, y) != Verdict::allowed;
    }

    // Which terms of the state must make way for each of the pool. Most of the pool are kin to some
    // term of the state: without this, nearly all exchanges with high bounds would be refused.
    void find_rivals() {
        rivals_.assign(pool_.size(), {});
        for (std::size_t t = 0; t < pool_.size(); ++t)
            for (std::size_t i = 0; i < state_.size() && rivals_[t].size() < 3; ++i)
                if (exclude(pool_[t], state_.terms()[i])) rivals_[t].push_back(i);
    }
    bool may_join(std::size_t t, std::size_t out, std::size_t other_out = kNone) const {
        return std::all_of(rivals_[t].begin(), rivals_[t].end(),
                           [&](std::size_t i) { return i == out || i == other_out; });
    }

    // What is left of the state, with no or one term of the pool put in.
    struct Base {
        std::size_t out;
        std::size_t in = kNone;
        std::size_t size = 0;
        double prior = 0;
        std::vector<Word> open;  // rows that it does not mark
        MarkedCounts marked;
        std::vector<std::pair<double, std::size_t>> best;  // bounds of terms put in, highest first
    };

    Base without(std::size_t out) const {
        Base base;
        base.out = out;
        std::vector<Word> rows(n_words_, 0);
        for (std::size_t i = 0; i < state_.size(); ++i) {
            if (i == out) continue;
            ++base.size;
            base.prior += posterior_.prior().of_term(state_.terms()[i]);
            posterior_.view().simd().or_into(rows.data(), rows.data(), state_.mask(i).data(),
                                             n_words_);
        }
        return opened(std::move(base), rows);
    }

    Base with(const Base& base, std::size_t term) const {
        Base longer;
        longer.out = base.out;
        longer.in = term;
        longer.size = base.size + 1;
        longer.prior = base.prior + priors_[term];
        std::vector<Word> rows(n_words_);
        const Simd& simd = posterior_.view().simd();
        simd.and_not_into(rows.data(), posterior_.view().all_rows().data(), base.open.data(),
                          n_words_);
        simd.or_into(rows.data(), rows.data(), planes_.data() + term * stride_, n_words_);
        return opened(std::move(longer), rows);
    }

    Base opened(Base base, const std::vector<Word>& rows) const {
        base.marked = posterior_.count(rows.data());
        base.open.resize(n_words_);
        posterior_.view().simd().and_not_into(base.open.data(), posterior_.view().all_rows().data(),
                                              rows.data(), n_words_);
        return base;
    }

    // Bounds of every base as it is and with one more term of the pool; `second`: after a first
    // one.
    void look(std::vector<Base>& bases, bool second, const Stop& stop) {
        const std::size_t n_pool = pool_.size();
        std::vector<Word> masks;
        std::vector<Count> counts;
        for (std::size_t first = 0; first < bases.size() && !stop(); first += kAtOnce) {
            const std::size_t n = std::min(kAtOnce, bases.size() - first);
            masks.resize(n * n_words_);
            counts.resize(2 * n * n_pool);
            for (std::size_t b = 0; b < n; ++b)
                std::copy(bases[first + b].open.begin(), bases[first + b].open.end(),
                          masks.begin() + static_cast<std::ptrdiff_t>(b * n_words_));
            terms_.literal_counts(masks.data(), n, counts.data(), room_);
            for (std::size_t b = 0; b < n; ++b)
                offer(bases[first + b], counts.data() + b * n_pool,
                      counts.data() + (n + b) * n_pool, second);
        }
    }

    void offer(Base& base, const Count* positive, const Count* negative, bool second) {
        const FunctionPrior& prior = posterior_.prior();
        const Likelihood& likelihood = posterior_.likelihood();
        if (!second && base.out != kNone)
            keep({prior.of_count(base.size, 1) + base.prior + bound_of(base.size, base.marked),
                  {base.out, kNone},
                  {kNone, kNone}});
        const double count_prior = prior.of_count(base.size + 1, 1) + base.prior;
        for (std::size_t t = 0; t < pool_.size(); ++t) {
            if (positive[t] + negative[t] == 0 || !may_join(t, base.out)) continue;
            const double bound = count_prior + priors_[t] +
                                 likelihood.bound(base.marked.positive + positive[t],
                                                  base.marked.negative + negative[t]);
            if (second && bound > state_.score() && exclude(pool_[base.in], pool_[t])) continue;
            keep(
                {bound, {base.out, kNone}, second ? std::array{base.in, t} : std::array{t, kNone}});
            if (!second) base.best.emplace_back(bound, t);
        }
        if (second) return;
        const std::size_t n = std::min(kFirst, base.best.size());
        std::partial_sort(base.best.begin(), base.best.begin() + static_cast<std::ptrdiff_t>(n),
                          base.best.end(), [](const auto& x, const auto& y) {
                              return x.first != y.first ? x.first > y.first : x.second < y.second;
                          });
        base.best.resize(n);
    }

    // Two terms for one of the pool, or for none. Left out, they open the rows that either marks
    // alone and those that only the two of them mark. What a term takes of the former is counted
    // for all terms in one sweep; the latter, which are few, are counted only where they may
    // matter.
    void look_at_pairs(const Stop& stop) {
        const std::size_t m = state_.size(), n_pool = pool_.size();
        if (m < 2) return;
        const Simd& simd = posterior_.view().simd();
        std::vector<Word> any(n_words_, 0), two(n_words_, 0), three(n_words_, 0), rows(n_words_),
            of_both(n_words_);
        for (std::size_t i = 0; i < m; ++i) {
            const Word* mask = state_.mask(i).data();
            for (std::size_t w = 0; w < n_words_; ++w) {
                three[w] |= two[w] & mask[w];
                two[w] |= any[w] & mask[w];
                any[w] |= mask[w];
            }
        }
        std::vector<Word> masks((m + 1) * n_words_);  // rows of each term alone, then the open ones
        std::vector<MarkedCounts> alone;
        double terms_prior = 0;
        for (std::size_t i = 0; i < m; ++i) {
            simd.and_not_into(masks.data() + i * n_words_, state_.mask(i).data(), two.data(),
                              n_words_);
            alone.push_back(posterior_.count(masks.data() + i * n_words_));
            terms_prior += posterior_.prior().of_term(state_.terms()[i]);
        }
        simd.and_not_into(masks.data() + m * n_words_, posterior_.view().all_rows().data(),
                          any.data(), n_words_);
        std::vector<Count> counts(2 * (m + 1) * n_pool);
        terms_.literal_counts(masks.data(), m + 1, counts.data(), room_);
        const Count *positive = counts.data(), *negative = counts.data() + (m + 1) * n_pool;
        const MarkedCounts marked = posterior_.count(any.data());
        const FunctionPrior& prior = posterior_.prior();
        for (std::size_t i = 0; i < m && !stop(); ++i)
            for (std::size_t j = i + 1; j < m; ++j) {
                simd.and_into(of_both.data(), state_.mask(i).data(), state_.mask(j).data(),
                              n_words_);
                simd.and_not_into(of_both.data(), of_both.data(), three.data(), n_words_);
                const MarkedCounts both = posterior_.count(of_both.data());
                const MarkedCounts left{
                    marked.positive - alone[i].positive - alone[j].positive - both.positive,
                    marked.negative - alone[i].negative - alone[j].negative - both.negative};
                const double others = terms_prior - prior.of_term(state_.terms()[i]) -
                                      prior.of_term(state_.terms()[j]);
                keep({prior.of_count(m - 2, 1) + others + bound_of(m - 2, left),
                      {i, j},
                      {kNone, kNone}});
                const double with_one = prior.of_count(m - 1, 1) + others;
                for (std::size_t t = 0; t < n_pool; ++t) {
                    const auto taken = [&](const Count* of) {
                        return of[i * n_pool + t] + of[j * n_pool + t] + of[m * n_pool + t];
                    };
                    MarkedCounts now{left.positive + taken(positive),
                                     left.negative + taken(negative)};
                    const double rest = with_one + priors_[t];
                    if (rest + highest(now, both) <= state_.score() || !may_join(t, i, j)) continue;
                    simd.and_into(rows.data(), of_both.data(), planes_.data() + t * stride_,
                                  n_words_);
                    const MarkedCounts shared = posterior_.count(rows.data());
                    now.positive += shared.positive;
                    now.negative += shared.negative;
                    keep({rest + bound_of(m - 1, now), {i, j}, {t, kNone}});
                }
            }
    }

    double bound_of(std::size_t n_terms, const MarkedCounts& marked) const {
        const Likelihood& likelihood = posterior_.likelihood();
        return n_terms == 0 ? likelihood.null()
                            : likelihood.bound(marked.positive, marked.negative);
    }

    // The highest that the likelihood can be where some of `more` rows are marked too. It is convex
    // in the counts, so it is highest at a corner; with ordered rates at that of all positives and
    // no negatives.
    double highest(const MarkedCounts& marked, const MarkedCounts& more) const {
        const Likelihood& likelihood = posterior_.likelihood();
        const Count a = marked.positive, b = marked.negative;
        const double best = likelihood.bound(a + more.positive, b);
        if (likelihood.ordered()) return best;
        return std::max({best, likelihood.bound(a, b), likelihood.bound(a, b + more.negative),
                         likelihood.bound(a + more.positive, b + more.negative)});
    }

    // Makes the exchange with the highest bound that helps.
    bool exchange(const Stop& stop) {
        if (stop()) return false;
        std::sort(exchanges_.begin(), exchanges_.end());
        for (const Exchange& e : exchanges_) {
            if (e.bound <= state_.score() || stop()) return false;
            std::vector<std::size_t> out;
            std::vector<Term> in;
            for (const std::size_t i : e.out)
                if (i != kNone) out.push_back(i);
            for (const std::size_t t : e.in)
                if (t != kNone) in.push_back(pool_[t]);
            // The bound is above the exact score: the first one that is allowed and helps will do.
            const std::vector<Height> heights(in.size(), kFirstLayer);
            if (state_.value_with(out, in, heights).total() > state_.score()) {
                state_.replace(out, in, heights);
                return true;
            }
        }
        return false;
    }

    void keep(const Exchange& e) {
        if (e.bound > state_.score()) exchanges_.push_back(e);
    }

    State& state_;
    const Posterior& posterior_;
    const std::vector<Term>& pool_;
    std::size_t n_words_, stride_;
    std::vector<Word> planes_;  // rows of each term of the pool
    BitView terms_;             // the pool as a table, a plane for each term
    std::vector<double> priors_;
    std::vector<std::vector<std::size_t>> rivals_;  // by term of the pool
    std::vector<Exchange> exchanges_;
    SweepRoom room_;
};

}  // namespace

void recombine(State& state, const std::vector<Term>& pool, const Stop& stop) {
    make_allowed(state);
    // Without an allowed function to begin with, any exchange would seem to help.
    if (pool.empty() || !state.value().allowed()) return;
    Recombination recombination(state, pool);
    while (!stop() && recombination.improve(stop)) {
    }
}

}  // namespace bayesdnf
