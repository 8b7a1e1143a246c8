#include "genomics/triples.hpp"

#include <bit>

#include "tests/check.hpp"
#include "tests/random_bits.hpp"
#include "tests/stops.hpp"

using namespace bayesdnf;

namespace {

// 150 variants of 300 samples; cases are likelier where both variant 3 and variant 100 are carried.
struct Study {
    static constexpr std::size_t kVariants = 150, kSamples = 300;
    std::size_t words = words_for(kSamples);
    std::vector<Word> planes, cases, controls;
    std::vector<std::int32_t> chromosome = std::vector<std::int32_t>(kVariants, 0);
    std::vector<std::int64_t> position;

    Study() : planes(kVariants * kPlanesPerVariant * words), cases(words), controls(words) {
        Philox rng({5, 6});
        for (std::size_t v = 0; v < kVariants; ++v) {
            position.push_back(static_cast<std::int64_t>(10 * v));
            std::vector<std::int8_t> copies(kSamples);
            for (auto& c : copies)
                c = static_cast<std::int8_t>((rng.below(3) == 0) + (rng.below(3) == 0));
            Word* p = planes.data() + v * kPlanesPerVariant * words;
            read_copies(copies.data(), kSamples, p, p + words, p + 2 * words);
        }
        const Word* a = planes.data() + (3 * kPlanesPerVariant + kCarrier) * words;
        const Word* b = planes.data() + (100 * kPlanesPerVariant + kCarrier) * words;
        for (std::size_t i = 0; i < kSamples; ++i) {
            const bool is_case = rng.below(10) < (bit(a, i) && bit(b, i) ? 9 : 2);
            (is_case ? cases : controls)[i / 64] |= Word{1} << (i % 64);
        }
    }

    ScanTable table(ScanRules rules, std::size_t n_strata = 1) const {
        std::vector<Word> segments(2 * n_strata * words);
        for (std::size_t i = 0; i < kSamples; ++i) {
            const std::size_t s = i % n_strata + (bit(cases.data(), i) ? 0 : n_strata);
            segments[s * words + i / 64] |= Word{1} << (i % 64);
        }
        Effect effect;
        effect.ordered = n_strata == 1;
        return ScanTable(planes.data(), kVariants, segments, words, effect, rules, chromosome,
                         position, 2);
    }
};

// Cases, then controls.
CaseSplit split_of(std::int32_t positives, std::int32_t negatives) {
    const std::size_t n = as_index(positives + negatives), words = words_for(n);
    std::vector<Word> segments(2 * words);
    for (std::size_t i = 0; i < n; ++i)
        segments[(i < as_index(positives) ? 0 : words) + i / 64] |= Word{1} << (i % 64);
    return CaseSplit(segments, words);
}

std::vector<Finding> pairs(const ScanTable& table, std::size_t threads, std::size_t step = 1) {
    Findings best(table.rules().top);
    for (std::size_t first = 0; first < step; ++first)
        table.scan_pairs(first, table.n_tasks(), step, threads, Never{}, best);
    return best.sorted();
}

}  // namespace

TEST(the_planted_pair_comes_first) {
    const Study study;
    for (const Measure measure : {Measure::conjunction, Measure::cells}) {
        const auto found = pairs(study.table({{0, 1, 2}, measure, true, 10, 0}), 2);
        CHECK(found.size() == 10);
        CHECK((found[0].variants == std::array<std::int32_t, 3>{3, 100, -1}));
        CHECK(found[0].gain > found[1].gain && found[0].gain <= found[0].log_bayes_factor);
    }
}

TEST(threads_and_parts_do_not_matter) {
    const Study study;
    const ScanTable table = study.table({{0, 1, 2, 3, 4, 5}, Measure::conjunction, false, 50, 0});
    const auto one = pairs(table, 1);
    for (const auto& other : {pairs(table, 2), pairs(table, 2, 3)}) {
        CHECK(other.size() == one.size());
        for (std::size_t i = 0; i < one.size(); ++i)
            CHECK(one[i].variants == other[i].variants && one[i].key == other[i].key &&
                  one[i].what == other[i].what);
    }
}

TEST(the_planted_pair_comes_first_within_strata) {
    const Study study;
    for (const Measure measure : {Measure::conjunction, Measure::cells}) {
        const ScanTable table = study.table({{0, 1, 2}, measure, true, 10, 0}, 3);
        const auto found = pairs(table, 2);
        CHECK((found[0].variants == std::array<std::int32_t, 3>{3, 100, -1}));
        const auto in_parts = pairs(table, 1, 3);
        for (std::size_t i = 0; i < found.size(); ++i)
            CHECK(found[i].variants == in_parts[i].variants && found[i].key == in_parts[i].key);
    }
}

TEST(a_stratum_adds_no_more_than_its_bound) {
    Effect plain, apart;
    plain.ordered = apart.ordered = false;
    apart.a1 = 3;
    apart.b0 = 2;
    for (const Effect& effect : {plain, apart})
        for (const auto& [positives, negatives] : {std::array<Count, 2>{0, 0},
                                                   {0, 9},
                                                   {1, 0},
                                                   {1, 1},
                                                   {5, 90},
                                                   {70, 60},
                                                   {300, 20},
                                                   {900, 30000}}) {
            const Likelihood likelihood(effect, positives, negatives);
            const StratumBound bound = stratum_bound(likelihood);
            const auto added = [&](Count a, Count b) {
                return static_cast<float>(likelihood.unordered(a, b) - likelihood.null());
            };
            CHECK(added(0, 0) <= bound.none && added(positives, negatives) <= bound.all);
            const Count step = 1 + negatives / 400;
            for (const Simd* k : available_simd())
                for (Count a = 0; a <= positives; a += step)
                    for (Count b = 0; b <= negatives; b += step) {
                        const auto cases = static_cast<float>(a), rows = static_cast<float>(a + b);
                        float sums[kStrataSets];
                        strata_loops_of(*k).bound_unions(&bound, 1, &cases, &rows, 1, sums);
                        CHECK(added(a, b) <= sums[1]);
                    }
        }
}

TEST(every_pair_is_in_one_task) {
    const Study study;
    const ScanTable table = study.table({});
    std::size_t n = 0;
    for (std::size_t task = 0; task < table.n_tasks(); ++task) n += table.pairs_in(task);
    CHECK(n == Study::kVariants * (Study::kVariants - 1) / 2);
}

TEST(near_variants_are_left_out) {
    const Study study;
    for (const Finding& f : pairs(study.table({{0}, Measure::conjunction, true, 20000, 500}), 2))
        CHECK(f.variants[1] - f.variants[0] >= 50);
}

TEST(a_triple_gains_over_its_best_pair) {
    const Study study;
    const ScanTable table = study.table({{0, 1, 2}, Measure::conjunction, true, 5, 0});
    const std::vector<std::int32_t> chosen = {3, 7, 50, 100, 120};
    Findings best(5);
    CHECK(TripleTable(table, chosen, 2).scan(0, chosen.size(), 1, 2, Never{}, best) ==
          chosen.size());
    const auto triples = best.sorted();
    CHECK(triples.size() == 5);
    const double pair = pairs(table, 1)[0].log_bayes_factor;
    for (const Finding& f : triples)
        if (f.variants[0] == 3 && (f.variants[1] == 100 || f.variants[2] == 100))
            CHECK(f.gain <= f.log_bayes_factor - pair + 1e-9);
}

// On every instruction set, against AND and popcount.
TEST(lookups_count_as_popcounts_do) {
    Philox rng({7, 8});
    for (const std::size_t rows : {0U, 1U, 63U, 64U, 65U, 127U, 128U, 300U, 66000U}) {
        const std::size_t words = words_for(rows), n = rows > 1000 ? 2 : kLanes - 3;
        std::vector<Word> planes = random_words(rng, (n + 2) * words), all(words);
        fill_ones(all.data(), rows, words);
        for (std::size_t i = 0; i < planes.size(); ++i) planes[i] &= all[i % words];
        for (const Simd* k : available_simd()) {
            const PairLoops& loops = pair_loops_of(*k);
            std::vector<std::uint8_t> lanes(quads_for(rows) * kLanes, 99);
            std::vector<std::uint16_t> quads(quads_for(rows));
            loops.lanes(planes.data(), words, n, rows, lanes.data());
            const Word* const row = planes.data() + n * words;
            loops.quads(row, row + words, rows, quads.data());
            std::vector<std::int32_t> low(kLanes, -1), high(kLanes, -1);
            loops.count(quads.data(), 1, quads_for(rows), lanes.data(), low.data(), high.data(), 0);
            for (std::size_t j = 0; j < kLanes; ++j) {
                const Word* const lane = planes.data() + j * words;
                CHECK(low[j] == (j < n ? k->and_popcount(row, lane, words) : 0));
                CHECK(high[j] == (j < n ? k->and_popcount(row + words, lane, words) : 0));
            }
        }
    }
}

TEST(a_screen_lets_through_all_that_reach_the_value) {
    for (const bool ordered : {true, false})
        for (const auto& [positive, negative] : {std::pair{5, 3}, {40, 90}, {200, 200}}) {
            Effect effect;
            effect.ordered = ordered;
            const LevelScores scores({{0}, Measure::conjunction, false, 10, 0}, effect,
                                     split_of(positive, negative));
            const Likelihood likelihood(effect, positive, negative);
            ScreenRow row = scores.screen(1);
            for (const double least : {-1.0, 0.3, 2.0, 5.0, 30.0}) {
                std::vector<float> levels;
                for (const float level : scores.levels(0, least))
                    levels.insert(levels.end(), kLanes, level);
                row.levels = levels.data();
                std::size_t kept = 0;
                for (std::int32_t b = 0; b <= negative; ++b)
                    for (std::int32_t a = 0; a <= positive; ++a) {
                        std::vector<std::int32_t> counts[2] = {
                            std::vector<std::int32_t>(9 * kLanes, a),
                            std::vector<std::int32_t>(9 * kLanes, b)};
                        for (std::size_t s = 0; s < 2; ++s) row.counts[s] = counts[s].data();
                        for (const Simd* k : available_simd()) {
                            Word worth[kLanes / kWordBits];
                            pair_loops_of(*k).screen(row, worth);
                            CHECK(worth[0] == 0 || worth[0] == ~Word{0});
                            if (a + b > 0 && likelihood(a, b) - likelihood.null() >= least)
                                CHECK(worth[0] != 0 && worth[1] != 0);
                            kept += worth[0] != 0;
                        }
                    }
                if (least == 30)
                    CHECK(kept < available_simd().size() * as_index(positive * negative) / 2);
            }
        }
}

// Counts of levels of two variants, for every lane a table of its own: [stratum][class].
std::vector<std::int32_t> random_tables(Philox& rng, std::size_t n_segments, std::size_t rows,
                                        bool missing) {
    std::vector<std::int32_t> counts(n_segments * 9 * kLanes, 0);
    for (std::size_t s = 0; s < n_segments; ++s)
        for (std::size_t j = 0; j < kLanes; ++j)
            for (std::size_t i = 0; i < rows; ++i) {
                // Copies 0, 1 and 2, the cell (2, 2) seldom; 3 is missing.
                const std::uint64_t a = rng.below(missing ? 13 : 12), b = rng.below(12);
                const std::size_t x = a < 7 ? 0 : a < 11 ? 1 : a == 11 ? 2 : 3;
                const std::size_t y = b < 6 ? 0 : b < 11 ? 1 : 2;
                for (std::size_t u = 0; u <= x && x < 3; ++u)
                    for (std::size_t v = 0; v <= y; ++v) ++counts[(s * 9 + u * 3 + v) * kLanes + j];
            }
    return counts;
}

// Against all unions, which are scored one by one: in all strata together, which is what must pass,
// and in each on its own, which is what the screen adds up.
TEST(the_screen_of_unions_within_strata_misses_none) {
    Philox rng({11, 12});
    constexpr std::size_t kStrata = 3, kRows = 40;  // cases of a stratum, and as many controls
    std::vector<Word> segments(2 * kStrata * 4, 0);
    for (std::size_t s = 0; s < 2 * kStrata; ++s)
        for (std::size_t i = s * kRows; i < (s + 1) * kRows; ++i)
            segments[s * 4 + i / kWordBits] |= Word{1} << i % kWordBits;
    const CaseSplit split(segments, 4);
    for (const bool missing : {false, true})
        for (const double risk : {0.5, 0.3}) {
            Effect effect;
            effect.ordered = false;
            if (risk < 0.5) effect.b1 = 2;  // complements score differently
            const Likelihood stratum(effect, kRows, kRows);
            const LevelScores scores({{0, 1, 2}, Measure::cells, false, 10, 0}, effect, split);
            ScreenRow row = scores.screen(1);
            const auto counts = random_tables(rng, 2 * kStrata, kRows, missing);
            row.counts[0] = counts.data();
            row.counts[1] = counts.data() + kStrata * 9 * kLanes;
            row.segment = 9 * kLanes;
            std::vector<float> together(kLanes), apart(kLanes);
            for (std::size_t j = 0; j < kLanes; ++j) {
                std::vector<double> sums(kStrataSets, 0);
                double of_each = 0;
                for (std::size_t s = 0; s < kStrata; ++s) {
                    const auto in = [&](std::size_t c, std::size_t cell) {
                        const std::int32_t* const at = row.counts[c] + s * row.segment + j;
                        const auto level = [&](std::size_t u, std::size_t v) {
                            return u < 3 && v < 3 ? at[(u * 3 + v) * kLanes] : 0;
                        };
                        const std::size_t u = cell / 3, v = cell % 3;
                        return level(u, v) - level(u + 1, v) - level(u, v + 1) +
                               level(u + 1, v + 1);
                    };
                    double best = -INFINITY;
                    for (std::size_t set = 0; set < kStrataSets; ++set) {
                        Count a = 0, b = 0;
                        for (std::size_t cell = 0; cell < kStrataCells; ++cell)
                            if (set >> cell & 1u) a += in(0, cell), b += in(1, cell);
                        const double added = stratum.unordered(a, b) - stratum.null();
                        sums[set] += added;
                        best = std::max(best, added);
                    }
                    of_each += best;
                }
                // All cells together are no marker, and neither is none of them.
                together[j] =
                    static_cast<float>(*std::max_element(sums.begin() + 1, sums.end() - 1));
                apart[j] = static_cast<float>(of_each);
            }
            for (const Simd* k : available_simd()) {
                const auto through = [&](std::vector<float> wanted, float more) {
                    for (float& value : wanted) value += more;
                    row.wanted = wanted.data();
                    Word worth[kLanes / kWordBits];
                    strata_loops_of(*k).screen(row, worth);
                    return std::popcount(worth[0]) + std::popcount(worth[1]);
                };
                CHECK(through(together, 0) == kLanes);
                CHECK(through(apart, 0) == kLanes);
                CHECK(through(apart, 2 * kStrata) == 0);  // nor are the bounds much too high
            }
        }
}

TEST(ties_go_to_the_earlier_variants) {
    Findings best(2);
    for (const std::int32_t v : {5, 1, 3}) best.offer({1.0, {v, 9, -1}, 0, 0, 0, 1.0, 1.0});
    const auto kept = best.sorted();
    CHECK(kept[0].variants[0] == 1 && kept[1].variants[0] == 3);
}
