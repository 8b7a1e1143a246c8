// Rows as individuals, and positive individuals drawn in turn: what the paper's births start from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "data/matrix.hpp"
#include "rng.hpp"

namespace bayesdnf {

// Rows as individuals: which literals hold on each, and how many individuals each stands for.
class Individuals {
  public:
    // counts: individuals per row, positives first; empty: one each.
    Individuals(const BitView& view, const std::vector<std::size_t>& rows_per_segment,
                const std::vector<std::size_t>& offsets, const std::vector<Count>& counts);

    std::size_t n_positive_rows() const { return n_positive_rows_; }
    std::uint64_t n_positive() const { return first(n_positive_rows_); }
    std::uint64_t size() const { return first(n_rows_); }
    std::size_t row_of(std::uint64_t individual) const;
    // Number of a row's first individual.
    std::uint64_t first(std::size_t row) const { return firsts_.empty() ? row : firsts_[row]; }
    std::uint64_t count(std::size_t row) const { return first(row + 1) - first(row); }
    void true_literals(std::size_t row, Term& out) const;

  private:
    std::size_t n_rows_, n_positive_rows_, words_per_row_;
    std::vector<std::uint64_t> firsts_;  // empty: one individual per row
    std::vector<Word> literals_;         // row after row
};

// Positive individuals in turn: one is drawn with weight 1 / (1 + times it was drawn already).
//
// Individuals of one row are alike, so only the row's total is kept, spread evenly over them. A
// uniform individual is taken with probability (1 + fewest) / (1 + times): exact in integers, and
// since those drawn least are preferred, a few tries do.
class Turns {
  public:
    explicit Turns(const Individuals& individuals)
        : individuals_(&individuals),
          times_(individuals.n_positive_rows(), 0),
          at_fewest_(individuals.n_positive()) {}

    // A row; there must be positive individuals.
    std::size_t draw(Philox& rng);

  private:
    void raise_fewest();

    const Individuals* individuals_;
    std::vector<std::uint64_t> times_;  // by row
    std::uint64_t fewest_ = 0, at_fewest_;
};

}  // namespace bayesdnf
