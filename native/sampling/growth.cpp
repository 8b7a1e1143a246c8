#include "sampling/growth.hpp"

#include <algorithm>
#include <cmath>

namespace bayesdnf {

bool Growth::look(const State& state, std::size_t without, Height height, const Term& partial,
                  const Heat& heat, double power) {
    constexpr double kLeast = 0.05;  // probability of stopping, and of not stopping
    constexpr double kSame = 1e-9;
    const FunctionPrior& prior = state.posterior().prior();
    const std::size_t p = state.posterior().view().n_literals(), k = partial.size();
    extensions_.look(state, without, height, {&partial, 1});
    const Opening& opening = extensions_.opening();
    double highest = -INFINITY;
    std::size_t best = p;
    choice_.logs.resize(p);
    opening.separations(extensions_.taken(0, 0), p, choice_.logs.data());
    for (std::size_t l = 0; l < p; ++l) {
        if (!extensions_.may(0, l)) {
            choice_.logs[l] = -INFINITY;
            continue;
        }
        const double log_weight = heat.likelihood * choice_.logs[l] +
                                  heat.prior * prior.of_literal(static_cast<std::int32_t>(l));
        choice_.logs[l] = power * log_weight;
        // Of literals that rank alike the first, whatever rounding says: taking all open rows of a
        // part and taking none are as good.
        if (log_weight > highest + kSame) {
            highest = log_weight;
            best = l;
        }
    }
    const bool can_go_on = choice_.weigh();
    if (k == 0) {
        stop_ = 0;
        return can_go_on;
    }
    // The term as it is, against the term with the literal that parts the rows best.
    const auto bound = [&](double log_prior, const Taken& taken) {
        return Value{log_prior, opening.bound(taken)}.tempered(heat);
    };
    const double as_it_is = bound(prior.of_term(partial), extensions_.own(0));
    if (!can_go_on) {
        stop_ = 1;
    } else if (as_it_is == -INFINITY) {
        stop_ = 0;
    } else {
        const Term next = with(partial, static_cast<std::int32_t>(best));
        const double longer = bound(prior.of_term(next), extensions_.taken(0, best));
        // Both are kept possible, so that every allowed term can grow and every death has a birth
        // to reverse it.
        stop_ = std::clamp(1 / (1 + std::exp(longer - as_it_is)), kLeast, 1 - kLeast);
    }
    return true;
}

}  // namespace bayesdnf
