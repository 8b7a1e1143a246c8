#include "search/hunt.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>

#include "search/beam.hpp"
#include "search/choice.hpp"
#include "search/neighbours.hpp"

namespace bayesdnf {
namespace {

// What the steps of one restart use again and again.
struct Room {
    Extensions extensions;
    Choice choice;
};

// Take a random literal out of a random term, or none, and draw what to put in: any literal or
// nothing.
void change_step(State& state, const Heat& heat, Philox& rng, Room& room) {
    if (state.size() == 0) return;
    Choice& choice = room.choice;
    const std::size_t i = rng.below(state.size());
    const Term& term = state.terms()[i];
    const std::size_t j = rng.below(term.size() + 1);
    const Term base = j == term.size() ? term : without(term, term[j]);
    extension_bounds(state, i, state.height(i), base, heat, Idle::left_out, room.extensions,
                     choice.logs);
    if (!choice.weigh()) return;
    const std::size_t l = choice.draw(rng);
    const Term next = l + 1 == choice.logs.size() ? base : with(base, static_cast<std::int32_t>(l));
    if (next == term) return;
    const Value value = state.value_with(i, next);
    // The draw used the bound; what the bound overstates is paid here.
    if (value.allowed() && accept(value.tempered(heat) - choice.logs[l], rng))
        state.replace(i, next);
}

// Somewhere among the places for one more term; nothing is drawn where there is one only.
Height any_place(const State& state, Philox& rng) {
    const std::vector<Height> places = state.places();
    return places[places.size() == 1 ? 0 : rng.below(places.size())];
}

// A new term grown literal by literal on the rows that are open to it.
Term grown_at_random(const State& state, Height height, const Heat& heat, Philox& rng, Room& room) {
    Choice& choice = room.choice;
    Term term;
    for (;;) {
        extension_bounds(state, kNone, height, term, heat, Idle::left_out, room.extensions,
                         choice.logs);
        if (!choice.weigh()) return term;
        const std::size_t l = choice.draw(rng);
        if (l + 1 == choice.logs.size()) return term;
        term = with(term, static_cast<std::int32_t>(l));
    }
}

void birth_step(State& state, const Heat& heat, Philox& rng, Room& room) {
    const Height height = any_place(state, rng);
    const Term term = grown_at_random(state, height, heat, rng, room);
    if (term.empty()) return;
    const Value value = state.value_with(kNone, term, height);
    if (value.allowed() && accept(value.tempered(heat) - state.value().tempered(heat), rng))
        state.replace(kNone, term, height);
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
        std::vector<Term> halves;
        for (int half = 0; half < 2; ++half) {
            const auto l = static_cast<std::int32_t>(rng.below(p));
            if (holds(first, l)) return;
            halves.push_back(with(first, l));
        }
        const std::array<Height, 2> heights{state.height(i), state.height(i)};
        trial.replace({&i, 1}, halves, heights);
    }
    if (trial.value().allowed() &&
        accept(trial.value().tempered(heat) - state.value().tempered(heat), rng))
        state = std::move(trial);
}

// Neighbouring layers become one, or change places.
std::vector<std::int32_t> merged(std::vector<std::int32_t> layers, std::int32_t lower) {
    for (std::int32_t& g : layers)
        if (g == lower + 1) g = lower;
    number_layers(layers);
    return layers;
}
std::vector<std::int32_t> swapped(std::vector<std::int32_t> layers, std::int32_t lower) {
    for (std::int32_t& g : layers) g = g == lower ? lower + 1 : g == lower + 1 ? lower : g;
    return layers;
}

// A term goes to another layer, or two neighbouring layers change places or become one.
void layer_step(State& state, const Heat& heat, Philox& rng) {
    if (state.size() == 0) return;
    const auto way = rng.below(4);
    if (way < 2) {
        const std::size_t i = rng.below(state.size());
        const std::vector<Height> places = state.places(i);
        const Height to = places[rng.below(places.size())];
        const Term term = state.terms()[i];
        const Value value = state.value_with(i, term, to);
        if (value.allowed() && accept(value.tempered(heat) - state.value().tempered(heat), rng))
            state.replace(i, term, to);
        return;
    }
    if (state.n_layers() < 2) return;
    const auto lower = static_cast<std::int32_t>(1 + rng.below(as_index(state.n_layers() - 1)));
    auto next = way == 2 ? merged(state.layers(), lower) : swapped(state.layers(), lower);
    const Value value = state.value_in(next);
    if (value.allowed() && accept(value.tempered(heat) - state.value().tempered(heat), rng))
        state.relayer(std::move(next));
}

}  // namespace

void arrange(State& state, const Stop& stop) {
    if (state.posterior().prior().layers() == 1) return;
    for (bool better = true; better && !stop();) {
        better = false;
        for (std::size_t left = state.size(); left > 0 && !stop(); --left) {
            // A term that is put somewhere goes to the end, so the first one n times is each once.
            const Term term = state.terms()[0];
            Height to = state.height(0);
            double best = state.score();
            for (const Height h : state.places(0))
                if (const double score = state.score_with(0, term, h); score > best) {
                    best = score;
                    to = h;
                }
            better |= best > state.score();
            state.replace(0, term, to);
        }
        for (std::int32_t lower = 1; lower < state.n_layers(); ++lower)
            for (auto next : {swapped(state.layers(), lower), merged(state.layers(), lower)})
                if (state.value_in(next).total() > state.score()) {
                    state.relayer(std::move(next));
                    better = true;
                    break;
                }
    }
}

// Put longer terms in the place of one: each holds all its literals and more. A short term that
// does most of the work stands in the way of several that together would do it right.
static bool specialise(State& state, std::size_t i, std::size_t width, const Stop& stop) {
    const Term start = state.terms()[i];
    State trial = state;
    trial.replace(i, {});
    while (!stop()) {
        const Grown grown = grow_anywhere(trial, kNone, width, trial.score(), stop, start);
        if (grown.term.empty()) break;
        trial.replace(kNone, grown.term, grown.height);
    }
    if (!(trial.score() > state.score())) return false;
    state = std::move(trial);
    return true;
}

void make_allowed(State& state) {
    if (state.value().allowed()) return;
    State kept(state.posterior());
    std::vector<std::int32_t> layers;  // of the state, those that `kept` has
    for (std::size_t i = 0; i < state.size(); ++i) {
        const auto place = std::ranges::lower_bound(layers, state.layers()[i]);
        const bool joins = place != layers.end() && *place == state.layers()[i];
        const Height height = static_cast<Height>(2 * (place - layers.begin()) + (joins ? 1 : 0));
        if (!kept.value_with(kNone, state.terms()[i], height).allowed()) continue;
        kept.replace(kNone, state.terms()[i], height);
        if (!joins) layers.insert(place, state.layers()[i]);
    }
    if (kept.value().allowed()) state = std::move(kept);
}

void add_terms(State& state, std::size_t width, const Stop& stop) {
    // At one height after the other, as long as some helps.
    std::size_t idle = 0;
    for (std::size_t place = 0; !stop(); ++place) {
        const std::vector<Height> places = state.places();
        if (idle >= places.size()) break;
        const Height height = places[place % places.size()];
        const Grown grown = grow_term(state, kNone, height, width, state.score(), stop);
        ++idle;
        if (grown.score <= state.score()) continue;
        state.replace(kNone, grown.term, grown.height);
        idle = 0;
        --place;  // once more at the same height
    }
    arrange(state, stop);
}

// Each of the states with one more term, at every place; the best ones, as many as go on. What was
// found before a stop is among them.
static std::vector<State> with_one_more(const std::vector<State>& ends, const Together& how,
                                        double least, const Stop& stop) {
    std::vector<State> longer;
    const auto grow = [&](const State& end) {
        for (const Height height : end.places()) {
            if (stop()) return;
            const Grown grown = grow_term(end, kNone, height, how.width, least, stop);
            if (grown.term.empty() || grown.score <= least) continue;
            State with = end;
            with.replace(kNone, grown.term, grown.height);
            // Terms that came in another order make the same state, with the same score.
            const auto same = [&](const State& s) { return s.score() == with.score(); };
            if (std::none_of(longer.begin(), longer.end(), same)) longer.push_back(std::move(with));
        }
    };
    for (const State& end : ends) grow(end);
    std::stable_sort(longer.begin(), longer.end(),
                     [](const State& a, const State& b) { return a.score() > b.score(); });
    if (longer.size() > how.kept)
        longer.erase(longer.begin() + static_cast<std::ptrdiff_t>(how.kept), longer.end());
    return longer;
}

void add_terms_together(State& state, const Together& how, const Stop& stop) {
    const double least = state.score() - how.loss;
    std::vector<State> ends{state};
    State best = state;
    for (std::size_t depth = 0; depth < how.depth && !ends.empty() && !stop(); ++depth) {
        ends = with_one_more(ends, how, least, stop);
        if (!ends.empty() && ends.front().score() > best.score()) best = ends.front();
    }
    state = std::move(best);
}

void rebuild(State& state, std::size_t width, const Stop& stop, Depth depth) {
    make_allowed(state);
    // Known rates are not the null function's own: it may beat every single term and yet lose to
    // several.
    if (state.size() == 0 && state.posterior().likelihood().known() && !stop()) {
        // So the first term is taken whatever it scores, and the result must beat the null
        // function.
        const Grown first = grow_anywhere(state, kNone, width, -INFINITY, stop);
        if (!first.term.empty()) {
            State several = state;
            several.replace(kNone, first.term);
            rebuild(several, width, stop, depth);
            if (several.score() > state.score()) state = std::move(several);
        }
    }
    add_terms(state, width, stop);
    // Terms tried in vain since anything changed: once all of them were, nothing is left to try.
    std::size_t in_vain = 0;
    for (bool better = true; better && !stop();) {
        better = false;
        // A rebuilt term goes to the end, so taking out the first one n times visits each once.
        for (std::size_t left = state.size(); left > 0 && in_vain < state.size() && !stop();
             --left) {
            const double before = state.score();
            const Term old = state.terms()[0];
            State trial = state;
            trial.replace(0, {});
            const double shorter = trial.score();
            // In its own place: where it would do better, arrange() puts it.
            const Grown grown =
                grow_term(state, 0, state.height(0), width, std::max(before, shorter), stop);
            if (grown.score > before || shorter > before) {
                state.replace(0, grown.score >= shorter ? grown.term : Term{}, grown.height);
                better = true;
            } else if (depth == Depth::full && specialise(state, 0, width, stop)) {
                better = true;
            } else {
                state.replace(0, old);
            }
            in_vain = state.score() > before ? 0 : in_vain + 1;
        }
        if (!better) break;
        const double before = state.score();
        add_terms(state, width, stop);
        if (state.score() > before) in_vain = 0;
    }
}

void polish(State& state, const Stop& stop) {
    std::vector<Change> changes;
    Extensions extensions;
    std::size_t in_vain = 0;  // terms tried since anything changed
    for (bool better = true; better && !stop();) {
        better = false;
        for (std::size_t i = 0; i < state.size() && in_vain < state.size() && !stop(); ++i) {
            const double without = state.score_with(i, {});
            double best = state.score();
            Term best_term = state.terms()[i];
            bool drop = false;
            if (without > best) {
                best = without;
                drop = true;
            }
            changes_of_term(state, i, best, extensions, changes);
            std::sort(changes.begin(), changes.end(), [](const Change& a, const Change& b) {
                if (a.bound != b.bound) return a.bound > b.bound;
                return a.dropped != b.dropped ? a.dropped < b.dropped : a.added < b.added;
            });
            for (const Change& c : changes) {
                if (c.bound <= best) break;  // sorted by bound: none that follows can be better
                Term term = changed(state.terms()[i], c);
                const double score = state.score_with(i, term);
                if (score > best) {
                    best = score;
                    best_term = std::move(term);
                    drop = false;
                }
            }
            ++in_vain;
            if (best > state.score()) {
                state.replace(i, drop ? Term{} : best_term);
                better = true;
                in_vain = 0;
            }
        }
    }
}

State beginning(const Posterior& posterior, const Stop& stop) {
    State state(posterior);
    const auto& required = posterior.support().required();
    if (required.empty()) return state;
    rebuild(state, 1, stop);  // one term with all of them, and what else helps
    if (state.value().allowed()) return state;
    // They may have to stand apart: a term for each, of its literal with the most rows.
    const BitView& view = posterior.view();
    std::vector<Term> alone;
    std::vector<Word> mask(view.n_words());
    for (const Knowledge::Entry& entry : required) {
        Count most = -1;
        Term widest;
        for (const std::int32_t l : entry) {
            view.term_mask(mask.data(), {&l, 1});
            if (const Count rows = view.count_all(mask.data()); rows > most) {
                most = rows;
                widest = {l};
            }
        }
        if (!widest.empty()) alone.push_back(widest);
    }
    const State apart(posterior, alone);
    return apart.value().allowed() ? apart : state;
}

namespace {

// Leave out terms while that helps, the one that helps most first. What was annealed at other rates
// may hold many terms that are not worth their prior, and each would cost a beam to rebuild.
void prune(State& state) {
    for (;;) {
        double best = state.score();
        std::size_t drop = kNone;
        for (std::size_t i = 0; i < state.size(); ++i)
            if (const double score = state.score_with(i, {}); score > best) {
                best = score;
                drop = i;
            }
        if (drop == kNone) return;
        state.replace(drop, {});
    }
}

constexpr double kLayerSteps = 0.15;  // share of steps that change layers, where there may be some

// Informed annealing; the best state on the way.
State annealed(State state, const HuntSettings& settings, Philox& rng, const Stop& stop) {
    State best = state;
    Room room;
    const double steps = static_cast<double>(std::max<std::size_t>(1, settings.steps));
    for (std::size_t step = 0; step < settings.steps && !stop(); ++step) {
        const double beta = std::pow(settings.hottest, 1 - static_cast<double>(step) / steps);
        // The prior cools ahead of the likelihood: hot functions stay short, and steps cheap.
        const Heat heat{std::pow(beta, settings.prior_power), beta};
        const double which = rng.uniform();
        if (state.posterior().prior().layers() > 1 && rng.uniform() < kLayerSteps)
            layer_step(state, heat, rng);
        else if (which < 0.6)
            change_step(state, heat, rng, room);
        else if (which < 0.8)
            birth_step(state, heat, rng, room);
        else if (which < 0.9)
            death_step(state, heat, rng);
        else
            merge_or_split_step(state, heat, rng);
        if (state.score() > best.score()) best = state;
    }
    return best;
}

}  // namespace

Restarted restart(const Posterior& posterior, const HuntSettings& settings, const State& start,
                  Philox rng, const Stop& stop) {
    const auto from = [&](const Posterior& scores) {
        return start.size() == 0 ? beginning(scores, stop)
                                 : State(scores, start.terms(), start.layers());
    };
    Restarted out{State(posterior), {}};
    if (std::isnan(settings.pi0)) {
        out.end = annealed(from(posterior), settings, rng, stop);
        polish(out.end, stop);
        arrange(out.end, stop);
    } else {
        Effect known;
        known.pi0 = settings.pi0;
        known.pi1 = settings.pi1;
        known.null_apart = false;
        const Posterior tilted(posterior.view(), posterior.support(), posterior.prior(), known);
        State there = annealed(from(tilted), settings, rng, stop);
        rebuild(there, settings.width, stop, Depth::quick);
        polish(there, stop);
        for (const Term& term : there.terms()) out.met.push_back(term);
        std::sort(out.met.begin(), out.met.end());
        out.end = State(posterior, there.terms());
        prune(out.end);  // and no more: a polish at free rates would leave the basin
    }
    return out;
}

}  // namespace bayesdnf
