#include "model/support.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "tests/check.hpp"
#include "tests/small_problem.hpp"

using namespace bayesdnf;

namespace {

// Attribute 0: values 0..3 with = != >= < literals (ids 4 * rank + operator); attribute 1: one
// flag (16); attribute 2: its equal (17).
Support make(Rules rules = {}) {
    std::vector<LiteralMeaning> literals;
    for (std::int32_t rank = 0; rank < 4; ++rank)
        for (int op = 0; op < 4; ++op)
            literals.push_back({0, rank, 4 * rank + op, static_cast<Operator>(op)});
    literals.push_back({1, 0, 16, Operator::equal});
    literals.push_back({2, 0, 16, Operator::equal});
    return Support(rules, literals);
}

bool satisfies(int value, int literal) {
    const int rank = literal / 4;
    switch (literal % 4) {
        case 0: return value == rank;
        case 1: return value != rank;
        case 2: return value >= rank;
        default: return value < rank;
    }
}

Verdict judge(const Support& s, std::vector<std::vector<std::int32_t>> terms, Count cover = 5) {
    std::vector<LiteralIds> spans(terms.begin(), terms.end());
    const std::vector<Count> covers(terms.size(), cover);
    const std::vector<std::int32_t> layers(terms.size(), 1);
    return s.check(spans, layers, covers, 1);
}

// Eight literals that mean nothing to each other; what is known of them is all that rules out.
constexpr std::int32_t kFree = 8;

using Function = std::vector<std::vector<std::int32_t>>;

Support knowing(const Knowledge& knowledge) {
    std::vector<LiteralMeaning> literals;
    for (std::int32_t l = 0; l < kFree; ++l) literals.push_back({l, 0, l, Operator::equal});
    return Support(Rules{false, true, false, 0}, literals, knowledge);
}

// Literals in up to three entries of one or two; no literal is in two of a group.
std::vector<Knowledge::Entry> random_group(Philox& rng) {
    std::vector<Knowledge::Entry> entries(1 + rng.below(3));
    std::int32_t next = static_cast<std::int32_t>(rng.below(3));
    for (Knowledge::Entry& entry : entries)
        for (std::size_t i = 0; i < 1 + rng.below(2) && next < kFree; ++i) entry.push_back(next++);
    return entries;
}

// Whether two of the literals are in different entries of one group.
bool clashing(const std::vector<std::vector<Knowledge::Entry>>& groups,
              const std::set<std::int32_t>& literals) {
    for (const auto& group : groups) {
        int met = 0;
        for (const Knowledge::Entry& entry : group)
            met += std::any_of(entry.begin(), entry.end(),
                               [&](std::int32_t l) { return literals.contains(l); });
        if (met > 1) return true;
    }
    return false;
}

// What knowledge says against a function, each rule by itself.
std::set<Verdict> slow_reasons(const Knowledge& known, const Function& function) {
    std::set<Verdict> reasons;
    std::set<std::int32_t> used;
    for (const auto& term : function) {
        used.insert(term.begin(), term.end());
        if (clashing(known.apart, {term.begin(), term.end()})) reasons.insert(Verdict::kept_apart);
    }
    if (clashing(known.exclusive, used)) reasons.insert(Verdict::exclusive_group);
    for (const Knowledge::Entry& entry : known.required)
        if (std::none_of(entry.begin(), entry.end(),
                         [&](std::int32_t l) { return used.contains(l); }))
            reasons.insert(Verdict::lacks_required);
    return reasons;
}

}  // namespace

TEST(relations_hold_for_every_value_halfway_ones_included) {
    const Support s = make();
    // Values in half steps (doubled): between and beyond the ranks there are others.
    for (int a = 0; a < 16; ++a)
        for (int b = 0; b < 16; ++b) {
            bool subset = true, apart = true;
            for (int doubled = -1; doubled <= 7; ++doubled) {
                const auto holds = [&](int l) {
                    const int rank = 2 * (l / 4);
                    switch (l % 4) {
                        case 0: return doubled == rank;
                        case 1: return doubled != rank;
                        case 2: return doubled >= rank;
                        default: return doubled < rank;
                    }
                };
                subset = subset && (!holds(a) || holds(b));
                apart = apart && !(holds(a) && holds(b));
            }
            CHECK(s.implies(a, b) == subset);
            CHECK(s.excludes(a, b) == apart);
        }
    CHECK(satisfies(3, 14));
}

TEST(equal_columns_imply_each_other) {
    const Support s = make();
    CHECK(s.implies(16, 17) && s.implies(17, 16) && !s.excludes(16, 17));
    CHECK(judge(s, {{16, 17}}) == Verdict::related_literals);
    CHECK(judge(s, {{16}, {17}}) == Verdict::absorbed_term);
}

TEST(each_restriction_is_named) {
    CHECK(judge(make(), {}) == Verdict::allowed);
    CHECK(judge(make(), {{0, 16}}) == Verdict::allowed);
    CHECK(judge(make(), {{}}) == Verdict::empty_term);
    CHECK(judge(make(), {{16, 16}}) == Verdict::repeated_literal);
    CHECK(judge(make(), {{0, 4}}) == Verdict::related_literals);
    CHECK(judge(make(), {{0, 16}}, 0) == Verdict::too_few_rows);
    CHECK(judge(make(), {{0, 16}, {0}}) == Verdict::absorbed_term);
    CHECK(judge(make(), {{4, 16}, {2}}) == Verdict::absorbed_term);
    Rules plain{false, true, false, 0};
    CHECK(judge(make(plain), {{0, 16}, {0}}, 0) == Verdict::allowed);
    CHECK(judge(make(plain), {{0}, {0}}) == Verdict::repeated_term);
    Rules disjoint;
    disjoint.disjoint = true;
    CHECK(judge(make(disjoint), {{0, 16}, {4}}) == Verdict::shared_attribute);
    Rules bounded;
    bounded.max_terms = 1;
    bounded.max_literals = 2;
    CHECK(judge(make(bounded), {{0}, {4}}) == Verdict::too_many_terms);
    CHECK(judge(make(bounded), {{1, 5, 16}}) == Verdict::too_many_literals);
}

TEST(addable_literals_are_those_that_keep_a_term_allowed) {
    Rules rules;
    rules.disjoint = true;
    rules.max_literals = 4;
    const Support s = make(rules);
    const std::vector<std::int32_t> term{6}, rest{16};
    const LiteralIds others[] = {rest};
    std::vector<std::uint8_t> may(18);
    s.addable(term, others, may.data());
    for (std::int32_t l = 0; l < 18; ++l) {
        const bool keeps = l != 6 && judge(s, {{6, l}, {16}}) == Verdict::allowed;
        if (l != 17) CHECK((may[as_index(l)] == 1) == keeps);
    }
    const std::vector<std::int32_t> full{6, 1, 5};
    s.addable(full, others, may.data());
    for (const auto m : may) CHECK(m == 0);
}

TEST(fewer_literals_on_offer_leave_what_is_allowed_as_it_is) {
    std::vector<std::uint8_t> may(18), fewer(18), offered(18, 1);
    for (const std::size_t l : {1U, 5U, 16U}) offered[l] = 0;
    const Support all = make(), some = make().offering(offered);
    const std::vector<std::int32_t> term{6};
    all.addable(term, {}, may.data());
    some.addable(term, {}, fewer.data());
    for (std::size_t l = 0; l < 18; ++l) CHECK(fewer[l] == (may[l] & offered[l]));
    CHECK(judge(some, {{16}}) == Verdict::allowed);
}

TEST(two_terms_may_stand_beside_each_other_if_the_support_allows_both) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const Problem problem(seed, 6);
        const Support& support = problem.posterior->support();
        const std::vector<std::int32_t> layers{1, 1};
        const std::vector<Count> covers{1000, 1000};
        for (const Term& a : all_terms(6))
            for (const Term& b : all_terms(6)) {
                const std::vector<LiteralIds> both{a, b};
                // The first two are taken to be allowed alone, so only the pair is looked at.
                const std::vector<LiteralIds> one{a}, other{b};
                if (support.check(one, {layers.data(), 1}, covers, 1) != Verdict::allowed ||
                    support.check(other, {layers.data(), 1}, covers, 1) != Verdict::allowed)
                    continue;
                CHECK((support.beside(a, b) == Verdict::allowed) ==
                      (support.check(both, layers, covers, 1) == Verdict::allowed));
            }
    }
}

TEST(groups_of_literals_are_judged_as_their_slow_twin_judges_them) {
    std::map<Verdict, int> seen;
    int struck = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Philox rng({seed, 8});
        Knowledge known;
        for (std::size_t i = rng.below(3); i > 0; --i) known.apart.push_back(random_group(rng));
        for (std::size_t i = rng.below(3); i > 0; --i) known.exclusive.push_back(random_group(rng));
        if (rng.below(3) == 0) known.required = random_group(rng);
        std::erase_if(known.required, [](const auto& entry) { return entry.empty(); });
        const Support support = knowing(known);
        for (int repeat = 0; repeat < 20; ++repeat) {
            std::set<std::vector<std::int32_t>> terms;
            while (terms.size() < 1 + seed % 3) {
                std::set<std::int32_t> term;
                for (std::size_t k = 1 + rng.below(3); k > 0; --k)
                    term.insert(static_cast<std::int32_t>(rng.below(kFree)));
                terms.insert({term.begin(), term.end()});
            }
            const Function function(terms.begin(), terms.end());
            const std::set<Verdict> reasons = slow_reasons(known, function);
            const Verdict verdict = judge(support, function);
            CHECK(reasons.empty() ? verdict == Verdict::allowed : reasons.contains(verdict));
            ++seen[verdict];

            // Of the first term, literals may be added that clash with nothing.
            Knowledge groups = known;
            groups.required.clear();
            if (!slow_reasons(groups, function).empty()) continue;
            const std::vector<LiteralIds> rest(function.begin() + 1, function.end());
            std::vector<std::uint8_t> may(kFree);
            support.addable(function[0], rest, may.data());
            for (std::int32_t l = 0; l < kFree; ++l) {
                Function longer = function;
                const bool held =
                    std::find(longer[0].begin(), longer[0].end(), l) != longer[0].end();
                longer[0].push_back(l);
                const bool wanted = !held && slow_reasons(groups, longer).empty();
                CHECK((may[as_index(l)] == 1) == wanted);
                struck += !held && !wanted;
            }
        }
    }
    for (const Verdict verdict :
         {Verdict::allowed, Verdict::kept_apart, Verdict::exclusive_group, Verdict::lacks_required})
        CHECK(seen[verdict] > 100);
    CHECK(struck > 1000);
}
