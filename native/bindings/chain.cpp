#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include "sampling/chain.hpp"

#include <algorithm>
#include <memory>
#include <tuple>

#include "bindings/cells.hpp"
#include "faults.hpp"

namespace bayesdnf::bindings {
namespace {

using PyChainProblem = Keeping<ChainProblem>;
using PyChain = Keeping<Chain>;

ChainSettings settings(const std::map<std::string, double>& mix, const MoveSettings& moves,
                       const std::vector<double>& betas, std::uint64_t exchange_every) {
    ChainSettings s;
    double sum = 0;
    for (const auto& [name, probability] : mix) {
        const auto place = std::find(kMoveNames.begin(), kMoveNames.end(), name);
        require(place != kMoveNames.end(), "there is no such move");
        require(probability >= 0, "probabilities must not be negative");
        s.mix[static_cast<std::size_t>(place - kMoveNames.begin())] = probability;
        sum += probability;
    }
    require(sum > 0, "some probability must be above 0");
    for (double& p : s.mix) p /= sum;
    require(!betas.empty() && betas[0] == 1, "the first inverse temperature must be 1");
    for (const double b : betas) require(b >= 0, "inverse temperatures must not be negative");
    require(exchange_every > 0, "exchange_every must be positive");
    s.moves = moves;
    s.betas = betas;
    s.exchange_every = exchange_every;
    return s;
}

// Functions or lists, the layers of each term beside them.
void require_placed(const std::vector<std::vector<Term>>& lists,
                    const std::vector<std::vector<std::int32_t>>& layers, std::size_t n_literals) {
    require_literals(lists, n_literals);
    require(layers.size() == lists.size(), "each list of terms needs layers");
    for (std::size_t i = 0; i < lists.size(); ++i) require_layers(layers[i], lists[i].size());
}

template <class T, class From>
Out<T, 1> array_of(const From& values) {
    auto out = new_array<T, 1>({values.size()});
    std::copy(values.begin(), values.end(), out.data());
    return out;
}

// Functions and lists as flat arrays: what class Functions reads.
using Flat = std::tuple<Out<std::int64_t, 1>, Out<std::int64_t, 1>, Out<std::int32_t, 1>,
                        Out<std::int32_t, 1>>;

Flat flat(const Catalogue& catalogue) {
    std::vector<std::int64_t> term_starts{0}, literal_starts{0};
    std::vector<std::int32_t> literals, layers;
    for (std::size_t f = 0; f < catalogue.size(); ++f) {
        for (const LayeredTerm& t : catalogue[f]) {
            layers.push_back(t.layer);
            literals.insert(literals.end(), t.literals.begin(), t.literals.end());
            literal_starts.push_back(static_cast<std::int64_t>(literals.size()));
        }
        term_starts.push_back(static_cast<std::int64_t>(literal_starts.size()) - 1);
    }
    return {array_of<std::int64_t>(term_starts), array_of<std::int64_t>(literal_starts),
            array_of<std::int32_t>(literals), array_of<std::int32_t>(layers)};
}

nb::typed<nb::dict, nb::str, nb::any> as_dict(const Record& r, const Posterior& posterior,
                                              std::size_t n_temperatures) {
    const std::size_t n = r.functions.size(), draws = r.draws.size();
    auto log_prior = new_array<double, 1>({n});
    auto log_likelihood = new_array<double, 1>({n});
    auto cells = new_cells(posterior, n);
    auto rows = new_array<std::uint64_t, 2>({n, 2});
    for (std::size_t f = 0; f < n; ++f) {
        const Record::Function& of = r.functions[f];
        log_prior.data()[f] = of.value.prior;
        log_likelihood.data()[f] = of.value.likelihood;
        put_cells(posterior, of.cells, f, cells);
        rows.data()[2 * f] = of.rows[0];
        rows.data()[2 * f + 1] = of.rows[1];
    }
    auto likelihoods = new_array<double, 2>({draws, n_temperatures});
    std::copy(r.likelihoods.begin(), r.likelihoods.end(), likelihoods.data());
    nb::dict out;
    out["functions"] = flat(r.catalogue);
    out["log_prior"] = log_prior;
    out["log_likelihood"] = log_likelihood;
    out["cells"] = cells;
    out["rows"] = rows;
    out["draws"] = array_of<std::int64_t>(r.draws);
    out["likelihoods"] = likelihoods;
    out["tried"] = array_of<std::int64_t>(r.tried);
    out["changed"] = array_of<std::int64_t>(r.changed);
    out["exchanges_tried"] = array_of<std::int64_t>(r.exchanges_tried);
    out["exchanged"] = array_of<std::int64_t>(r.exchanged);
    return out;
}

}  // namespace

void bind_chain(nb::module_& m) {
    using namespace nb::literals;

    m.def(
        "move_names", [] { return std::vector<std::string>(kMoveNames.begin(), kMoveNames.end()); },
        "Kinds of move, in the order in which they are counted.");

#ifdef BAYESDNF_FAULTS
    m.def(
        "plant_fault", [](int fault) { planted_fault = static_cast<Fault>(fault); }, "fault"_a,
        "Make a deliberate mistake, for tests of the tests.");
    m.attr("N_FAULTS") = static_cast<int>(Fault::respell_unweighted);
#endif

    nb::class_<Catalogue>(m, "Catalogue", "Distinct functions, numbered as they come.")
        .def(nb::init<>())
        .def("__len__", &Catalogue::size)
        .def(
            "number",
            [](Catalogue& c, In<std::int64_t, 1> term_starts, In<std::int64_t, 1> literal_starts,
               In<std::int32_t, 1> literals, In<std::int32_t, 1> layers) {
                const Functions functions(term_starts, literal_starts, literals, layers, INT32_MAX);
                auto out = new_array<std::int64_t, 1>({functions.size()});
                for (std::size_t f = 0; f < functions.size(); ++f) {
                    std::vector<LayeredTerm> terms;
                    for (std::size_t t = 0; t < functions[f].size(); ++t) {
                        const LiteralIds ids = functions[f][t];
                        terms.push_back({functions.layers(f)[t], Term(ids.begin(), ids.end())});
                        std::sort(terms.back().literals.begin(), terms.back().literals.end());
                    }
                    std::sort(terms.begin(), terms.end());
                    out.data()[f] = c.number(terms).first;
                }
                return out;
            },
            "term_starts"_a, "literal_starts"_a, "literals"_a, "layers"_a,
            "Numbers of these functions.")
        .def_prop_ro("flat", &flat, nb::rv_policy::move,
                     "(term_starts, literal_starts, literals, layers) of all of them.");

    nb::class_<PyChainProblem>(m, "ChainProblem", "What the chains of one run share.")
        .def(nb::new_([](nb::object posterior, nb::object individuals) {
                 const auto& scores = core_of<Posterior>(posterior);
                 auto problem = std::make_unique<ChainProblem>(ChainProblem{
                     scores, RowTerms(scores.view(), core_of<Individuals>(individuals))});
                 return PyChainProblem(std::move(problem), {posterior, individuals});
             }),
             "posterior"_a, "individuals"_a);

    nb::class_<PyChain>(m, "Chain", "A chain over functions.")
        .def(nb::new_([](nb::object problem_object, const std::map<std::string, double>& mix,
                         double empty_base, double whole_base, const std::vector<double>& growth,
                         const std::vector<Term>& listed, const std::vector<double>& weights,
                         const std::vector<double>& betas, std::uint64_t exchange_every,
                         const std::vector<std::vector<Term>>& starts,
                         const std::vector<std::vector<std::int32_t>>& layers, const Philox& rng,
                         std::uint64_t step, const std::vector<std::vector<Term>>& known,
                         const std::vector<std::vector<std::int32_t>>& known_layers) {
                 const auto& problem = core_of<ChainProblem>(problem_object);
                 const std::size_t p = problem.posterior.view().n_literals();
                 require_placed(starts, layers, p);
                 require_placed(known, known_layers, p);
                 require_literals(listed, p);
                 require(0 < empty_base && empty_base < 1 && 0 < whole_base && whole_base < 1,
                         "empty_base and whole_base must lie between 0 and 1");
                 require(!growth.empty(), "some power of growth is needed");
                 for (const double g : growth) require(g >= 0, "growth must not be negative");
                 require(listed.size() == weights.size(), "each listed term needs a weight");
                 for (const double w : weights)
                     require(w > 0, "weights of listed terms must be above 0");
                 for (const Term& term : listed)
                     require(!term.empty() && std::is_sorted(term.begin(), term.end()),
                             "a listed term must be sorted ids of literals");
                 std::vector<State> states;
                 states.reserve(known.size());
                 for (std::size_t i = 0; i < known.size(); ++i)
                     states.emplace_back(problem.posterior, known[i], known_layers[i]);
                 const MoveSettings moves{empty_base, whole_base, growth,
                                          ListedTerms(listed, weights),
                                          KnownFunctions(std::move(states))};
                 auto chain =
                     std::make_unique<Chain>(problem, settings(mix, moves, betas, exchange_every),
                                             starts, layers, rng, step);
                 return PyChain(std::move(chain), {problem_object});
             }),
             "problem"_a, "mix"_a, "empty_base"_a, "whole_base"_a, "growth"_a, "listed"_a,
             "weights"_a, "betas"_a, "exchange_every"_a, "starts"_a, "layers"_a, "rng"_a, "step"_a,
             "known"_a = std::vector<std::vector<Term>>{},
             "known_layers"_a = std::vector<std::vector<std::int32_t>>{})
        .def(
            "advance",
            [](PyChain& c, std::uint64_t steps, std::uint64_t every, const StopFlag& stop) {
                require(every > 0, "every must be positive");
                Record record;
                {
                    const nb::gil_scoped_release release;
                    record = c->advance(steps, every, stop);
                }
                return as_dict(record, c->states()[0].posterior(), c->states().size());
            },
            "steps"_a, "every"_a, "stop"_a, "Take steps and record draws, until told to stop.")
        .def(
            "single_steps",
            [](PyChain& c, std::uint64_t n) {
                Catalogue catalogue;
                std::vector<std::int64_t> numbers;
                {
                    const nb::gil_scoped_release release;
                    numbers = c->single_steps(n, catalogue);
                }
                auto out = new_array<std::int64_t, 2>({n, c->states().size()});
                std::copy(numbers.begin(), numbers.end(), out.data());
                return std::tuple(flat(catalogue), out);
            },
            "n"_a,
            "Take the next step n times over, each time from here: (functions, numbers of "
            "those it led to, by try and temperature). For tests of the moves.")
        .def_prop_ro(
            "terms",
            [](const PyChain& c) {
                std::vector<std::vector<Term>> out;
                for (const State& s : c->states()) out.push_back(s.terms());
                return out;
            },
            "Terms at each temperature, in the chain's own order.")
        .def_prop_ro(
            "layers",
            [](const PyChain& c) {
                std::vector<std::vector<std::int32_t>> out;
                for (const State& s : c->states()) out.push_back(s.layers());
                return out;
            },
            "Layers of these terms.")
        .def_prop_ro(
            "stream",
            [](const PyChain& c) {
                return std::tuple(c->rng().key(), c->rng().counter(), c->rng().used());
            },
            "(key, counter, used) of the random stream.")
        .def_prop_ro("step", [](const PyChain& c) { return c->step(); });
}

}  // namespace bayesdnf::bindings
