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

}  // namespace bayesdnf
