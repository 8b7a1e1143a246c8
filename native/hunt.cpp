#include "hunt.hpp"

#include <algorithm>
#include <cmath>

#include "neighbours.hpp"

namespace bayesdnf {
namespace {

// One index drawn with weights exp(beta * log_weight); `stay` is one more candidate, the last.
template <class LogWeight>
std::size_t draw(std::size_t n, double beta, LogWeight log_weight, double stay, Philox& rng) {
    thread_local std::vector<double> cumulative;
    cumulative.resize(n + 1);
    double top = stay;
    for (std::size_t i = 0; i < n; ++i) top = std::max(top, log_weight(i));
    double sum = 0;
    for (std::size_t i = 0; i <= n; ++i) {
        const double difference = beta * ((i < n ? log_weight(i) : stay) - top);
        if (difference > -40) sum += std::exp(difference);
        cumulative[i] = sum;
    }
    const double target = rng.uniform() * sum;
    const auto found = std::upper_bound(cumulative.begin(), cumulative.end(), target);
    return std::min<std::size_t>(n, static_cast<std::size_t>(found - cumulative.begin()));
}

bool accept(double gain, double beta, Philox& rng) {
    return gain >= 0 || std::log(rng.uniform_positive()) < beta * gain;
}

// A random one-literal change of a random term.
void change_step(State& state, double beta, Philox& rng) {
    if (state.size() == 0) return;
    thread_local std::vector<Change> changes;
    const std::size_t i = rng.below(state.size());
    changes_of_term(state, i, changes);
    const std::size_t chosen = draw(
        changes.size(), beta, [&](std::size_t c) { return changes[c].bound; }, state.score(), rng);
    if (chosen == changes.size()) return;
    const Term term = changed(state.terms()[i], changes[chosen]);
    const double score = state.score_with(i, term);
    // The draw used the bound; what the bound overstates is paid here.
    if (std::isfinite(score) && accept(score - changes[chosen].bound, beta, rng))
        state.replace(i, term);
}

// A new term grown literal by literal on the rows not marked yet.
void birth_step(State& state, double beta, Philox& rng) {
    const Posterior& posterior = state.posterior();
    const BitView& view = posterior.view();
    const FunctionPrior& prior = posterior.prior();
    const std::size_t p = view.n_literals();
    const Marked marked = state.marked();
    const auto others = state.spans();
    const double others_prior = state.terms_prior() + prior.of_count(state.size() + 1);
    std::vector<Word> mask(view.n_words());
    view.kernels().and_not_into(mask.data(), view.all_rows().data(), marked.rows.data(),
                                view.n_words());
    std::vector<Count> counts(2 * p);
    std::vector<std::uint8_t> may(p);
    std::vector<double> bounds(p);
    Term term;
    double current = -INFINITY, weights = 0;
    while (term.size() < p) {
        posterior.support().addable(term, others, may.data());
        view.literal_counts(mask.data(), 1, counts.data());
        const double base = others_prior + prior.of_size(term.size() + 1) + weights;
        for (std::size_t l = 0; l < p; ++l)
            bounds[l] = may[l] && counts[l] > 0
                            ? base + prior.of_literal(static_cast<std::int32_t>(l)) +
                                  posterior.likelihood().bound(marked.positive + counts[l],
                                                               marked.negative + counts[p + l])
                            : -INFINITY;
        if (term.empty() && *std::max_element(bounds.begin(), bounds.end()) == -INFINITY) return;
        const std::size_t l = draw(
            p, beta, [&](std::size_t j) { return bounds[j]; }, current, rng);
        if (l == p || bounds[l] == -INFINITY) break;
        const auto id = static_cast<std::int32_t>(l);
        term.insert(std::lower_bound(term.begin(), term.end(), id), id);
        weights += prior.of_literal(id);
        current = bounds[l];
        view.and_literal(mask.data(), id);
    }
    const double score = state.score_with(State::kNone, term);
    if (std::isfinite(score) && accept(score - state.score(), beta, rng))
        state.replace(State::kNone, term);
}

void death_step(State& state, double beta, Philox& rng) {
    if (state.size() == 0) return;
    const std::size_t i = rng.below(state.size());
    const double score = state.score_with(i, {});
    if (std::isfinite(score) && accept(score - state.score(), beta, rng)) state.replace(i, {});
}

// Two terms become what they share, or one term becomes two that part a literal each.
void merge_or_split_step(State& state, double beta, Philox& rng) {
    if (state.size() == 0) return;
    const std::size_t i = rng.below(state.size());
    const Term first = state.terms()[i];
    State trial = state;
    if (rng.below(2) == 0) {
        if (state.size() < 2) return;
        const std::size_t j = (i + 1 + rng.below(state.size() - 1)) % state.size();
        const Term& second = state.terms()[j];
        Term shared;
        std::set_intersection(first.begin(), first.end(), second.begin(), second.end(),
                              std::back_inserter(shared));
        if (shared.empty()) return;
        trial.replace(std::max(i, j), {});
        trial.replace(std::min(i, j), shared);
    } else {
        const std::size_t p = state.posterior().view().n_literals();
        trial.replace(i, {});
        for (int half = 0; half < 2; ++half) {
            Term part = first;
            const auto l = static_cast<std::int32_t>(rng.below(p));
            if (std::binary_search(part.begin(), part.end(), l)) return;
            part.insert(std::lower_bound(part.begin(), part.end(), l), l);
            trial.replace(State::kNone, part);
        }
    }
    if (std::isfinite(trial.score()) && accept(trial.score() - state.score(), beta, rng))
        state = std::move(trial);
}

}  // namespace

void rebuild(State& state, std::size_t width, const Stop& stop) {
    const auto add_terms = [&] {
        while (!stop()) {
            const Grown grown = grow_term(state, State::kNone, width, stop);
            if (grown.score <= state.score()) return;
            state.replace(State::kNone, grown.term);
        }
    };
    add_terms();
    for (bool better = true; better && !stop();) {
        better = false;
        // A rebuilt term goes to the end, so taking out the first one n times visits each once.
        for (std::size_t left = state.size(); left > 0 && state.size() > 0 && !stop(); --left) {
            const double before = state.score();
            const Term old = state.terms()[0];
            State trial = state;
            trial.replace(0, {});
            const double shorter = trial.score();
            const Grown grown = grow_term(state, 0, width, stop);
            if (grown.score > before || shorter > before) {
                state.replace(0, grown.score >= shorter ? grown.term : Term{});
                better = true;
            } else {
                state.replace(0, old);
            }
        }
        if (better) add_terms();
    }
}

void polish(State& state, const Stop& stop) {
    std::vector<Change> changes;
    for (bool better = true; better && !stop();) {
        better = false;
        for (std::size_t i = 0; i < state.size() && !stop(); ++i) {
            const double without = state.score_with(i, {});
            double best = state.score();
            Term best_term = state.terms()[i];
            bool drop = false;
            if (without > best) {
                best = without;
                drop = true;
            }
            changes_of_term(state, i, changes);
            std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
                if (a.bound != b.bound) return a.bound > b.bound;
                return a.dropped != b.dropped ? a.dropped < b.dropped : a.added < b.added;
            });
            for (const Change& c : changes) {
                if (c.bound <= best) break;
                Term term = changed(state.terms()[i], c);
                const double score = state.score_with(i, term);
                if (score > best) {
                    best = score;
                    best_term = std::move(term);
                    drop = false;
                }
            }
            if (best > state.score()) {
                state.replace(i, drop ? Term{} : best_term);
                better = true;
            }
        }
    }
}

State restart(const Posterior& posterior, const HuntSettings& settings, Philox rng,
              const Stop& stop) {
    State state(posterior), best = state;
    const double steps = static_cast<double>(std::max<std::size_t>(1, settings.steps));
    for (std::size_t step = 0; step < settings.steps && !stop(); ++step) {
        const double beta = settings.hottest * std::pow(settings.coolest / settings.hottest,
                                                        static_cast<double>(step) / steps);
        const double which = rng.uniform();
        if (which < 0.6)
            change_step(state, beta, rng);
        else if (which < 0.8)
            birth_step(state, beta, rng);
        else if (which < 0.9)
            death_step(state, beta, rng);
        else
            merge_or_split_step(state, beta, rng);
        if (state.score() > best.score()) best = state;
    }
    polish(best, stop);
    return best;
}

}  // namespace bayesdnf
