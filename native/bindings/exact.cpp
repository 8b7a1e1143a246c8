#include "search/exact.hpp"

#include <nanobind/stl/vector.h>

#include <memory>

#include "bindings/cells.hpp"
#include "stop.hpp"

namespace bayesdnf::bindings {
void bind_exact(nb::module_& m) {
    using namespace nb::literals;

    using PyTermSearch = Keeping<TermSearch>;
    nb::class_<PyTermSearch>(m, "TermSearch", "Branch and bound for the best single term.")
        .def(nb::new_([](nb::object posterior, std::size_t max_size) {
                 const auto& scores = core_of<Posterior>(posterior);
                 require_simple(scores);
                 return PyTermSearch(std::make_unique<TermSearch>(scores, max_size), {posterior});
             }),
             "posterior"_a, "max_size"_a)
        .def(
            "seed",
            [](PyTermSearch& self, std::size_t width, const StopFlag& stop) {
                const nb::gil_scoped_release release;
                self->seed(width, stop);
            },
            "width"_a, "stop"_a, "Start from the best term of a beam.")
        .def(
            "advance",
            [](PyTermSearch& self, const StopFlag& stop) {
                const nb::gil_scoped_release release;
                return self->advance(stop);
            },
            "stop"_a, "Search on; True when the best term is proved.")
        .def_prop_ro("term", [](const PyTermSearch& self) { return self->best(); })
        .def_prop_ro("score", [](const PyTermSearch& self) { return self->score(); })
        .def_prop_ro("nodes", [](const PyTermSearch& self) { return self->nodes(); })
        .def_prop_ro("branches", [](const PyTermSearch& self) { return self->branches(); })
        .def_prop_ro("branches_done",
                     [](const PyTermSearch& self) { return self->branches_done(); });
}

}  // namespace bayesdnf::bindings
