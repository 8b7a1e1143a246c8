// Rows of each part in each stratum, as Python sees them.
#pragma once

#include <vector>

#include "bindings/keeping.hpp"

namespace bayesdnf::bindings {

// The paper's algorithms know two rates.
inline void require_simple(const Posterior& posterior) {
    require(posterior.simple(), "one layer, one stratum and two classes are needed");
}

// cells[function, stratum, part, class], of two classes positives first; parts that a list does not
// have are 0.
inline Out<Count, 4> new_cells(const Posterior& posterior, std::size_t n) {
    auto cells = new_array<Count, 4>(
        {n, posterior.n_strata(), posterior.prior().layers() + 1, posterior.n_classes()});
    std::fill_n(cells.data(), cells.size(), Count{0});
    return cells;
}

// counts: of each part, by segment. A list of too many layers is cut short.
inline void put_cells(const Posterior& posterior, const std::vector<Count>& counts, std::size_t f,
                      Out<Count, 4>& cells) {
    const std::size_t n_segments = posterior.view().n_segments();
    const std::size_t n_strata = posterior.n_strata(), n_classes = posterior.n_classes();
    const std::size_t n_parts = posterior.prior().layers() + 1;
    Count* out = cells.data() + f * n_strata * n_parts * n_classes;
    for (std::size_t h = 0; h < std::min(n_parts, counts.size() / n_segments); ++h)
        for (std::size_t s = 0; s < n_strata; ++s)
            for (std::size_t c = 0; c < n_classes; ++c)
                out[(s * n_parts + h) * n_classes + c] = counts[h * n_segments + c * n_strata + s];
}

}  // namespace bayesdnf::bindings
