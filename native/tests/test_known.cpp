#include "sampling/known.hpp"

#include <cmath>
#include <stdexcept>

#include "tests/check.hpp"
#include "tests/small_problem.hpp"

using namespace bayesdnf;

namespace {

// Different states of a problem, the null function first.
std::vector<State> different_states(const Problem& problem, std::size_t n, Philox& rng) {
    std::vector<State> states{State(*problem.posterior)};
    while (states.size() < n) {
        const State state = problem.random_state(rng);
        const auto same = [&](const State& s) { return s.canonical() == state.canonical(); };
        if (std::none_of(states.begin(), states.end(), same)) states.push_back(state);
    }
    return states;
}

}  // namespace

TEST(a_jump_draws_from_the_tempered_posterior_wherever_it_begins) {
    for (std::uint64_t seed = 1; seed < 9; ++seed) {
        const Problem problem(seed, 4, true, kKinds[seed % 4]);
        Philox rng({seed, 1});
        const std::vector<State> states = different_states(problem, 5, rng);
        std::vector<State> listed = states;
        listed.push_back(states[2]);  // a second time, which must not count
        const KnownFunctions known(listed);
        // Hot, so that every function is drawn often enough to be compared.
        const Heat heat{0.1 * static_cast<double>(seed), 0.02};
        std::vector<double> share;
        double sum = 0;
        for (const State& s : states)
            sum += std::exp(heat.prior * s.value().prior + heat.likelihood * s.value().likelihood);
        for (const State& s : states)
            share.push_back(
                std::exp(heat.prior * s.value().prior + heat.likelihood * s.value().likelihood) /
                sum);
        constexpr int kDraws = 20000;
        for (const State& start : {states.front(), states.back()}) {
            std::vector<int> drawn(states.size(), 0);
            for (int i = 0; i < kDraws; ++i) {
                State state = start;
                const bool changed = known.jump(state, heat, rng);
                CHECK(changed == (state.canonical() != start.canonical()));
                for (std::size_t k = 0; k < states.size(); ++k)
                    drawn[k] += state.canonical() == states[k].canonical();
            }
            for (std::size_t k = 0; k < states.size(); ++k)
                CHECK_CLOSE(drawn[k] / double{kDraws}, share[k],
                            6 * std::sqrt(share[k] / kDraws) + 1e-12);
        }
    }
}

TEST(a_jump_from_an_unknown_function_draws_nothing) {
    const Problem problem(2, 4);
    Philox rng({1, 2});
    std::vector<State> states = different_states(problem, 4, rng);
    const State unknown = states.back();
    states.pop_back();
    const KnownFunctions known(states);
    State state = unknown;
    Philox before = rng;
    CHECK(!known.jump(state, {1, 1}, rng));
    CHECK(state.canonical() == unknown.canonical());
    CHECK(rng.next() == before.next());
    CHECK(!KnownFunctions().jump(state, {1, 1}, rng));
}

TEST(a_function_outside_the_support_cannot_be_known) {
    const Problem problem(2, 4);
    bool refused = false;
    try {
        // The second term is implied by the first, which antichains rule out.
        const KnownFunctions known({State(*problem.posterior, {{0}, {0, 1}})});
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused);
}
