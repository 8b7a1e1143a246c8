#include <nanobind/stl/array.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "search/anneal.hpp"

#include <memory>
#include <tuple>

#include "bindings/cells.hpp"
#include "stop.hpp"

namespace bayesdnf::bindings {
namespace {

using PyAnnealProblem = Keeping<AnnealProblem>;
using PyAnnealChain = Keeping<AnnealChain>;
using PyState = std::tuple<std::vector<Term>, double, double, double>;

PyState as_tuple(const AnnealState& s) { return {s.terms, s.pi0, s.pi1, s.objective}; }

}  // namespace

void bind_anneal(nb::module_& m) {
    using namespace nb::literals;

    nb::class_<PyAnnealProblem>(m, "AnnealProblem", "What the chains of one annealing run share.")
        .def(nb::new_([](nb::object posterior, const Effect& effect, nb::object individuals) {
                 require_simple(core_of<Posterior>(posterior));
                 auto problem = std::make_unique<AnnealProblem>(AnnealProblem{
                     core_of<Posterior>(posterior), effect, core_of<Individuals>(individuals)});
                 return PyAnnealProblem(std::move(problem), {posterior, individuals});
             }),
             "posterior"_a, "effect"_a, "individuals"_a);

    nb::class_<PyAnnealChain>(m, "AnnealChain", "One chain of the paper's simulated annealing.")
        .def(nb::new_([](nb::object problem_object, const Philox& rng, std::size_t start_terms,
                         bool draw_rates, const PerAnnealMove<double>& probabilities,
                         double log_lambda, double cooling, bool keep_best,
                         std::size_t learning_steps) {
                 const auto& problem = core_of<AnnealProblem>(problem_object);
                 require(start_terms <= problem.individuals.size(),
                         "there are not that many individuals to start from");
                 double sum = 0;
                 for (const double p : probabilities) {
                     require(p >= 0, "probabilities must not be negative");
                     sum += p;
                 }
                 require(sum > 0, "some probability must be above 0");
                 const AnnealSettings settings{start_terms, draw_rates, probabilities, log_lambda,
                                               cooling,     keep_best,  learning_steps};
                 return PyAnnealChain(std::make_unique<AnnealChain>(problem, settings, rng),
                                      {problem_object});
             }),
             "problem"_a, "rng"_a, "start_terms"_a, "draw_rates"_a, "probabilities"_a,
             "log_lambda"_a, "cooling"_a, "keep_best"_a, "learning_steps"_a = 0)
        .def(
            "advance",
            [](PyAnnealChain& c, std::size_t steps, const StopFlag& stop) {
                const nb::gil_scoped_release release;
                return c->advance(steps, stop);
            },
            "steps"_a, "stop"_a,
            "Take steps; returns how many were taken before being told to stop.")
        .def_prop_ro(
            "last", [](const PyAnnealChain& c) { return as_tuple(c->last()); },
            "(terms, pi0, pi1, objective) now.")
        .def_prop_ro(
            "result", [](const PyAnnealChain& c) { return as_tuple(c->result()); },
            "The same of the state to keep, the last or the best.")
        .def_prop_ro(
            "probabilities", [](const PyAnnealChain& c) { return c->probabilities(); },
            "Of the seven moves now: as given, or learned.")
        .def_prop_ro("log_lambda", [](const PyAnnealChain& c) { return c->log_lambda(); })
        .def_prop_ro(
            "rng_state",
            [](const PyAnnealChain& c) {
                return std::tuple(c->rng().key(), c->rng().counter(), c->rng().used());
            },
            "(key, counter, used) of the stream.");
}

}  // namespace bayesdnf::bindings
