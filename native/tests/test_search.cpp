#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <tuple>

#include "search/beam.hpp"
#include "search/hunt.hpp"
#include "search/recombine.hpp"
#include "search/neighbours.hpp"
#include "tests/check.hpp"
#include "tests/small_problem.hpp"

using namespace bayesdnf;

namespace {

// Literals in one of the terms but not in both.
std::size_t difference(const Term& a, const Term& b) {
    Term out;
    std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
    return out.size();
}

bool one_literal_change(const Term& from, const Term& to) {
    const std::size_t d = difference(from, to);
    return d == 1 || (d == 2 && from.size() == to.size());
}

constexpr std::uint64_t kSeeds = 40;
constexpr double kRounding = 1e-9;

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

TEST(changes_hold_every_allowed_one_literal_change_once_and_bound_it) {
    std::size_t seen = 0;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const Problem problem(seed, 6, true, kKinds[seed % 4]);
        Philox rng({seed, 1});
        for (int repeat = 0; repeat < 10; ++repeat) {
            const State state = problem.random_state(rng);
            for (std::size_t i = 0; i < state.size(); ++i) {
                const Term& term = state.terms()[i];
                std::vector<Change> changes;
                Extensions extensions;
                changes_of_term(state, i, -INFINITY, extensions, changes);
                std::set<Term> reached;
                for (const Change& change : changes) {
                    const Term next = changed(term, change);
                    CHECK(!next.empty());
                    CHECK(one_literal_change(term, next));
                    CHECK(reached.insert(next).second);
                    CHECK(change.bound >= state.score_with(i, next) - kRounding);
                    ++seen;
                }
                for (const Term& next : all_terms(6))
                    if (one_literal_change(term, next) && state.value_with(i, next).allowed())
                        CHECK(reached.count(next) == 1);
            }
        }
    }
    CHECK(seen > 1000);
}

// Rows that a term would mark beside others.
static Count open_rows(const BitView& view, const State& others, const Term& term) {
    std::vector<Word> open(view.n_words()), marked(view.n_words());
    view.term_mask(open.data(), term);
    for (const Term& other : others.terms()) {
        view.term_mask(marked.data(), other);
        for (std::size_t w = 0; w < open.size(); ++w) open[w] &= ~marked[w];
    }
    return view.count_all(open.data());
}

TEST(growing_terms_leaves_out_literals_that_take_no_open_row_or_all) {
    std::size_t seen = 0;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const Problem problem(seed, 6);
        Philox rng({seed, 2});
        const State state = problem.random_state(rng);
        Extensions extensions;
        std::vector<double> kept, grown;
        for (const Term& base : all_terms(6)) {
            const auto bounds = [&](Idle idle, std::vector<double>& out) {
                extension_bounds(state, kNone, state.places()[0], base, {1, 1}, idle, extensions,
                                 out);
            };
            bounds(Idle::kept, kept);
            bounds(Idle::left_out, grown);
            const Count before = open_rows(problem.view, state, base);
            for (std::int32_t l = 0; l < 6; ++l) {
                const Count after = open_rows(problem.view, state, with(base, l));
                const std::size_t i = as_index(l);
                CHECK(grown[i] == (after > 0 && after < before ? kept[i] : -INFINITY));
                seen += grown[i] != kept[i];
            }
            CHECK(grown[6] == kept[6]);
        }
    }
    CHECK(seen > 100);
}

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

TEST(polish_never_lowers_the_score_and_ends_at_a_local_optimum) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const Problem problem(seed, 6, seed % 8 != 0, kKinds[seed / 2 % 4]);
        Philox rng({seed, 3});
        for (int repeat = 0; repeat < 10; ++repeat) {
            State state = problem.random_state(rng);
            const double before = state.score();
            polish(state, Never());
            CHECK(state.score() >= before);
            CHECK(state.value().allowed());
            for (std::size_t i = 0; i < state.size(); ++i) {
                CHECK(state.score_with(i, {}) <= state.score() + kRounding);
                for (const Term& next : all_terms(6))
                    if (one_literal_change(state.terms()[i], next))
                        CHECK(state.score_with(i, next) <= state.score() + kRounding);
            }
        }
    }
}

TEST(rebuild_never_lowers_the_score_and_wide_ends_where_no_single_term_helps) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const Problem problem(seed, 6, true, kKinds[seed % 4]);
        Philox rng({seed, 4});
        for (int repeat = 0; repeat < 5; ++repeat) {
            const State start = problem.random_state(rng);
            for (const std::size_t width : {1u, 1000u}) {
                State state = start;
                rebuild(state, width, Never());
                CHECK(state.score() >= start.score());
                CHECK(state.value().allowed());
                // The score kept is that of the terms.
                CHECK(state.score() ==
                      State(*problem.posterior, state.terms(), state.layers()).score());
                if (width == 1 || !problem.posterior->simple()) continue;
                for (const Term& term : all_terms(6)) {
                    CHECK(state.score_with(kNone, term) <= state.score() + kRounding);
                    for (std::size_t i = 0; i < state.size(); ++i)
                        CHECK(state.score_with(i, term) <= state.score() + kRounding);
                }
            }
        }
    }
}

TEST(a_restart_depends_on_its_settings_its_start_and_its_stream_only) {
    const Problem problem(2, 6);
    const HuntSettings free{.steps = 300, .hottest = 0.05, .width = 4};
    HuntSettings tilted = free;
    tilted.pi0 = 0.2;
    tilted.pi1 = 0.95;
    const StopFlag stop;
    for (std::uint64_t key = 0; key < 5; ++key)
        for (const HuntSettings& settings : {free, tilted})
            for (const std::vector<Term>& start : {std::vector<Term>{}, {{0}, {1, 2}}}) {
                const State from(*problem.posterior, start);
                const Restarted found =
                    restart(*problem.posterior, settings, from, Philox({key, 0}), stop);
                const Restarted again =
                    restart(*problem.posterior, settings, from, Philox({key, 0}), stop);
                const State& first = found.end;
                CHECK(first.terms() == again.end.terms());
                CHECK(first.score() == again.end.score());
                CHECK(found.met == again.met);
                CHECK(found.met.empty() || !std::isnan(settings.pi0));
                // Known rates are for the way there: the score is that of the posterior itself.
                CHECK(first.score() == State(*problem.posterior, first.terms()).score());
                CHECK(first.value().allowed());
            }
}

TEST(a_raised_flag_ends_everything_at_once) {
    const Problem problem(2, 6);
    StopFlag stop;
    stop.raise();
    State state(*problem.posterior);
    rebuild(state, 8, stop);
    polish(state, stop);
    CHECK(state.size() == 0);
    const HuntSettings endless{.steps = 1000000000};
    CHECK(restart(*problem.posterior, endless, state, Philox({1, 1}), stop).end.size() == 0);
}

TEST(recombining_ends_where_no_exchange_helps) {
    std::size_t better = 0;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const Problem problem(seed, 6);
        Philox rng({seed, 3});
        const std::vector<Term> pool = all_terms(6);
        State state = problem.random_state(rng);
        const double before = state.score();
        recombine(state, pool, StopFlag());
        CHECK(state.score() >= before);
        CHECK(state.score() == State(*problem.posterior, state.terms()).score());
        better += state.score() > before;
        // The pool holds every term, so one term in or for another is all of the neighbourhood.
        for (const Term& term : pool) {
            CHECK(state.score_with(kNone, term) <= state.score() + kRounding);
            for (std::size_t i = 0; i < state.size(); ++i)
                CHECK(state.score_with(i, term) <= state.score() + kRounding);
        }
        for (std::size_t i = 0; i < state.size(); ++i)
            for (std::size_t j = i + 1; j < state.size(); ++j)
                for (const Term& term : pool) {
                    const std::size_t out[] = {i, j};
                    CHECK(state.value_with(out, {&term, 1}, {&kFirstLayer, 1}).total() <=
                          state.score() + kRounding);
                }
    }
    CHECK(better > kSeeds / 2);
}

TEST(a_start_is_made_allowed) {
    for (const Kind kind : kKinds) {
        std::size_t several = 0;
        for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
            if (seed % 7 == 0) continue;  // terms of one literal are not allowed
            const Problem problem(seed, 6, true, kind);
            Philox rng({seed, 4});
            // Terms of two functions or lists, and one that is absorbed in any case.
            std::vector<Term> terms{{0}};
            std::vector<std::int32_t> layers{1};
            for (const State& state : {problem.random_state(rng), problem.random_state(rng)}) {
                terms.insert(terms.end(), state.terms().begin(), state.terms().end());
                layers.insert(layers.end(), state.layers().begin(), state.layers().end());
            }
            terms.push_back({0, 1});
            layers.push_back(1);
            State state(*problem.posterior, terms, layers);
            CHECK(!state.value().allowed());
            make_allowed(state);
            CHECK(state.value().allowed());
            CHECK(state.terms().front() == Term{0});  // the first of those that exclude each other
            several += state.size() > 1;
            // No term goes without a reason, and none to another layer.
            std::map<std::int32_t, std::int32_t> now;  // layer by the one it was
            for (std::size_t i = 0; i < terms.size(); ++i) {
                const auto& kept = state.terms();
                const auto place = std::ranges::find(kept, terms[i]);
                if (place == kept.end()) {
                    if (!now.contains(layers[i])) continue;
                    const Height height = height_of(now.at(layers[i]));
                    CHECK(!state.value_with(kNone, terms[i], height).allowed());
                    continue;
                }
                const std::int32_t layer = state.layers()[as_index(place - kept.begin())];
                if (std::ranges::count(terms, terms[i]) == 1)
                    CHECK(now.try_emplace(layers[i], layer).first->second == layer);
            }
            CHECK(std::ranges::is_sorted(now, {}, [](const auto& pair) { return pair.second; }));
        }
        CHECK(several > kSeeds / 4);
    }
}

TEST(two_terms_may_stand_beside_each_other_if_the_support_allows_both) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const Problem problem(seed, 6);
        const Support& support = problem.posterior->support();
        const std::vector<std::int32_t> layers{1, 1};
        const std::vector<Count> covers{1000, 1000};
        for (const Term& a : all_terms(6))
            for (const Term& b : all_terms(6)) {
                const std::vector<LiteralIds> both{a, b};
                // The first two are taken to be allowed alone, so only the pair is looked at.
                const std::vector<LiteralIds> one{a}, other{b};
                if (support.check(one, {layers.data(), 1}, covers, 1) != Verdict::allowed ||
                    support.check(other, {layers.data(), 1}, covers, 1) != Verdict::allowed)
                    continue;
                CHECK((support.beside(a, b) == Verdict::allowed) ==
                      (support.check(both, layers, covers, 1) == Verdict::allowed));
            }
    }
}
