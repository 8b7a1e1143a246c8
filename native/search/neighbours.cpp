#include "search/neighbours.hpp"

#include <algorithm>
#include <limits>

namespace bayesdnf {

Term changed(const Term& term, const Change& change) {
    const Term shorter = change.dropped >= 0 ? without(term, change.dropped) : term;
    return change.added >= 0 ? with(shorter, change.added) : shorter;
}

void Extensions::look(const State& state, std::size_t without, Height height,
                      std::span<const Term> bases) {
    const Posterior& posterior = state.posterior();
    const BitView& view = posterior.view();
    const std::size_t n_words = view.n_words();
    const auto others = state.spans(without);
    opening_.look(state, without, height);
    const std::size_t n_parts = opening_.n_parts();
    p_ = view.n_literals();
    n_segments_ = view.n_segments();
    n_masks_ = bases.size() * n_parts;
    rows_.resize(n_words);
    masks_.resize(n_masks_ * n_words);
    counts_.resize(n_segments_ * n_masks_ * p_);
    own_.resize(n_masks_ * n_segments_);
    may_.resize(bases.size() * p_);
    for (std::size_t b = 0; b < bases.size(); ++b) {
        view.term_mask(rows_.data(), bases[b]);
        opening_.open_rows(rows_.data(), masks_.data() + b * n_parts * n_words);
        posterior.support().addable(bases[b], others, may_.data() + b * p_);
    }
    for (std::size_t m = 0; m < n_masks_; ++m)
        view.count(masks_.data() + m * n_words, own_.data() + m * n_segments_);
    view.literal_counts(masks_.data(), n_masks_, counts_.data(), room_);
}

void extension_bounds(const State& state, std::size_t without, Height height, const Term& base,
                      const Heat& heat, Idle idle, Extensions& extensions,
                      std::vector<double>& bounds) {
    const FunctionPrior& prior = state.posterior().prior();
    const std::size_t p = state.posterior().view().n_literals();
    extensions.look(state, without, height, {&base, 1});
    const Opening& opening = extensions.opening();
    const auto bound = [&](double log_prior, const Taken& taken) {
        return Value{log_prior, opening.bound(taken)}.tempered(heat);
    };
    const double size_prior = prior.of_size(base.size() + 1);
    // A size without mass (a gap in the prior on sizes) may still lead to one with mass: the best
    // reachable size stands in for it, so that growth is not stopped at the gap.
    double longer_prior = opening.others_prior() +
                          (size_prior > -INFINITY ? size_prior : prior.reach(base.size() + 1));
    for (const std::int32_t l : base) longer_prior += prior.of_literal(l);
    bounds.resize(p + 1);
    extensions.bounds(0, bounds.data(), idle == Idle::left_out);
    // A term down to its last rows could otherwise take every literal that holds there: while the
    // prior is hot, many choices of one outweigh its price.
    const Count beyond = base.empty() ? std::numeric_limits<Count>::max() : extensions.own_total(0);
    const auto parts_rows = [&](Count rows) { return rows > 0 && rows < beyond; };
    for (std::size_t l = 0; l < p; ++l) {
        const bool wanted =
            extensions.may(0, l) && (idle == Idle::kept || parts_rows(extensions.total(l)));
        const double log_prior = longer_prior + prior.of_literal(static_cast<std::int32_t>(l));
        bounds[l] = wanted ? Value{log_prior, bounds[l]}.tempered(heat) : -INFINITY;
    }
    bounds[p] = base.empty()
                    ? -INFINITY
                    : bound(opening.others_prior() + prior.of_term(base), extensions.own(0));
}

void changes_of_term(const State& state, std::size_t i, double floor, Extensions& extensions,
                     std::vector<Change>& changes) {
    const FunctionPrior& prior = state.posterior().prior();
    const Term& term = state.terms()[i];
    const std::size_t p = state.posterior().view().n_literals();
    // Base 0 is the term itself, base j the term without its literal j - 1.
    std::vector<Term> bases{term};
    for (const std::int32_t l : term) bases.push_back(without(term, l));
    extensions.look(state, i, state.height(i), bases);
    const Opening& opening = extensions.opening();
    changes.clear();
    for (std::size_t b = 0; b < bases.size(); ++b) {
        const std::int32_t dropped = b == 0 ? -1 : term[b - 1];
        double longer_prior = opening.others_prior() + prior.of_size(bases[b].size() + 1);
        for (const std::int32_t l : bases[b]) longer_prior += prior.of_literal(l);
        for (std::size_t l = 0; l < p; ++l) {
            const auto id = static_cast<std::int32_t>(l);
            if (!extensions.may(b, l) || id == dropped) continue;
            const double bound =
                longer_prior + prior.of_literal(id) + opening.bound(extensions.taken(b, l));
            if (bound > floor) changes.push_back({dropped, id, bound});
        }
        if (b == 0 || bases[b].empty()) continue;
        const double bound =
            opening.others_prior() + prior.of_term(bases[b]) + opening.bound(extensions.own(b));
        if (bound > floor) changes.push_back({dropped, -1, bound});
    }
}

}  // namespace bayesdnf
