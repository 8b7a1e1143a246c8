// Rows as individuals, and positive individuals drawn in turn: what the paper's births start from.
// Of more than two classes every row counts as positive: terms may start from any.
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
    // The first n_positive segments hold the positives. counts: individuals per row; empty: one
    // each.
    Individuals(const BitView& view, const std::vector<std::size_t>& rows_per_segment,
                const std::vector<std::size_t>& offsets, const std::vector<Count>& counts,
                std::size_t n_positive);

    std::size_t n_positive_rows() const { return n_positive_rows_; }
    std::uint64_t n_positive() const { return first(n_positive_rows_); }
    std::uint64_t size() const { return first(n_rows_); }
    std::size_t row_of(std::uint64_t individual) const;
    // Number of a row's first individual.
    std::uint64_t first(std::size_t row) const { return firsts_.empty() ? row : firsts_[row]; }
    std::uint64_t count(std::size_t row) const { return first(row + 1) - first(row); }
    void true_literals(std::size_t row, Term& out) const;
    // Positive individuals of a mask, and the rows they are.
    Count positives_of(const BitView& view, const Word* mask) const;
    template <class Visit>
    void for_each_positive(const Word* mask, Visit visit) const {
        for (const Stretch& s : positives_)
            for (std::size_t w = 0; w < s.n_words; ++w)
                for (Word left = mask[s.word + w]; left != 0; left &= left - 1)
                    visit(s.row + w * kWordBits + lowest_bit(left));
    }

  private:
    // A segment: its first row and where its words lie.
    struct Stretch {
        std::size_t row, word, n_words;
    };
    std::size_t n_rows_ = 0, n_positive_rows_ = 0, words_per_row_;
    std::vector<Stretch> positives_;
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
