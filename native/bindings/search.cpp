#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <utility>

#include "bindings/keeping.hpp"
#include "search/hunt.hpp"

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
           std::size_t n_threads, const StopFlag& stop) {
            require_literals(start, posterior->view().n_literals());
            State state(*posterior, start);
            {
                const nb::gil_scoped_release release;
                if (start.empty()) state = beginning(*posterior, stop);
                rebuild(state, width, stop, n_threads);
                polish(state, stop);
            }
            return result(state);
        },
        "posterior"_a, "start"_a, "width"_a, "n_threads"_a, "stop"_a,
        "Large-neighbourhood search from a function: (terms, log posterior).");

    m.def(
        "restart",
        [](const PyPosterior& posterior, Philox rng, std::size_t steps, double hottest,
           std::size_t width, const StopFlag& stop) {
            const HuntSettings settings{steps, hottest, width};
            State state(*posterior);
            {
                const nb::gil_scoped_release release;
                state = restart(*posterior, settings, rng, stop);
            }
            return result(state);
        },
        "posterior"_a, "rng"_a, "steps"_a, "hottest"_a, "width"_a, "stop"_a,
        "One restart of informed annealing and polish: (terms, log posterior).");
}

}  // namespace bayesdnf::bindings
