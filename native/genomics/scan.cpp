#include "genomics/scan.hpp"

#include <algorithm>
#include <cmath>

#include "genomics/row_counts.hpp"
#include "threads.hpp"

namespace bayesdnf {
namespace {

constexpr std::size_t kBlocksOfTile = kTile / kLanes;

struct Place {
    std::size_t tile, block;
};

// Tasks are a tile and a block that is not before it, numbered tile by tile. Tasks of earlier
// tiles, each with fewer of them:
std::size_t tasks_before(std::size_t tile, std::size_t n_blocks) {
    return tile * n_blocks - kBlocksOfTile * (tile * (tile - std::min<std::size_t>(tile, 1)) / 2);
}

Place place_of(std::size_t task, std::size_t n_blocks) {
    const auto before = [&](std::size_t tile) { return tasks_before(tile, n_blocks); };
    // The root of before(tile) = task, give or take rounding.
    const double k = static_cast<double>(kBlocksOfTile), b = static_cast<double>(n_blocks) + k / 2;
    const double root = std::sqrt(std::max(0.0, b * b - 2 * k * static_cast<double>(task)));
    auto tile = static_cast<std::size_t>(std::max(0.0, (b - root) / k));
    while (tile > 0 && before(tile) > task) --tile;
    while (before(tile + 1) <= task) ++tile;
    return {tile, tile * kBlocksOfTile + task - before(tile)};
}

}  // namespace

ScanTable::ScanTable(const Word* planes, std::size_t n_variants, std::span<const Word> segments,
                     std::size_t n_words, const Effect& effect, ScanRules rules,
                     std::span<const std::int32_t> chromosome,
                     std::span<const std::int64_t> position, std::size_t n_threads)
    : planes_(planes),
      n_variants_(n_variants),
      split_(segments, n_words),
      scores_(std::move(rules), effect, split_),
      chromosome_(chromosome.begin(), chromosome.end()),
      position_(position.begin(), position.end()),
      margins_(n_variants * split_.n_strata()),
      singles_(n_variants) {
    const Simd& k = simd();
    const std::size_t n_strata = split_.n_strata();
    const auto of_one = [&](std::size_t v) {
        for (std::size_t level = 0; level < kLevels; ++level)
            for (std::size_t s = 0; s < split_.n_segments(); ++s)
                margins_[v * n_strata + s % n_strata][s / n_strata][level] =
                    k.and_popcount(variant(v) + level * n_words, &segments[s * n_words], n_words);
        Finding& f = singles_[v];
        f = {0, {static_cast<std::int32_t>(v), -1, -1}, 0, 0, 0, 0, 0};
        if (!scores_.operator()<1>(margins(v), 0, -INFINITY, f))
            f.log_bayes_factor = f.gain = f.key = 0;
    };
    constexpr std::size_t kPiece = 64;
    parallel_pieces(n_variants, kPiece, n_threads, [&](std::size_t first, std::size_t last) {
        for (std::size_t v = first; v < last; ++v) of_one(v);
    });
}

bool ScanTable::apart(std::size_t a, std::size_t b) const {
    return rules().gap == 0 || chromosome_[a] != chromosome_[b] ||
           std::abs(position_[a] - position_[b]) >= rules().gap;
}

bool ScanTable::sweeps_known(std::size_t first, std::size_t last) const {
    if (!scores_.needs_known()) return false;
    for (std::size_t v = first; v < last; ++v)
        for (std::size_t s = 0; s < split_.n_segments(); ++s)
            if (margin(v, s)[kKnown] < static_cast<Count>(split_.rows(s))) return true;
    return false;
}

std::size_t ScanTable::n_tasks() const {
    return tasks_before(divide_up(n_variants_, kTile), divide_up(n_variants_, kLanes));
}

std::size_t ScanTable::pairs_in(std::size_t task) const {
    const auto [tile, block] = place_of(task, divide_up(n_variants_, kLanes));
    const std::size_t first = tile * kTile, end = std::min(first + kTile, n_variants_);
    const std::size_t lane = block * kLanes, last = std::min(lane + kLanes, n_variants_);
    // Rows before each lane; lanes of the tile's own variants have one more each.
    const std::size_t own = std::min(std::max(lane, end), last);
    const std::size_t triangle =
        (own - lane) * (lane + own - std::min<std::size_t>(own, 1)) / 2 - (own - lane) * first;
    return triangle + (last - own) * (end - first);
}

std::array<std::size_t, 2> ScanTable::place_of_task(std::size_t task) const {
    const auto [tile, block] = place_of(task, divide_up(n_variants_, kLanes));
    return {tile * kTile, block * kLanes};
}

void ScanTable::score_pairs(std::span<const std::int32_t> pairs, std::size_t n_counts,
                            std::size_t n_threads, Findings& best) const {
    const std::size_t size = 2 + split_.n_segments() * n_counts, n = pairs.size() / size;
    score_counted<LevelCounts<kAllCounts>>(
        *this, n, n_threads, best, [&](auto& tables, std::size_t i, double least, Finding& f) {
            const std::int32_t* const pair = &pairs[i * size];
            const std::size_t a = as_index(pair[0]), b = as_index(pair[1]),
                              n_strata = tables.size();
            if (!apart(a, b)) return false;
            for (std::size_t s = 0; s < split_.n_segments(); ++s) {
                Count* const out = tables[s % n_strata][s / n_strata].data();
                const std::int32_t* const counts = pair + 2 + s * n_counts;
                if (n_counts == kAllCounts) {
                    std::copy_n(counts, kAllCounts, out);
                    continue;
                }
                // Where all calls are known, counts of known calls are the other variant's own.
                for (std::size_t v = 0; v < kLevels; ++v) {
                    out[kKnown * kLevels + v] = margin(b, s)[v];
                    out[v * kLevels + kKnown] = margin(a, s)[v];
                }
                for (std::size_t k = 0; k < kFewCounts; ++k)
                    out[(kCarrier + k / 2) * kLevels + kCarrier + k % 2] = counts[k];
            }
            f.variants = {pair[0], pair[1], -1};
            return scores_.operator()<2>(tables, std::max(alone(a), alone(b)), least, f);
        });
}

// What one thread works with. A tile that several of its tasks share is got ready once.
class ScanTable::PairWorker {
  public:
    PairWorker(const ScanTable& table, double floor)
        : best(table.rules().top, floor), table_(table), counts_(table.split_, table.scores_) {}

    void scan(std::size_t task) {
        const auto [tile, block] = place_of(task, divide_up(table_.n_variants_, kLanes));
        if (tile != tile_) fill_tile(tile);
        const std::size_t lane = block * kLanes;
        const std::size_t n_lanes = std::min(kLanes, table_.n_variants_ - lane);
        lanes_.fill(table_.split_, table_.variant(lane), n_lanes,
                    table_.sweeps_known(lane, lane + n_lanes));
        const std::size_t first = tile * kTile;
        const std::size_t n_rows = std::min(n_rows_, lane + n_lanes - first);
        for (std::size_t row = 0; row < n_rows; row += kRowGroup)
            scan_group(first, row, std::min(kRowGroup, n_rows - row), lane, n_lanes);
    }

    Findings best;

  private:
    using Rows = RowCounts<1>;

    void fill_tile(std::size_t tile) {
        tile_ = tile;
        const std::size_t first = tile * kTile;
        n_rows_ = std::min(kTile, table_.n_variants_ - first);
        known_ = table_.sweeps_known(first, first + n_rows_);
        fill(carrier_and_two_, first, kCarrier, kTwo);
        if (known_) fill(known_calls_, first, kKnown, kKnown);
    }

    void fill(QuadRows& rows, std::size_t first, std::size_t low, std::size_t high) {
        const CaseSplit& split = table_.split_;
        rows.resize(split, n_rows_);
        for (std::size_t s = 0; s < split.n_segments(); ++s) {
            split.split(table_.variant(first), n_rows_, low, s, low_);
            split.split(table_.variant(first), n_rows_, high, s, high_);
            const std::size_t words = words_for(split.rows(s));
            for (std::size_t i = 0; i < n_rows_; ++i)
                pair_loops().quads(&low_[i * words], &high_[i * words], split.rows(s),
                                   rows.row(s, i));
        }
    }

    void scan_group(std::size_t first, std::size_t row, std::size_t n, std::size_t lane,
                    std::size_t n_lanes) {
        const Rows::Part parts[] = {{&carrier_and_two_, kCarrier, kTwo},
                                    {&known_calls_, kKnown, Rows::kNoLevel}};
        counts_.count({parts, known_ ? 2u : 1u}, row, n, lanes_);
        std::array<double, kLanes> alone;
        for (std::size_t j = 0; j < n_lanes; ++j) alone[j] = table_.alone(lane + j);
        counts_.aim({alone.data(), n_lanes}, best.least());
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t a = first + row + i;
            if (table_.scores_.needs_known()) fill_known(i, a, lane, n_lanes);
            const auto worth = counts_.worth_a_look(i, table_.alone(a), n_lanes);
            for (std::size_t w = 0; w < worth.size(); ++w)
                for (Word left = worth[w]; left != 0; left &= left - 1) {
                    const std::size_t j = w * kWordBits + lowest_bit(left), b = lane + j;
                    if (b <= a || !table_.apart(a, b)) continue;
                    Finding f;
                    const double sub = std::max(table_.alone(a), alone[j]);
                    if (!table_.scores_.operator()<2>(counts_.table(i, j), sub, best.least(), f))
                        continue;
                    f.variants = {static_cast<std::int32_t>(a), static_cast<std::int32_t>(b), -1};
                    best.offer(f);
                }
        }
    }

    // Where all calls of a side are known, counts of known calls are the other side's own.
    void fill_known(std::size_t i, std::size_t a, std::size_t lane, std::size_t n_lanes) {
        for (std::size_t s = 0; s < table_.split_.n_segments(); ++s) {
            if (!known_)
                for (std::size_t v = 0; v < kLevels; ++v) {
                    std::int32_t* const out = counts_.level(i, s, kKnown, v);
                    for (std::size_t j = 0; j < n_lanes; ++j)
                        out[j] = static_cast<std::int32_t>(table_.margin(lane + j, s)[v]);
                }
            if (!lanes_.known())
                for (std::size_t u = 0; u < kLevels; ++u)
                    std::fill_n(counts_.level(i, s, u, kKnown), n_lanes,
                                static_cast<std::int32_t>(table_.margin(a, s)[u]));
        }
    }

    const ScanTable& table_;
    RowCounts<1> counts_;
    LaneBlock lanes_;
    std::size_t tile_ = static_cast<std::size_t>(-1), n_rows_ = 0;
    bool known_ = false;
    QuadRows carrier_and_two_, known_calls_;
    std::vector<Word> low_, high_;
};

std::size_t ScanTable::scan_pairs(std::size_t first, std::size_t last, std::size_t step,
                                  std::size_t n_threads, const Stop& stop, Findings& best) const {
    return scan_tasks<PairWorker>(*this, first, last, step, n_threads, stop, best);
}

}  // namespace bayesdnf
