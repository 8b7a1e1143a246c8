#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <tuple>
#include <utility>

#include "bindings/cells.hpp"
#include "search/hunt.hpp"
#include "search/recombine.hpp"

namespace bayesdnf::bindings {
namespace {

// (terms, their layers, log posterior), the terms sorted by layer and literals.
std::tuple<std::vector<Term>, std::vector<std::int32_t>, double> result(const State& state) {
    std::vector<Term> terms;
    std::vector<std::int32_t> layers;
    for (LayeredTerm& t : state.canonical()) {
        terms.push_back(std::move(t.literals));
        layers.push_back(t.layer);
    }
    return {std::move(terms), std::move(layers), state.score()};
}

State state_of(const Posterior& posterior, const std::vector<Term>& terms,
               const std::vector<std::int32_t>& layers) {
    require_literals(terms, posterior.view().n_literals());
    require_layers(layers, terms.size());
    return State(posterior, terms, layers);
}

void searched_by_beam(State& state, std::size_t width, const Stop& stop) {
    rebuild(state, width, stop);
    polish(state, stop);
    arrange(state, stop);
}

}  // namespace

void bind_search(nb::module_& m) {
    using namespace nb::literals;

    nb::class_<StopFlag>(m, "StopFlag", "Tells running searches to stop, now or at a moment.")
        .def(nb::init<>())
        .def("stop", &StopFlag::raise)
        .def("set_deadline", &StopFlag::set_deadline, "seconds_from_now"_a)
        .def("__call__", &StopFlag::operator());

    m.def(
        "beam_search",
        [](const PyPosterior& posterior, const std::vector<Term>& start, std::size_t width,
           const StopFlag& stop, const std::vector<std::int32_t>& layers) {
            State state = state_of(*posterior, start, layers);
            {
                const nb::gil_scoped_release release;
                if (start.empty()) state = beginning(*posterior, stop);
                searched_by_beam(state, width, stop);
            }
            return result(state);
        },
        "posterior"_a, "start"_a, "width"_a, "stop"_a, "layers"_a = nb::list(),
        "Large-neighbourhood search from a function or list: (terms, layers, log posterior).");

    m.def(
        "add_terms",
        [](const PyPosterior& posterior, const std::vector<Term>& start, std::size_t width,
           const StopFlag& stop, const std::vector<std::int32_t>& layers) {
            State state = state_of(*posterior, start, layers);
            {
                const nb::gil_scoped_release release;
                add_terms(state, width, stop);
            }
            return result(state);
        },
        "posterior"_a, "start"_a, "width"_a, "stop"_a, "layers"_a = nb::list(),
        "Add terms, grown by beam, while that helps: (terms, layers, log posterior).");

    m.def(
        "add_terms_together",
        [](const PyPosterior& posterior, const std::vector<Term>& start, std::size_t width,
           std::size_t depth, std::size_t kept, double loss, const StopFlag& stop,
           const std::vector<std::int32_t>& layers) {
            State state = state_of(*posterior, start, layers);
            {
                const nb::gil_scoped_release release;
                add_terms_together(state, {width, depth, kept, loss}, stop);
            }
            return result(state);
        },
        "posterior"_a, "start"_a, "width"_a, "depth"_a, "kept"_a, "loss"_a, "stop"_a,
        "layers"_a = nb::list(),
        "Add several terms, none of which needs to help by itself: (terms, layers, log "
        "posterior).");

    m.def(
        "beam_search_among",
        [](const PyPosterior& posterior, const In<std::uint8_t, 1>& offered, std::size_t width,
           const StopFlag& stop) {
            require(offered.size() == posterior->view().n_literals(),
                    "each literal must be on offer or not");
            const Support fewer =
                posterior->support().offering({offered.data(), offered.data() + offered.size()});
            const Posterior among(*posterior, fewer);
            State state(among);
            {
                const nb::gil_scoped_release release;
                state = beginning(among, stop);
                searched_by_beam(state, width, stop);
            }
            return result(state);
        },
        "posterior"_a, "offered"_a, "width"_a, "stop"_a,
        "Beam search from the beginning with some literals only: (terms, layers, log posterior).");

    m.def(
        "recombine",
        [](const PyPosterior& posterior, const std::vector<Term>& start,
           const std::vector<Term>& pool, const StopFlag& stop) {
            require_simple(*posterior);
            require_literals(pool, posterior->view().n_literals());
            State state = state_of(*posterior, start, {});
            {
                const nb::gil_scoped_release release;
                recombine(state, pool, stop);
            }
            return result(state);
        },
        "posterior"_a, "start"_a, "pool"_a, "stop"_a,
        "Exchange terms of a function for terms of a pool while that helps: (terms, layers, log "
        "posterior).");

    m.def(
        "restart",
        [](const PyPosterior& posterior, const std::vector<Term>& start, const Philox& rng,
           std::size_t steps, double hottest, double prior_power, double pi0, double pi1,
           std::size_t width, const StopFlag& stop, const std::vector<std::int32_t>& layers) {
            if (!std::isnan(pi0)) require_simple(*posterior);
            const State from = state_of(*posterior, start, layers);
            const HuntSettings settings{steps, hottest, prior_power, pi0, pi1, width};
            Restarted found{State(*posterior), {}};
            {
                const nb::gil_scoped_release release;
                found = restart(*posterior, settings, from, rng, stop);
            }
            return std::pair{result(found.end), std::move(found.met)};
        },
        "posterior"_a, "start"_a, "rng"_a, "steps"_a, "hottest"_a, "prior_power"_a, "pi0"_a,
        "pi1"_a, "width"_a, "stop"_a, "layers"_a = nb::list(),
        "One restart of informed annealing and polish, at known rates first unless they are NaN: "
        "((terms, layers, log posterior), terms at the known rates).");
}

}  // namespace bayesdnf::bindings
