#include "neighbours.hpp"

#include <algorithm>

namespace bayesdnf {

Term changed(const Term& term, const Change& change) {
    Term out;
    for (const std::int32_t l : term)
        if (l != change.dropped) out.push_back(l);
    if (change.added >= 0)
        out.insert(std::lower_bound(out.begin(), out.end(), change.added), change.added);
    return out;
}

void changes_of_term(const State& state, std::size_t i, std::vector<Change>& changes) {
    const Posterior& posterior = state.posterior();
    const BitView& view = posterior.view();
    const FunctionPrior& prior = posterior.prior();
    const Likelihood& likelihood = posterior.likelihood();
    const Term& term = state.terms()[i];
    const std::size_t k = term.size(), p = view.n_literals(), n_words = view.n_words();

    const Marked rest = state.marked(i);
    const auto others = state.spans(i);
    const double others_prior = state.terms_prior(i) + prior.of_count(state.size());

    // Base 0 is the term itself, base j the term without its literal j - 1; rows the other terms
    // mark already do not matter.
    thread_local std::vector<Word> masks;
    thread_local std::vector<Count> counts;
    thread_local std::vector<std::uint8_t> may;
    masks.resize((k + 1) * n_words);
    counts.resize(2 * (k + 1) * p);
    may.resize(p);
    std::vector<Term> bases{term};
    for (std::size_t j = 0; j < k; ++j) bases.push_back(changed(term, {term[j], -1, 0}));
    for (std::size_t b = 0; b <= k; ++b) {
        Word* mask = masks.data() + b * n_words;
        view.term_mask(mask, bases[b]);
        view.kernels().and_not_into(mask, mask, rest.rows.data(), n_words);
    }
    view.literal_counts(masks.data(), k + 1, counts.data());

    changes.clear();
    for (std::size_t b = 0; b <= k; ++b) {
        const std::int32_t dropped = b == 0 ? -1 : term[b - 1];
        double base_prior = others_prior + prior.of_size(bases[b].size() + 1);
        for (const std::int32_t l : bases[b]) base_prior += prior.of_literal(l);
        posterior.support().addable(bases[b], others, may.data());
        if (dropped >= 0) may[dropped] = 0;
        const Count* positive = counts.data() + b * p;
        const Count* negative = counts.data() + (k + 1 + b) * p;
        for (std::size_t l = 0; l < p; ++l)
            if (may[l])
                changes.push_back({dropped, static_cast<std::int32_t>(l),
                                   base_prior + prior.of_literal(static_cast<std::int32_t>(l)) +
                                       likelihood.bound(rest.positive + positive[l],
                                                        rest.negative + negative[l])});
        if (b > 0 && k > 1) {
            Count own[2];
            view.count(masks.data() + b * n_words, own);
            changes.push_back({dropped, -1,
                               others_prior + prior.of_term(bases[b]) +
                                   likelihood.bound(rest.positive + own[0], rest.negative + own[1])});
        }
    }
}

}  // namespace bayesdnf
