// How objects of the core live in Python: one way, for all of them.
#pragma once

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "data/individuals.hpp"
#include "data/matrix.hpp"
#include "model/posterior.hpp"

namespace bayesdnf::bindings {

// An object of the core, and the Python objects whose memory it refers to. They are held here, not
// tied together by nb::keep_alive, because an array that was converted on the way in is known to
// nobody but the binding: it is not the argument that keep_alive would see.
template <class T>
class Keeping {
  public:
    Keeping(std::unique_ptr<T> core, std::vector<nb::object> kept)
        : kept_(std::move(kept)), core_(std::move(core)) {}

    T& operator*() { return *core_; }
    const T& operator*() const { return *core_; }
    T* operator->() { return core_.get(); }
    const T* operator->() const { return core_.get(); }

  private:
    std::vector<nb::object> kept_;  // goes after what refers to it
    std::unique_ptr<T> core_;
};

using PyBitView = Keeping<BitView>;
using PyIndividuals = Keeping<Individuals>;
using PyPosterior = Keeping<Posterior>;

// What a Python object keeps.
template <class T>
const T& core_of(const nb::object& object) {
    return *nb::cast<const Keeping<T>&>(object);
}

}  // namespace bayesdnf::bindings
