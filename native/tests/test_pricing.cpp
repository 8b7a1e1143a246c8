#include "search/pricing.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>

#include "tests/check.hpp"
#include "tests/small_problem.hpp"

using namespace bayesdnf;

namespace {

// Prices, worth of sizes and literals, and limits, all of either sign and at random.
PricingWish random_wish(const Problem& problem, Philox& rng) {
    const auto any = [&](std::uint64_t most) {
        return static_cast<std::int64_t>(rng.below(2 * most + 1)) - static_cast<std::int64_t>(most);
    };
    const std::size_t p = problem.view.n_literals();
    PricingWish wish;
    wish.sizes = {kNoSize};
    for (std::size_t k = 1; k <= p; ++k) wish.sizes.push_back(rng.below(6) ? any(40) : kNoSize);
    for (std::size_t l = 0; l < p; ++l) wish.literals.push_back(rng.below(2) ? any(5) : 0);
    for (std::size_t i = 0; i < kWordBits * problem.view.n_words(); ++i)
        wish.prices.push_back(any(9));
    wish.negative_cost = static_cast<std::int64_t>(rng.below(4));
    if (rng.below(2)) wish.most_positive = static_cast<Count>(rng.below(60));
    if (rng.below(2)) wish.most_negative = static_cast<Count>(rng.below(40));
    if (rng.below(3) == 0) {
        wish.rows = problem.view.all_rows();
        for (Word& word : wish.rows) word &= rng.next();
    }
    return wish;
}

// What every term is worth that is allowed and within the limits.
std::map<Term, std::int64_t> all_worths(const Problem& problem, const PricingWish& wish) {
    std::map<Term, std::int64_t> out;
    const BitView& view = problem.view;
    std::vector<Word> mask(view.n_words());
    for (const Term& term : all_terms(view.n_literals())) {
        view.term_mask(mask.data(), term);
        // Of some rows alone nobody knows how many a term marks in all.
        const std::vector<Count> covers{wish.rows.empty() ? view.count_all(mask.data()) : 90};
        const LiteralIds terms[] = {term};
        if (wish.sizes[term.size()] == kNoSize ||
            problem.support->check(terms, one_layer(1), covers, 0) != Verdict::allowed)
            continue;
        for (std::size_t w = 0; w < mask.size() && !wish.rows.empty(); ++w) mask[w] &= wish.rows[w];
        Count counts[2];
        view.count(mask.data(), counts);
        if (counts[0] > wish.most_positive || counts[1] > wish.most_negative) continue;
        std::int64_t worth = wish.sizes[term.size()] - wish.negative_cost * counts[1];
        for (const std::int32_t l : term) worth += wish.literals[as_index(l)];
        for (std::size_t i = 0; i < wish.prices.size(); ++i)
            if (mask[i / kWordBits] >> (i % kWordBits) & 1) worth += wish.prices[i];
        out[term] = worth;
    }
    return out;
}

std::vector<std::int64_t> best_of(const std::map<Term, std::int64_t>& worths, std::size_t most) {
    std::vector<std::int64_t> best;
    for (const auto& [term, worth] : worths) best.push_back(worth);
    std::sort(best.begin(), best.end(), std::greater<>());
    best.resize(std::min(best.size(), most));
    return best;
}

template <class Check>
void for_each_wish(const Check& check) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        const Problem problem(seed, 6);
        TermSpace space;
        for (std::int32_t l = 0; l < 6; ++l) space.literals.push_back(l);
        Philox rng({seed, 71});
        const PricingWish wish = random_wish(problem, rng);
        check(problem, space, wish, all_worths(problem, wish));
    }
}

constexpr std::int64_t kLow = std::numeric_limits<std::int32_t>::min();

}  // namespace

TEST(every_term_from_a_floor_on_is_listed_with_its_worth) {
    for_each_wish([](const Problem& problem, const TermSpace& space, PricingWish wish,
                     const std::map<Term, std::int64_t>& worths) {
        for (const std::int64_t floor : {kLow, std::int64_t{0}, std::int64_t{25}}) {
            wish.floor = floor;
            wish.every = true;
            const PricedTerms found = priced_terms(*problem.posterior, space, wish, Never{});
            std::map<Term, std::int64_t> wanted = worths, listed;
            std::erase_if(wanted, [&](const auto& entry) { return entry.second < floor; });
            for (std::size_t i = 0; i < found.terms.size(); ++i)
                listed[found.terms[i]] = found.worth[i];
            CHECK(found.complete);
            CHECK(listed == wanted);
            CHECK(listed.size() == found.terms.size());
        }
    });
}

TEST(the_best_terms_are_found_and_the_ceiling_is_theirs) {
    for_each_wish([](const Problem& problem, const TermSpace& space, PricingWish wish,
                     const std::map<Term, std::int64_t>& worths) {
        wish.floor = kLow;
        wish.most = 4;
        PricedTerms found = priced_terms(*problem.posterior, space, wish, Never{});
        const std::vector<std::int64_t> best = best_of(worths, wish.most);
        std::sort(found.worth.begin(), found.worth.end(), std::greater<>());
        CHECK(found.complete);
        CHECK(found.worth == best);
        if (best.size() == wish.most) CHECK(found.ceiling == best[0]);
    });
}

TEST(cut_short_the_ceiling_still_holds) {
    for_each_wish([](const Problem& problem, const TermSpace& space, PricingWish wish,
                     const std::map<Term, std::int64_t>& worths) {
        const std::vector<std::int64_t> best = best_of(worths, 1);
        wish.floor = kLow;
        wish.most = 1;
        for (const std::uint64_t nodes : {1U, 2U, 5U}) {
            wish.max_nodes = nodes;
            const PricedTerms found = priced_terms(*problem.posterior, space, wish, Never{});
            if (!best.empty()) CHECK(found.ceiling >= best[0]);
        }
        const PricedTerms stopped = priced_terms(*problem.posterior, space, wish, Always{});
        if (!best.empty()) CHECK(stopped.ceiling >= best[0]);
    });
}

TEST(leaving_out_idle_literals_loses_nothing_where_shorter_terms_are_better) {
    for_each_wish([](const Problem& problem, TermSpace space, PricingWish wish, const auto&) {
        // Sizes that fall, positive rows that gain, no weights and no limit on positives.
        for (std::size_t k = 1; k < wish.sizes.size(); ++k)
            wish.sizes[k] = -3 * static_cast<std::int64_t>(k);
        std::fill(wish.literals.begin(), wish.literals.end(), 0);
        const std::size_t positives = kWordBits * problem.view.offsets()[1];
        for (std::size_t i = 0; i < positives; ++i)
            wish.prices[i] = std::max<std::int64_t>(0, wish.prices[i]);
        wish.most_positive = INT64_MAX;
        const std::vector<std::int64_t> best = best_of(all_worths(problem, wish), 1);
        space.shorter_is_better = space.more_positives = true;
        wish.floor = kLow;
        wish.most = 1;
        const PricedTerms found = priced_terms(*problem.posterior, space, wish, Never{});
        CHECK(found.worth == best);
    });
}
