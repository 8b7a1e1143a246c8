#include "state.hpp"

#include <algorithm>
#include <cmath>

namespace bayesdnf {
static Value value(const Score& s) {
    return s.verdict == Verdict::allowed ? Value{s.log_prior, s.log_likelihood} : Value{};
}

State::State(const Posterior& posterior, std::vector<Term> terms) : posterior_(&posterior) {
    for (Term& t : terms) {
        std::sort(t.begin(), t.end());
        masks_.emplace_back(posterior.view().n_words());
        posterior.view().term_mask(masks_.back().data(), t);
        terms_.push_back(std::move(t));
    }
    rescore();
}

std::vector<LiteralIds> State::spans(std::size_t without) const {
    std::vector<LiteralIds> out;
    out.reserve(terms_.size() + 1);
    for (std::size_t i = 0; i < terms_.size(); ++i)
        if (i != without) out.emplace_back(terms_[i]);
    return out;
}

Value State::value_with(std::size_t without, const Term& added) const {
    auto all = spans(without);
    if (!added.empty()) all.emplace_back(added);
    return bayesdnf::value(posterior_->score(all));
}

void State::replace(std::size_t without, const Term& added) {
    if (without != kNone) {
        terms_.erase(terms_.begin() + static_cast<std::ptrdiff_t>(without));
        masks_.erase(masks_.begin() + static_cast<std::ptrdiff_t>(without));
    }
    if (!added.empty()) {
        terms_.push_back(added);
        std::sort(terms_.back().begin(), terms_.back().end());
        masks_.emplace_back(posterior_->view().n_words());
        posterior_->view().term_mask(masks_.back().data(), terms_.back());
    }
    rescore();
}

void State::rescore() { value_ = bayesdnf::value(posterior_->score(spans())); }

Marked State::marked(std::size_t without) const {
    const BitView& view = posterior_->view();
    Marked m;
    m.rows.assign(view.n_words(), 0);
    for (std::size_t i = 0; i < terms_.size(); ++i)
        if (i != without)
            view.kernels().or_into(m.rows.data(), m.rows.data(), masks_[i].data(), view.n_words());
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
