#include "search/anneal.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/check.hpp"
#include "tests/random_bits.hpp"
#include "tests/stops.hpp"

using namespace bayesdnf;

namespace {

constexpr std::size_t kPlanes = 70, kPositive = 100, kNegative = 130;

// A table of 70 literals, every third a complement, over rows in two segments of two and three
// words; and what it takes to score functions on it as the paper does.
struct World {
    std::vector<std::size_t> rows{kPositive, kNegative}, offsets{0, 2, 5};
    std::vector<Word> planes;
    std::vector<LiteralSource> literals;
    std::vector<LiteralMeaning> meanings;
    BitView view;
    Support support;
    Posterior posterior;
    Individuals people;

    explicit World(Rules rules = {false, true, false, 0})
        : planes(random_planes()),
          literals(sources()),
          view(planes.data(), 5, kPlanes, offsets, rows, nullptr, 0, literals, simd()),
          support(rules, alone()),
          posterior(view, support, prior(), {}),
          people(view, rows, offsets, {}, 1) {}

    static std::vector<Word> random_planes() {
        Philox rng({1, 2});
        std::vector<Word> words = random_words(rng, 5 * kPlanes), keep(5);
        fill_ones(keep.data(), kPositive, 2);
        fill_ones(keep.data() + 2, kNegative, 3);
        for (std::size_t i = 0; i < words.size(); ++i) words[i] &= keep[i % 5];
        return words;
    }
    static std::vector<LiteralSource> sources() {
        std::vector<LiteralSource> out;
        for (std::int32_t j = 0; j < static_cast<std::int32_t>(kPlanes); ++j)
            out.push_back({j, -1, j % 3 == 0});
        return out;
    }
    static std::vector<LiteralMeaning> alone() {
        std::vector<LiteralMeaning> out;
        for (std::int32_t j = 0; j < static_cast<std::int32_t>(kPlanes); ++j)
            out.push_back({j, 0, j, Operator::equal});
        return out;
    }
    static FunctionPrior prior() {
        std::vector<double> count(300), size(kPlanes + 1);
        for (std::size_t m = 0; m < count.size(); ++m) count[m] = -0.5 * static_cast<double>(m);
        for (std::size_t k = 0; k < size.size(); ++k) size[k] = -0.25 * static_cast<double>(k);
        return FunctionPrior(count, size, {});
    }
    AnnealProblem problem() const { return {posterior, Effect{}, people}; }
};

}  // namespace

TEST(individuals_know_their_literals) {
    const World w;
    const Individuals people(w.view, w.rows, w.offsets, {}, 1);
    CHECK(people.size() == kPositive + kNegative);
    CHECK(people.n_positive() == kPositive);
    Term held;
    for (std::size_t row = 0; row < kPositive + kNegative; ++row) {
        people.true_literals(row, held);
        const std::size_t at = row < kPositive ? row : 2 * kWordBits + row - kPositive;
        Term expected;
        for (std::size_t j = 0; j < kPlanes; ++j)
            if (bit(w.planes.data() + 5 * j, at) != (j % 3 == 0))
                expected.push_back(static_cast<std::int32_t>(j));
        CHECK(held == expected);
    }
}

TEST(counted_rows_are_as_many_individuals) {
    const World w;
    std::vector<Count> counts(kPositive + kNegative, 1);
    counts[0] = 3;
    counts[kPositive] = 2;
    const Individuals people(w.view, w.rows, w.offsets, counts, 1);
    CHECK(people.size() == kPositive + kNegative + 3);
    CHECK(people.n_positive() == kPositive + 2);
    for (std::uint64_t i = 0; i < 3; ++i) CHECK(people.row_of(i) == 0);
    CHECK(people.row_of(3) == 1);
    CHECK(people.row_of(people.n_positive() - 1) == kPositive - 1);
    CHECK(people.row_of(people.n_positive() + 1) == kPositive);
    CHECK(people.row_of(people.size() - 1) == kPositive + kNegative - 1);
}

// Four individuals in rows of 1 and 3: every order of four draws as often as the weights
// 1 / (1 + times) say.
TEST(turns_are_drawn_by_their_weights) {
    const std::vector<std::size_t> rows{2, 1}, offsets{0, 1, 2};
    const std::vector<Word> plane{3, 0};
    const BitView view(plane.data(), 2, 1, offsets, rows, nullptr, 0, {{0, -1, false}}, simd());
    const Individuals people(view, rows, offsets, {1, 3, 1}, 1);
    const auto weight = [](int row, int times) {
        if (row == 0) return 1.0 / (1 + times);
        const int full = times / 3, ahead = times % 3;
        return (3.0 - ahead) / (1 + full) + double(ahead) / (2 + full);
    };
    std::map<int, int> seen;
    const int n = 200000;
    Philox rng({5, 6});
    for (int i = 0; i < n; ++i) {
        Turns turns(people);
        int order = 0;
        for (int draw = 0; draw < 6; ++draw) order = 2 * order + static_cast<int>(turns.draw(rng));
        ++seen[order];
    }
    for (int order = 0; order < 64; ++order) {
        double p = 1;
        int times[2] = {0, 0};
        for (int draw = 5; draw >= 0; --draw) {
            const int row = order >> draw & 1;
            p *= weight(row, times[row]) / (weight(0, times[0]) + weight(1, times[1]));
            ++times[row];
        }
        CHECK_CLOSE(seen[order] / double(n), p, 5 * std::sqrt(p * (1 - p) / n));
    }
}

TEST(what_a_chain_carries_along_is_what_its_terms_say) {
    const World w;
    const AnnealProblem problem = w.problem();
    AnnealSettings settings;
    settings.start_terms = 3;
    settings.probabilities = {0.1, 0.1, 0.3, 0.3, 0.1, 0.05, 0.05};
    AnnealChain chain(problem, settings, Philox({7, 8}));
    for (int step = 0; step < 2000; ++step) {
        CHECK(chain.advance(1, Never()) == 1);
        const AnnealState s = chain.last();
        std::vector<LiteralIds> terms(s.terms.begin(), s.terms.end());
        const Score score = w.posterior.score(terms, std::vector<std::int32_t>(terms.size(), 1));
        const double low = std::max(s.pi0, 1e-10), high = std::min(s.pi1, 1 - 1e-10);
        const double a = static_cast<double>(score.cells[2]);
        const double b = static_cast<double>(score.cells[3]);
        CHECK_CLOSE(s.objective,
                    score.log_prior + a * std::log(high) + b * std::log(1 - high) +
                        (kPositive - a) * std::log(low) + (kNegative - b) * std::log(1 - low),
                    1e-9);
    }
}

TEST(a_raised_flag_stops_a_chain_at_once) {
    const World w;
    const AnnealProblem problem = w.problem();
    AnnealChain chain(problem, {}, Philox({1, 1}));
    const AnnealState before = chain.last();
    CHECK(chain.advance(100, Always()) == 0);
    CHECK(chain.last().terms == before.terms);
    CHECK(chain.last().objective == before.objective);
}

TEST(a_chain_finds_into_the_support_and_stays) {
    Rules rules;
    rules.max_terms = 2;
    rules.max_literals = 5;
    const World w(rules);
    const AnnealProblem problem = w.problem();
    AnnealSettings settings;
    settings.start_terms = 4;
    AnnealChain chain(problem, settings, Philox({3, 9}));
    CHECK(std::isinf(chain.last().objective));
    bool inside = false;
    for (int step = 0; step < 3000; ++step) {
        chain.advance(1, Never());
        const AnnealState s = chain.last();
        std::vector<LiteralIds> terms(s.terms.begin(), s.terms.end());
        const bool allowed =
            w.posterior.score(terms, std::vector<std::int32_t>(terms.size(), 1)).verdict ==
            Verdict::allowed;
        CHECK(allowed || !inside);
        CHECK(allowed == std::isfinite(s.objective));
        inside = allowed;
    }
    CHECK(inside);
}
