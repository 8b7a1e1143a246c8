// What a beam may still hope for from counts of rows, and which counts are known to lead nowhere.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "search/opening.hpp"

namespace bayesdnf {

// Of one layer and stratum, the likelihood that a longer term may still come to, by the open
// positives that its beginning covers: no term that covers a of them can do better than to mark
// them and no open negative.
class Hope {
  public:
    Hope(const Opening& opening, std::size_t n_words) {
        if (!opening.simple()) return;
        const Likelihood& likelihood = opening.likelihood();
        const MarkedCounts &rest = opening.marked(), &open = opening.open();
        const auto at = [&](Count a) { return likelihood.bound(rest.positive + a, rest.negative); };
        // Weights can make positives far more than any table, where each look-up is worked out. The
        // likelihood is convex along the counts: of a stretch of them it is highest at an end, and
        // one far shorter than the weight of a row, of which a word has at most its bits, will do.
        const Count n = likelihood.n_positive() + likelihood.n_negative();
        const auto n_rows = static_cast<Count>(kWordBits * n_words);
        const Count most = n < kMost ? kMost : std::min(kMost, kStretchesPerRow * n_rows);
        stretch_ = open.positive / most + 1;
        for (Count a = 0; a <= open.positive; a += stretch_)
            highest_.push_back(std::max(at(a), at(std::min(a + stretch_ - 1, open.positive))));
        // A longer term may also lose positives, so fewer of them are within its reach.
        for (std::size_t a = 1; a < highest_.size(); ++a)
            highest_[a] = std::max(highest_[a], highest_[a - 1]);
        // Without an order of the rates a term may even gain by losing them.
        if (!likelihood.ordered())
            std::fill(highest_.begin(), highest_.end(),
                      std::max(highest_.back(),
                               likelihood.bound(rest.positive, rest.negative + open.negative)));
    }

    double operator()(Count positives) const { return highest_[as_index(positives / stretch_)]; }
    // The fewest positives from which more than `value` can be hoped for.
    Count fewest_above(double value) const {
        return (std::upper_bound(highest_.begin(), highest_.end(), value) - highest_.begin()) *
               stretch_;
    }

  private:
    static constexpr Count kMost = Count{1} << 20, kStretchesPerRow = 64;

    std::vector<double> highest_;  // rising; empty where several parts are open
    Count stretch_ = 1;            // positives for which one entry stands
};

// Counts of taken rows that are known to matter no more on a level of the beam. For so many taken
// positives both the likelihood's bound and the separation are convex in the taken negatives (the
// bound is level from where the marked rows are the less risky ones). So if neither is high enough
// for some number of negatives, nor for another, it is not for those between. What is high enough
// only rises while a level is extended.
class Dull {
  public:
    // A new level, on which so many candidates will be looked at. Where several parts are open
    // nothing is kept, nor where counts are so many that hardly any would come twice.
    void forget(const Opening& opening, std::size_t n_candidates) {
        const MarkedCounts& open = opening.open();
        const bool pays = opening.simple() && std::max(open.positive, open.negative) < kMost &&
                          n_candidates >= kTimes * as_index(open.positive);
        spans_.assign(pays ? as_index(open.positive) + 1 : 0, {kMost, -1});
    }
    bool keeps() const { return !spans_.empty(); }
    // By positives.
    const std::vector<RowSpan>& spans() const { return spans_; }
    bool has(Count positive, Count negative) const {
        const RowSpan& span = spans_[as_index(positive)];
        return (negative >= span.fewest) & (negative <= span.most);
    }
    void add(Count positive, Count negative) {
        RowSpan& span = spans_[as_index(positive)];
        span.fewest = std::min(span.fewest, static_cast<std::int32_t>(negative));
        span.most = std::max(span.most, static_cast<std::int32_t>(negative));
    }

  private:
    static constexpr std::int32_t kMost = 1 << 20;
    static constexpr std::size_t kTimes = 2;
    std::vector<RowSpan> spans_;  // of negatives
};

}  // namespace bayesdnf
