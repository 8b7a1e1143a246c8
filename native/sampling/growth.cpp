#include "sampling/growth.hpp"

#include <algorithm>
#include <cmath>

#include "search/separation.hpp"

namespace bayesdnf {

bool Growth::look(const State& state, std::size_t without, const Term& partial, const Heat& heat,
                  double power) {
    constexpr double kLeast = 0.05;  // probability of stopping, and of not stopping
    const FunctionPrior& prior = state.posterior().prior();
    const Likelihood& likelihood = state.posterior().likelihood();
    const std::size_t p = state.posterior().view().n_literals(), k = partial.size();
    extensions_.look(state, without, {&partial, 1});
    const Marked& rest = extensions_.rest();
    const Separation separation(state.posterior(), rest);
    double highest = -INFINITY;
    std::size_t best = p;
    choice_.logs.resize(p);
    for (std::size_t l = 0; l < p; ++l) {
        if (!extensions_.may(0, l)) {
            choice_.logs[l] = -INFINITY;
            continue;
        }
        const Count a = extensions_.positive(0, l), b = extensions_.negative(0, l);
        const double log_weight = heat.likelihood * separation(a, b) +
                                  heat.prior * prior.of_literal(static_cast<std::int32_t>(l));
        choice_.logs[l] = power * log_weight;
        if (log_weight > highest) {
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
    const auto bound = [&](double log_prior, Count positive, Count negative) {
        return Value{log_prior,
                     likelihood.bound(rest.positive + positive, rest.negative + negative)}
            .tempered(heat);
    };
    const Count* own = extensions_.own(0);
    const double as_it_is = bound(prior.of_term(partial), own[0], own[1]);
    if (!can_go_on) {
        stop_ = 1;
    } else if (as_it_is == -INFINITY) {
        stop_ = 0;
    } else {
        const Term next = with(partial, static_cast<std::int32_t>(best));
        const double longer = bound(prior.of_term(next), extensions_.positive(0, best),
                                    extensions_.negative(0, best));
        stop_ = std::clamp(1 / (1 + std::exp(longer - as_it_is)), kLeast, 1 - kLeast);
    }
    return true;
}

}  // namespace bayesdnf
