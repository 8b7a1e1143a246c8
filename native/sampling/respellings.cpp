#include "sampling/respellings.hpp"

#include <algorithm>

namespace bayesdnf {
namespace {

// Whether two sets of rows share these rows and no others.
bool share_just(const Word* a, const Word* b, const std::vector<Word>& rows) {
    for (std::size_t w = 0; w < rows.size(); ++w)
        if ((a[w] & b[w]) != rows[w]) return false;
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
    columns_.clear();
    for (const std::int32_t a : support.of_its_attribute(l)) {
        if (holds(term, a)) continue;
        columns_.resize((around_.size() + 1) * rows_.size());
        Word* column = columns_.data() + around_.size() * rows_.size();
        view.term_mask(column, {&a, 1});
        if (share_just(column, rows_.data(), rows_)) around_.push_back(a);
    }
}

void Respellings::one_by_two(const BitView& view, const Support& support, const Term& term,
                             const Word* open, std::int32_t l) {
    if (around_.size() < 2) return;
    const std::size_t n = rows_.size();
    const Term rest = without(term, l);
    rows_of(view, rest, open, others_);
    const auto column = [&](std::size_t i) { return columns_.data() + i * n; };
    for (std::size_t i = 0; i < around_.size(); ++i)
        for (std::size_t w = 0; w < n; ++w) column(i)[w] &= others_[w];
    // What leaves no further rows alone needs no second literal.
    const auto enough = [&](std::size_t i) { return share_just(column(i), column(i), rows_); };
    for (std::size_t i = 0; i < around_.size(); ++i) {
        if (enough(i)) continue;
        for (std::size_t j = i + 1; j < around_.size(); ++j)
            if (support.together(around_[i], around_[j]) &&
                share_just(column(i), column(j), rows_) && !enough(j))
                found_.push_back(with(with(rest, around_[i]), around_[j]));
    }
}

void Respellings::two_by_one(const BitView& view, const Term& term, const Word* open,
                             std::int32_t l, std::int32_t other) {
    const auto says_the_same = [&](const Term& t) {
        rows_of(view, t, open, others_);
        return others_ == rows_;
    };
    if (says_the_same(without(term, l)) || says_the_same(without(term, other))) return;
    const Term rest = without(without(term, l), other);
    for (const std::int32_t a : around_) {
        const Term next = with(rest, a);
        if (says_the_same(next)) found_.push_back(next);
    }
}

}  // namespace bayesdnf
