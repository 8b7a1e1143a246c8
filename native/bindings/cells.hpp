// Rows of each part in each stratum, as Python sees them.
#pragma once

#include <vector>

#include "bindings/keeping.hpp"

namespace bayesdnf::bindings {

// The paper's algorithms know two rates.
inline void require_simple(const Posterior& posterior) {
    require(posterior.simple(), "one layer and one stratum are needed");
}

// cells[function, stratum, part, class], positives first; parts that a list does not have are 0.
inline Out<Count, 4> new_cells(const Posterior& posterior, std::size_t n) {
    const std::size_t n_strata = posterior.view().n_segments() / 2;
    auto cells = new_array<Count, 4>({n, n_strata, posterior.prior().layers() + 1, 2});
    std::fill_n(cells.data(), cells.size(), Count{0});
    return cells;
}

// counts: of each part, by segment. A list of too many layers is cut short.
inline void put_cells(const Posterior& posterior, const std::vector<Count>& counts, std::size_t f,
                      Out<Count, 4>& cells) {
    const std::size_t n_segments = posterior.view().n_segments(), n_strata = n_segments / 2;
    const std::size_t n_parts = posterior.prior().layers() + 1;
    Count* out = cells.data() + f * n_strata * n_parts * 2;
    for (std::size_t h = 0; h < std::min(n_parts, counts.size() / n_segments); ++h)
        for (std::size_t s = 0; s < n_strata; ++s)
            for (std::size_t c = 0; c < 2; ++c)
                out[(s * n_parts + h) * 2 + c] = counts[h * n_segments + c * n_strata + s];
}

}  // namespace bayesdnf::bindings
