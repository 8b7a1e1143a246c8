// Prime implicants of partly known functions: minimal sets of literals that no negative row
// satisfies, each once, the worthless ones left out.
#pragma once

#include <cstdint>
#include <vector>

#include "data/bits.hpp"
#include "stop.hpp"

namespace bayesdnf {

// What to look for. A term is worth the weights of the positive rows it marks, less size_cost for
// each of its literals.
struct ImplicantWish {
    std::vector<std::int64_t> weights;  // of each positive row, 0 or more
    std::int64_t size_cost = 0;         // 0 or more
    std::int64_t floor = 1;             // least worth
    bool best_only = false;             // each find raises the floor above its own worth
    std::size_t most = SIZE_MAX;        // stop when more than this many are found
    std::uint64_t max_nodes = UINT64_MAX;
};

struct ImplicantsFound {
    std::vector<std::vector<std::int32_t>> terms;  // literals in rising order
    std::vector<std::int64_t> worth;
    bool complete = false;     // no other implicant is worth as much as was asked
    std::int64_t ceiling = 0;  // no implicant that was not found is worth more
    std::uint64_t nodes = 0;
};

// The rows on which each of some literals holds, positives and negatives apart.
//
// The search is over hitting sets: a term must hold, for every negative row, a literal that is
// false there. It takes the negative row that the fewest literals still on offer can exclude, and
// branches on them; a literal that stops being the only one to exclude some row ends its branch,
// since no longer term is then minimal (Murakami and Uno, 2014). Both make the term longer and the
// rows it marks fewer, so that its worth bounds that of all that follow.
class Implicants {
  public:
    // positives, negatives: n_literals masks, words_for(n_positive) and words_for(n_negative) long.
    Implicants(const Word* positives, std::size_t n_positive, const Word* negatives,
               std::size_t n_negative, std::size_t n_literals);

    ImplicantsFound search(const ImplicantWish& wish, const Stop& stop) const;

    std::size_t n_positive() const { return n_positive_; }
    std::size_t n_negative() const { return n_negative_; }
    std::size_t n_literals() const { return n_literals_; }

  private:
    friend class ImplicantWalk;

    std::size_t n_positive_, n_negative_, n_literals_;
    std::size_t positive_words_, negative_words_, literal_words_;
    std::vector<Word> holds_;      // [literal][positive row]
    std::vector<Word> excludes_;   // [literal][negative row]: the literal is false there
    std::vector<Word> excluders_;  // [negative row][literal]
};

}  // namespace bayesdnf
