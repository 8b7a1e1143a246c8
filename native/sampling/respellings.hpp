// Other ways to say a term with literals of the same attributes: `size = m` for `size >= m AND size
// < l`. Likelihoods cannot tell them apart, and no change of a single literal leads from one to the
// other, so that a chain without this move stays for long with the one it found first.
#pragma once

#include <vector>

#include "data/matrix.hpp"
#include "model/support.hpp"

namespace bayesdnf {

class Respellings {
  public:
    // All terms that hold on the same ones of the `open` rows and have, of one attribute, two
    // literals in place of one or one in place of two, neither of the two without the other. Being
    // such is mutual. Valid until the next call.
    const std::vector<Term>& of(const BitView& view, const Support& support, const Term& term,
                                const Word* open);

  private:
    // The open rows on which a term holds.
    void rows_of(const BitView& view, const Term& term, const Word* open,
                 std::vector<Word>& rows) const;
    // Literals of l's attribute that the term lacks and that hold on all of its rows.
    void look_around(const BitView& view, const Support& support, const Term& term, std::int32_t l);
    void one_by_two(const BitView& view, const Support& support, const Term& term, const Word* open,
                    std::int32_t l);
    void two_by_one(const BitView& view, const Term& term, const Word* open, std::int32_t l,
                    std::int32_t other);

    std::vector<Term> found_;
    // Room, kept between calls: rows of the term, candidates and their rows, rows of other terms.
    std::vector<Word> rows_, columns_, others_;
    std::vector<std::int32_t> around_;
};

}  // namespace bayesdnf
