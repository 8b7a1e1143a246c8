#include <algorithm>
#include <cmath>
#include <map>

#include "search/beam.hpp"
#include "search/hunt.hpp"
#include "tests/check.hpp"
#include "tests/small_problem.hpp"

using namespace bayesdnf;

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

TEST(terms_that_are_added_together_may_lose_on_the_way_and_never_in_the_end) {
    std::size_t through_less = 0;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const Problem problem(seed, 6, seed % 8 != 0, kKinds[seed / 2 % 4]);
        Philox rng({seed, 5});
        const State start = problem.random_state(rng);
        if (!start.value().allowed()) continue;
        double before = start.score();
        for (std::size_t depth = 1; depth <= 3; ++depth) {
            State state = start;
            add_terms_together(state, {64, depth, 5, 20.0}, Never());
            CHECK(state.score() >= before);  // what fewer terms come to is among it
            CHECK(state.value().allowed());
            CHECK(state.size() <= start.size() + depth);
            CHECK(state.score() ==
                  State(*problem.posterior, state.terms(), state.layers()).score());
            if (depth == 1) {
                const Grown one = grow_anywhere(start, kNone, 64, start.score(), Never());
                CHECK(state.score() == std::max(start.score(), one.score));
            } else if (state.score() > before) {
                State step_by_step = start;
                add_terms(step_by_step, 64, Never());
                through_less += step_by_step.score() < state.score() - kRounding;
            }
            before = state.score();
        }
        State state = start;
        add_terms_together(state, {64, 3, 5, 0.0}, Never());  // each must help
        State greedy = start;
        add_terms_together(greedy, {64, 3, 1, 0.0}, Never());
        CHECK(state.score() >= greedy.score());
        StopFlag stop;
        stop.raise();
        state = start;
        add_terms_together(state, {64, 3, 5, 20.0}, stop);
        CHECK(state.terms() == start.terms());
    }
    CHECK(through_less > 0);
}

TEST(terms_that_were_added_together_before_a_stop_are_kept) {
    std::size_t better = 0;
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const Problem problem(seed, 6, true, kKinds[seed % 4]);
        const State start(*problem.posterior);
        const After never(SIZE_MAX);
        State one = start;
        add_terms_together(one, {64, 1, 5, 20.0}, never);
        better += one.score() > start.score();
        const After first(never.asked());  // while a second term is looked for
        State state = start;
        add_terms_together(state, {64, 3, 5, 20.0}, first);
        CHECK(state.score() == one.score());
        double before = start.score();
        for (std::size_t asked = 0; asked < 60; ++asked) {
            state = start;
            add_terms_together(state, {64, 3, 5, 20.0}, After(asked));
            CHECK(state.score() >= before);
            CHECK(state.value().allowed());
            before = state.score();
        }
    }
    CHECK(better > kSeeds / 4);
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
