#include "search/recombine.hpp"
#include "tests/check.hpp"
#include "tests/small_problem.hpp"

using namespace bayesdnf;

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
