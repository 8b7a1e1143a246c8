#include "search/state.hpp"

#include <algorithm>
#include <cmath>

namespace bayesdnf {

State::State(const Posterior& posterior, std::vector<Term> terms) : posterior_(&posterior) {
    for (Term& t : terms) append(std::move(t));
    value_ = value_with(kNone, Term{});
}

void State::append(Term term) {
    const BitView& view = posterior_->view();
    std::sort(term.begin(), term.end());
    terms_.put(view, terms_.size(), term);
    covers_.push_back(view.count_all(terms_.mask(terms_.size() - 1).data()));
}

std::vector<LiteralIds> State::spans(std::size_t without) const {
    std::vector<LiteralIds> out;
    out.reserve(terms_.size() + 1);
    for (std::size_t i = 0; i < terms_.size(); ++i)
        if (i != without) out.emplace_back(terms_[i]);
    return out;
}

Value State::value_with(std::span<const std::size_t> without, std::span<const Term> added) const {
    const BitView& view = posterior_->view();
    const std::size_t n_words = view.n_words();
    auto& [terms, covers, rows, mask] = room_;
    terms.clear();
    covers.clear();
    rows.assign(n_words, 0);
    for (std::size_t i = 0; i < terms_.size(); ++i) {
        if (std::find(without.begin(), without.end(), i) != without.end()) continue;
        terms.emplace_back(terms_[i]);
        covers.push_back(covers_[i]);
        view.simd().or_into(rows.data(), rows.data(), terms_.mask(i).data(), n_words);
    }
    const std::size_t known = value_.allowed() ? terms.size() : 0;
    mask.resize(n_words);
    for (const Term& t : added) {
        view.term_mask(mask.data(), t);
        terms.emplace_back(t);
        covers.push_back(view.count_all(mask.data()));
        view.simd().or_into(rows.data(), rows.data(), mask.data(), n_words);
    }
    if (posterior_->support().check(terms, covers, known) != Verdict::allowed) return {};
    const Likelihood& likelihood = posterior_->likelihood();
    const MarkedCounts m = posterior_->count(rows.data());
    return {posterior_->prior()(terms),
            terms.empty() ? likelihood.null() : likelihood(m.positive, m.negative)};
}

void State::replace(std::span<const std::size_t> without, std::span<const Term> added) {
    const Value next = value_with(without, added);
    // From the last to the first, so that the numbers of those still to go stay right.
    for (std::size_t n = without.size(); n-- > 0;) {
        terms_.erase(without[n]);
        covers_.erase(covers_.begin() + static_cast<std::ptrdiff_t>(without[n]));
    }
    for (const Term& t : added) append(t);
    value_ = next;
}

Marked State::marked(std::size_t without) const {
    const BitView& view = posterior_->view();
    std::vector<Word> rows(view.n_words(), 0);
    for (std::size_t i = 0; i < terms_.size(); ++i)
        if (i != without)
            view.simd().or_into(rows.data(), rows.data(), terms_.mask(i).data(), view.n_words());
    const MarkedCounts counts = posterior_->count(rows.data());
    return {counts, std::move(rows)};
}

double State::terms_prior(std::size_t without) const {
    double sum = 0;
    for (std::size_t i = 0; i < terms_.size(); ++i)
        if (i != without) sum += posterior_->prior().of_term(terms_[i]);
    return sum;
}

std::vector<Term> State::canonical() const {
    std::vector<Term> sorted = terms();
    std::sort(sorted.begin(), sorted.end());
    return sorted;
}

}  // namespace bayesdnf
