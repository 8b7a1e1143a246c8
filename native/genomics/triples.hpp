// Every triple of a chosen set of variants.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genomics/scan.hpp"

namespace bayesdnf {

// Chosen variants side by side, and what every two of them score.
class TripleTable {
  public:
    // chosen: rising numbers of variants of the table, which must outlive this.
    TripleTable(const ScanTable& table, std::span<const std::int32_t> chosen,
                std::size_t n_threads);

    // Triples come in tasks: those with one first variant.
    std::size_t n_tasks() const { return chosen_.size(); }
    std::size_t triples_in(std::size_t task) const {
        const std::size_t after = chosen_.size() - task - 1;
        return after < 2 ? 0 : after * (after - 1) / 2;
    }
    // The best log Bayes factor of one of two variants or of both, i and j being places among the
    // chosen ones, i < j.
    double pair(std::size_t i, std::size_t j) const { return pairs_[j * (j - 1) / 2 + i]; }
    const ScanTable& table() const { return table_; }
    std::size_t n_chosen() const { return chosen_.size(); }
    // As ScanTable::score_pairs: places among the chosen ones, then by segment the four counts of
    // the last two variants among carriers of the first one, and among its two copies.
    void score_triples(std::span<const std::int32_t> triples, std::size_t n_threads,
                       Findings& best) const;
    static constexpr std::size_t kCounted = 2 * ScanTable::kFewCounts;
    // As ScanTable::scan_pairs.
    std::size_t scan(std::size_t first, std::size_t last, std::size_t step, std::size_t n_threads,
                     const Stop& stop, Findings& best) const;

  private:
    class Worker;

    const Word* variant(std::size_t i) const {
        return planes_.data() + i * kPlanesPerVariant * table_.split().n_words();
    }
    // One level of one of the chosen, of one segment.
    const Word* level(std::size_t segment, std::size_t i, std::size_t level) const {
        const std::size_t words = words_for(table_.split().rows(segment));
        return levels_[segment][level].data() + i * words;
    }
    double& pair(std::size_t i, std::size_t j) { return pairs_[j * (j - 1) / 2 + i]; }
    void score_pairs(std::size_t n_threads);

    const ScanTable& table_;
    std::vector<std::int32_t> chosen_;
    std::vector<Word> planes_;
    std::vector<std::array<std::vector<Word>, kLevels>> levels_;  // by segment
    std::vector<LaneBlock> blocks_;
    std::vector<double> pairs_;
};

}  // namespace bayesdnf
