// Terms side by side with the rows they hold on: what the state of every search is made of.
#pragma once

#include <cstddef>
#include <vector>

#include "data/matrix.hpp"

namespace bayesdnf {

// In place of the number of a term: none.
constexpr std::size_t kNone = SIZE_MAX;

class MaskedTerms {
  public:
    std::size_t size() const { return terms_.size(); }
    bool empty() const { return terms_.empty(); }
    const Term& operator[](std::size_t i) const { return terms_[i]; }
    const std::vector<Term>& terms() const { return terms_; }
    const std::vector<Word>& mask(std::size_t i) const { return masks_[i]; }

    // Put a term in the place of term i, or behind the last one where i is their number. The
    // memory of the one that was there is used again.
    void put(const BitView& view, std::size_t i, const Term& term) {
        if (i == size()) {
            terms_.emplace_back();
            masks_.emplace_back(view.n_words());
        }
        terms_[i].assign(term.begin(), term.end());
        view.term_mask(masks_[i].data(), term);
    }
    void erase(std::size_t i) {
        terms_.erase(terms_.begin() + static_cast<std::ptrdiff_t>(i));
        masks_.erase(masks_.begin() + static_cast<std::ptrdiff_t>(i));
    }

  private:
    std::vector<Term> terms_;
    std::vector<std::vector<Word>> masks_;
};

}  // namespace bayesdnf
