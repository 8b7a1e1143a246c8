// The Python face of BitView: the view and the arrays it looks at, kept together.
#pragma once

#include <memory>

#include "bindings/arrays.hpp"

namespace bayesdnf::bindings {

struct PyBitView {
    nb::object planes, weights;  // keep the arrays alive as long as the view
    std::unique_ptr<BitView> view;
};

}  // namespace bayesdnf::bindings
