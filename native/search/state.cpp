#include "search/state.hpp"

#include <algorithm>
#include <cmath>

namespace bayesdnf {

State::State(const Posterior& posterior, std::vector<Term> terms) : posterior_(&posterior) {
    for (Term& t : terms) append(std::move(t));
    rescore();
}

void State::append(Term term) {
    const BitView& view = posterior_->view();
    std::sort(term.begin(), term.end());
    masks_.emplace_back(view.n_words());
    view.term_mask(masks_.back().data(), term);
    covers_.push_back(view.count_all(masks_.back().data()));
    terms_.push_back(std::move(term));
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
    thread_local std::vector<LiteralIds> terms;
    thread_local std::vector<Count> covers;
    thread_local std::vector<Word> rows, mask;
    terms.clear();
    covers.clear();
    rows.assign(n_words, 0);
    for (std::size_t i = 0; i < terms_.size(); ++i) {
        if (std::find(without.begin(), without.end(), i) != without.end()) continue;
        terms.emplace_back(terms_[i]);
        covers.push_back(covers_[i]);
        view.simd().or_into(rows.data(), rows.data(), masks_[i].data(), n_words);
    }
    mask.resize(n_words);
    for (const Term& t : added) {
        view.term_mask(mask.data(), t);
        terms.emplace_back(t);
        covers.push_back(view.count_all(mask.data()));
        view.simd().or_into(rows.data(), rows.data(), mask.data(), n_words);
    }
    if (posterior_->support().check(terms, covers) != Verdict::allowed) return {};
    const Likelihood& likelihood = posterior_->likelihood();
    Count counts[2];
    view.count(rows.data(), counts);
    return {posterior_->prior()(terms),
            terms.empty() ? likelihood.null() : likelihood(counts[0], counts[1])};
}

void State::replace(std::span<const std::size_t> without, std::span<const Term> added) {
    for (std::size_t n = without.size(); n-- > 0;) {
        const auto i = static_cast<std::ptrdiff_t>(without[n]);
        terms_.erase(terms_.begin() + i);
        masks_.erase(masks_.begin() + i);
        covers_.erase(covers_.begin() + i);
    }
    for (const Term& t : added) append(t);
    rescore();
}

Marked State::marked(std::size_t without) const {
    const BitView& view = posterior_->view();
    Marked m;
    m.rows.assign(view.n_words(), 0);
    for (std::size_t i = 0; i < terms_.size(); ++i)
        if (i != without)
            view.simd().or_into(m.rows.data(), m.rows.data(), masks_[i].data(), view.n_words());
    Count counts[2];
    view.count(m.rows.data(), counts);
    m.positive = counts[0];
    m.negative = counts[1];
    return m;
}

double State::terms_prior(std::size_t without) const {
    double sum = 0;
    for (std::size_t i = 0; i < terms_.size(); ++i)
        if (i != without) sum += posterior_->prior().of_term(terms_[i]);
    return sum;
}

std::vector<Term> State::canonical() const {
    std::vector<Term> sorted = terms_;
    std::sort(sorted.begin(), sorted.end());
    return sorted;
}

}  // namespace bayesdnf
