#include "growth.hpp"

#include <algorithm>
#include <cmath>

#include "special.hpp"

namespace bayesdnf {

bool Growth::look(const State& state, std::size_t without, const Term& partial, const Heat& heat,
                  double power) {
    constexpr double kLeast = 0.05;  // probability of stopping, and of not stopping
    const FunctionPrior& prior = state.posterior().prior();
    const Likelihood& likelihood = state.posterior().likelihood();
    const std::size_t p = state.posterior().view().n_literals(), k = partial.size();
    extensions_.look(state, without, {&partial, 1});
    const Marked& rest = extensions_.rest();
    const Count open_positive = likelihood.n_positive() - rest.positive;
    const Count open_negative = likelihood.n_negative() - rest.negative;
    const auto& f = log_factorials(static_cast<std::size_t>(open_positive + open_negative) + 1);
    double longer_prior = prior.of_size(k + 1);
    for (const std::int32_t l : partial) longer_prior += prior.of_literal(l);
    double longer = -INFINITY;  // the best tempered bound of a term with one literal more
    choice_.logs.resize(p);
    for (std::size_t l = 0; l < p; ++l) {
        if (!extensions_.may(0, l)) {
            choice_.logs[l] = -INFINITY;
            continue;
        }
        const double weight = prior.of_literal(static_cast<std::int32_t>(l));
        const Count a = extensions_.positive(0, l), b = extensions_.negative(0, l);
        const double rank = f[a] + f[b] - f[a + b + 1] + f[open_positive - a] +
                            f[open_negative - b] -
                            f[open_positive + open_negative - a - b + 1];
        choice_.logs[l] = power * (heat.likelihood * rank + heat.prior * weight);
        const Value bound{longer_prior + weight,
                          likelihood.bound(rest.positive + a, rest.negative + b)};
        longer = std::max(longer, bound.tempered(heat));
    }
    const bool can_go_on = choice_.weigh();
    if (k == 0) {
        stop_ = 0;
        return can_go_on;
    }
    const Count* own = extensions_.own(0);
    const Value bound{prior.of_term(partial),
                      likelihood.bound(rest.positive + own[0], rest.negative + own[1])};
    const double as_it_is = bound.tempered(heat);
    if (!can_go_on)
        stop_ = 1;
    else if (as_it_is == -INFINITY)
        stop_ = 0;
    else
        stop_ = std::clamp(1 / (1 + std::exp(longer - as_it_is)), kLeast, 1 - kLeast);
    return true;
}

}  // namespace bayesdnf
