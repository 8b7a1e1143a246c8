#include "hunt.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <iterator>

#include "beam.hpp"
#include "neighbours.hpp"

namespace bayesdnf {
namespace {

// exp(x) for x <= 0, to about 1e-9: plain arithmetic that the compiler turns into vector code, and
// the same bits everywhere. Only ever used to draw proposals.
inline double quick_exp(double x) {
    constexpr double kShift = 0x1.8p52;  // adding it rounds to the nearest whole number
    const double t = std::max(x, -700.0) * 1.4426950408889634;
    const double shifted = t + kShift;
    const double r = (t - (shifted - kShift)) * 0.6931471805599453;
    const double e =
        1 + r * (1 + r * (1. / 2 + r * (1. / 6 + r * (1. / 24 + r * (1. / 120 + r * (1. / 720))))));
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(e) +
                                 (std::bit_cast<std::uint64_t>(shifted) << 52));
}

// One index drawn with weights exp(logs[i]); -inf has no weight, and where nothing else is any
// index may come out.
std::size_t draw(const std::vector<double>& logs, Philox& rng) {
    thread_local std::vector<double> weights;
    const std::size_t n = logs.size();
    weights.resize(n);
    const double top = *std::max_element(logs.begin(), logs.end());
    if (top == -INFINITY) return 0;
    for (std::size_t i = 0; i < n; ++i) weights[i] = quick_exp(logs[i] - top);
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += weights[i];
    double target = rng.uniform() * sum;
    std::size_t last = 0;
    for (std::size_t i = 0; i < n; ++i) {
        if (logs[i] == -INFINITY) continue;
        last = i;
        target -= weights[i];
        if (target < 0) break;
    }
    return last;
}

bool accept(double gain, Philox& rng) {
    return gain >= 0 || std::log(rng.uniform_positive()) < gain;
}

// Tempered bounds for base + {l} for every literal l, -inf where l may not be added or would leave
// no open row, and last for the base itself (-inf when it is empty).
void tempered_bounds(const State& state, std::size_t without, const Term& base, const Heat& heat,
                     std::vector<double>& bounds) {
    const FunctionPrior& prior = state.posterior().prior();
    const Likelihood& likelihood = state.posterior().likelihood();
    const std::size_t p = state.posterior().view().n_literals();
    thread_local Extensions extensions;
    extensions.look(state, without, {&base, 1});
    const Marked& rest = extensions.rest();
    const auto bound = [&](double log_prior, Count positive, Count negative) {
        return Value{log_prior,
                     likelihood.bound(rest.positive + positive, rest.negative + negative)}
            .tempered(heat);
    };
    // A size that the prior rules out may be passed through on the way to a longer term.
    const double size_prior = prior.of_size(base.size() + 1);
    double longer_prior = extensions.others_prior() +
                          (size_prior > -INFINITY ? size_prior : prior.reach(base.size() + 1));
    for (const std::int32_t l : base) longer_prior += prior.of_literal(l);
    bounds.resize(p + 1);
    for (std::size_t l = 0; l < p; ++l) {
        const Count positive = extensions.positive(0, l), negative = extensions.negative(0, l);
        bounds[l] = extensions.may(0, l) && positive + negative > 0
                        ? bound(longer_prior + prior.of_literal(static_cast<std::int32_t>(l)),
                                positive, negative)
                        : -INFINITY;
    }
    const Count* own = extensions.own(0);
    bounds[p] = base.empty()
                    ? -INFINITY
                    : bound(extensions.others_prior() + prior.of_term(base), own[0], own[1]);
}

// Take a random literal out of a random term, or none, and draw what to put in: any literal or
// nothing.
void change_step(State& state, const Heat& heat, Philox& rng) {
    if (state.size() == 0) return;
    thread_local std::vector<double> bounds;
    const std::size_t i = rng.below(state.size());
    const Term& term = state.terms()[i];
    const std::size_t j = rng.below(term.size() + 1);
    const Term base = j == term.size() ? term : changed(term, {term[j], -1, 0});
    tempered_bounds(state, i, base, heat, bounds);
    const std::size_t l = draw(bounds, rng);
    if (bounds[l] == -INFINITY) return;
    const Term next =
        l + 1 == bounds.size() ? base : changed(base, {-1, static_cast<std::int32_t>(l), 0});
    if (next == term) return;
    const Value value = state.value_with(i, next);
    // The draw used the bound; what the bound overstates is paid here.
    if (value.allowed() && accept(value.tempered(heat) - bounds[l], rng)) state.replace(i, next);
}

// A new term grown literal by literal on the rows not marked yet.
Term grown_at_random(const State& state, const Heat& heat, Philox& rng) {
    thread_local std::vector<double> bounds;
    Term term;
    for (;;) {
        tempered_bounds(state, State::kNone, term, heat, bounds);
        const std::size_t l = draw(bounds, rng);
        if (bounds[l] == -INFINITY || l + 1 == bounds.size()) return term;
        term = changed(term, {-1, static_cast<std::int32_t>(l), 0});
    }
}

void birth_step(State& state, const Heat& heat, Philox& rng) {
    const Term term = grown_at_random(state, heat, rng);
    if (term.empty()) return;
    const Value value = state.value_with(State::kNone, term);
    if (value.allowed() &&
        accept(value.tempered(heat) - state.value().tempered(heat), rng))
        state.replace(State::kNone, term);
}

void death_step(State& state, const Heat& heat, Philox& rng) {
    if (state.size() == 0) return;
    const std::size_t i = rng.below(state.size());
    const Value value = state.value_with(i, {});
    if (value.allowed() && accept(value.tempered(heat) - state.value().tempered(heat), rng))
        state.replace(i, {});
}

// Two terms become what they share, or one term becomes two that add a literal each.
void merge_or_split_step(State& state, const Heat& heat, Philox& rng) {
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
            const auto l = static_cast<std::int32_t>(rng.below(p));
            if (std::binary_search(first.begin(), first.end(), l)) return;
            trial.replace(State::kNone, changed(first, {-1, l, 0}));
        }
    }
    if (trial.value().allowed() &&
        accept(trial.value().tempered(heat) - state.value().tempered(heat), rng))
        state = std::move(trial);
}

}  // namespace

// Put longer terms in the place of one: each holds all its literals and more. A short term that
// does most of the work stands in the way of several that together would do it right.
static bool specialise(State& state, std::size_t i, std::size_t width, const Stop& stop) {
    const Term start = state.terms()[i];
    State trial = state;
    trial.replace(i, {});
    while (!stop()) {
        const Grown grown = grow_term(trial, State::kNone, width, trial.score(), stop, start);
        if (grown.term.empty()) break;
        trial.replace(State::kNone, grown.term);
    }
    if (!(trial.score() > state.score())) return false;
    state = std::move(trial);
    return true;
}

void rebuild(State& state, std::size_t width, const Stop& stop) {
    const auto add_terms = [&] {
        while (!stop()) {
            const Grown grown = grow_term(state, State::kNone, width, state.score(), stop);
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
            const Grown grown = grow_term(state, 0, width, std::max(before, shorter), stop);
            if (grown.score > before || shorter > before) {
                state.replace(0, grown.score >= shorter ? grown.term : Term{});
                better = true;
            } else if (specialise(state, 0, width, stop)) {
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
        const double beta = std::pow(settings.hottest, 1 - static_cast<double>(step) / steps);
        // The prior cools ahead of the likelihood: hot functions stay short, and steps cheap.
        const Heat heat{std::sqrt(std::sqrt(beta)), beta};
        const double which = rng.uniform();
        if (which < 0.6)
            change_step(state, heat, rng);
        else if (which < 0.8)
            birth_step(state, heat, rng);
        else if (which < 0.9)
            death_step(state, heat, rng);
        else
            merge_or_split_step(state, heat, rng);
        if (state.score() > best.score()) best = state;
    }
    rebuild(best, settings.width, stop);
    polish(best, stop);
    return best;
}

}  // namespace bayesdnf
