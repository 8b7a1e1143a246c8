#include "search/exact.hpp"

#include <nanobind/stl/vector.h>

#include <memory>

#include "bindings/posterior.hpp"
#include "stop.hpp"

namespace bayesdnf::bindings {
namespace {

struct PyTermSearch {
    nb::object posterior;  // kept alive as long as the search
    std::unique_ptr<TermSearch> search;
};

}  // namespace

void bind_exact(nb::module_& m) {
    using namespace nb::literals;

    nb::class_<PyTermSearch>(m, "TermSearch", "Branch and bound for the best single term.")
        .def(nb::new_([](nb::object posterior, std::size_t max_size) {
            const Posterior& scores = *nb::cast<const PyPosterior&>(posterior).posterior;
            return PyTermSearch{posterior, std::make_unique<TermSearch>(scores, max_size)};
        }), "posterior"_a, "max_size"_a)
        .def("seed", [](PyTermSearch& self, std::size_t width, const StopFlag& stop) {
            const nb::gil_scoped_release release;
            self.search->seed(width, stop);
        }, "width"_a, "stop"_a, "Start from the best term of a beam.")
        .def("advance", [](PyTermSearch& self, const StopFlag& stop) {
            const nb::gil_scoped_release release;
            return self.search->advance(stop);
        }, "stop"_a, "Search on; True when the best term is proved.")
        .def_prop_ro("term", [](const PyTermSearch& self) { return self.search->best(); })
        .def_prop_ro("score", [](const PyTermSearch& self) { return self.search->score(); })
        .def_prop_ro("nodes", [](const PyTermSearch& self) { return self.search->nodes(); })
        .def_prop_ro("branches", [](const PyTermSearch& self) { return self.search->branches(); })
        .def_prop_ro("branches_done",
                     [](const PyTermSearch& self) { return self.search->branches_done(); });
}

}  // namespace bayesdnf::bindings
