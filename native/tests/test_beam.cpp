#include <algorithm>
#include <cmath>
#include <tuple>

#include "search/beam.hpp"
#include "search/opening.hpp"
#include "tests/check.hpp"
#include "tests/small_problem.hpp"

using namespace bayesdnf;

namespace {

// 60 positives and 50 negatives of 150 columns that are true half of the time, some of them more
// often in positives; sometimes weighted literals, unordered or known rates.
struct WideProblem {
    static constexpr std::size_t kColumns = 150;
    std::vector<Word> planes;
    BitView view;
    Support support;
    Posterior posterior;

    explicit WideProblem(std::uint64_t seed)
        : planes(make(seed)),
          view(planes.data(), 2, kColumns, {0, 1, 2}, {60, 50}, nullptr, 0, literals(), simd()),
          support(Rules{}, meanings()),
          posterior(view, support, prior(seed), effect(seed)) {}

    static std::vector<Word> make(std::uint64_t seed) {
        Philox rng({seed, 47});
        std::vector<Word> words = random_words(rng, 2 * kColumns);
        for (std::size_t j = 0; j < kColumns; ++j) {
            if (j % 10 == 0) words[2 * j] |= rng.next();
            words[2 * j] &= (Word{1} << 60) - 1;
            words[2 * j + 1] &= (Word{1} << 50) - 1;
        }
        return words;
    }
    static std::vector<LiteralSource> literals() {
        std::vector<LiteralSource> out;
        for (std::int32_t l = 0; as_index(l) < kColumns; ++l) out.push_back({l, -1, false});
        return out;
    }
    static std::vector<LiteralMeaning> meanings() {
        std::vector<LiteralMeaning> out;
        for (std::int32_t l = 0; as_index(l) < kColumns; ++l)
            out.push_back({l, 0, l, Operator::equal});
        return out;
    }
    static FunctionPrior prior(std::uint64_t seed) {
        std::vector<std::int64_t> weights;
        if (seed % 3 == 0)
            for (std::size_t l = 0; l < kColumns; ++l)
                weights.push_back((static_cast<Count>(l) % 3 - 1) * (Count{1} << 31));
        return FunctionPrior({-0.5, -1, -2, -3}, {-INFINITY, -2, -4, -6, -8, -10}, weights);
    }
    static Effect effect(std::uint64_t seed) {
        Effect out;
        out.ordered = seed % 4 != 1;
        if (seed % 4 == 2) {
            out.pi0 = 0.2;
            out.pi1 = 0.8;
            out.null_apart = false;
        }
        return out;
    }
};

// The slow twin of grow_term, in one layer and without strata: every extension of every partial
// term is counted, judged and sorted.
Grown slow_beam(const State& state, std::size_t without, std::size_t width, double floor) {
    const Posterior& posterior = state.posterior();
    const BitView& view = posterior.view();
    const FunctionPrior& prior = posterior.prior();
    const Likelihood& likelihood = posterior.likelihood();
    const std::size_t p = view.n_literals();
    Opening opening;
    opening.look(state, without, kFirstLayer);
    const auto hope = [&](Count positives) {
        double best = -INFINITY;
        for (Count a = 0; a <= (likelihood.ordered() ? positives : opening.open().positive); ++a)
            best = std::max(
                best, likelihood.bound(opening.marked().positive + a, opening.marked().negative));
        if (likelihood.ordered()) return best;
        return std::max(best,
                        likelihood.bound(opening.marked().positive,
                                         opening.marked().negative + opening.open().negative));
    };
    double heaviest = 0;
    for (std::size_t l = 0; l < p; ++l)
        heaviest = std::max(heaviest, prior.of_literal(static_cast<std::int32_t>(l)));
    struct Extended {
        double rank;
        std::size_t parent;
        std::int32_t literal;
        Term term;
        auto order() const { return std::tuple(-rank, parent, literal); }
    };
    const auto by_rank = [](const Extended& x, const Extended& y) { return x.order() < y.order(); };
    const auto taken = [&](const Term& term) {
        std::vector<Word> rows(view.n_words());
        view.term_mask(rows.data(), term);
        opening.open_rows(rows.data(), rows.data());
        return posterior.count(rows.data());
    };
    Grown best;
    best.score = floor;
    std::vector<Term> partials{{}};
    double level = -INFINITY;
    std::size_t falls = 0;
    for (std::size_t size = 1; size <= p && !partials.empty(); ++size) {
        std::vector<Extended> contenders, children;
        double highest = -INFINITY;
        for (std::size_t i = 0; i < partials.size(); ++i) {
            const MarkedCounts parent = taken(partials[i]);
            std::vector<std::uint8_t> may(p);
            posterior.support().addable(partials[i], state.spans(without), may.data());
            double parent_prior = opening.others_prior();
            for (const std::int32_t l : partials[i]) parent_prior += prior.of_literal(l);
            const double ahead = prior.reach(size + 1) + 4 * heaviest;
            const double wanted =
                best.score - (parent_prior + heaviest + std::max(prior.of_size(size), ahead));
            for (std::int32_t l = 0; as_index(l) < p; ++l) {
                const Term term = with(partials[i], l);
                const MarkedCounts marked = taken(term);
                const Count counts[] = {marked.positive, marked.negative};
                const Count all = counts[0] + counts[1];
                if (!may[as_index(l)] || all == 0 || !(hope(counts[0]) > wanted)) continue;
                if (size > 1 && all == parent.positive + parent.negative) continue;
                const double literal_prior = parent_prior + prior.of_literal(l);
                const double bound =
                    literal_prior + prior.of_size(size) + opening.bound({counts, 2, 1});
                highest = std::max(highest, bound);
                contenders.push_back({bound, i, l, term});
                if (counts[1] > 0 && hope(counts[0]) > best.score - literal_prior - ahead)
                    children.push_back({opening.separation({counts, 2, 1}), i, l, term});
            }
        }
        std::sort(contenders.begin(), contenders.end(), by_rank);
        for (const Extended& c : contenders) {
            if (c.rank <= best.score) break;
            if (const double score = state.score_with(without, c.term); score > best.score) {
                best.term = c.term;
                best.score = score;
            }
        }
        falls = highest < level && !(prior.reach(size + 1) > prior.of_size(size)) ? falls + 1 : 0;
        if (falls > 1) break;
        level = highest;
        std::sort(children.begin(), children.end(), by_rank);
        if (children.size() > width * size) children.resize(width * size);
        partials.clear();
        for (const Extended& c : children)
            if (partials.size() < width &&
                std::find(partials.begin(), partials.end(), c.term) == partials.end())
                partials.push_back(c.term);
    }
    if (best.term.empty()) best.score = -INFINITY;
    return best;
}

}  // namespace

TEST(a_beam_that_keeps_everything_finds_the_best_term) {
    std::size_t compared = 0, missed = 0;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed)
        for (const std::int32_t p : {3, 6}) {
            const Problem problem(seed, p, true, kKinds[seed % 4]);
            Philox rng({seed, 2});
            for (int repeat = 0; repeat < 5; ++repeat) {
                const State state = problem.random_state(rng);
                for (std::size_t without = 0; without <= state.size(); ++without) {
                    const std::size_t out = without == state.size() ? kNone : without;
                    double best = -INFINITY;
                    for (const Height height : state.places(out))
                        for (const Term& term : all_terms(static_cast<std::size_t>(p)))
                            best = std::max(best, state.score_with(out, term, height));
                    const double now = std::max(state.score(), state.score_with(out, {}));
                    const Grown grown = grow_anywhere(state, out, 1000, now, Never());
                    if (best <= now) {
                        CHECK(grown.term.empty());
                        continue;
                    }
                    ++compared;
                    missed += grown.score < best - kRounding;
                    // In several layers it may give up too early.
                    CHECK(missed == 0 || state.posterior().prior().layers() > 1);
                    CHECK(grown.score <= best + kRounding);
                    CHECK(grown.term.empty() ||
                          grown.score == state.score_with(out, grown.term, grown.height));
                    // Asked only for something better than the best, it finds nothing.
                    CHECK(grow_anywhere(state, out, 1000, best + kRounding, Never()).term.empty());
                }
            }
        }
    CHECK(compared > 100);
    CHECK(50 * missed <= compared);
}

TEST(a_beam_grows_what_its_slow_twin_grows) {
    std::size_t grown_any = 0;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const WideProblem problem(seed);
        State state(problem.posterior);
        for (std::size_t step = 0; step < 2; ++step) {
            const std::size_t width = std::size_t{1} << (seed + step) % 4;
            for (const double floor : {-double{INFINITY}, state.score()}) {
                const Grown slow = slow_beam(state, kNone, width, floor);
                const Grown grown = grow_term(state, kNone, kFirstLayer, width, floor, Never());
                CHECK(grown.term == slow.term);
                CHECK(grown.score == slow.score);
                grown_any += !grown.term.empty();
                if (step == 0 && !slow.term.empty()) state = State(problem.posterior, {slow.term});
            }
        }
    }
    CHECK(grown_any > kSeeds);
}
