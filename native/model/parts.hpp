// Which part each row belongs to, given the terms that hold: decided here and nowhere else.
//
// A row belongs to the highest layer that has a term which holds on it, and to part 0 where no term
// holds. With one layer part 1 are the rows that the function marks.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "model/support.hpp"

namespace bayesdnf {

// Memory is kept between calls.
class Parts {
  public:
    enum class Covers { counted, left_out };

    // masks: rows of each term, in the words of `view`. `covers`: whether to count the rows that
    // each term has to itself and its own layer.
    void assign(const BitView& view, std::span<const Word* const> masks, Layers layers,
                Covers covers);

    std::size_t n_layers() const { return n_layers_; }
    // Rows of a part, from 0 to n_layers().
    const Word* rows(std::size_t part) const { return rows_.data() + part * n_words_; }
    // The same by segment, and of all parts, one after the other.
    const Count* count(std::size_t part) const { return counts_.data() + part * n_segments_; }
    const std::vector<Count>& counts() const { return counts_; }
    // Of part 0, in all segments.
    Count lowest() const;
    // Rows where each term holds and no higher layer does.
    const std::vector<Count>& covers() const { return covers_; }

  private:
    std::size_t n_layers_ = 0, n_words_ = 0, n_segments_ = 0;
    std::vector<Word> rows_, above_, own_;
    std::vector<Count> counts_, covers_;
};

}  // namespace bayesdnf
