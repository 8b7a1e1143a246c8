#include "genomics/scan.hpp"

#include "tests/check.hpp"
#include "tests/random_bits.hpp"

using namespace bayesdnf;

namespace {

struct Never : Stop {
    bool operator()() const override { return false; }
};

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

    ScanTable table(ScanRules rules) const {
        return ScanTable(planes.data(), words, kVariants, cases, controls, Effect{}, rules,
                         chromosome, position, 2);
    }
};

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
    CHECK(table.scan_triples(chosen, 0, chosen.size(), 2, Never{}, best) == chosen.size());
    const auto triples = best.sorted();
    CHECK(triples.size() == 5);
    const double pair = pairs(table, 1)[0].log_bayes_factor;
    for (const Finding& f : triples)
        if (f.variants[0] == 3 && (f.variants[1] == 100 || f.variants[2] == 100))
            CHECK(f.gain <= f.log_bayes_factor - pair + 1e-9);
}

TEST(ties_go_to_the_earlier_variants) {
    Findings best(2);
    for (const std::int32_t v : {5, 1, 3}) best.offer({1.0, {v, 9, -1}, 0, 0, 0, 1.0, 1.0});
    const auto kept = best.sorted();
    CHECK(kept[0].variants[0] == 1 && kept[1].variants[0] == 3);
}
