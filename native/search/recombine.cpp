#include "search/recombine.hpp"

#include <algorithm>
#include <array>
#include <cmath>

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

    // Makes the best exchange; false where none helps.
    bool improve(const Stop& stop) {
        exchanges_.clear();
        const std::size_t m = state_.size();
        std::vector<Base> bases;
        bases.push_back(without({kNone, kNone}));
        for (std::size_t i = 0; i < m; ++i) bases.push_back(without({i, kNone}));
        for (std::size_t i = 0; i < m; ++i)
            for (std::size_t j = i + 1; j < m; ++j) bases.push_back(without({i, j}));
        look(bases, false, stop);
        // Of each way to leave out one term or none, the first terms to put in that promise most.
        std::vector<Base> begun;
        for (const Base& base : bases) {
            if (base.out[1] != kNone) break;  // two for two are too many to look at
            for (const auto& [bound, term] : base.best) begun.push_back(with(base, term));
        }
        look(begun, true, stop);
        if (stop()) return false;
        std::sort(exchanges_.begin(), exchanges_.end());
        for (const Exchange& e : exchanges_) {
            if (e.bound <= state_.score()) return false;
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

  private:
    static constexpr std::size_t kFirst = 6;  // terms to try a second one beside
    static constexpr std::size_t kAtOnce = 64;

    // What is left of the state, with no or one term of the pool put in.
    struct Base {
        std::array<std::size_t, 2> out;
        std::size_t in = kNone;
        std::size_t size = 0;
        double prior = 0;
        std::vector<Word> open;  // rows that it does not mark
        MarkedCounts marked;
        std::vector<std::pair<double, std::size_t>> best;  // bounds of terms put in, highest first
    };

    Base without(std::array<std::size_t, 2> out) const {
        Base base;
        base.out = out;
        std::vector<Word> rows(n_words_, 0);
        for (std::size_t i = 0; i < state_.size(); ++i) {
            if (i == out[0] || i == out[1]) continue;
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
        if (!second && base.out[0] != kNone)
            keep({prior.of_count(base.size, 1) + base.prior +
                      (base.size == 0
                           ? likelihood.null()
                           : likelihood.bound(base.marked.positive, base.marked.negative)),
                  base.out,
                  {kNone, kNone}});
        const double count_prior = prior.of_count(base.size + 1, 1) + base.prior;
        for (std::size_t t = 0; t < pool_.size(); ++t) {
            if (positive[t] + negative[t] == 0) continue;
            const double bound = count_prior + priors_[t] +
                                 likelihood.bound(base.marked.positive + positive[t],
                                                  base.marked.negative + negative[t]);
            keep({bound, base.out, second ? std::array{base.in, t} : std::array{t, kNone}});
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
    std::vector<Exchange> exchanges_;
    SweepRoom room_;
};

}  // namespace

void recombine(State& state, const std::vector<Term>& pool, const Stop& stop) {
    if (pool.empty()) return;
    Recombination recombination(state, pool);
    while (!stop() && recombination.improve(stop)) {
    }
}

}  // namespace bayesdnf
