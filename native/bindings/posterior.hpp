// The Python face of Posterior: the posterior and what it refers to, kept together.
#pragma once

#include <memory>

#include "bindings/view.hpp"
#include "model/posterior.hpp"

namespace bayesdnf::bindings {

struct PyPosterior {
    nb::object view_object, support_object;
    std::unique_ptr<Posterior> posterior;
};

}  // namespace bayesdnf::bindings
