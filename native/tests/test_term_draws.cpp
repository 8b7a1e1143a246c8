#include "sampling/term_draws.hpp"

#include <cmath>

#include "tests/check.hpp"
#include "tests/small_problem.hpp"

using namespace bayesdnf;

namespace {

constexpr int kDraws = 100000;

double close_to(double share) { return 6 * std::sqrt(share / kDraws) + 1e-12; }

}  // namespace

TEST(any_term_has_the_probability_it_is_drawn_with) {
    const PlainTerms plain(4);
    const auto terms = all_terms(4);
    Philox rng({1, 1});
    std::vector<int> drawn(terms.size(), 0);
    int none = 0;
    for (int i = 0; i < kDraws; ++i) {
        const Term term = plain.draw(rng);
        none += term.empty();
        for (std::size_t t = 0; t < terms.size(); ++t) drawn[t] += terms[t] == term;
    }
    double total = 0;
    for (std::size_t t = 0; t < terms.size(); ++t) {
        const double share = std::exp(plain.log_probability(terms[t]));
        total += share;
        CHECK_CLOSE(drawn[t] / double{kDraws}, share, close_to(share));
    }
    // Sizes past p, with probability 2^-p, give no term.
    CHECK_CLOSE(total, 1 - std::exp2(-4), 1e-12);
    CHECK_CLOSE(none / double{kDraws}, std::exp2(-4), close_to(std::exp2(-4)));
}

TEST(listed_terms_are_drawn_by_their_weights_equal_ones_together) {
    // Not sorted, one of them twice.
    const std::vector<Term> terms{{2, 3}, {0}, {1, 4}, {0}, {0, 1}};
    const std::vector<double> weights{0.5, 1, 2, 3, 0.25};
    const ListedTerms listed(terms, weights);
    CHECK(!listed.empty());
    CHECK(ListedTerms().empty());
    const std::vector<std::pair<Term, double>> wanted{
        {{0}, 4 / 6.75}, {{0, 1}, 0.25 / 6.75}, {{1, 4}, 2 / 6.75}, {{2, 3}, 0.5 / 6.75}};
    Philox rng({1, 2});
    std::vector<int> drawn(wanted.size(), 0);
    for (int i = 0; i < kDraws; ++i) {
        const Term& term = listed.draw(rng);
        for (std::size_t k = 0; k < wanted.size(); ++k) drawn[k] += wanted[k].first == term;
    }
    for (std::size_t k = 0; k < wanted.size(); ++k) {
        const auto& [term, share] = wanted[k];
        CHECK_CLOSE(listed.log_probability(term), std::log(share), 1e-12);
        CHECK_CLOSE(drawn[k] / double{kDraws}, share, close_to(share));
    }
    for (const Term& other : {Term{}, Term{1}, Term{0, 2}, Term{9}})
        CHECK(listed.log_probability(other) == -INFINITY);
}
