#include <nanobind/stl/array.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "../anneal.hpp"

#include <memory>
#include <tuple>

#include "../stop.hpp"
#include "posterior.hpp"

namespace bayesdnf::bindings {
namespace {

struct PyAnnealProblem {
    nb::object posterior_object;
    std::unique_ptr<AnnealProblem> problem;
};

using PyState = std::tuple<std::vector<Term>, double, double, double>;

PyState as_tuple(const AnnealState& s) { return {s.terms, s.pi0, s.pi1, s.objective}; }

}  // namespace

void bind_anneal(nb::module_& m) {
    using namespace nb::literals;

    nb::class_<PyAnnealProblem>(m, "AnnealProblem", "What the chains of one annealing run share.")
        .def(nb::new_([](nb::object object, const Effect& effect,
                         const std::vector<std::size_t>& rows_per_segment,
                         const std::vector<std::size_t>& offsets,
                         const std::vector<Count>& counts) {
            const Posterior& posterior = *nb::cast<const PyPosterior&>(object).posterior;
            const BitView& view = posterior.view();
            require(rows_per_segment.size() == 2 && offsets.size() == 3,
                    "annealing needs two segments");
            require(offsets[0] + words_for(rows_per_segment[0]) <= offsets[1] &&
                        offsets[1] + words_for(rows_per_segment[1]) <= view.n_words(),
                    "the segments must lie within the view");
            require(counts.empty() || counts.size() == rows_per_segment[0] + rows_per_segment[1],
                    "one count per row is needed");
            for (const Count c : counts) require(c > 0, "counts must be positive");
            std::unique_ptr<AnnealProblem> problem;
            {
                const nb::gil_scoped_release release;
                problem = std::make_unique<AnnealProblem>(AnnealProblem{
                    posterior, effect, Individuals(view, rows_per_segment, offsets, counts)});
            }
            return PyAnnealProblem{object, std::move(problem)};
        }), "posterior"_a, "effect"_a, "rows_per_segment"_a, "offsets"_a, "counts"_a);

    nb::class_<AnnealChain>(m, "AnnealChain", "One chain of the paper's simulated annealing.")
        .def("__init__", [](AnnealChain* self, const PyAnnealProblem& problem, const Philox& rng,
                            std::size_t start_terms, bool draw_rates,
                            const std::array<double, 7>& probabilities, double log_lambda,
                            double cooling, bool keep_best) {
            require(start_terms <= problem.problem->individuals.size(),
                    "there are not that many individuals to start from");
            double sum = 0;
            for (const double p : probabilities) {
                require(p >= 0, "probabilities must not be negative");
                sum += p;
            }
            require(sum > 0, "some probability must be above 0");
            new (self) AnnealChain(*problem.problem,
                                   {start_terms, draw_rates, probabilities, log_lambda, cooling,
                                    keep_best},
                                   rng);
        }, "problem"_a, "rng"_a, "start_terms"_a, "draw_rates"_a, "probabilities"_a,
             "log_lambda"_a, "cooling"_a, "keep_best"_a, nb::keep_alive<1, 2>())
        .def("advance", [](AnnealChain& c, std::size_t steps, const StopFlag& stop) {
            const nb::gil_scoped_release release;
            return c.advance(steps, stop);
        }, "steps"_a, "stop"_a,
             "Take steps; returns how many were taken before being told to stop.")
        .def_prop_ro("last", [](const AnnealChain& c) { return as_tuple(c.last()); },
                     "(terms, pi0, pi1, objective) now.")
        .def_prop_ro("result", [](const AnnealChain& c) { return as_tuple(c.result()); },
                     "The same of the state to keep, the last or the best.")
        .def_prop_ro("log_lambda", &AnnealChain::log_lambda)
        .def_prop_ro("rng_state", [](const AnnealChain& c) {
            return std::tuple(c.rng().key(), c.rng().counter(), c.rng().used());
        }, "(key, counter, used) of the stream.");
}

}  // namespace bayesdnf::bindings
