// A small posterior with everything in it.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "search/state.hpp"
#include "tests/random_bits.hpp"
#include "tests/stops.hpp"

namespace bayesdnf {

// 50 positives and 40 negatives; p literals, some the negations of others; sometimes weighted rows
// and literals, unordered rates, odd sizes.
struct Problem {
    static constexpr std::int32_t kPlanes = 3;
    std::vector<Word> planes, weights;
    BitView view;
    std::unique_ptr<Support> support;
    std::unique_ptr<Posterior> posterior;

    Problem(std::uint64_t seed, std::int32_t p, bool antichain = true)
        : planes(make(seed)), weights(weigh(seed)), view(look(p, seed)) {
        std::vector<LiteralMeaning> meanings;
        for (std::int32_t l = 0; l < p; ++l)
            meanings.push_back(
                {l % kPlanes, 0, l, l < kPlanes ? Operator::equal : Operator::differs});
        Rules rules;
        rules.antichain = antichain;
        rules.related = seed % 3 == 0;
        rules.min_cover = static_cast<Count>(seed % 4);
        support = std::make_unique<Support>(rules, meanings);
        std::vector<std::int64_t> literals;
        if (seed % 5 == 0)
            for (std::int32_t l = 0; l < p; ++l) literals.push_back((l % 3 - 1) * (Count{1} << 32));
        const double none = -INFINITY;
        const std::vector<double> size = seed % 7 == 0
                                             ? std::vector<double>{none, -3, none, -2, -4, -5, -6}
                                             : std::vector<double>{none, -1, -2.5, -4, -6, -8, -9};
        const Effect effect = seed % 11 == 0 ? Effect{2, 3, 4, 1.5, 1, 1, true}
                                             : Effect{1, 1, 1, 1, 1, 1, seed % 2 == 0};
        posterior = std::make_unique<Posterior>(
            view, *support, FunctionPrior({-0.5, -1, -2, -3, -5, -7, -9}, size, literals), effect);
    }

    static std::vector<Word> make(std::uint64_t seed) {
        Philox rng({seed, 41});
        std::vector<Word> words = random_words(rng, 2 * kPlanes);
        for (std::size_t j = 0; j < kPlanes; ++j) {
            if ((seed + j) % 3) words[2 * j] |= rng.next();  // signal in some columns
            words[2 * j] &= (Word{1} << 50) - 1;
            words[2 * j + 1] &= (Word{1} << 40) - 1;
        }
        return words;
    }
    static std::vector<Word> weigh(std::uint64_t seed) {
        Philox rng({seed, 43});
        std::vector<Word> words{(Word{1} << 50) - 1, (Word{1} << 40) - 1};  // once at least
        if (seed % 4 == 1) {
            words.push_back(rng.next() & words[0]);  // or three times
            words.push_back(rng.next() & words[1]);
        }
        return words;
    }
    BitView look(std::int32_t p, std::uint64_t seed) const {
        std::vector<LiteralSource> literals;
        for (std::int32_t l = 0; l < p; ++l) literals.push_back({l % kPlanes, -1, l >= kPlanes});
        const std::size_t digits = seed % 4 == 1 ? 2 : 0;
        return BitView(planes.data(), 2, kPlanes, {0, 1, 2}, {50, 40},
                       digits ? weights.data() : nullptr, digits, literals, simd());
    }

    // A random function that the support allows; the null function now and then.
    State random_state(Philox& rng) const {
        for (;;) {
            std::vector<Term> terms(rng.below(4));
            for (Term& term : terms)
                for (std::size_t l = 0; l < view.n_literals(); ++l)
                    if (rng.below(3) == 0) term.push_back(static_cast<std::int32_t>(l));
            if (std::any_of(terms.begin(), terms.end(), [](const Term& t) { return t.empty(); }))
                continue;
            State state(*posterior, terms);
            if (state.value().allowed()) return state;
        }
    }
};

// Every term of p literals.
inline std::vector<Term> all_terms(std::size_t p) {
    std::vector<Term> terms;
    for (unsigned set = 1; set < 1U << p; ++set) {
        terms.emplace_back();
        for (std::size_t l = 0; l < p; ++l)
            if (set >> l & 1) terms.back().push_back(static_cast<std::int32_t>(l));
    }
    return terms;
}

}  // namespace bayesdnf
