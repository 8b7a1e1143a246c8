#include "sampling/respellings.hpp"

#include <algorithm>
#include <array>
#include <set>

#include "tests/check.hpp"
#include "tests/random_bits.hpp"
#include "tests/small_problem.hpp"

using namespace bayesdnf;

namespace {

// What each literal says: of a value 0..3, and of a flag in an attribute of its own.
constexpr std::array kLevelMeanings = {
    LiteralMeaning{0, 1, 0, Operator::equal},   LiteralMeaning{0, 1, 1, Operator::at_least},
    LiteralMeaning{0, 2, 2, Operator::below},   LiteralMeaning{0, 3, 3, Operator::below},
    LiteralMeaning{0, 3, 4, Operator::differs}, LiteralMeaning{0, 2, 5, Operator::at_least},
    LiteralMeaning{0, 2, 6, Operator::equal},   LiteralMeaning{1, 0, 7, Operator::equal},
    LiteralMeaning{1, 0, 8, Operator::differs},
};
constexpr std::size_t kNLevelLiterals = kLevelMeanings.size();

bool level_says(const LiteralMeaning& m, std::int32_t value) {
    switch (m.op) {
        case Operator::equal: return value == m.rank;
        case Operator::differs: return value != m.rank;
        case Operator::at_least: return value >= m.rank;
        default: return value < m.rank;
    }
}

struct LevelTable {
    std::size_t n_words;
    std::vector<Word> planes;
    BitView view;
    Support support;

    LevelTable(std::size_t n_rows, bool related, Philox& rng)
        : n_words((n_rows + 63) / 64),
          planes(kNLevelLiterals * n_words),
          view(planes.data(), n_words, kNLevelLiterals, {0, n_words}, {n_rows}, nullptr, 0,
               sources(), simd()),
          support(rules(related), {kLevelMeanings.begin(), kLevelMeanings.end()}) {
        for (std::size_t i = 0; i < n_rows; ++i) {
            const std::array values{static_cast<std::int32_t>(rng.below(4)),
                                    static_cast<std::int32_t>(rng.below(2))};
            for (std::size_t l = 0; l < kNLevelLiterals; ++l)
                if (level_says(kLevelMeanings[l], values[as_index(kLevelMeanings[l].attribute)]))
                    planes[l * n_words + i / 64] |= Word{1} << (i % 64);
        }
    }
    static std::vector<LiteralSource> sources() {
        std::vector<LiteralSource> literals;
        for (std::size_t l = 0; l < kNLevelLiterals; ++l)
            literals.push_back({static_cast<std::int32_t>(l), -1, false});
        return literals;
    }
    static Rules rules(bool related) {
        Rules rules;
        rules.related = related;
        return rules;
    }

    // Row by row: whether two terms hold on the same open rows.
    bool alike(const Term& a, const Term& b, const std::vector<Word>& open) const {
        for (std::size_t i = 0; i < 64 * n_words; ++i) {
            const auto all = [&](const Term& t) {
                return std::ranges::all_of(t, [&](std::int32_t l) {
                    return bit(planes.data() + as_index(l) * n_words, i);
                });
            };
            if (bit(open.data(), i) && all(a) != all(b)) return false;
        }
        return true;
    }

    // Straight from the definition, over every term there is.
    bool respells(const Term& a, const Term& b, const std::vector<Word>& open) const {
        const Term &one = a.size() < b.size() ? a : b, &two = a.size() < b.size() ? b : a;
        Term in_one, in_two;
        std::ranges::set_difference(one, two, std::back_inserter(in_one));
        std::ranges::set_difference(two, one, std::back_inserter(in_two));
        if (in_one.size() != 1 || in_two.size() != 2 || !alike(a, b, open)) return false;
        for (const std::int32_t l : in_two)
            if (kLevelMeanings[as_index(l)].attribute !=
                    kLevelMeanings[as_index(in_one[0])].attribute ||
                alike(two, without(two, l), open))
                return false;
        return b.size() < a.size() || support.together(in_two[0], in_two[1]);
    }
};

}  // namespace

TEST(respellings_are_those_of_the_definition) {
    std::set<std::size_t> numbers;
    const auto terms = all_terms(kNLevelLiterals);
    for (const std::size_t n_rows : {1u, 5u, 12u, 63u, 64u, 65u, 127u, 128u})
        for (std::uint64_t seed = 0; seed < 6; ++seed) {
            Philox rng({seed, n_rows});
            const LevelTable table(n_rows, seed % 2 == 1, rng);
            std::vector<Word> open = table.view.all_rows();
            if (seed % 3 > 0)
                for (Word& w : open) w &= rng.next() | rng.next();
            Respellings respellings;
            for (std::size_t t = seed; t < terms.size(); t += 31) {
                std::vector<Term> slow;
                for (const Term& other : terms)
                    if (table.respells(terms[t], other, open)) slow.push_back(other);
                auto found = respellings.of(table.view, table.support, terms[t], open.data());
                std::ranges::sort(found);
                std::ranges::sort(slow);
                CHECK(found == slow);
                numbers.insert(found.size());
            }
        }
    CHECK(numbers.size() > 3);
}
