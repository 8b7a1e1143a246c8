// A function of counts: looked up as far as a table of bounded size goes, worked out beyond it.
#pragma once

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "data/bits.hpp"
#include "sizes.hpp"

namespace bayesdnf {

class LookUp {
  public:
    LookUp() = default;
    // f(0), ..., f(n). Weights can make n far larger than any table.
    LookUp(Count n, std::function<double(Count)> f) : f_(std::move(f)) {
        const Count end = std::min(n, kMost - 1);
        values_.reserve(static_cast<std::size_t>(end) + 1);
        for (Count i = 0; i <= end; ++i) values_.push_back(f_(i));
        whole_ = end == n;
    }
    double operator[](Count i) const {
        if (as_index(i) < values_.size()) [[likely]]
            return values_[as_index(i)];
        return f_(i);
    }
    // The table itself where it goes up to n, for loops over many; nullptr elsewhere.
    const double* table(Count n) const {
        return as_index(n) < values_.size() ? values_.data() : nullptr;
    }

    // Calls `loop` with f(0), ..., f(n) as plain numbers where all of them are in the table, so
    // that nothing is asked inside a loop; with this look-up otherwise.
    template <class Loop>
    void in_loop(const Loop& loop) const {
        if (whole_)
            loop(values_.data());
        else
            loop(*this);
    }

  private:
    bool whole_ = false;                            // nothing is beyond the table
    static constexpr Count kMost = Count{1} << 20;  // 8 MiB

    std::function<double(Count)> f_;
    std::vector<double> values_;
};

// A function of the rows of two classes, in a table: one look-up where it is a sum of three.
class CellLookUp {
  public:
    CellLookUp() = default;
    // f(a, b) for a from 0 to `most_a` and b from 0 to `most_b`.
    template <class F>
    CellLookUp(Count most_a, Count most_b, const F& f) : width_(most_b + 1) {
        values_.reserve(as_index(size(most_a, most_b)));
        for (Count a = 0; a <= most_a; ++a)
            for (Count b = 0; b <= most_b; ++b) values_.push_back(f(a, b));
    }
    // How many values that would be; weights can make them far more than any table.
    static Count size(Count most_a, Count most_b) {
        return saturating_multiply(saturating_add(most_a, Count{1}),
                                   saturating_add(most_b, Count{1}));
    }
    bool empty() const { return values_.empty(); }
    // f(a, b) is data()[at(a, b)]. Places add up as counts do, so a loop over many candidates works
    // out where the rows that they have in common lie only once.
    Count at(Count a, Count b) const { return a * width_ + b; }
    const double* data() const { return values_.data(); }

  private:
    Count width_ = 0;
    std::vector<double> values_;
};

}  // namespace bayesdnf
