// The screens that GPUs run, on the CPU: whatever belongs to the best must pass, and little else.
#include <bit>
#include <cmath>
#include <cstring>

#include "genomics/triples.hpp"
#include "tests/check.hpp"
#include "tests/random_bits.hpp"
#include "tests/stops.hpp"

#define __device__

using namespace bayesdnf;

namespace {

int __float_as_int(float x) { return std::bit_cast<int>(x); }
float __int_as_float(int x) { return std::bit_cast<float>(x); }
int __ffs(int x) { return x == 0 ? 0 : std::countr_zero(static_cast<unsigned>(x)) + 1; }
float __fdividef(float a, float b) { return a / b; }

namespace ands {
#include "tests/cuda_screen.hpp"
}
namespace ands_both_ways {
#define BOTH_DIRECTIONS 1
#include "tests/cuda_screen.hpp"
}  // namespace ands_both_ways
namespace negations {
#define CODINGS 63
#define NEEDS_KNOWN 1
#include "tests/cuda_screen.hpp"
}  // namespace negations
namespace some_codings {
#define CODINGS 34
#define NEEDS_KNOWN 1
#include "tests/cuda_screen.hpp"
}  // namespace some_codings
namespace cells {
#define CELLS 1
#define NEEDS_KNOWN 1
#include "tests/cuda_screen.hpp"
}  // namespace cells
namespace cells_both_ways {
#define CELLS 1
#define NEEDS_KNOWN 1
#define BOTH_DIRECTIONS 1
#include "tests/cuda_screen.hpp"
}  // namespace cells_both_ways
namespace strata {
#define STRATA 3
#include "tests/cuda_screen.hpp"
}  // namespace strata
namespace strata_negations {
#define STRATA 3
#define CODINGS 63
#define NEEDS_KNOWN 1
#include "tests/cuda_screen.hpp"
}  // namespace strata_negations
namespace strata_cells {
#define STRATA 3
#define CELLS 1
#define NEEDS_KNOWN 1
#define COMPLEMENTS 1
#include "tests/cuda_screen.hpp"
}  // namespace strata_cells
namespace strata_cells_all_known {
#define STRATA 3
#define CELLS 1
#define NEEDS_KNOWN 1
#define KNOWN 0
#define COMPLEMENTS 1
#include "tests/cuda_screen.hpp"
}  // namespace strata_cells_all_known
namespace triples {
#define TRIPLES 1
#include "tests/cuda_screen.hpp"
}  // namespace triples
namespace strata_triples {
#define TRIPLES 1
#define STRATA 3
#include "tests/cuda_screen.hpp"
}  // namespace strata_triples

// Samples of whom every call of twelve is missing, or none; cases are likelier with variants 2 and
// 9, by more in the first of three strata.
struct Study {
    static constexpr std::size_t kVariants = 40, kSamples = 500;
    std::size_t words = words_for(kSamples);
    std::vector<Word> planes, segments[2];
    std::vector<std::int32_t> chromosome = std::vector<std::int32_t>(kVariants, 0);
    std::vector<std::int64_t> position = std::vector<std::int64_t>(kVariants, 0);

    explicit Study(bool missing, std::uint64_t seed = 0)
        : planes(kVariants * kPlanesPerVariant * words) {
        Philox rng({seed, 11});
        for (std::size_t v = 0; v < kVariants; ++v) {
            std::vector<std::int8_t> copies(kSamples);
            for (auto& c : copies) {
                c = static_cast<std::int8_t>((rng.below(3) == 0) + (rng.below(3) == 0));
                if (missing && rng.below(12) == 0) c = -1;
            }
            Word* p = planes.data() + v * kPlanesPerVariant * words;
            read_copies(copies.data(), kSamples, p, p + words, p + 2 * words);
        }
        for (std::size_t n : {1, 3}) segments[n / 2].resize(2 * n * words);
        for (std::size_t i = 0; i < kSamples; ++i) {
            const std::size_t s = rng.below(3);
            const bool marked = bit(level(2, kCarrier), i) && bit(level(9, kCarrier), i);
            const bool is_case = rng.below(10) < 2 + s + (marked ? 4 - s : 0);
            segments[0][(is_case ? 0 : 1) * words + i / 64] |= Word{1} << (i % 64);
            segments[1][(s + (is_case ? 0 : 3)) * words + i / 64] |= Word{1} << (i % 64);
        }
    }
    const Word* level(std::size_t v, std::size_t l) const {
        return planes.data() + (v * kPlanesPerVariant + l) * words;
    }
    ScanTable table(const ScanRules& rules, bool within_strata, bool ordered) const {
        Effect effect;
        effect.ordered = ordered;
        return ScanTable(planes.data(), kVariants, segments[within_strata ? 1 : 0], words, effect,
                         rules, chromosome, position, 1);
    }
    // Counts of levels of some variants, slowly.
    template <std::size_t Variants>
    std::vector<LevelCounts<power(kLevels, Variants)>> counts(
        const std::array<std::size_t, Variants>& of, bool within_strata) const {
        const std::vector<Word>& masks = segments[within_strata ? 1 : 0];
        const std::size_t n_strata = within_strata ? 3 : 1;
        std::vector<LevelCounts<power(kLevels, Variants)>> tables(n_strata);
        for (std::size_t s = 0; s < 2 * n_strata; ++s)
            for (std::size_t at = 0; at < power(kLevels, Variants); ++at) {
                Count n = 0;
                for (std::size_t w = 0; w < words; ++w) {
                    Word all = masks[s * words + w];
                    std::size_t digits = at;
                    for (std::size_t k = Variants; k-- > 0; digits /= kLevels)
                        all &= level(of[k], digits % kLevels)[w];
                    n += std::popcount(all);
                }
                tables[s % n_strata][s / n_strata][at] = n;
            }
        return tables;
    }
};

// Scan, then screen every pair: what passes, scored as a GPU's findings are, gives the same.
template <class MayBe>
void check_pairs(const MayBe& may_be, ScanRules rules, bool within_strata, bool ordered,
                 bool missing) {
    constexpr std::size_t kFew = 5;
    for (const std::uint64_t seed : {1, 2, 3})
        for (const std::size_t top : {kFew, std::size_t{60}}) {
            const Study study(missing, seed);
            rules.top = top;
            const ScanTable table = study.table(rules, within_strata, ordered);
            Findings best(top);
            table.scan_pairs(0, table.n_tasks(), 1, 1, Never{}, best);
            std::vector<std::int32_t> listed;
            std::size_t passed = 0, pairs = 0;
            for (std::size_t a = 0; a < Study::kVariants; ++a)
                for (std::size_t b = a + 1; b < Study::kVariants; ++b) {
                    const auto tables = study.counts<2>({a, b}, within_strata);
                    ++pairs;
                    if (!may_be(table, tables, table.alone(a), table.alone(b), best.least()))
                        continue;
                    ++passed;
                    listed.push_back(static_cast<std::int32_t>(a));
                    listed.push_back(static_cast<std::int32_t>(b));
                    const std::size_t n = tables.size();
                    for (std::size_t s = 0; s < 2 * n; ++s)
                        for (const Count c : tables[s % n][s / n])
                            listed.push_back(static_cast<std::int32_t>(c));
                }
            if (top == kFew) CHECK(5 * passed < pairs);  // where many are kept the last say little
            Findings again(top);
            table.score_pairs(listed, ScanTable::kAllCounts, 2, again);
            const auto one = best.sorted(), other = again.sorted();
            CHECK(one.size() == top && other.size() == top);
            for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i)
                CHECK(one[i].variants == other[i].variants && one[i].key == other[i].key &&
                      one[i].what == other[i].what);
        }
}

template <class MayBe>
void check_triples(const MayBe& may_be, bool within_strata) {
    const Study study(true, 4);
    const ScanTable table =
        study.table({{0, 1, 2}, Measure::conjunction, true, 5, 0}, within_strata, !within_strata);
    std::vector<std::int32_t> chosen;
    for (std::int32_t v = 1; v < 20; ++v) chosen.push_back(v);
    const TripleTable triples(table, chosen, 1);
    Findings best(5), again(5);
    triples.scan(0, triples.n_tasks(), 1, 1, Never{}, best);
    std::vector<std::int32_t> listed;
    std::size_t passed = 0, all = 0;
    for (std::size_t i = 0; i < chosen.size(); ++i)
        for (std::size_t j = i + 1; j < chosen.size(); ++j)
            for (std::size_t k = j + 1; k < chosen.size(); ++k) {
                const auto tables = study.counts<3>({i + 1, j + 1, k + 1}, within_strata);
                ++all;
                if (!may_be(table, tables, triples.pair(i, j), triples.pair(i, k), best.least()))
                    continue;
                ++passed;
                for (const std::size_t at : {i, j, k})
                    listed.push_back(static_cast<std::int32_t>(at));
                const std::size_t n = tables.size();
                for (std::size_t s = 0; s < 2 * n; ++s)
                    for (std::size_t c = 0; c < TripleTable::kCounted; ++c)
                        listed.push_back(static_cast<std::int32_t>(
                            tables[s % n][s / n]
                                  [(1 + c / 4) * 9 + (1 + c / 2 % 2) * 3 + 1 + c % 2]));
            }
    CHECK(5 * passed < all);
    triples.score_triples(listed, 2, again);
    const auto one = best.sorted(), other = again.sorted();
    CHECK(one.size() == other.size());
    for (std::size_t i = 0; i < std::min(one.size(), other.size()); ++i)
        CHECK(one[i].variants == other[i].variants && one[i].key == other[i].key);
}

#define SCREEN(name) [](const auto&... given) { return name::may_be(given...); }
constexpr auto kAnd = Measure::conjunction;
const std::vector<std::uint8_t> kSix = {0, 1, 2, 3, 4, 5};

}  // namespace

TEST(ands_of_a_gpu) {
    for (const bool missing : {false, true}) {
        check_pairs(SCREEN(ands), {{0, 1, 2}, kAnd}, false, true, missing);
        check_pairs(SCREEN(ands_both_ways), {{0, 1, 2}, kAnd}, false, false, missing);
        check_pairs(SCREEN(negations), {kSix, kAnd}, false, true, missing);
        check_pairs(SCREEN(some_codings), {{1, 5}, kAnd}, false, true, missing);
    }
}

TEST(cells_of_a_gpu) {
    for (const bool missing : {false, true}) {
        check_pairs(SCREEN(cells), {{0}, Measure::cells}, false, true, missing);
        check_pairs(SCREEN(cells_both_ways), {{0}, Measure::cells}, false, false, missing);
    }
}

TEST(strata_of_a_gpu) {
    for (const bool missing : {false, true}) {
        check_pairs(SCREEN(strata), {{0, 1, 2}, kAnd}, true, false, missing);
        check_pairs(SCREEN(strata_negations), {kSix, kAnd}, true, false, missing);
        check_pairs(SCREEN(strata_cells), {{0}, Measure::cells}, true, false, missing);
    }
    check_pairs(SCREEN(strata_cells_all_known), {{0}, Measure::cells}, true, false, false);
}

TEST(triples_of_a_gpu) {
    check_triples(SCREEN(triples), false);
    check_triples(SCREEN(strata_triples), true);
}
