#include "data/individuals.hpp"

#include <algorithm>
#include <bit>
#include <numeric>

#include "data/rows.hpp"

namespace bayesdnf {

Individuals::Individuals(const BitView& view, const std::vector<std::size_t>& rows_per_segment,
                         const std::vector<std::size_t>& offsets, const std::vector<Count>& counts,
                         std::size_t n_positive)
    : words_per_row_(words_for(view.n_literals())) {
    const std::size_t n_segments = rows_per_segment.size();
    for (std::size_t s = 0; s < n_segments; ++s) {
        if (s < n_positive)
            positives_.push_back({n_rows_, offsets[s], words_for(rows_per_segment[s])});
        n_rows_ += rows_per_segment[s];
        if (s + 1 == n_positive) n_positive_rows_ = n_rows_;
    }
    literals_.resize(n_rows_ * words_per_row_);
    if (!counts.empty()) {
        firsts_.assign(1, 0);
        for (const Count c : counts) firsts_.push_back(firsts_.back() + as_index(c));
    }
    // 64 literals at a time: their columns, then each row's share of them as one word.
    const std::size_t n_words = view.n_words();
    std::vector<Word> columns(kWordBits * n_words);
    for (std::size_t b = 0; b < words_per_row_; ++b) {
        const std::size_t first = b * kWordBits;
        const std::size_t width = std::min(kWordBits, view.n_literals() - first);
        for (std::size_t i = 0; i < width; ++i) {
            const auto literal = static_cast<std::int32_t>(first + i);
            view.term_mask(columns.data() + i * n_words, {&literal, 1});
        }
        std::size_t row = 0;
        for (std::size_t s = 0; s < n_segments; ++s)
            for (std::size_t done = 0; done < rows_per_segment[s]; done += kWordBits) {
                Word block[kWordBits] = {};
                for (std::size_t i = 0; i < width; ++i)
                    block[i] = columns[i * n_words + offsets[s] + done / kWordBits];
                transpose_block(block);
                const std::size_t rows = std::min(kWordBits, rows_per_segment[s] - done);
                for (std::size_t j = 0; j < rows; ++j)
                    literals_[row++ * words_per_row_ + b] = block[j];
            }
    }
}

std::size_t Individuals::row_of(std::uint64_t individual) const {
    if (firsts_.empty()) return individual;
    const auto after = std::upper_bound(firsts_.begin(), firsts_.end(), individual);
    return static_cast<std::size_t>(after - firsts_.begin()) - 1;
}

Count Individuals::positives_of(const BitView& view, const Word* mask) const {
    std::vector<Count> counts(view.n_segments());
    view.count(mask, counts.data());
    return std::accumulate(
        counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(positives_.size()), Count{0});
}

void Individuals::true_literals(std::size_t row, Term& out) const {
    out.clear();
    for (std::size_t w = 0; w < words_per_row_; ++w)
        for (Word left = literals_[row * words_per_row_ + w]; left != 0; left &= left - 1)
            out.push_back(static_cast<std::int32_t>(w * kWordBits + lowest_bit(left)));
}

std::size_t Turns::draw(Philox& rng) {
    for (;;) {
        const std::uint64_t i = rng.below(individuals_->n_positive());
        const std::size_t row = individuals_->row_of(i);
        const std::uint64_t count = individuals_->count(row);
        const std::uint64_t full = times_[row] / count, ahead = times_[row] % count;
        const std::uint64_t times = full + (i - individuals_->first(row) < ahead);
        if (times > fewest_ && rng.below(1 + times) > fewest_) continue;
        ++times_[row];
        if (full == fewest_ && --at_fewest_ == 0) raise_fewest();
        return row;
    }
}

// All individuals have been drawn once more than `fewest`: a pass over the rows, needed once in as
// many draws as there are individuals.
void Turns::raise_fewest() {
    do {
        ++fewest_;
        for (std::size_t row = 0; row < times_.size(); ++row) {
            const std::uint64_t count = individuals_->count(row);
            if (times_[row] / count == fewest_) at_fewest_ += count - times_[row] % count;
        }
    } while (at_fewest_ == 0);
}
}  // namespace bayesdnf
