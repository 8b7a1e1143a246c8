// Sets of terms against all subsets: every set above the target that no removal, no shorter term
// and no other listed term would better has to be found.
#include "search/term_sets.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "rng.hpp"
#include "tests/check.hpp"
#include "tests/stops.hpp"

using namespace bayesdnf;

namespace {

using Set = std::vector<std::int32_t>;

double uniform(Philox& rng, double low, double high) {
    return low + (high - low) * static_cast<double>(rng.below(1000)) / 999.0;
}

struct Case {
    TermSetsWish wish;
    Likelihood likelihood;
};

// Terms that mark some cells at random, positives rather; costs of the size of what rows are worth.
Case random_case(std::uint64_t seed) {
    Philox rng({seed, 83});
    TermSetsWish wish;
    const bool heavy = seed % 3 == 0;  // so that counts are taken in pieces
    const std::size_t n_cells = 6 + rng.below(14);
    wish.n_positive = 2 + rng.below(n_cells - 3);
    Count n_pos = 0, n_neg = 0;
    for (std::size_t i = 0; i < n_cells; ++i) {
        const bool positive = i < wish.n_positive, mixed = positive && rng.below(3) == 0;
        const auto some = [&](bool any) {
            return any ? static_cast<Count>(1 + rng.below(heavy ? 40 : 3)) : 0;
        };
        wish.positive.push_back(some(positive));
        wish.negative.push_back(some(!positive || mixed));
        n_pos += wish.positive.back();
        n_neg += wish.negative.back();
    }
    for (std::size_t t = 0; t < 9; ++t) {
        wish.cells.emplace_back();
        for (std::size_t i = 0; i < n_cells; ++i)
            if (rng.below(10) < (i < wish.n_positive ? 4U : 2U))
                wish.cells.back().push_back(static_cast<std::int32_t>(i));
        wish.worth.push_back(uniform(rng, -5, -0.5));
        wish.kept_off.push_back(static_cast<Count>(rng.below(heavy ? 26 : 8)));
        wish.saved.push_back(uniform(rng, -0.5, 3));
    }
    wish.n_terms = 1 + rng.below(4);
    wish.constant = uniform(rng, -4, 0);
    wish.fewer = wish.constant + uniform(rng, -1, 3);
    const auto range = [&](Count n, Count& low, Count& high) {
        low = rng.below(3) ? 0 : static_cast<Count>(rng.below(as_index(n) + 1));
        high = rng.below(3) ? n : low + static_cast<Count>(rng.below(as_index(n - low) + 1));
    };
    range(n_pos, wish.least_positive, wish.most_positive);
    range(n_neg, wish.least_negative, wish.most_negative);
    wish.removable = rng.below(2);
    wish.replaceable = rng.below(2);
    wish.most = 100000;
    const Effect effect = seed % 5 == 0 ? Effect{1, 9, 4, 2} : Effect{};
    return {wish, Likelihood(effect, n_pos, n_neg)};
}

struct Marked {
    Count positive = 0, negative = 0;
};

// Rows that a set marks, without one of its terms.
Marked marked(const TermSetsWish& wish, const Set& set, std::int32_t without = -1) {
    std::set<std::int32_t> cells;
    for (const std::int32_t t : set)
        if (t != without)
            cells.insert(wish.cells[as_index(t)].begin(), wish.cells[as_index(t)].end());
    Marked counts;
    for (const std::int32_t cell : cells) {
        counts.positive += wish.positive[as_index(cell)];
        counts.negative += wish.negative[as_index(cell)];
    }
    return counts;
}

double score(const Case& c, const Set& set) {
    const Marked rows = marked(c.wish, set);
    double total = c.wish.constant + c.likelihood(rows.positive, rows.negative);
    for (const std::int32_t t : set) total += c.wish.worth[as_index(t)];
    return total;
}

bool in_box(const TermSetsWish& wish, const Set& set) {
    const Marked rows = marked(wish, set);
    return rows.positive >= wish.least_positive && rows.positive <= wish.most_positive &&
           rows.negative >= wish.least_negative && rows.negative <= wish.most_negative;
}

// Whether a listed term that a function of the box may hold is never worse in the place of t.
bool replaced(const TermSetsWish& wish, std::int32_t t) {
    const auto& own = wish.cells[as_index(t)];
    for (std::int32_t other = 0; as_index(other) < wish.cells.size(); ++other) {
        const auto& cells = wish.cells[as_index(other)];
        const auto holds = [](const std::vector<std::int32_t>& all, std::int32_t cell) {
            return std::binary_search(all.begin(), all.end(), cell);
        };
        bool better = other != t && wish.worth[as_index(other)] >= wish.worth[as_index(t)] &&
                      marked(wish, {other}).positive <= wish.most_positive;
        for (const std::int32_t cell : own)
            if (wish.positive[as_index(cell)] > 0) better = better && holds(cells, cell);
        for (const std::int32_t cell : cells)
            if (wish.negative[as_index(cell)] > 0) better = better && holds(own, cell);
        if (better) return true;
    }
    return false;
}

// Whether a set may be the best function: no step of the argument in docs/bound.md betters it.
bool may_be_best(const Case& c, const Set& set) {
    const TermSetsWish& wish = c.wish;
    const Marked all = marked(wish, set);
    const double now = c.likelihood(all.positive, all.negative);
    for (const std::int32_t t : set) {
        const Count rest = marked(wish, set, t).positive;
        if (wish.removable && c.likelihood(rest, all.negative) + wish.fewer >
                                  now + wish.constant + wish.worth[as_index(t)])
            return false;
        if (!wish.replaceable) continue;
        const Count more =
            std::min(all.negative + wish.kept_off[as_index(t)], c.likelihood.n_negative());
        if (c.likelihood(all.positive, more) + wish.saved[as_index(t)] > now || replaced(wish, t))
            return false;
    }
    return true;
}

// Let a set of the box just pay: each of its literals, and the term that gains least.
void let_just_pay(Case& c, const Set& set) {
    TermSetsWish& wish = c.wish;
    constexpr double kLittle = 1e-7;
    const Marked all = marked(wish, set);
    const double now = c.likelihood(all.positive, all.negative);
    double gain = INFINITY;
    for (const std::int32_t t : set) {
        const Count more =
            std::min(all.negative + wish.kept_off[as_index(t)], c.likelihood.n_negative());
        wish.saved[as_index(t)] = now - c.likelihood(all.positive, more) - kLittle;
        const Count rest = marked(wish, set, t).positive;
        gain = std::min(gain, now - c.likelihood(rest, all.negative) + wish.worth[as_index(t)]);
    }
    wish.fewer = wish.constant + gain - kLittle;
}

std::vector<Set> all_sets(const TermSetsWish& wish) {
    std::vector<Set> out;
    for (unsigned bits = 0; bits < 1U << wish.cells.size(); ++bits) {
        Set set;
        for (std::int32_t t = 0; as_index(t) < wish.cells.size(); ++t)
            if (bits >> t & 1) set.push_back(t);
        if (set.size() == wish.n_terms) out.push_back(set);
    }
    return out;
}

// How many sets that may be best and lie above the target of the wish are not found.
std::size_t missed(const Case& c, const TermSetsWish& wish) {
    TermSets found = better_sets(c.likelihood, wish, Never{});
    std::set<Set> listed;
    for (Set& set : found.sets) {
        std::sort(set.begin(), set.end());
        listed.insert(set);
    }
    std::size_t lost = found.complete ? 0 : 1;
    for (const Set& set : all_sets(c.wish))
        if (score(c, set) > c.wish.target + 1e-9 && in_box(c.wish, set) && may_be_best(c, set))
            lost += !listed.contains(set);
    return lost;
}

// With targets just below the best set and some others.
template <class Check>
void for_each_case(std::uint64_t seeds, const Check& check) {
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        Case c = random_case(seed);
        const std::vector<Set> all = all_sets(c.wish);
        Philox rng({seed, 89});
        const Set& some = all[rng.below(all.size())];
        if (seed % 2 && in_box(c.wish, some)) let_just_pay(c, some);
        std::vector<double> scores;
        for (const Set& set : all)
            if (in_box(c.wish, set) && may_be_best(c, set)) scores.push_back(score(c, set));
        std::sort(scores.rbegin(), scores.rend());
        for (const std::size_t rank : {std::size_t{0}, std::size_t{2}, std::size_t{9}}) {
            if (rank >= scores.size()) break;
            c.wish.target = scores[rank] - 1e-6;
            check(c);
        }
    }
}

}  // namespace

TEST(every_set_that_may_be_best_is_found) {
    std::size_t tried = 0;
    for_each_case(1500, [&](const Case& c) {
        CHECK(missed(c, c.wish) == 0);
        ++tried;
    });
    CHECK(tried > 1000);
}

TEST(what_is_found_is_above_the_target_and_there_once) {
    for_each_case(200, [](const Case& c) {
        const TermSets found = better_sets(c.likelihood, c.wish, Never{});
        std::set<Set> different;
        for (Set set : found.sets) {
            std::sort(set.begin(), set.end());
            CHECK(set.size() == c.wish.n_terms);
            CHECK(score(c, set) > c.wish.target - 1e-9);
            different.insert(set);
        }
        CHECK(different.size() == found.sets.size());
    });
}

// The test above has to notice a price that is off.
TEST(wrong_costs_lose_sets) {
    const auto lost = [](const auto& spoil) {
        std::size_t sum = 0;
        for_each_case(300, [&](const Case& c) {
            TermSetsWish wish = c.wish;
            spoil(wish);
            sum += missed(c, wish);
        });
        return sum;
    };
    CHECK(lost([](TermSetsWish&) {}) == 0);
    CHECK(lost([](TermSetsWish& w) {
              for (double& s : w.saved) s += 0.5;
          }) > 0);
    CHECK(lost([](TermSetsWish& w) {
              for (Count& n : w.kept_off) n = std::max<Count>(0, n - 1);
          }) > 0);
    CHECK(lost([](TermSetsWish& w) {
              for (double& v : w.worth) v -= 0.1;
          }) > 0);
    CHECK(lost([](TermSetsWish& w) { w.worth[0] -= 0.1; }) > 0);
    CHECK(lost([](TermSetsWish& w) { w.constant -= 0.1; }) > 0);
    CHECK(lost([](TermSetsWish& w) { w.fewer += 0.5; }) > 0);
    CHECK(lost([](TermSetsWish& w) { w.target += 0.1; }) > 0);
    CHECK(lost([](TermSetsWish& w) { w.removable = w.replaceable = true; }) > 0);
    CHECK(lost([](TermSetsWish& w) { ++w.least_negative; }) > 0);
    CHECK(lost([](TermSetsWish& w) { --w.most_positive; }) > 0);
}

TEST(a_search_that_is_cut_short_says_so) {
    const Case c = random_case(7);
    TermSetsWish wish = c.wish;
    CHECK(!better_sets(c.likelihood, wish, Always{}).complete);
    wish.removable = wish.replaceable = false;
    wish.most_positive = c.likelihood.n_positive();
    wish.most_negative = c.likelihood.n_negative();
    wish.least_positive = wish.least_negative = 0;
    wish.target = -1e9;
    wish.most = all_sets(wish).size();
    TermSets found = better_sets(c.likelihood, wish, Never{});
    CHECK(found.complete && found.sets.size() == wish.most);
    --wish.most;
    found = better_sets(c.likelihood, wish, Never{});
    CHECK(!found.complete && found.sets.size() == wish.most);
}
