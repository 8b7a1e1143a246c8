#include <set>

#include "search/neighbours.hpp"
#include "tests/check.hpp"
#include "tests/small_problem.hpp"

using namespace bayesdnf;

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
