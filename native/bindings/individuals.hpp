// The Python face of Individuals: the rows and the view they come from, kept together.
#pragma once

#include <memory>

#include "bindings/view.hpp"
#include "data/individuals.hpp"

namespace bayesdnf::bindings {

struct PyIndividuals {
    nb::object view_object;
    std::unique_ptr<Individuals> individuals;
};

}  // namespace bayesdnf::bindings
