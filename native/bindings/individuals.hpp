// The Python face of Individuals: the rows and the view they come from, kept together.
#pragma once

#include <memory>

#include "../individuals.hpp"
#include "view.hpp"

namespace bayesdnf::bindings {

struct PyIndividuals {
    nb::object view_object;
    std::unique_ptr<Individuals> individuals;
};

}  // namespace bayesdnf::bindings
