#include "search/beam.hpp"

#include <algorithm>
#include <cmath>

#include "model/special.hpp"
#include "threads.hpp"

namespace bayesdnf {
namespace {

struct Partial {
    Term term;
    Count positive, negative;  // rows not yet marked that it covers
};

struct Candidate {
    double rank;
    std::int32_t parent, literal;
    Count positive, negative;
    // Equal ranks are decided by where they come from, so that a beam is the same everywhere.
    bool operator<(const Candidate& o) const {
        if (rank != o.rank) return rank > o.rank;
        return parent != o.parent ? parent < o.parent : literal < o.literal;
    }
};

// Keeps the best `room` candidates of a stream.
class Best {
  public:
    explicit Best(std::size_t room) : room_(room) {}
    void offer(const Candidate& c) {
        if (c.rank < threshold_) return;
        kept_.push_back(c);
        if (kept_.size() >= 4 * room_ + 64) cut();
    }
    void take_in(const Best& other) {
        for (const Candidate& c : other.kept_) offer(c);
    }
    std::vector<Candidate>& sorted() {
        cut();
        std::sort(kept_.begin(), kept_.end());
        return kept_;
    }

  private:
    void cut() {
        if (kept_.size() <= room_) return;
        const auto end = kept_.begin() + static_cast<std::ptrdiff_t>(room_);
        std::nth_element(kept_.begin(), end, kept_.end());
        kept_.erase(end, kept_.end());
        threshold_ = std::max_element(kept_.begin(), kept_.end())->rank;  // the worst one kept
    }
    std::size_t room_;
    double threshold_ = -INFINITY;
    std::vector<Candidate> kept_;
};

// What a term must begin with beside the others: `start`, and a literal of each required entry that
// the others lack.
std::vector<Term> starts(const Support& support, Terms others, const Term& start,
                         std::size_t most) {
    std::vector<Term> found{start};
    if (support.required().empty()) return found;
    std::vector<std::uint8_t> may(support.n_literals());
    for (const Knowledge::Entry* entry : support.lacking(others)) {
        std::vector<Term> longer;
        for (const Term& term : found) {
            const bool met = std::any_of(entry->begin(), entry->end(), [&](std::int32_t l) {
                return std::binary_search(term.begin(), term.end(), l);
            });
            if (met) longer.push_back(term);
            if (met) continue;
            support.addable(term, others, may.data());
            for (const std::int32_t l : *entry)
                if (may[l] && longer.size() < most) {
                    longer.push_back(term);
                    longer.back().insert(
                        std::lower_bound(longer.back().begin(), longer.back().end(), l), l);
                }
        }
        found = std::move(longer);
    }
    // The beam holds terms of one size: where entries overlap, the shortest.
    std::size_t shortest = support.n_literals();
    for (const Term& term : found) shortest = std::min(shortest, term.size());
    std::erase_if(found, [&](const Term& term) { return term.size() > shortest; });
    return found;
}

}  // namespace

Grown grow_term(const State& state, std::size_t without, std::size_t width, double floor,
                const Stop& stop, const Term& start, std::size_t n_threads) {
    constexpr std::size_t kWorthThreads = 1 << 22;  // words to look at, for each thread
    constexpr std::size_t kMasksAtOnce = 64;
    constexpr std::size_t kContenders = 256;
    constexpr double kLookAhead = 4;  // literals whose weights are hoped for
    const Posterior& posterior = state.posterior();
    const BitView& view = posterior.view();
    const FunctionPrior& prior = posterior.prior();
    const Likelihood& likelihood = posterior.likelihood();
    const std::size_t p = view.n_literals(), n_words = view.n_words();
    const std::size_t m = state.size() + (without == State::kNone ? 1 : 0);

    const Marked rest = state.marked(without);
    const auto others = state.spans(without);
    const double others_prior = state.terms_prior(without) + prior.of_count(m);
    const Count open_positive = likelihood.n_positive() - rest.positive;
    const Count open_negative = likelihood.n_negative() - rest.negative;
    const auto& f = log_factorials(open_positive + open_negative + 1);
    const auto rank = [&](Count a, Count b) {
        return f[a] + f[b] - f[a + b + 1] + f[open_positive - a] + f[open_negative - b] -
               f[open_positive + open_negative - a - b + 1];
    };

    std::vector<Word> open(n_words);
    view.simd().and_not_into(open.data(), view.all_rows().data(), rest.rows.data(), n_words);
    double heaviest = 0;  // what the weightiest literal can add to the prior
    for (std::size_t l = 0; l < p; ++l)
        heaviest = std::max(heaviest, prior.of_literal(static_cast<std::int32_t>(l)));
    std::vector<Partial> beam;
    Grown best;
    best.score = floor;
    std::vector<Word> first_mask(n_words);
    for (Term& term : starts(posterior.support(), others, start, width)) {
        first_mask = open;
        for (const std::int32_t l : term) view.and_literal(first_mask.data(), l);
        Count covered[2];
        view.count(first_mask.data(), covered);
        if (term != start)  // it may be all that is wanted
            if (const double score = state.score_with(without, term); score > best.score)
                best = {term, score};
        beam.push_back({std::move(term), covered[0], covered[1]});
    }

    // Log likelihood when a open positives and no open negatives are marked: no term that covers a
    // of them can do better.
    std::vector<double> hope(open_positive + 1);
    for (Count a = open_positive; a >= 0; --a) {
        hope[a] = likelihood.bound(rest.positive + a, rest.negative);
        if (a < open_positive && hope[a] > hope[a + 1]) hope[a + 1] = hope[a];
    }
    for (Count a = 1; a <= open_positive; ++a) hope[a] = std::max(hope[a], hope[a - 1]);
    // Without an order of the rates a term may also gain by losing its positives.
    if (!likelihood.ordered())
        std::fill(hope.begin(), hope.end(),
                  std::max(hope.back(),
                           likelihood.bound(rest.positive, rest.negative + open_negative)));

    const std::size_t shortest = beam.empty() ? p : beam.front().term.size();
    for (std::size_t size = shortest + 1; size <= p && !beam.empty() && !stop(); ++size) {
        const std::size_t n_blocks = (beam.size() + kMasksAtOnce - 1) / kMasksAtOnce;
        const std::size_t threads =
            std::clamp<std::size_t>(beam.size() * p * n_words / kWorthThreads, 1, n_threads);
        std::vector<Best> children(threads, Best(width * size));
        std::vector<Best> contenders(threads, Best(kContenders));
        // Each thread takes every threads-th block, and keeps the best of its own.
        parallel_for(threads, threads, [&](std::size_t t) {
            std::vector<Word> masks(kMasksAtOnce * n_words);
            std::vector<Count> counts(2 * kMasksAtOnce * p);
            std::vector<std::uint8_t> may(p);
            for (std::size_t block = t; block < n_blocks && !stop(); block += threads) {
                const std::size_t first = block * kMasksAtOnce;
                const std::size_t n = std::min(kMasksAtOnce, beam.size() - first);
                for (std::size_t b = 0; b < n; ++b) {
                    Word* mask = masks.data() + b * n_words;
                    std::copy(open.begin(), open.end(), mask);
                    for (const std::int32_t l : beam[first + b].term) view.and_literal(mask, l);
                }
                view.literal_counts(masks.data(), n, counts.data());
                for (std::size_t b = 0; b < n; ++b) {
                    const Partial& parent = beam[first + b];
                    posterior.support().addable(parent.term, others, may.data());
                    double parent_prior = others_prior;
                    for (const std::int32_t l : parent.term) parent_prior += prior.of_literal(l);
                    // What a longer term may still gain from its size and its literals' weights.
                    const double ahead = prior.reach(size + 1) + kLookAhead * heaviest;
                    const double reachable =
                        parent_prior + heaviest + std::max(prior.of_size(size), ahead);
                    const Count fewest = static_cast<Count>(
                        std::upper_bound(hope.begin(), hope.end(), best.score - reachable) -
                        hope.begin());
                    const Count* positive = counts.data() + b * p;
                    const Count* negative = counts.data() + (n + b) * p;
                    for (std::size_t l = 0; l < p; ++l) {
                        const Count a = positive[l], c = negative[l];
                        if (a < fewest || !may[l] || a + c == 0) continue;
                        if (a == parent.positive && c == parent.negative && size > 1) continue;
                        const auto id = static_cast<std::int32_t>(l);
                        const auto from = static_cast<std::int32_t>(first + b);
                        const double literal_prior = parent_prior + prior.of_literal(id);
                        const double bound =
                            literal_prior + prior.of_size(size) + likelihood.bound(rest.positive + a, rest.negative + c);
                        if (bound > best.score) contenders[t].offer({bound, from, id, a, c});
                        // Could a longer term from here still win?
                        if (c > 0 && literal_prior + ahead + hope[a] > best.score)
                            children[t].offer({rank(a, c), from, id, a, c});
                    }
                }
            }
        });
        for (std::size_t t = 1; t < threads; ++t) {
            children[0].take_in(children[t]);
            contenders[0].take_in(contenders[t]);
        }
        // The bound is above the exact score, so the first allowed contenders decide.
        for (const Candidate& c : contenders[0].sorted()) {
            if (c.rank <= best.score) break;
            Term term = beam[c.parent].term;
            term.insert(std::lower_bound(term.begin(), term.end(), c.literal), c.literal);
            const double score = state.score_with(without, term);
            if (score > best.score) best = {term, score};
        }
        std::vector<Partial> next;
        for (const Candidate& c : children[0].sorted()) {
            Term term = beam[c.parent].term;
            term.insert(std::lower_bound(term.begin(), term.end(), c.literal), c.literal);
            next.push_back({std::move(term), c.positive, c.negative});
        }
        // The same set is reached once from each of its literals; keep the first.
        std::vector<std::size_t> order(next.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t x, std::size_t y) { return next[x].term < next[y].term; });
        std::vector<std::uint8_t> repeated(next.size(), 0);
        for (std::size_t i = 1; i < order.size(); ++i)
            repeated[order[i]] = next[order[i]].term == next[order[i - 1]].term;
        beam.clear();
        for (std::size_t i = 0; i < next.size() && beam.size() < width; ++i)
            if (!repeated[i]) beam.push_back(std::move(next[i]));
    }
    if (best.term.empty()) best.score = -INFINITY;
    return best;
}

}  // namespace bayesdnf
