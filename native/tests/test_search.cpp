#include <algorithm>
#include <cmath>
#include <set>

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
