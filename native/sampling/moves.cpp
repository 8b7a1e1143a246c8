#include "sampling/moves.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "faults.hpp"

namespace bayesdnf {
namespace {

double log_add(double x, double y) {
    const double high = std::max(x, y);
    return high == -INFINITY ? high : high + std::log1p(std::exp(std::min(x, y) - high));
}

Term symmetric_difference(const Term& a, const Term& b) {
    Term out;
    std::set_symmetric_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
    return out;
}

std::size_t n_literals(const State& state) { return state.posterior().view().n_literals(); }

// Terms `out` make way for `in`, each at its height, when the ratio, without the posterior's part,
// is accepted.
bool propose(State& state, std::span<const std::size_t> out, std::span<const Term> in,
             std::span<const Height> heights, double log_ratio, const Heat& heat, Philox& rng) {
    if (log_ratio == -INFINITY) return false;
    const Value value = state.value_with(out, in, heights);
    if (!value.allowed()) return false;
    if (!accept(value.tempered(heat) - state.value().tempered(heat) + log_ratio, rng)) return false;
    state.replace(out, in, heights);
    return true;
}

// One term for another in the same layer, proposed as often the other way round.
bool propose_change(State& state, std::size_t i, const Term& next, double log_ratio,
                    const Heat& heat, Philox& rng) {
    const Height height = state.height(i);
    return propose(state, {&i, 1}, {&next, 1}, {&height, 1}, log_ratio, heat, rng);
}

// A place for one more term; nothing is drawn where there is one only.
Height any_place(const State& state, Philox& rng) {
    const std::vector<Height> places = state.places();
    return places[places.size() == 1 ? 0 : rng.below(places.size())];
}

double log_places(const State& state, std::size_t without = kNone) {
    return std::log(static_cast<double>(state.places(without).size()));
}

// Birth and death are each other's reverse (Green 1995). A birth draws a place (one of `places`)
// and a term (q); the death back picks one of m + 1 terms. The ratio of the two is places / ((m +
// 1) q), and that of a death its inverse, with the places counted in the state without the term.
bool propose_birth(State& state, const Term& term, Height height, double log_q, const Heat& heat,
                   Philox& rng) {
    const double choices =
        static_cast<double>(state.size() + (planted(Fault::row_birth_m) ? 0 : 1));
    const double places = planted(Fault::birth_without_places) ? 0 : log_places(state);
    return propose(state, {}, {&term, 1}, {&height, 1}, places - std::log(choices) - log_q, heat,
                   rng);
}

bool propose_death(State& state, std::size_t i, double log_q, const Heat& heat, Philox& rng) {
    const double places = planted(Fault::birth_without_places)       ? 0
                          : planted(Fault::death_with_places_before) ? log_places(state)
                                                                     : log_places(state, i);
    return propose(state, {&i, 1}, {}, {},
                   std::log(static_cast<double>(state.size())) + log_q - places, heat, rng);
}

}  // namespace

bool Mover::operator()(Move move, State& state, const Heat& heat, Philox& rng) {
    switch (move) {
        case Move::flip: return flip(state, heat, rng);
        case Move::swap: return swap(state, heat, rng);
        case Move::birth: return birth(state, heat, rng);
        case Move::row_birth: return row_birth(state, heat, rng);
        case Move::grown_birth: return grown_birth(state, heat, rng);
        case Move::listed_birth: return listed_birth(state, heat, rng);
        case Move::split: return split(state, heat, rng);
        case Move::layer: return layer(state, heat, rng);
        case Move::jump: return settings_.known.jump(state, heat, rng);
        case Move::respell: return respell(state, heat, rng);
        default: return redraw(state, heat, rng);
    }
}

// A random literal of all is put into a random term, or taken out of it. Symmetric.
bool Mover::flip(State& state, const Heat& heat, Philox& rng) {
    if (state.size() == 0) return false;
    const std::size_t i = rng.below(state.size());
    const auto l = static_cast<std::int32_t>(rng.below(n_literals(state)));
    const Term& term = state.terms()[i];
    const bool held = holds(term, l);
    if (planted(Fault::flip_prefers_adding) && held && rng.below(2) == 0) return false;
    const Term next = held ? without(term, l) : with(term, l);
    if (next.empty()) return false;
    return propose_change(state, i, next, 0, heat, rng);
}

// A random literal of a random term makes way for a random one that the term lacks. Symmetric.
bool Mover::swap(State& state, const Heat& heat, Philox& rng) {
    if (state.size() == 0) return false;
    const std::size_t p = n_literals(state);
    const std::size_t i = rng.below(state.size());
    const Term& term = state.terms()[i];
    if (term.size() == p) return false;
    const std::int32_t out = term[rng.below(term.size())];
    auto in = static_cast<std::int32_t>(rng.below(p - term.size()));
    for (const std::int32_t l : term) {  // count through the literals that the term lacks
        if (l > in) break;
        ++in;
    }
    if (planted(Fault::swap_keeps_smallest) && in < out && rng.below(2) == 0) return false;
    const Term next = with(without(term, out), in);
    return propose_change(state, i, next, 0, heat, rng);
}

// A coin decides between birth and death also where one of them is impossible, so that the two
// probabilities cancel in the ratio.
bool Mover::birth(State& state, const Heat& heat, Philox& rng) {
    const PlainTerms any(n_literals(state));
    const bool fault = planted(Fault::birth_without_q);
    if (rng.below(2) == 0) {
        const Term term = any.draw(rng);
        if (term.empty()) return false;
        return propose_birth(state, term, any_place(state, rng),
                             fault ? 0 : any.log_probability(term), heat, rng);
    }
    if (state.size() == 0) return false;
    const std::size_t i = rng.below(state.size());
    return propose_death(state, i, fault ? 0 : any.log_probability(state.terms()[i]), heat, rng);
}

bool Mover::row_birth(State& state, const Heat& heat, Philox& rng) {
    const bool fault = planted(Fault::row_birth_without_q);
    const bool certain = planted(Fault::row_birth_at_null) && state.size() == 0;
    if (certain || rng.below(2) == 0) {
        const Term term = rows_->draw(rng, row_room_);
        if (term.empty()) return false;
        mask_.resize(state.posterior().view().n_words());
        state.posterior().view().term_mask(mask_.data(), term);
        const double log_q = fault ? 0 : rows_->log_probability(term, mask_.data(), row_room_);
        return propose_birth(state, term, any_place(state, rng), log_q, heat, rng);
    }
    if (state.size() == 0) return false;
    const std::size_t i = rng.below(state.size());
    const double log_q = rows_->log_probability(state.terms()[i], state.mask(i).data(), row_room_);
    return propose_death(state, i, fault && log_q > -INFINITY ? 0 : log_q, heat, rng);
}

// A term grows literal by literal. The way back takes a term's literals in a random order and asks
// how likely it was to grow so; both ways draw first how far the data decide.
bool Mover::grown_birth(State& state, const Heat& heat, Philox& rng) {
    const auto orders = [](const Term& term) {
        return planted(Fault::grown_without_factorial) ? 0.0 : log_factorial(term.size());
    };
    const double log_stop_counts = planted(Fault::grown_without_stop) ? 0 : 1;
    const double power = settings_.growth[rng.below(settings_.growth.size())];
    double log_path = 0;
    if (rng.below(2) == 0) {
        Term term;
        const Height height = any_place(state, rng);
        const Height grown_for =
            planted(Fault::grown_for_another_place) ? state.places().back() : height;
        for (;;) {
            if (!growth_.look(state, kNone, grown_for, term, heat, power)) return false;
            if (growth_.stops(rng)) break;
            const std::size_t l = growth_.draw(rng);
            // Growth is sequential, but a term is a set. Instead of summing over the k! orders,
            // the order is an auxiliary variable: the reverse draws one uniformly (1 / k!), hence
            // log k! in the ratio.
            log_path += growth_.log_probability(l);
            term = with(term, static_cast<std::int32_t>(l));
        }
        log_path += log_stop_counts * growth_.log_stop();
        return propose_birth(state, term, height, log_path + orders(term), heat, rng);
    }
    if (state.size() == 0) return false;
    const std::size_t i = rng.below(state.size());
    Term order = state.terms()[i], partial;
    for (std::size_t j = order.size(); j > 1; --j) std::swap(order[j - 1], order[rng.below(j)]);
    for (const std::int32_t l : order) {
        growth_.look(state, i, state.height(i), partial, heat, power);
        log_path += growth_.log_probability(static_cast<std::size_t>(l));
        partial = with(partial, l);
    }
    growth_.look(state, i, state.height(i), partial, heat, power);
    log_path += log_stop_counts * growth_.log_stop();
    return propose_death(state, i, log_path + orders(partial), heat, rng);
}

// A listed term comes, goes, or takes the place of another listed one.
bool Mover::listed_birth(State& state, const Heat& heat, Philox& rng) {
    const ListedTerms& listed = settings_.listed;
    if (listed.empty()) return false;
    const bool fault = planted(Fault::listed_without_q);
    const std::uint64_t way = rng.below(3);
    if (way == 0) {
        const Term& term = listed.draw(rng);
        return propose_birth(state, term, any_place(state, rng),
                             fault ? 0 : listed.log_probability(term), heat, rng);
    }
    if (state.size() == 0) return false;
    const std::size_t i = rng.below(state.size());
    const double log_q = listed.log_probability(state.terms()[i]);
    if (way == 1) return propose_death(state, i, fault && log_q > -INFINITY ? 0 : log_q, heat, rng);
    const Term& term = listed.draw(rng);
    const double log_ratio = planted(Fault::listed_swap_unweighted) && log_q > -INFINITY
                                 ? 0
                                 : log_q - listed.log_probability(term);
    if (planted(Fault::listed_swap_on_top)) {
        const Height top = state.places(i).back();
        return propose(state, {&i, 1}, {&term, 1}, {&top, 1}, log_ratio, heat, rng);
    }
    return propose_change(state, i, term, log_ratio, heat, rng);
}

// The paper's reversible jump: a term u makes way for w and the symmetric difference of u and w, or
// two terms for theirs.
bool Mover::split(State& state, const Heat& heat, Philox& rng) {
    const std::size_t m = state.size();
    const PlainTerms any(n_literals(state));
    // Log ratio of the split of one of `few` terms into u1 and u2, without the posterior's part.
    const auto log_ratio = [&](std::size_t few, const Term& u1, const Term& u2) {
        // n terms to split, and the pairs of n + 1 terms that a merge back picks from.
        const double n = static_cast<double>(few);
        const double pairs = planted(Fault::merge_ordered_pairs) ? n * (n + 1) : n * (n + 1) / 2;
        // Either half may have been the one drawn, so both ways add up; docs/paper.md, "Splits and
        // merges".
        const double q = planted(Fault::split_one_half)
                             ? any.log_probability(u1)
                             : log_add(any.log_probability(u1), any.log_probability(u2));
        return std::log(n / pairs) - q;
    };
    if (rng.below(2) == 0) {
        if (m == 0) return false;
        const std::size_t i = rng.below(m);
        const Term w = any.draw(rng);
        if (w.empty() || w == state.terms()[i]) return false;
        const std::array<Term, 2> halves{w, symmetric_difference(state.terms()[i], w)};
        const std::array<Height, 2> heights{state.height(i), state.height(i)};
        return propose(state, {&i, 1}, halves, heights, log_ratio(m, halves[0], halves[1]), heat,
                       rng);
    }
    if (m < 2) return false;
    std::size_t i = rng.below(m), j = rng.below(m - 1);
    if (j >= i) ++j;
    if (state.layers()[i] != state.layers()[j] && !planted(Fault::merge_across_layers))
        return false;
    const Height height = state.height(i);
    const std::array<std::size_t, 2> pair{std::min(i, j), std::max(i, j)};
    const Term &u1 = state.terms()[i], &u2 = state.terms()[j];
    const Term merged = symmetric_difference(u1, u2);
    if (merged.empty()) return false;
    return propose(state, pair, {&merged, 1}, {&height, 1}, -log_ratio(m - 1, u1, u2), heat, rng);
}

// Augmented Gibbs: draw a base B beside the rest of the terms, then what to put in its place: any
// of rest, rest + {B}, rest + {B and one more literal}, in proportion to the posterior times the
// probability of drawing this base there. Candidates are drawn by their bounds, and what the bounds
// overstate is paid in the acceptance.
bool Mover::redraw(State& state, const Heat& heat, Philox& rng) {
    const std::size_t m = state.size(), p = n_literals(state);
    const double b = settings_.empty_base;
    const double h =
        planted(Fault::redraw_whole_and_part) ? 1 - settings_.whole_base : settings_.whole_base;
    std::size_t left_out = kNone;
    Term base;
    Height height;
    std::size_t now = p;  // where the present state stands among the candidates
    if (rng.uniform() < b) {
        height = any_place(state, rng);
    } else {
        if (m == 0) return false;
        left_out = rng.below(m);
        height = state.height(left_out);
        base = state.terms()[left_out];
        if (rng.uniform() >= settings_.whole_base) {
            const std::int32_t out = base[rng.below(base.size())];
            base = without(base, out);
            now = static_cast<std::size_t>(out);
        }
    }
    extension_bounds(state, left_out, height, base, heat, Idle::kept, extensions_, choice_.logs);
    std::vector<double>& logs = choice_.logs;
    const double terms = static_cast<double>(left_out == kNone ? m + 1 : m);
    const double of_size =
        static_cast<double>(base.size() + (planted(Fault::redraw_size) && !base.empty() ? 0 : 1));
    if (base.empty()) {
        const Value rest = state.value_with(left_out, Term{});
        // With an empty base the candidate p is the rest alone, which is scored exactly: there is
        // no bound for the function without the term.
        logs[p] = rest.allowed() ? rest.tempered(heat) : -INFINITY;
    }
    bounds_ = logs;
    const double longer = std::log((1 - b) * (1 - h) / (terms * of_size));
    for (std::size_t l = 0; l < p; ++l) logs[l] += longer;
    if (base.empty())
        logs[p] += (planted(Fault::redraw_empty_base) ? 0 : std::log(b)) -
                   (planted(Fault::redraw_without_places) ? 0 : log_places(state, left_out));
    else
        logs[p] += std::log((1 - b) * h / terms);
    choice_.weigh();
    const std::size_t next = choice_.draw(rng);
    if (next == now) return false;
    const Term added = next == p ? base : with(base, static_cast<std::int32_t>(next));
    // Given the base, every candidate proposes from the same list, so that a Gibbs step by exact
    // scores would always be accepted. By bounds, what is left of the ratio is exact(next) /
    // bound(next) over the same for the present state; `propose` adds the exact part.
    const double unpaid = bounds_[now] - bounds_[next];
    const double paid =
        planted(Fault::redraw_unpaid)
            ? -(state.value_with(left_out, added).tempered(heat) - state.value().tempered(heat))
            : unpaid;
    const std::span<const std::size_t> out{&left_out, left_out == kNone ? 0u : 1u};
    const std::span<const Term> in{&added, added.empty() ? 0u : 1u};
    return propose(state, out, in, {&height, 1}, paid, heat, rng);
}

// A term goes to another layer, a layer becomes two or two become one, or neighbours change places.
bool Mover::layer(State& state, const Heat& heat, Philox& rng) {
    if (state.posterior().prior().layers() == 1) return false;
    const auto way = rng.below(3);
    if (way == 0) return relocate(state, heat, rng);
    const bool splits = way == 1 && rng.below(2) == 0;
    if (state.n_layers() < (splits ? 1 : 2)) return false;
    std::vector<std::int32_t> next = state.layers();
    double log_ratio = 0;
    // Ways to part the terms of a layer into an upper one and a lower one, none of them empty.
    const auto log_ways = [](std::ptrdiff_t n) {
        return planted(Fault::layer_split_one_way)
                   ? 0
                   : std::log(std::exp2(static_cast<double>(n)) - 2);
    };
    if (splits) {
        const auto g = static_cast<std::int32_t>(1 + rng.below(as_index(state.n_layers())));
        const std::ptrdiff_t n = std::ranges::count(next, g);
        if (n < 2) return false;
        // Each term goes up or stays, again while that leaves a layer empty.
        std::ptrdiff_t up = 0;
        std::vector<std::int32_t> heights;
        do {
            up = 0;
            heights = next;
            for (std::int32_t& h : heights) {
                const bool rises = h == g && rng.below(2) == 0;
                up += rises;
                h = 2 * h + (rises ? 1 : 0);
            }
        } while (up == 0 || up == n);
        next = std::move(heights);
        log_ratio = log_ways(n);
    } else {
        const auto g = static_cast<std::int32_t>(1 + rng.below(as_index(state.n_layers() - 1)));
        for (std::int32_t& h : next) {
            if (way == 1)
                h = h == g + 1 ? g : h;
            else
                h = h == g ? g + 1 : h == g + 1 ? g : h;
        }
        if (way == 1) log_ratio = -log_ways(std::ranges::count(next, g));
    }
    number_layers(next);
    const Value value = state.value_in(next);
    if (!value.allowed()) return false;
    if (!accept(value.tempered(heat) - state.value().tempered(heat) + log_ratio, rng)) return false;
    state.relayer(std::move(next));
    return true;
}

// A term is put where it does best, in proportion to the posterior.
bool Mover::relocate(State& state, const Heat& heat, Philox& rng) {
    if (state.size() == 0) return false;
    const std::size_t i = rng.below(state.size());
    const std::vector<Height> places = state.places(i);
    if (places.size() == 1) return false;
    const Term term = state.terms()[i];
    choice_.logs.clear();
    for (const Height h : places) {
        // All places are scored exactly, so this is a Gibbs step: no acceptance is needed.
        const Value value = state.value_with(i, term, h);
        choice_.logs.push_back(!value.allowed()                      ? -INFINITY
                               : planted(Fault::relocation_anywhere) ? 0
                                                                     : value.tempered(heat));
    }
    if (!choice_.weigh()) return false;
    const Height to = places[choice_.draw(rng)];
    if (to == state.height(i)) return false;
    state.replace(i, term, to);
    return true;
}

// A term is said in another way, each way alike. Every row stays in its part, so the ratio is that
// of the priors times the number of ways out over that of ways back.
bool Mover::respell(State& state, const Heat& heat, Philox& rng) {
    if (state.size() == 0) return false;
    const BitView& view = state.posterior().view();
    const Support& support = state.posterior().support();
    const std::size_t i = rng.below(state.size());
    // Rows that a term of its layer or of a higher one decides are in their parts without it.
    state.others(i, state.height(i), others_);
    mask_.assign(view.n_words(), 0);
    for (std::size_t h = 0; h < as_index(others_.layer); ++h)
        for (std::size_t w = 0; w < mask_.size(); ++w) mask_[w] |= others_.parts.rows(h)[w];
    const auto& ways = respellings_.of(view, support, state.terms()[i], mask_.data());
    if (ways.empty()) return false;
    const auto out = static_cast<double>(ways.size());
    const Term next = ways[rng.below(ways.size())];
    const auto back =
        static_cast<double>(respellings_.of(view, support, next, mask_.data()).size());
    const double log_ratio = planted(Fault::respell_unweighted) ? 0 : std::log(out / back);
    return propose_change(state, i, next, log_ratio, heat, rng);
}

}  // namespace bayesdnf
