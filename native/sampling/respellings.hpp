// Other ways to say a term with literals of the same attributes: `size = m` for `size >= m AND size
// < l`. Likelihoods cannot tell them apart, and no change of a single literal leads from one to the
// other, so that a chain without this move stays for long with the one it found first.
#pragma once

#include <cstdint>
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
    // A literal by its place in `around_`, and how many more of the rows at hand it leaves than the
    // term does.
    struct Loose {
        Count surplus;
        std::size_t place;
        auto operator<=>(const Loose&) const = default;
    };
    struct Pair {
        std::size_t first, second;  // places, rising
        auto operator<=>(const Pair&) const = default;
    };

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
    // Room, kept between calls. Rows of the term, and of a part of it. None is kept of the literals
    // around, of which there may be thousands.
    std::vector<Word> rows_, others_;
    std::vector<std::int32_t> around_;
    std::vector<Loose> loose_;
    std::vector<Pair> pairs_;
};

}  // namespace bayesdnf
