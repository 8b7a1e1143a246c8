#include "search/implicants.hpp"

#include <algorithm>
#include <map>

#include "tests/check.hpp"
#include "tests/random_bits.hpp"
#include "tests/stops.hpp"

using namespace bayesdnf;

namespace {

constexpr std::size_t kLiterals = 9;

struct Rows {
    std::size_t n_positive, n_negative;
    std::vector<Word> positives, negatives;

    Rows(std::uint64_t seed, std::size_t a, std::size_t b) : n_positive(a), n_negative(b) {
        Philox rng({seed, 11});
        positives = random_words(rng, kLiterals * words_for(a));
        negatives = random_words(rng, kLiterals * words_for(b));
        for (Word& w : positives) w = ~w;  // mostly true, or no term would mark anything
        for (std::size_t l = 0; l < kLiterals; ++l) {
            clip(positives, l, a);
            clip(negatives, l, b);
        }
    }
    static void clip(std::vector<Word>& words, std::size_t l, std::size_t rows) {
        std::vector<Word> all(words_for(rows));
        fill_ones(all.data(), rows, all.size());
        for (std::size_t w = 0; w < all.size(); ++w) words[l * all.size() + w] &= all[w];
    }
    bool marks(const std::vector<Word>& words, std::size_t rows, std::size_t row,
               unsigned set) const {
        for (std::size_t l = 0; l < kLiterals; ++l)
            if (set >> l & 1 && !bit(words.data() + l * words_for(rows), row)) return false;
        return true;
    }
    bool consistent(unsigned set) const {
        for (std::size_t r = 0; r < n_negative; ++r)
            if (marks(negatives, n_negative, r, set)) return false;
        return true;
    }
    std::int64_t worth(unsigned set, const ImplicantWish& wish) const {
        std::int64_t total = 0;
        for (std::size_t r = 0; r < n_positive; ++r)
            if (marks(positives, n_positive, r, set)) total += wish.weights[r];
        for (std::size_t l = 0; l < kLiterals; ++l) total -= (set >> l & 1) * wish.size_cost;
        return total;
    }
    // All minimal sets worth enough, by trying all.
    std::map<unsigned, std::int64_t> all(const ImplicantWish& wish) const {
        std::map<unsigned, std::int64_t> found;
        for (unsigned set = 1; set < 1U << kLiterals; ++set) {
            bool minimal = consistent(set);
            for (std::size_t l = 0; l < kLiterals && minimal; ++l) {
                const unsigned less = set & ~(1U << l);
                if (less != set && less != 0 && consistent(less)) minimal = false;
            }
            if (minimal && worth(set, wish) >= wish.floor) found[set] = worth(set, wish);
        }
        return found;
    }
    Implicants implicants() const {
        return Implicants(positives.data(), n_positive, negatives.data(), n_negative, kLiterals);
    }
};

unsigned as_set(const std::vector<std::int32_t>& term) {
    unsigned set = 0;
    for (const std::int32_t l : term) set |= 1U << l;
    return set;
}

ImplicantWish wish_for(const Rows& rows, std::uint64_t seed, std::int64_t size_cost,
                       std::int64_t floor) {
    Philox rng({seed, 12});
    ImplicantWish wish;
    for (std::size_t r = 0; r < rows.n_positive; ++r)
        wish.weights.push_back(rng.next() % 3 == 0 ? 0 : static_cast<std::int64_t>(rng.next() % 7));
    wish.size_cost = size_cost;
    wish.floor = floor;
    return wish;
}

}  // namespace

TEST(every_implicant_worth_enough_is_found_once) {
    for (std::uint64_t seed = 0; seed < 30; ++seed)
        for (const auto& [a, b] : {std::pair{70, 3}, {5, 66}, {1, 1}, {130, 20}, {9, 0}}) {
            const Rows rows(seed, as_index(a), as_index(b));
            for (const std::int64_t size_cost : {0, 2})
                for (const std::int64_t floor : {-30, 1, 10, 60}) {
                    const ImplicantWish wish = wish_for(rows, seed, size_cost, floor);
                    const auto expected = rows.all(wish);
                    const ImplicantsFound found = rows.implicants().search(wish, Never());
                    CHECK(found.complete);
                    CHECK(found.terms.size() == expected.size());
                    for (std::size_t i = 0; i < found.terms.size(); ++i) {
                        const auto it = expected.find(as_set(found.terms[i]));
                        CHECK(it != expected.end() && it->second == found.worth[i]);
                    }
                }
        }
}

TEST(best_only_ends_at_the_best) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const Rows rows(seed, 90, 12);
        ImplicantWish wish = wish_for(rows, seed, seed % 4, -100);
        std::int64_t best = wish.floor - 1;
        for (const auto& [set, worth] : rows.all(wish)) best = std::max(best, worth);
        wish.best_only = true;
        const ImplicantsFound found = rows.implicants().search(wish, Never());
        CHECK(found.complete && found.ceiling == best);
        CHECK(found.worth.empty() ? best == wish.floor - 1 : found.worth.back() == best);
    }
}

TEST(a_search_cut_short_says_so_and_its_ceiling_holds) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Rows rows(seed, 90, 12);
        ImplicantWish wish = wish_for(rows, seed, 1, 1);
        const auto expected = rows.all(wish);
        std::int64_t best = 0;
        for (const auto& [set, worth] : expected) best = std::max(best, worth);
        for (const bool best_only : {false, true})
            for (const std::uint64_t nodes : {0u, 1u, 2u, 5u, 9u}) {
                wish.best_only = best_only;
                wish.max_nodes = nodes;
                const ImplicantsFound found = rows.implicants().search(wish, Never());
                CHECK(found.ceiling >= best || expected.empty());
                if (found.complete && !best_only) CHECK(found.terms.size() == expected.size());
            }
        wish.max_nodes = UINT64_MAX;
        wish.best_only = false;
        if (expected.empty()) continue;
        wish.most = expected.size();
        CHECK(rows.implicants().search(wish, Never()).complete);
        wish.most = expected.size() - 1;
        const ImplicantsFound fewer = rows.implicants().search(wish, Never());
        CHECK(!fewer.complete && fewer.terms.size() == expected.size() - 1);
    }
    const Rows rows(3, 2000, 600);
    ImplicantWish wish = wish_for(rows, 3, 0, 1);
    const ImplicantsFound stopped = rows.implicants().search(wish, Always());
    CHECK(stopped.complete || stopped.nodes >= 64);
}
