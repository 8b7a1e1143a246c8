// Counts of a few rows beside 128 lanes, and the screen over them. What pairs and triples share.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "genomics/blocks.hpp"
#include "genomics/level_scores.hpp"

namespace bayesdnf {

// Variants is 1 for pairs, where a row is one variant, and 2 for triples.
template <std::size_t Variants>
class RowCounts {
  public:
    static constexpr std::size_t kRowLevels = Variants == 1 ? kLevels : kLevels * kLevels;
    static constexpr std::size_t kNoLevel = kRowLevels;
    static constexpr std::size_t kTable = kRowLevels * kLevels;

    // Quads hold two levels of the row, or one and nothing.
    struct Part {
        const QuadRows* quads;
        std::size_t low, high;
    };

    RowCounts(const CaseSplit& split, const LevelScores& scores)
        : split_(split),
          scores_(scores),
          stride_(split.n_segments() * kSegment),
          counts_(kRowGroup * stride_),
          room_(split.n_strata() * kStrataRoom),
          table_(split.n_strata()) {
        wanted_.fill(INFINITY);
    }

    // Count rows first, first + 1, …, at most kRowGroup of them, as rows 0, 1, … of this.
    void count(std::span<const Part> parts, std::size_t first, std::size_t n_rows,
               const LaneBlock& lanes) {
        for (std::size_t s = 0; s < split_.n_segments(); ++s)
            for (const Part& part : parts)
                for (std::size_t v = lanes.known() ? kKnown : kCarrier; v < kLevels; ++v)
                    pair_loops().count(part.quads->row(s, first), n_rows, split_.n_quads(s),
                                       lanes.level(s, v), level(0, s, part.low, v),
                                       level(0, s, part.high, v), stride_);
    }

    // Lanes whose counts of rows of row level u and lane level v those are.
    std::int32_t* level(std::size_t row, std::size_t segment, std::size_t u, std::size_t v) {
        return counts_.data() + row * stride_ + segment * kSegment + (u * kLevels + v) * kLanes;
    }

    // What findings on a lane must reach: a key of `least`, over the lane's best sub-term.
    void aim(std::span<const double> of_lanes, double least) {
        least_ = least;
        lowest_ = INFINITY;
        for (std::size_t j = 0; j < of_lanes.size(); ++j) {
            of_lanes_[j] = of_lanes[j];
            if (scores_.n_strata() > 1) continue;
            lowest_ = std::min(lowest_, of_lanes[j]);
            rough_lanes_[j] = static_cast<float>(of_lanes[j]);
            const Reach::Levels& levels = scores_.levels(of_lanes[j], least);
            for (std::size_t k = 0; k < kReachLevels; ++k) levels_[k * kLanes + j] = levels[k];
        }
    }

    // Lanes of a row that may reach it, given the row's own best sub-term.
    std::array<Word, kLanes / kWordBits> worth_a_look(std::size_t row, double of_row,
                                                      std::size_t n_lanes) {
        ScreenRow screened = scores_.screen(Variants);
        if (scores_.n_strata() > 1)
            for (std::size_t j = 0; j < n_lanes; ++j)
                wanted_[j] = scores_.least_sum(std::max(of_row, of_lanes_[j]), least_);
        screened.wanted = wanted_.data();
        screened.segment = kSegment;
        screened.room = room_.data();
        screened.levels = levels_.data();
        screened.lanes_alone = rough_lanes_.data();
        screened.alone = -INFINITY;
        if (of_row > lowest_) {
            screened.alone = static_cast<float>(of_row);
            screened.levels_of_row = scores_.levels(of_row, least_).data();
        }
        for (std::size_t s = 0; s < 2; ++s)
            screened.counts[s] = level(row, s * split_.n_strata(), 0, 0);
        std::array<Word, kLanes / kWordBits> worth;
        if (scores_.n_strata() > 1)
            strata_loops().screen(screened, worth.data());
        else
            pair_loops().screen(screened, worth.data());
        for (std::size_t w = 0; w < worth.size(); ++w) {  // lanes past the last say nothing
            const std::size_t first = w * kWordBits, left = n_lanes > first ? n_lanes - first : 0;
            if (left < kWordBits) worth[w] &= (Word{1} << left) - 1;
        }
        return worth;
    }

    // By stratum.
    std::span<const LevelCounts<kTable>> table(std::size_t row, std::size_t lane) {
        const std::size_t first = scores_.needs_known() ? kKnown : kCarrier;
        for (std::size_t s = 0; s < split_.n_segments(); ++s)
            for (std::size_t u = 0; u < kRowLevels; ++u) {
                if (u % kLevels < first || u / kLevels < (Variants == 1 ? 0 : first)) continue;
                Count* const out = table_[s % split_.n_strata()][s / split_.n_strata()].data();
                for (std::size_t v = first; v < kLevels; ++v)
                    out[u * kLevels + v] = level(row, s, u, v)[lane];
            }
        return table_;
    }

  private:
    static constexpr std::size_t kSides = kRowLevels + 1;  // the last one takes what nobody reads
    static constexpr std::size_t kSegment = kSides * kLevels * kLanes;

    const CaseSplit& split_;
    const LevelScores& scores_;
    std::size_t stride_;  // of a row's counts
    AlignedVector<std::int32_t> counts_;
    std::vector<float> room_;
    std::vector<LevelCounts<kTable>> table_;
    alignas(64) std::array<float, kReachLevels * kLanes> levels_{};
    std::array<float, kLanes> rough_lanes_{};  // of_lanes_
    std::array<float, kLanes> wanted_;         // within strata, in place of levels
    std::array<double, kLanes> of_lanes_{};
    double least_ = -INFINITY, lowest_ = INFINITY;
};

}  // namespace bayesdnf
