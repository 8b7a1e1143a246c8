// Exhaustive scans of genotypes: every variant, every pair (triples.hpp: every triple of some),
// scored by the collapsed log Bayes factor against "no marker".
//
// Counts of one variant, or of two, beside 128 others come from one pass over their levels. A
// screen in vectors tells which of them may have a place among the best, and only those are scored.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "genomics/blocks.hpp"
#include "genomics/level_scores.hpp"
#include "stop.hpp"
#include "threads.hpp"

namespace bayesdnf {

// A task is a tile of rows against a block of lanes: what it costs to get the lanes ready is little
// beside counting all of the rows.
constexpr std::size_t kTile = 256;

// Genotypes of cases and controls, with the score of every variant alone. The planes stay where
// they are.
class ScanTable {
  public:
    // segments: masks of the cases of each stratum, then of the controls of each, one after the
    // other, as long as the planes.
    ScanTable(const Word* planes, std::size_t n_variants, std::span<const Word> segments,
              std::size_t n_words, const Effect& effect, ScanRules rules,
              std::span<const std::int32_t> chromosome, std::span<const std::int64_t> position,
              std::size_t n_threads);

    std::size_t n_variants() const { return n_variants_; }
    const ScanRules& rules() const { return scores_.rules(); }
    const std::vector<Finding>& singles() const { return singles_; }

    // Pairs come in tasks, numbered; every pair is in exactly one.
    std::size_t n_tasks() const;
    // Scan tasks and keep what is best; a task that `stop` cuts short is not counted as done.
    // Returns how many tasks from `first` on were done; tasks are first, first + step, ….
    std::size_t scan_pairs(std::size_t first, std::size_t last, std::size_t step,
                           std::size_t n_threads, const Stop& stop, Findings& best) const;
    std::size_t pairs_in(std::size_t task) const;
    // The first variants of a task's rows (at most 256) and of its columns (at most 128).
    std::array<std::size_t, 2> place_of_task(std::size_t task) const;

    // Score pairs that something else has counted, and keep what is best. Of each: variants, a
    // before b, then by segment rows who are carriers of both, carriers of a with two copies of b,
    // the other way round, and with two copies of both; or, where that many counts are given, of
    // all nine levels of both.
    void score_pairs(std::span<const std::int32_t> pairs, std::size_t n_counts,
                     std::size_t n_threads, Findings& best) const;
    static constexpr std::size_t kFewCounts = 4, kAllCounts = kLevels * kLevels;
    // Of a variant, by stratum.
    StrataCounts<1> margins(std::size_t v) const {
        return {margins_.data() + v * split_.n_strata(), split_.n_strata()};
    }
    // Whether margins tell the counts of known calls.
    bool all_known() const { return !sweeps_known(0, n_variants_); }

    // For scans of more variants at once.
    const Word* variant(std::size_t v) const {
        return planes_ + v * kPlanesPerVariant * split_.n_words();
    }
    const CaseSplit& split() const { return split_; }
    const LevelScores& scores() const { return scores_; }
    double alone(std::size_t v) const { return singles_[v].log_bayes_factor; }
    bool apart(std::size_t a, std::size_t b) const;

  private:
    class PairWorker;

    // The same by segment.
    const std::array<Count, kLevels>& margin(std::size_t v, std::size_t segment) const {
        return margins(v)[segment % split_.n_strata()][segment / split_.n_strata()];
    }
    // Whether known calls of some variants must be counted: they matter, and some are missing.
    bool sweeps_known(std::size_t first, std::size_t last) const;

    const Word* planes_;
    std::size_t n_variants_;
    CaseSplit split_;
    LevelScores scores_;
    std::vector<std::int32_t> chromosome_;
    std::vector<std::int64_t> position_;
    std::vector<LevelCounts<kLevels>> margins_;
    std::vector<Finding> singles_;
};

// Findings that something else has counted, numbered, on threads. score(tables, i, least, finding)
// fills tables, one for each stratum, and scores them; false where that is not worth keeping.
template <class Table, class Score>
void score_counted(const ScanTable& table, std::size_t n, std::size_t n_threads, Findings& best,
                   const Score& score) {
    const std::size_t threads = std::max<std::size_t>(1, std::min(n, n_threads));
    std::vector<Findings> kept(threads, Findings(table.rules().top, best.least()));
    parallel_for(threads, threads, [&](std::size_t t) {
        std::vector<Table> tables(table.split().n_strata());
        for (std::size_t i = t; i < n; i += threads) {
            Finding f{};
            if (score(tables, i, kept[t].least(), f)) kept[t].offer(f);
        }
    });
    for (const Findings& of_thread : kept) best.take_in(of_thread);
}

// Numbered tasks on threads, a worker for each; workers keep their own findings, and their own
// threshold to reach: no locks in the loop. Returns how many tasks from the first on were done.
template <class Worker, class Table>
std::size_t scan_tasks(const Table& table, std::size_t first, std::size_t last, std::size_t step,
                       std::size_t n_threads, const Stop& stop, Findings& best) {
    const std::size_t n = first < last ? divide_up(last - first, step) : 0;
    const std::size_t threads = std::max<std::size_t>(1, std::min(n, n_threads));
    std::vector<std::unique_ptr<Worker>> workers(threads);
    std::vector<std::uint8_t> done(n, 0);
    const double floor = best.least();
    parallel_for(threads, threads, [&](std::size_t t) {
        workers[t] = std::make_unique<Worker>(table, floor);
        for (std::size_t i = t; i < n && !stop(); i += threads) {
            workers[t]->scan(first + i * step);
            done[i] = 1;
        }
    });
    for (const auto& worker : workers) best.take_in(worker->best);
    return static_cast<std::size_t>(std::find(done.begin(), done.end(), std::uint8_t{0}) -
                                    done.begin());
}

}  // namespace bayesdnf
