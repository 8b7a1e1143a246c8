#include "genomics/triples.hpp"

#include <algorithm>

#include "genomics/row_counts.hpp"

namespace bayesdnf {

TripleTable::TripleTable(const ScanTable& table, std::span<const std::int32_t> chosen,
                         std::size_t n_threads)
    : table_(table), chosen_(chosen.begin(), chosen.end()) {
    const std::size_t n = chosen_.size();
    const CaseSplit& split = table.split();
    const std::size_t size = kPlanesPerVariant * split.n_words();
    planes_.resize(n * size);
    for (std::size_t i = 0; i < n; ++i)
        std::copy_n(table.variant(as_index(chosen_[i])), size, planes_.data() + i * size);
    levels_.resize(split.n_segments());
    for (std::size_t s = 0; s < split.n_segments(); ++s)
        for (std::size_t l = 0; l < kLevels; ++l)
            split.split(planes_.data(), n, l, s, levels_[s][l]);
    blocks_.resize(divide_up(n, kLanes));
    for (std::size_t b = 0; b < blocks_.size(); ++b)
        blocks_[b].fill(split, variant(b * kLanes), std::min(kLanes, n - b * kLanes),
                        table.scores().needs_known());
    planes_ = {};  // the levels have it all
    pairs_.resize(n < 2 ? 0 : n * (n - 1) / 2);
    score_pairs(n_threads);
}

void TripleTable::score_pairs(std::size_t n_threads) {
    const CaseSplit& split = table_.split();
    parallel_for(chosen_.size(), n_threads, [&](std::size_t j) {
        const std::size_t first = table_.scores().needs_known() ? kKnown : kCarrier;
        const std::size_t n_strata = split.n_strata();
        std::vector<LevelCounts<kLevels * kLevels>> counts(n_strata);
        for (std::size_t i = 0; i < j; ++i) {
            for (std::size_t s = 0; s < split.n_segments(); ++s)
                for (std::size_t u = first; u < kLevels; ++u)
                    for (std::size_t v = first; v < kLevels; ++v)
                        counts[s % n_strata][s / n_strata][u * kLevels + v] = simd().and_popcount(
                            level(s, i, u), level(s, j, v), words_for(split.rows(s)));
            // Whatever does not exceed the single variants need not be known exactly.
            const double alone =
                std::max(table_.alone(as_index(chosen_[i])), table_.alone(as_index(chosen_[j])));
            Finding f{};
            const bool more = table_.scores().operator()<2>(counts, 0, alone, f);
            pair(i, j) = more ? std::max(f.log_bayes_factor, alone) : alone;
        }
    });
}

// What one thread works with: rows are the first variant of a task beside each later one.
class TripleTable::Worker {
  public:
    Worker(const TripleTable& triples, double floor)
        : best(triples.table_.rules().top, floor),
          triples_(triples),
          table_(triples.table_),
          counts_(table_.split(), table_.scores()) {}

    void scan(std::size_t i) {
        const std::size_t n = triples_.chosen_.size();
        fill_rows(i);
        for (std::size_t b = (i + 2) / kLanes; b < triples_.blocks_.size(); ++b) {
            const std::size_t lane = b * kLanes, n_lanes = std::min(kLanes, n - lane);
            for (std::size_t k = 0; k < n_lanes; ++k)
                of_lanes_[k] = lane + k > i ? triples_.pair(i, lane + k) : INFINITY;
            for (std::size_t j = i + 1; j + 1 < lane + n_lanes; j += kRowGroup)
                scan_group(i, j, std::min(kRowGroup, lane + n_lanes - 1 - j), lane, n_lanes);
        }
    }

    Findings best;

  private:
    using Rows = RowCounts<2>;

    // Levels of the first variant and of each later one together.
    void fill_rows(std::size_t i) {
        const CaseSplit& split = table_.split();
        const std::size_t n = triples_.chosen_.size() - i - 1;
        const bool known = table_.scores().needs_known();
        parts_.clear();
        for (std::size_t u = known ? kKnown : kCarrier; u < kLevels; ++u) {
            parts_.push_back({&quads_[u][0], u * kLevels + kCarrier, u * kLevels + kTwo});
            if (known) parts_.push_back({&quads_[u][1], u * kLevels + kKnown, Rows::kNoLevel});
            for (std::size_t both = 0; both <= std::size_t{known}; ++both) {
                QuadRows& rows = quads_[u][both];
                rows.resize(split, n);
                for (std::size_t s = 0; s < split.n_segments(); ++s) {
                    const std::size_t words = words_for(split.rows(s));
                    low_.resize(words);
                    high_.resize(words);
                    for (std::size_t j = 0; j < n; ++j) {
                        const Word* const one = triples_.level(s, i, u);
                        const std::size_t other = i + 1 + j;
                        simd().and_into(low_.data(), one,
                                        triples_.level(s, other, both == 0 ? kCarrier : kKnown),
                                        words);
                        simd().and_into(high_.data(), one,
                                        triples_.level(s, other, both == 0 ? kTwo : kKnown), words);
                        pair_loops().quads(low_.data(), high_.data(), split.rows(s),
                                           rows.row(s, j));
                    }
                }
            }
        }
    }

    void scan_group(std::size_t i, std::size_t first, std::size_t n, std::size_t lane,
                    std::size_t n_lanes) {
        counts_.count(parts_, first - i - 1, n, triples_.blocks_[lane / kLanes]);
        counts_.aim({of_lanes_.data(), n_lanes}, best.least());
        const auto place = [&](std::size_t at) { return as_index(triples_.chosen_[at]); };
        for (std::size_t row = 0; row < n; ++row) {
            const std::size_t j = first + row;
            if (!table_.apart(place(i), place(j))) continue;
            const double of_row = triples_.pair(i, j);
            const auto worth = counts_.worth_a_look(row, of_row, n_lanes);
            for (std::size_t w = 0; w < worth.size(); ++w)
                for (Word left = worth[w]; left != 0; left &= left - 1) {
                    const std::size_t at = w * kWordBits + lowest_bit(left), k = lane + at;
                    if (k <= j || !table_.apart(place(i), place(k)) ||
                        !table_.apart(place(j), place(k)))
                        continue;
                    const double sub = std::max({of_row, of_lanes_[at], triples_.pair(j, k)});
                    Finding f;
                    if (!table_.scores().operator()<3>(counts_.table(row, at), sub, best.least(),
                                                       f))
                        continue;
                    f.variants = {triples_.chosen_[i], triples_.chosen_[j], triples_.chosen_[k]};
                    best.offer(f);
                }
        }
    }

    const TripleTable& triples_;
    const ScanTable& table_;
    Rows counts_;
    std::array<double, kLanes> of_lanes_{};
    std::array<std::array<QuadRows, 2>, kLevels> quads_;  // by level of the first variant
    std::vector<Rows::Part> parts_;
    std::vector<Word> low_, high_;
};

void TripleTable::score_triples(std::span<const std::int32_t> triples, std::size_t n_threads,
                                Findings& best) const {
    const CaseSplit& split = table_.split();
    const std::size_t size = 3 + split.n_segments() * kCounted, n = triples.size() / size;
    using Table = LevelCounts<kLevels * kLevels * kLevels>;
    score_counted<Table>(
        table_, n, n_threads, best, [&](auto& tables, std::size_t t, double least, Finding& f) {
            const std::int32_t* const triple = &triples[t * size];
            const std::array places = {as_index(triple[0]), as_index(triple[1]),
                                       as_index(triple[2])};
            for (std::size_t k = 0; k < 3; ++k) f.variants[k] = chosen_[places[k]];
            const auto apart = [&](std::size_t a, std::size_t b) {
                return table_.apart(as_index(f.variants[a]), as_index(f.variants[b]));
            };
            if (!apart(0, 1) || !apart(0, 2) || !apart(1, 2)) return false;
            for (std::size_t s = 0; s < split.n_segments(); ++s)
                for (std::size_t k = 0; k < kCounted; ++k) {
                    const std::size_t levels[] = {kCarrier + k / 4, kCarrier + k / 2 % 2,
                                                  kCarrier + k % 2};
                    tables[s % tables.size()][s / tables.size()]
                          [(levels[0] * kLevels + levels[1]) * kLevels + levels[2]] =
                              triple[3 + s * kCounted + k];
                }
            const double sub = std::max({pair(places[0], places[1]), pair(places[0], places[2]),
                                         pair(places[1], places[2])});
            return table_.scores().operator()<3>(tables, sub, least, f);
        });
}

std::size_t TripleTable::scan(std::size_t first, std::size_t last, std::size_t step,
                              std::size_t n_threads, const Stop& stop, Findings& best) const {
    return scan_tasks<Worker>(*this, first, last, step, n_threads, stop, best);
}

}  // namespace bayesdnf
