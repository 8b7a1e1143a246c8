#include <cmath>
#include <vector>

#include "sampling/chain.hpp"
#include "sampling/growth.hpp"
#include "tests/check.hpp"
#include "tests/small_problem.hpp"

using namespace bayesdnf;

namespace {

// Individuals of a small problem; a row that counts three times is three of them.
Individuals people_of(const Problem& problem, std::uint64_t seed) {
    const std::size_t n = 2 * problem.strata;
    std::vector<Count> counts;
    std::vector<std::size_t> rows, offsets{0};
    for (std::size_t s = 0; s < n; ++s) {
        rows.push_back(s < problem.strata ? 50 : 40);
        offsets.push_back(s + 1);
        for (std::size_t i = 0; i < rows.back() && seed % 4 == 1; ++i)
            counts.push_back(1 + 2 * static_cast<Count>(problem.weights[n + s] >> i & 1));
    }
    return Individuals(problem.view, rows, offsets, counts, rows.size() / 2);
}

// Probability that a term comes out of growing, over all orders of its literals.
double grown(const State& state, std::vector<std::int32_t>& order, std::size_t from, double power) {
    const auto path = [&] {
        double log_path = 0;
        Term partial;
        Growth growth;
        for (const std::int32_t l : order) {
            growth.look(state, kNone, kFirstLayer, partial, {1, 1}, power);
            log_path += growth.log_probability(static_cast<std::size_t>(l));
            partial = with(partial, l);
        }
        growth.look(state, kNone, kFirstLayer, partial, {1, 1}, power);
        return std::exp(log_path + growth.log_stop());
    };
    if (from == order.size()) return path();
    double sum = 0;
    for (std::size_t i = from; i < order.size(); ++i) {
        std::swap(order[from], order[i]);
        sum += grown(state, order, from + 1, power);
        std::swap(order[from], order[i]);
    }
    return sum;
}

}  // namespace

TEST(terms_from_rows_have_the_probability_they_are_drawn_with) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        const Problem problem(seed, 5, true, {1, 1 + seed % 2});
        const Individuals people = people_of(problem, seed);
        const RowTerms rows(problem.view, people);
        RowTerms::Room room;
        const auto terms = all_terms(5);
        std::vector<Word> mask(problem.view.n_words());
        std::vector<int> drawn(terms.size(), 0);
        constexpr int kDraws = 100000;
        Philox rng({seed, 1});
        for (int i = 0; i < kDraws; ++i) {
            const Term term = rows.draw(rng, room);
            for (std::size_t t = 0; t < terms.size(); ++t) drawn[t] += terms[t] == term;
        }
        double total = 0;
        for (std::size_t t = 0; t < terms.size(); ++t) {
            problem.view.term_mask(mask.data(), terms[t]);
            const double q = std::exp(rows.log_probability(terms[t], mask.data(), room));
            total += q;
            CHECK_CLOSE(drawn[t] / double{kDraws}, q, 6 * std::sqrt(q / kDraws) + 1e-12);
        }
        CHECK(total <= 1 + 1e-12);
    }
}

TEST(probabilities_of_grown_terms_sum_to_one) {
    for (std::uint64_t seed = 0; seed < 24; ++seed) {
        const Problem problem(seed, 4);
        Philox rng({seed, 2});
        const State state = problem.random_state(rng);
        for (const double power : {0.0, 0.5, 1.0}) {
            double sum = 0;
            for (Term term : all_terms(4)) {
                // Only what literals may make up, one by one.
                bool possible = true;
                std::vector<std::uint8_t> may(4);
                Term partial;
                for (const std::int32_t l : term) {
                    problem.support->addable(partial, state.spans(), may.data());
                    possible = possible && may[static_cast<std::size_t>(l)];
                    partial.push_back(l);
                }
                if (possible) sum += grown(state, term, 0, power);
            }
            CHECK_CLOSE(sum, 1, 1e-6);  // quick_exp
        }
    }
}

TEST(a_chain_cut_into_pieces_is_the_same_chain) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
        const Problem problem(seed, 5, true, kKinds[seed % 4]);
        const Individuals people = people_of(problem, seed);
        const ChainProblem shared{*problem.posterior, RowTerms(problem.view, people)};
        ChainSettings settings;
        settings.mix.fill(1.0 / kMoves);
        if (seed % 2) settings.betas = {1.0, 0.4, 0.0};
        Philox rng({seed, 3});
        const State start = problem.random_state(rng);
        const std::vector<std::vector<Term>> starts(settings.betas.size(), start.terms());
        const std::vector<std::vector<std::int32_t>> layers(starts.size(), start.layers());
        Chain whole(shared, settings, starts, layers, Philox({seed, 4}));
        const Record all = whole.advance(997, 10, Never());
        CHECK(all.draws.size() == 99);
        std::vector<std::vector<Term>> now = starts;
        std::vector<std::vector<std::int32_t>> now_in = layers;
        Philox stream({seed, 4});
        std::uint64_t step = 0;
        std::size_t n_draws = 0;
        for (const std::uint64_t steps : {1u, 500u, 9u, 487u}) {
            Chain piece(shared, settings, now, now_in, stream, step);
            n_draws += piece.advance(steps, 10, Never()).draws.size();
            for (std::size_t r = 0; r < now.size(); ++r) {
                now[r] = piece.states()[r].terms();
                now_in[r] = piece.states()[r].layers();
            }
            stream = Philox::resume(piece.rng().key(), piece.rng().counter(), piece.rng().used());
            step = piece.step();
        }
        CHECK(n_draws == 99);
        for (std::size_t r = 0; r < now.size(); ++r) {
            CHECK(now[r] == whole.states()[r].terms());
            CHECK(now_in[r] == whole.states()[r].layers());
        }
        for (const State& s : whole.states()) CHECK(s.value().allowed());
    }
}

TEST(a_start_outside_the_support_is_refused) {
    const Problem problem(0, 5);
    const Individuals people = people_of(problem, 0);
    const ChainProblem shared{*problem.posterior, RowTerms(problem.view, people)};
    bool refused = false;
    try {
        Chain(shared, ChainSettings{}, {{{0}, {0, 1}}}, {{1, 1}}, Philox({1, 1}));
    } catch (const std::invalid_argument&) {
        refused = true;
    }
    CHECK(refused);
}

TEST(lists_can_be_drawn_where_there_are_no_rows) {
    const std::vector<Word> none(1);
    const BitView view(none.data(), 0, 0, {0, 0, 0}, {0, 0}, nullptr, 0, {}, simd());
    Rules rules;
    rules.max_layers = 2;
    const Support support(rules, {});
    const Posterior posterior(view, support, FunctionPrior({-0.5}, {-INFINITY}, {}, 2),
                              Effect{1, 1, 1, 1, 1, 1, false});
    const Individuals people(view, {0, 0}, {0, 0, 0}, {}, 1);
    const ChainProblem shared{posterior, RowTerms(view, people)};
    ChainSettings settings;
    settings.mix.fill(1.0 / kMoves);
    const Record record =
        Chain(shared, settings, {{}}, {{}}, Philox({1, 1})).advance(50, 1, Never());
    CHECK(record.draws.size() == 50);
    CHECK(record.functions.size() == 1);
}
