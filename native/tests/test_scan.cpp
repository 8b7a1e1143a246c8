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
                const std::vector<float> alone(kLanes, 0);
                row.lanes_alone = alone.data();
                row.alone = -INFINITY;
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

// Strata of given sizes, and in each lane a table of two variants of its own.
struct StrataTables {
    std::vector<std::size_t> sizes;    // cases of each stratum, then controls of each
    std::vector<std::int32_t> counts;  // of levels: [segment][level of one, of the other][lane]

    std::size_t n_strata() const { return sizes.size() / 2; }
    CaseSplit split() const {
        std::size_t n = 0, at = 0;
        for (const std::size_t size : sizes) n += size;
        const std::size_t words = words_for(n);
        std::vector<Word> segments(sizes.size() * words);
        for (std::size_t s = 0; s < sizes.size(); ++s)
            for (std::size_t i = 0; i < sizes[s]; ++i, ++at)
                segments[s * words + at / kWordBits] |= Word{1} << at % kWordBits;
        return CaseSplit(segments, words);
    }
    Count cell(std::size_t segment, std::size_t at, std::size_t lane) const {
        const auto level = [&](std::size_t u, std::size_t v) {
            return u < 3 && v < 3 ? counts[(segment * 9 + u * 3 + v) * kLanes + lane] : 0;
        };
        const std::size_t u = at / 3, v = at % 3;
        return level(u, v) - level(u + 1, v) - level(u, v + 1) + level(u + 1, v + 1);
    }
    // Cases, then controls, of a stratum in each set of cells.
    std::array<Count, 2> rows(std::size_t s, std::size_t set, std::size_t lane) const {
        std::array<Count, 2> sums{};
        for (std::size_t c = 0; c < 2; ++c)
            for (std::size_t at = 0; at < kStrataCells; ++at)
                if (set >> at & 1u) sums[c] += cell(c * n_strata() + s, at, lane);
        return sums;
    }
};

// In a third of the lanes a union of cells matters, the same in all strata; in a third the counted
// alleles are the frequent ones.
StrataTables random_tables(Philox& rng, bool missing, bool one_large) {
    constexpr std::array<std::size_t, 13> kSizes = {0,  1,  2,  7,   20,  40, 63,
                                                    64, 65, 90, 127, 128, 200};
    StrataTables tables;
    tables.sizes.resize(2 * (2 + rng.below(4)));
    for (std::size_t s = 0; s < tables.sizes.size(); ++s)
        tables.sizes[s] = one_large && s % tables.n_strata() > 0
                              ? 0
                              : kSizes[(one_large ? 4 : 0) + rng.below(one_large ? 9 : 13)];
    tables.sizes[0] = std::max<std::size_t>(tables.sizes[0], 2);  // a study has cases and controls
    tables.sizes[tables.n_strata()] = std::max<std::size_t>(tables.sizes[tables.n_strata()], 2);
    tables.counts.assign(tables.sizes.size() * 9 * kLanes, 0);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const std::uint64_t allele[2] = {1 + rng.below(60), 1 + rng.below(60)};  // of a hundred
        const bool frequent = lane % 3 == 1, matters = lane % 3 == 2;
        const std::uint64_t causal = rng.below(kStrataSets), strength = rng.below(10);
        for (std::size_t s = 0; s < tables.sizes.size(); ++s)
            for (std::size_t i = 0; i < tables.sizes[s]; ++i) {
                std::size_t copies[2];
                for (std::size_t tries = 0; tries < 2; ++tries) {
                    for (std::size_t v = 0; v < 2; ++v) {
                        copies[v] = std::size_t{rng.below(100) < allele[v]} +
                                    std::size_t{rng.below(100) < allele[v]};
                        if (frequent) copies[v] = 2 - copies[v];
                    }
                    const bool in_union = causal >> (3 * copies[0] + copies[1]) & 1u;
                    const bool is_case = s < tables.n_strata();
                    if (!matters || in_union == is_case || rng.below(10) >= strength) break;
                }
                if (missing && rng.below(12) == 0) continue;  // of the first variant
                const std::size_t levels = missing && rng.below(12) == 0 ? 0 : copies[1] + 1;
                for (std::size_t u = 0; u <= copies[0]; ++u)
                    for (std::size_t v = 0; v < levels; ++v)
                        ++tables.counts[(s * 9 + u * 3 + v) * kLanes + lane];
            }
    }
    return tables;
}

// Against all unions, which are scored one by one. Whatever has a union that reaches what is wanted
// must pass; nearly all else should not. Where one stratum has all rows, its own best union is the
// best of all, and what each stratum adds is tested closely, too.
TEST(the_screen_of_unions_within_strata_misses_none) {
    Philox rng({11, 12});
    double too_high = 0;
    std::size_t tested = 0;
    for (std::size_t round = 0; round < 24; ++round) {
        const bool one_large = round % 3 == 2;
        const StrataTables tables = random_tables(rng, round % 2 == 1, one_large);
        const std::size_t n_strata = tables.n_strata();
        Effect effect;
        effect.ordered = false;
        if (round % 4 >= 2) effect.b1 = 2;  // complements score differently
        const CaseSplit split = tables.split();
        const LevelScores scores({{0, 1, 2}, Measure::cells, false, 10, 0}, effect, split);
        std::vector<Likelihood> strata;
        for (std::size_t s = 0; s < n_strata; ++s)
            strata.emplace_back(effect, static_cast<Count>(tables.sizes[s]),
                                static_cast<Count>(tables.sizes[n_strata + s]));
        std::vector<float> best(kLanes, -1e30F);
        std::vector<std::vector<double>> of_sets(kLanes, std::vector<double>(kStrataSets, 0));
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            std::size_t present = 0;
            for (std::size_t set = 0; set < kStrataSets; ++set)
                for (std::size_t s = 0; s < n_strata; ++s) {
                    const auto [a, b] = tables.rows(s, set, lane);
                    of_sets[lane][set] += strata[s].unordered(a, b) - strata[s].null();
                    if (a + b > 0 && std::has_single_bit(set)) present |= set;
                }
            // All cells together are no marker, and neither is none of them.
            for (std::size_t set = 1; set < kStrataSets; ++set)
                if ((set & present) != 0 && (set & present) != present)
                    best[lane] = std::max(best[lane], static_cast<float>(of_sets[lane][set]));
        }
        ScreenRow row = scores.screen(1);
        row.counts[0] = tables.counts.data();
        row.counts[1] = tables.counts.data() + n_strata * 9 * kLanes;
        row.segment = 9 * kLanes;
        std::vector<float> room(n_strata * kStrataRoom);
        row.room = room.data();
        for (const Simd* k : available_simd()) {
            const auto passes = [&](float more) {
                std::vector<float> wanted = best;
                for (float& value : wanted) value += more;
                row.wanted = wanted.data();
                std::array<Word, kLanes / kWordBits> worth;
                strata_loops_of(*k).screen(row, worth.data());
                return worth;
            };
            const auto at_best = passes(0);
            std::vector<float> highest(kLanes, 0);
            for (float more = 0.1F; more < 4; more += 0.1F) {
                const auto worth = passes(more);
                for (std::size_t lane = 0; lane < kLanes; ++lane)
                    if (bit(worth.data(), lane)) highest[lane] = more;
            }
            for (std::size_t lane = 0; lane < kLanes; ++lane) {
                if (best[lane] == -1e30F) continue;
                CHECK(bit(at_best.data(), lane));
                too_high += static_cast<double>(highest[lane]) / static_cast<double>(n_strata);
                ++tested;
            }
        }
        // What passes is scored as each union is.
        for (std::size_t lane = 0; lane < kLanes; lane += 5) {
            std::vector<LevelCounts<9>> counts(n_strata);
            for (std::size_t s = 0; s < 2 * n_strata; ++s)
                for (std::size_t i = 0; i < 9; ++i)
                    counts[s % n_strata][s / n_strata][i] =
                        tables.counts[(s * 9 + i) * kLanes + lane];
            Finding found{};
            const double least = static_cast<double>(best[lane]) - 1e-3;
            CHECK(scores.operator()<2>(counts, 0, least, found) == (best[lane] > -1e30F));
            if (best[lane] == -1e30F) continue;
            CHECK(std::abs(found.key - static_cast<double>(best[lane])) < 1e-4);
            CHECK(std::abs(of_sets[lane][found.what] - found.key) < 1e-9);
        }
    }
    CHECK(too_high < 0.5 * static_cast<double>(tested));
}

TEST(ties_go_to_the_earlier_variants) {
    Findings best(2);
    for (const std::int32_t v : {5, 1, 3}) best.offer({1.0, {v, 9, -1}, 0, 0, 0, 1.0, 1.0});
    const auto kept = best.sorted();
    CHECK(kept[0].variants[0] == 1 && kept[1].variants[0] == 3);
}
