#include "search/exact.hpp"

#include <cmath>

#include "tests/check.hpp"
#include "tests/random_bits.hpp"
#include "tests/stops.hpp"

using namespace bayesdnf;

namespace {

const Effect kEffects[] = {
    {1, 1, 1, 1, 1, 1, true},    {1, 1, 1, 1, 1, 1, false},        {2, 9, 5, 1.5, 1, 1, true},
    {2, 9, 5, 1.5, 1, 1, false}, {7, 1, 0.5, 4, 1, 1, true},  // ordered against its own priors
    {7, 1, 0.5, 4, 1, 1, false}, {0.3, 0.3, 0.2, 0.4, 1, 1, true},
};

// Lets one question pass, then says stop: the search does one step at a time.
class EveryOther : public Stop {
  public:
    bool operator()() const override { return asked_++ % 2 != 0; }

  private:
    mutable int asked_ = 0;
};

// 60 positives and 50 negatives, 5 columns and their negations.
struct Table {
    std::vector<Word> planes;
    std::vector<LiteralMeaning> meanings;
    BitView view;

    explicit Table(std::uint64_t seed) : planes(make(seed)), view(look()) {
        for (std::int32_t l = 0; l < 10; ++l)
            meanings.push_back({l / 2, 0, l, l % 2 ? Operator::differs : Operator::equal});
    }
    static std::vector<Word> make(std::uint64_t seed) {
        Philox rng({seed, 5});
        std::vector<Word> words = random_words(rng, 10);
        for (std::size_t j = 0; j < 5; ++j) {
            // Some columns are mostly true, some mostly false, all of them more so in positives.
            if (j % 2) words[2 * j] = ~words[2 * j];
            words[2 * j + 1] &= rng.next() | words[2 * j];
            words[2 * j] &= (Word{1} << 60) - 1;
            words[2 * j + 1] &= (Word{1} << 50) - 1;
        }
        return words;
    }
    BitView look() const {
        std::vector<LiteralSource> literals;
        for (std::int32_t j = 0; j < 5; ++j)
            for (const bool complement : {false, true}) literals.push_back({j, -1, complement});
        return BitView(planes.data(), 2, 5, {0, 1, 2}, {60, 50}, nullptr, 0, literals, simd());
    }
};

double brute_force(const Posterior& posterior, std::size_t max_size) {
    const Score null = posterior.score({}, {});
    double best = null.log_prior + null.log_likelihood;
    for (unsigned set = 1; set < 1U << 10; ++set) {
        Term term;
        for (std::int32_t l = 0; l < 10; ++l)
            if (set >> l & 1) term.push_back(l);
        const LiteralIds alone[] = {term};
        const Score s = posterior.score(alone, std::vector{1});
        if (term.size() <= max_size && s.verdict == Verdict::allowed)
            best = std::max(best, s.log_prior + s.log_likelihood);
    }
    return best;
}

}  // namespace

TEST(ceiling_is_above_the_likelihood_of_every_count) {
    for (const Effect& e : kEffects)
        for (const auto& [n_pos, n_neg] : {std::pair{11, 6}, {3, 12}, {0, 7}, {6, 0}}) {
            const Likelihood likelihood(e, n_pos, n_neg);
            const Ceiling ceiling(likelihood, 0);
            for (Count a = 0; a <= n_pos; ++a)
                for (Count b = 0; b <= n_neg; ++b)
                    CHECK(ceiling.at(a, b) >= likelihood(a, b) - 1e-9);
        }
}

TEST(ceiling_over_a_reach_is_above_every_count_in_it_and_touches_one_when_unordered) {
    for (const Effect& e : kEffects)
        for (const Count least : {0, 1, 4}) {
            const Likelihood likelihood(e, 9, 7);
            double values[10][8];
            for (Count x = 0; x <= 9; ++x)
                for (Count y = 0; y <= 7; ++y) values[x][y] = likelihood(x, y);
            const Ceiling ceiling(likelihood, least);
            for (Count a = 0; a <= 9; ++a)
                for (Count b = 0; b <= 7; ++b)
                    for (Count low_a = 0; low_a <= a; low_a += 2)
                        for (Count low_b = 0; low_b <= b; low_b += 3) {
                            double largest = -INFINITY;
                            for (Count x = low_a; x <= a; ++x)
                                for (Count y = low_b; y <= b; ++y)
                                    if (x + y >= least) largest = std::max(largest, values[x][y]);
                            const double bound = ceiling.over({low_a, a, low_b, b});
                            CHECK(bound >= largest - 1e-9);
                            if (!e.ordered) CHECK(!(bound > largest + 1e-9));
                        }
        }
}

TEST(term_search_equals_brute_force_whole_or_in_pieces) {
    const double none = -INFINITY;
    const std::vector<double> sizes[] = {
        {none, -1, -3, -5, -7, -9},             // the usual: each literal costs
        {none, none, -2, none, -1, -4},         // holes, and a longer size that is better
        {none, -4, -3, -2, -1, -1, -1, 0, -2},  // longer is better
    };
    for (const Effect& e : {kEffects[0], kEffects[1], kEffects[5]})
        for (const auto& size : sizes)
            for (const bool related : {false, true})
                for (const std::vector<std::int64_t>& weights :
                     {std::vector<std::int64_t>{},
                      {Count{1} << 33, 0, -(Count{1} << 32), 0, 0, Count{1} << 32, 0, 5, -9, 0}}) {
                    const Table table(size.size() + related);
                    Rules rules;
                    rules.related = related;
                    rules.min_cover = related ? 0 : 3;
                    const Support support(rules, table.meanings);
                    const Posterior posterior(table.view, support,
                                              FunctionPrior({-1, -1}, size, weights), e);
                    for (const std::size_t max_size : {10u, 2u}) {
                        const double expected = brute_force(posterior, max_size);
                        TermSearch whole(posterior, max_size), pieces(posterior, max_size);
                        whole.seed(4, Never());
                        CHECK(whole.advance(Never()));
                        CHECK_CLOSE(whole.score(), expected, 1e-9);
                        const EveryOther stop;
                        while (!pieces.advance(stop)) {
                        }
                        CHECK_CLOSE(pieces.score(), expected, 1e-9);
                        CHECK(pieces.branches_done() == pieces.branches());
                    }
                }
}
