// A small posterior with everything in it.
#pragma once

#include <algorithm>
#include <iterator>
#include <memory>
#include <vector>

#include "search/state.hpp"
#include "tests/random_bits.hpp"
#include "tests/stops.hpp"

namespace bayesdnf {

inline constexpr std::uint64_t kSeeds = 40;
inline constexpr double kRounding = 1e-9;

// What a problem is of: functions or lists, with strata or without.
struct Kind {
    std::size_t layers = 1, strata = 1;
};
constexpr Kind kKinds[] = {{1, 1}, {3, 1}, {1, 2}, {2, 2}};

// All in one layer.
inline std::vector<std::int32_t> one_layer(std::size_t n) {
    return std::vector<std::int32_t>(n, 1);
}

// 50 positives and 40 negatives, as many in every stratum; p literals, some the negations of
// others; sometimes weighted rows and literals, unordered rates, odd sizes.
struct Problem {
    static constexpr std::int32_t kPlanes = 3;
    std::size_t strata;
    std::vector<Word> planes, weights;
    BitView view;
    std::unique_ptr<Support> support;
    std::unique_ptr<Posterior> posterior;

    Problem(std::uint64_t seed, std::int32_t p, bool antichain = true, Kind kind = {})
        : strata(kind.strata), planes(make(seed)), weights(weigh(seed)), view(look(p, seed)) {
        std::vector<LiteralMeaning> meanings;
        for (std::int32_t l = 0; l < p; ++l)
            meanings.push_back(
                {l % kPlanes, 0, l, l < kPlanes ? Operator::equal : Operator::differs});
        Rules rules;
        rules.antichain = antichain;
        rules.related = seed % 3 == 0;
        rules.min_cover = static_cast<Count>(seed % 4);
        rules.max_layers = static_cast<std::int64_t>(kind.layers);
        support = std::make_unique<Support>(rules, meanings);
        std::vector<std::int64_t> literals;
        if (seed % 5 == 0)
            for (std::int32_t l = 0; l < p; ++l) literals.push_back((l % 3 - 1) * (Count{1} << 32));
        const double none = -INFINITY;
        const std::vector<double> size = seed % 7 == 0
                                             ? std::vector<double>{none, -3, none, -2, -4, -5, -6}
                                             : std::vector<double>{none, -1, -2.5, -4, -6, -8, -9};
        const bool simple = kind.layers == 1 && kind.strata == 1;
        const Effect effect = seed % 11 == 0 ? Effect{2, 3, 4, 1.5, 1, 1, simple}
                                             : Effect{1, 1, 1, 1, 1, 1, simple && seed % 2 == 0};
        posterior = std::make_unique<Posterior>(
            view, *support,
            FunctionPrior({-0.5, -1, -2, -3, -5, -7, -9}, size, literals, kind.layers), effect);
    }

    // Rows of a word: positives of every stratum, then negatives.
    Word rows_of(std::size_t word) const { return (Word{1} << (word < strata ? 50 : 40)) - 1; }

    std::vector<Word> make(std::uint64_t seed) const {
        Philox rng({seed, 41});
        const std::size_t n = 2 * strata;
        std::vector<Word> words = random_words(rng, n * kPlanes);
        for (std::size_t j = 0; j < kPlanes; ++j) {
            if ((seed + j) % 3) words[n * j] |= rng.next();  // signal in some columns
            for (std::size_t w = 0; w < n; ++w) words[n * j + w] &= rows_of(w);
        }
        return words;
    }
    std::vector<Word> weigh(std::uint64_t seed) const {
        Philox rng({seed, 43});
        std::vector<Word> words;
        for (std::size_t w = 0; w < 2 * strata; ++w) words.push_back(rows_of(w));  // once at least
        if (seed % 4 == 1)
            for (std::size_t w = 0; w < 2 * strata; ++w)
                words.push_back(rng.next() & rows_of(w));  // or three times
        return words;
    }
    BitView look(std::int32_t p, std::uint64_t seed) const {
        std::vector<LiteralSource> literals;
        for (std::int32_t l = 0; l < p; ++l) literals.push_back({l % kPlanes, -1, l >= kPlanes});
        const std::size_t digits = seed % 4 == 1 ? 2 : 0;
        std::vector<std::size_t> offsets{0}, rows;
        for (std::size_t s = 0; s < 2 * strata; ++s) {
            offsets.push_back(s + 1);
            rows.push_back(s < strata ? 50 : 40);
        }
        return BitView(planes.data(), 2 * strata, kPlanes, offsets, rows,
                       digits ? weights.data() : nullptr, digits, literals, simd());
    }

    // A random function or list that the support allows; the null function now and then.
    State random_state(Philox& rng) const {
        for (;;) {
            std::vector<Term> terms(rng.below(4));
            for (Term& term : terms)
                for (std::size_t l = 0; l < view.n_literals(); ++l)
                    if (rng.below(3) == 0) term.push_back(static_cast<std::int32_t>(l));
            if (std::any_of(terms.begin(), terms.end(), [](const Term& t) { return t.empty(); }))
                continue;
            std::vector<std::int32_t> layers;
            const std::size_t most = posterior->prior().layers();
            for (std::size_t i = 0; i < terms.size(); ++i)
                layers.push_back(static_cast<std::int32_t>(1 + (most > 1 ? rng.below(most) : 0)));
            State state(*posterior, terms, layers);
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

// Literals in one of the terms but not in both.
inline std::size_t difference(const Term& a, const Term& b) {
    Term out;
    std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
    return out.size();
}

inline bool one_literal_change(const Term& from, const Term& to) {
    const std::size_t d = difference(from, to);
    return d == 1 || (d == 2 && from.size() == to.size());
}

}  // namespace bayesdnf
