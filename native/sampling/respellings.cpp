#include "sampling/respellings.hpp"

#include <algorithm>

namespace bayesdnf {
namespace {

// Whether a literal holds on all of these rows.
bool holds_on(const LiteralRows& literal, const std::vector<Word>& rows) {
    for (std::size_t w = 0; w < rows.size(); ++w)
        if ((rows[w] & ~literal[w]) != 0) return false;
    return true;
}

// Whether, of the rows at hand, literals leave these and no others.
template <class... Literals>
bool leave_just(const std::vector<Word>& rows, const std::vector<Word>& at_hand,
                const Literals&... literals) {
    for (std::size_t w = 0; w < rows.size(); ++w)
        if ((at_hand[w] & ... & literals[w]) != rows[w]) return false;
    return true;
}

}  // namespace

const std::vector<Term>& Respellings::of(const BitView& view, const Support& support,
                                         const Term& term, const Word* open) {
    found_.clear();
    rows_of(view, term, open, rows_);
    for (std::size_t i = 0; i < term.size(); ++i) {
        look_around(view, support, term, term[i]);
        one_by_two(view, support, term, open, term[i]);
        for (std::size_t j = i + 1; j < term.size(); ++j)
            if (support.same_attribute(term[i], term[j]))
                two_by_one(view, term, open, term[i], term[j]);
    }
    return found_;
}

void Respellings::rows_of(const BitView& view, const Term& term, const Word* open,
                          std::vector<Word>& rows) const {
    rows.resize(view.n_words());
    view.term_mask(rows.data(), term);
    for (std::size_t w = 0; w < rows.size(); ++w) rows[w] &= open[w];
}

void Respellings::look_around(const BitView& view, const Support& support, const Term& term,
                              std::int32_t l) {
    around_.clear();
    for (const std::int32_t a : support.of_its_attribute(l))
        if (!holds(term, a) && holds_on(view.rows_of(a), rows_)) around_.push_back(a);
}

void Respellings::one_by_two(const BitView& view, const Support& support, const Term& term,
                             const Word* open, std::int32_t l) {
    if (around_.size() < 2) return;
    const std::size_t n = rows_.size();
    const Term rest = without(term, l);
    rows_of(view, rest, open, others_);
    const Count all = view.simd().popcount(others_.data(), n);
    const Count left = view.simd().popcount(rows_.data(), n);
    loose_.clear();
    for (std::size_t i = 0; i < around_.size(); ++i) {
        const Count surplus = view.shared_rows(others_.data(), around_[i]) - left;
        // What leaves no further rows alone needs no second literal, and one that leaves all is no
        // help.
        if (surplus > 0 && surplus < all - left) loose_.push_back({surplus, i});
    }
    // No row of the rest may be among the surplus of both: together they have room in it.
    std::sort(loose_.begin(), loose_.end());
    pairs_.clear();
    for (auto one = loose_.begin(); one != loose_.end(); ++one) {
        const LiteralRows rows = view.rows_of(around_[one->place]);
        for (auto two = one + 1; two != loose_.end(); ++two) {
            if (one->surplus + two->surplus > all - left) break;
            const auto [first, second] = std::minmax(one->place, two->place);
            if (support.together(around_[first], around_[second]) &&
                leave_just(rows_, others_, rows, view.rows_of(around_[two->place])))
                pairs_.push_back({first, second});
        }
    }
    std::sort(pairs_.begin(), pairs_.end());
    for (const auto& [first, second] : pairs_)
        found_.push_back(with(with(rest, around_[first]), around_[second]));
}

void Respellings::two_by_one(const BitView& view, const Term& term, const Word* open,
                             std::int32_t l, std::int32_t other) {
    const auto says_the_same = [&](const Term& t) {
        rows_of(view, t, open, others_);
        return others_ == rows_;
    };
    if (says_the_same(without(term, l)) || says_the_same(without(term, other))) return;
    const Term rest = without(without(term, l), other);
    rows_of(view, rest, open, others_);
    for (const std::int32_t a : around_)
        if (leave_just(rows_, others_, view.rows_of(a))) found_.push_back(with(rest, a));
}

}  // namespace bayesdnf
