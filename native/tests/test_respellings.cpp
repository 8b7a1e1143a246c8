#include "sampling/respellings.hpp"

#include <algorithm>
#include <array>
#include <iterator>
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

// A column of many levels, in order, some of its values missing, and a flag. Of each level there
// are up to four literals, and literals lie in any order.
struct LongColumn {
    static constexpr std::int32_t kMissing = -1;
    std::size_t n_rows, n_words;
    std::vector<std::array<std::int32_t, 2>> values;  // of each row
    std::vector<LiteralMeaning> meanings;
    std::vector<Word> planes;
    BitView view;
    Support support;

    LongColumn(std::size_t rows, std::int32_t n_levels, bool missing, bool related, Philox& rng)
        : n_rows(rows),
          n_words((rows + 63) / 64),
          values(drawn(n_levels, missing, rng)),
          meanings(said(n_levels, rng)),
          planes(packed()),
          view(planes.data(), n_words, meanings.size() + 1, {0, n_words}, {n_rows}, nullptr, 0,
               sources(), simd()),
          support(LevelTable::rules(related), meanings) {}

    std::vector<std::array<std::int32_t, 2>> drawn(std::int32_t n_levels, bool missing,
                                                   Philox& rng) const {
        std::vector<std::array<std::int32_t, 2>> out;
        for (std::size_t i = 0; i < n_rows; ++i) {
            // Low levels are common.
            const auto most = 1 + rng.below(as_index(n_levels));
            out.push_back({static_cast<std::int32_t>(rng.below(most)),
                           static_cast<std::int32_t>(rng.below(2))});
            if (missing && rng.below(6) == 0) out.back()[0] = kMissing;
        }
        return out;
    }
    static std::vector<LiteralMeaning> said(std::int32_t n_levels, Philox& rng) {
        std::vector<LiteralMeaning> out{{1, 0, 0, Operator::equal}, {1, 0, 0, Operator::differs}};
        const auto kinds = rng.below(3);  // of each level, of the order, or both
        for (std::int32_t level = 0; level < n_levels; ++level) {
            if (kinds != 1)
                for (const Operator op : {Operator::equal, Operator::differs})
                    out.push_back({0, level, 0, op});
            if (kinds != 0 && level > 0)
                for (const Operator op : {Operator::at_least, Operator::below})
                    out.push_back({0, level, 0, op});
        }
        for (std::size_t l = out.size(); l > 1; --l) std::swap(out[l - 1], out[rng.below(l)]);
        for (std::size_t l = 0; l < out.size(); ++l) out[l].equal = static_cast<std::int32_t>(l);
        return out;
    }
    bool says(std::int32_t l, std::size_t row) const {
        const LiteralMeaning& m = meanings[as_index(l)];
        const std::int32_t value = values[row][as_index(m.attribute)];
        return value != kMissing && level_says(m, value);
    }
    bool complement(std::size_t l) const {
        return meanings[l].op == Operator::differs || meanings[l].op == Operator::below;
    }
    // Of literals, or of what they are complements of, and of where the level is known.
    std::vector<Word> packed() const {
        std::vector<Word> out((meanings.size() + 1) * n_words);
        const auto set = [&](std::size_t plane, std::size_t i) {
            out[plane * n_words + i / 64] |= Word{1} << (i % 64);
        };
        for (std::size_t i = 0; i < n_rows; ++i) {
            if (values[i][0] != kMissing) set(meanings.size(), i);
            for (std::size_t l = 0; l < meanings.size(); ++l)
                if (values[i][as_index(meanings[l].attribute)] != kMissing &&
                    says(static_cast<std::int32_t>(l), i) != complement(l))
                    set(l, i);
        }
        return out;
    }
    std::vector<LiteralSource> sources() const {
        std::vector<LiteralSource> out;
        for (std::size_t l = 0; l < meanings.size(); ++l)
            out.push_back(
                {static_cast<std::int32_t>(l),
                 meanings[l].attribute == 0 ? static_cast<std::int32_t>(meanings.size()) : -1,
                 complement(l)});
        return out;
    }

    std::vector<bool> rows(const Term& term, const std::vector<Word>& open) const {
        std::vector<bool> out;
        for (std::size_t i = 0; i < n_rows; ++i)
            out.push_back(bit(open.data(), i) &&
                          std::ranges::all_of(term, [&](std::int32_t l) { return says(l, i); }));
        return out;
    }
    // What every literal and every pair of literals comes to, one after the other.
    std::vector<Term> respelled(const Term& term, const std::vector<Word>& open) const {
        std::vector<Term> found;
        const std::vector<bool> own = rows(term, open);
        for (std::size_t i = 0; i < term.size(); ++i) {
            std::vector<std::int32_t> around;
            for (const std::int32_t a : support.of_its_attribute(term[i]))
                if (!holds(term, a) && rows(with(term, a), open) == own) around.push_back(a);
            const Term rest = without(term, term[i]);
            for (std::size_t a = 0; a < around.size(); ++a)
                for (std::size_t b = a + 1; b < around.size(); ++b) {
                    const Term next = with(with(rest, around[a]), around[b]);
                    if (support.together(around[a], around[b]) && rows(next, open) == own &&
                        rows(with(rest, around[a]), open) != own &&
                        rows(with(rest, around[b]), open) != own)
                        found.push_back(next);
                }
            for (std::size_t j = i + 1; j < term.size(); ++j) {
                if (!support.same_attribute(term[i], term[j]) || rows(rest, open) == own ||
                    rows(without(term, term[j]), open) == own)
                    continue;
                for (const std::int32_t a : around)
                    if (const Term next = with(without(rest, term[j]), a); rows(next, open) == own)
                        found.push_back(next);
            }
        }
        return found;
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

TEST(respellings_of_many_levels_come_in_the_order_of_their_literals) {
    std::set<std::size_t> numbers;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        Philox rng({seed, 77});
        constexpr std::array<std::int32_t, 5> kLevels{3, 4, 7, 12, 40};
        constexpr std::array<std::size_t, 6> kRows{9, 63, 64, 65, 128, 200};
        const LongColumn table(kRows[seed % kRows.size()], kLevels[rng.below(kLevels.size())],
                               rng.below(2) == 0, seed % 4 == 3, rng);
        Respellings respellings;
        for (int repeat = 0; repeat < 6; ++repeat) {
            std::vector<Word> open = table.view.all_rows();
            if (repeat % 2 == 1)
                for (Word& w : open) w &= rng.next() | rng.next();
            Term term;  // of a row
            const std::size_t row = rng.below(table.n_rows);
            for (std::size_t size = 1 + rng.below(3), tries = 0; tries < 200; ++tries) {
                const auto l = static_cast<std::int32_t>(rng.below(table.meanings.size()));
                if (term.size() < size && table.says(l, row) && !holds(term, l))
                    term = with(term, l);
            }
            if (term.empty()) continue;
            const std::vector<Term>& found =
                respellings.of(table.view, table.support, term, open.data());
            CHECK(found == table.respelled(term, open));
            numbers.insert(found.size());
        }
    }
    CHECK(numbers.size() > 5);
}
