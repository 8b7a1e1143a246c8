#include "search/neighbours.hpp"

#include <algorithm>

namespace bayesdnf {

Term changed(const Term& term, const Change& change) {
    const Term shorter = change.dropped >= 0 ? without(term, change.dropped) : term;
    return change.added >= 0 ? with(shorter, change.added) : shorter;
}

void Extensions::look(const State& state, std::size_t without, std::span<const Term> bases) {
    const Posterior& posterior = state.posterior();
    const BitView& view = posterior.view();
    const std::size_t n_words = view.n_words();
    const auto others = state.spans(without);
    p_ = view.n_literals();
    n_bases_ = bases.size();
    rest_ = state.marked(without);
    others_prior_ = state.terms_prior(without) + posterior.prior().of_count(others.size() + 1);
    masks_.resize(n_bases_ * n_words);
    counts_.resize(2 * n_bases_ * p_);
    own_.resize(2 * n_bases_);
    may_.resize(n_bases_ * p_);
    for (std::size_t b = 0; b < n_bases_; ++b) {
        Word* mask = masks_.data() + b * n_words;
        view.term_mask(mask, bases[b]);
        view.simd().and_not_into(mask, mask, rest_.rows.data(), n_words);
        view.count(mask, own_.data() + 2 * b);
        posterior.support().addable(bases[b], others, may_.data() + b * p_);
    }
    view.literal_counts(masks_.data(), n_bases_, counts_.data(), room_);
}

void extension_bounds(const State& state, std::size_t without, const Term& base, const Heat& heat,
                      Idle idle, Extensions& extensions, std::vector<double>& bounds) {
    const FunctionPrior& prior = state.posterior().prior();
    const Likelihood& likelihood = state.posterior().likelihood();
    const std::size_t p = state.posterior().view().n_literals();
    extensions.look(state, without, {&base, 1});
    const Marked& rest = extensions.rest();
    const auto bound = [&](double log_prior, Count positive, Count negative) {
        return Value{log_prior,
                     likelihood.bound(rest.positive + positive, rest.negative + negative)}
            .tempered(heat);
    };
    const double size_prior = prior.of_size(base.size() + 1);
    double longer_prior = extensions.others_prior() +
                          (size_prior > -INFINITY ? size_prior : prior.reach(base.size() + 1));
    for (const std::int32_t l : base) longer_prior += prior.of_literal(l);
    bounds.resize(p + 1);
    for (std::size_t l = 0; l < p; ++l) {
        const Count positive = extensions.positive(0, l), negative = extensions.negative(0, l);
        const bool wanted = extensions.may(0, l) && (idle == Idle::kept || positive + negative > 0);
        bounds[l] = wanted ? bound(longer_prior + prior.of_literal(static_cast<std::int32_t>(l)),
                                   positive, negative)
                           : -INFINITY;
    }
    const Count* own = extensions.own(0);
    bounds[p] = base.empty()
                    ? -INFINITY
                    : bound(extensions.others_prior() + prior.of_term(base), own[0], own[1]);
}

void changes_of_term(const State& state, std::size_t i, double floor, Extensions& extensions,
                     std::vector<Change>& changes) {
    const FunctionPrior& prior = state.posterior().prior();
    const Likelihood& likelihood = state.posterior().likelihood();
    const Term& term = state.terms()[i];
    const std::size_t p = state.posterior().view().n_literals();
    // Base 0 is the term itself, base j the term without its literal j - 1.
    std::vector<Term> bases{term};
    for (const std::int32_t l : term) bases.push_back(without(term, l));
    extensions.look(state, i, bases);
    const Marked& rest = extensions.rest();
    changes.clear();
    for (std::size_t b = 0; b < bases.size(); ++b) {
        const std::int32_t dropped = b == 0 ? -1 : term[b - 1];
        double longer_prior = extensions.others_prior() + prior.of_size(bases[b].size() + 1);
        for (const std::int32_t l : bases[b]) longer_prior += prior.of_literal(l);
        for (std::size_t l = 0; l < p; ++l) {
            const auto id = static_cast<std::int32_t>(l);
            if (!extensions.may(b, l) || id == dropped) continue;
            const double bound = longer_prior + prior.of_literal(id) +
                                 likelihood.bound(rest.positive + extensions.positive(b, l),
                                                  rest.negative + extensions.negative(b, l));
            if (bound > floor) changes.push_back({dropped, id, bound});
        }
        const Count* own = extensions.own(b);
        if (b == 0 || bases[b].empty()) continue;
        const double bound = extensions.others_prior() + prior.of_term(bases[b]) +
                             likelihood.bound(rest.positive + own[0], rest.negative + own[1]);
        if (bound > floor) changes.push_back({dropped, -1, bound});
    }
}

}  // namespace bayesdnf
