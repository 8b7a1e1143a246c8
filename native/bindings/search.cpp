#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "bindings/keeping.hpp"
#include "search/hunt.hpp"
#include "search/recombine.hpp"

namespace bayesdnf::bindings {
namespace {

std::pair<std::vector<Term>, double> result(const State& state) {
    return {state.canonical(), state.score()};
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
           const StopFlag& stop) {
            require_literals(start, posterior->view().n_literals());
            State state(*posterior, start);
            {
                const nb::gil_scoped_release release;
                if (start.empty()) state = beginning(*posterior, stop);
                rebuild(state, width, stop);
                polish(state, stop);
            }
            return result(state);
        },
        "posterior"_a, "start"_a, "width"_a, "stop"_a,
        "Large-neighbourhood search from a function: (terms, log posterior).");

    m.def(
        "recombine",
        [](const PyPosterior& posterior, const std::vector<Term>& start,
           const std::vector<Term>& pool, const StopFlag& stop) {
            require_literals(start, posterior->view().n_literals());
            require_literals(pool, posterior->view().n_literals());
            State state(*posterior, start);
            {
                const nb::gil_scoped_release release;
                recombine(state, pool, stop);
            }
            return result(state);
        },
        "posterior"_a, "start"_a, "pool"_a, "stop"_a,
        "Exchange terms of a function for terms of a pool while that helps: (terms, log "
        "posterior).");

    m.def(
        "restart",
        [](const PyPosterior& posterior, std::vector<Term> start, Philox rng, std::size_t steps,
           double hottest, double prior_power, double pi0, double pi1, std::size_t width,
           const StopFlag& stop) {
            require_literals(start, posterior->view().n_literals());
            const HuntSettings settings{steps, hottest, prior_power, pi0, pi1, width};
            Restarted found{State(*posterior), {}};
            {
                const nb::gil_scoped_release release;
                found = restart(*posterior, settings, std::move(start), rng, stop);
            }
            return std::pair{result(found.end), std::move(found.met)};
        },
        "posterior"_a, "start"_a, "rng"_a, "steps"_a, "hottest"_a, "prior_power"_a, "pi0"_a,
        "pi1"_a, "width"_a, "stop"_a,
        "One restart of informed annealing and polish, at known rates first unless they are NaN: "
        "((terms, log posterior), terms at the known rates).");
}

}  // namespace bayesdnf::bindings
