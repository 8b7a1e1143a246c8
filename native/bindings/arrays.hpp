// numpy arrays in and out of the core.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <initializer_list>
#include <vector>

#include "data/bits.hpp"
#include "data/matrix.hpp"
#include "sizes.hpp"

namespace bayesdnf::bindings {

namespace nb = nanobind;

template <class T, std::size_t Dimensions>
using In = nb::ndarray<const T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
template <class T, std::size_t Dimensions>
using InOut = nb::ndarray<T, nb::ndim<Dimensions>, nb::c_contig, nb::device::cpu>;
template <class T, std::size_t Dimensions>
using Out = nb::ndarray<nb::numpy, T, nb::ndim<Dimensions>, nb::c_contig>;

// A new array of that shape, owned by Python; its content is not set.
template <class T, std::size_t Dimensions>
Out<T, Dimensions> new_array(const std::size_t (&shape)[Dimensions]) {
    std::size_t size = 1;
    for (const std::size_t s : shape) size = saturating_multiply(size, s);
    T* data = new T[size > 0 ? size : 1];
    nb::capsule owner(data, [](void* p) noexcept { delete[] static_cast<T*>(p); });
    return Out<T, Dimensions>(data, Dimensions, shape, owner);
}

inline void require(bool condition, const char* message) {
    if (!condition) throw std::invalid_argument(message);
}

// The one check of literal ids: nothing behind the bindings looks whether an id is in the table.
constexpr std::int32_t kMostLayers = 1 << 20;  // far more than any list has

inline void require_literals(LiteralIds ids, std::size_t n_literals) {
    for (const std::int32_t l : ids)
        require(0 <= l && static_cast<std::size_t>(l) < n_literals,
                "a literal id is outside the literal table");
}
// The same for lists of terms, of functions, of groups of entries.
template <class Nested>
void require_literals(const std::vector<std::vector<Nested>>& lists, std::size_t n_literals) {
    for (const std::vector<Nested>& list : lists) require_literals(list, n_literals);
}

// Layers of so many terms, or none: all in one.
inline void require_layers(std::span<const std::int32_t> layers, std::size_t n_terms) {
    require(layers.empty() || layers.size() == n_terms, "each term needs a layer");
    for (const std::int32_t g : layers)
        require(0 < g && g <= kMostLayers, "layers must be numbered from 1");
}

// Where variants lie: one place for each, so that differences fit 64 bits.
template <class Chromosomes, class Positions>
void require_places(const Chromosomes& chromosome, const Positions& position, std::size_t n) {
    require(chromosome.shape(0) == n && position.shape(0) == n,
            "chromosome and position must have one entry for each variant");
    constexpr std::int64_t kFarthest = std::int64_t{1} << 62;
    for (std::size_t v = 0; v < n; ++v)
        require(-kFarthest < position.data()[v] && position.data()[v] < kFarthest,
                "a position is too large");
}

// Whether that many rows fit into words [first, end).
inline bool fits(std::size_t rows, std::size_t first, std::size_t end) {
    return saturating_add(first, words_for(rows)) <= end;
}

// Terms in flat arrays: term t has literals literal_starts[t] .. literal_starts[t + 1].
inline std::vector<LiteralIds> flat_terms(const In<std::int64_t, 1>& literal_starts,
                                          const In<std::int32_t, 1>& literals,
                                          std::size_t n_literals) {
    require(literal_starts.shape(0) > 0, "literal_starts must rise from 0");
    const std::int64_t* bounds = literal_starts.data();
    std::vector<LiteralIds> terms;
    for (std::size_t t = 0; t + 1 < literal_starts.shape(0); ++t) {
        require(0 <= bounds[t] && bounds[t] <= bounds[t + 1] &&
                    bounds[t + 1] <= static_cast<std::int64_t>(literals.shape(0)),
                "literal_starts must rise and stay within literals");
        terms.emplace_back(literals.data() + bounds[t], literals.data() + bounds[t + 1]);
    }
    require_literals({literals.data(), literals.shape(0)}, n_literals);
    return terms;
}

// Several functions or lists: function f has terms term_starts[f] .. term_starts[f + 1], term t
// stands in layer layers[t].
class Functions {
  public:
    Functions(const In<std::int64_t, 1>& term_starts, const In<std::int64_t, 1>& literal_starts,
              const In<std::int32_t, 1>& literals, const In<std::int32_t, 1>& layers,
              std::size_t n_literals)
        : starts_(term_starts.data(), term_starts.data() + term_starts.shape(0)),
          terms_(flat_terms(literal_starts, literals, n_literals)),
          layers_(layers.data(), layers.data() + layers.shape(0)) {
        require(!starts_.empty() && starts_.front() == 0, "term_starts must begin with 0");
        require(starts_.back() == static_cast<std::int64_t>(terms_.size()),
                "term_starts must end at the number of terms");
        for (std::size_t f = 0; f + 1 < starts_.size(); ++f)
            require(starts_[f] <= starts_[f + 1], "term_starts must rise");
        require(layers_.size() == terms_.size(), "each term needs a layer");
        require_layers(layers_, terms_.size());
    }
    std::size_t size() const { return starts_.size() - 1; }
    std::span<const LiteralIds> operator[](std::size_t f) const {
        return {terms_.data() + starts_[f], terms_.data() + starts_[f + 1]};
    }
    std::span<const std::int32_t> layers(std::size_t f) const {
        return {layers_.data() + starts_[f], layers_.data() + starts_[f + 1]};
    }

  private:
    std::vector<std::int64_t> starts_;
    std::vector<LiteralIds> terms_;
    std::vector<std::int32_t> layers_;
};

void bind_bits(nb::module_& m);
void bind_rng(nb::module_& m);
void bind_model(nb::module_& m);
void bind_parts(nb::module_& m);
void bind_search(nb::module_& m);
void bind_anneal(nb::module_& m);
void bind_exact(nb::module_& m);
void bind_implicants(nb::module_& m);
void bind_chain(nb::module_& m);
void bind_genotypes(nb::module_& m);
void bind_scan(nb::module_& m);

}  // namespace bayesdnf::bindings
