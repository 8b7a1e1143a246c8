// A term as the core has it: ids of literals, in rising order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace bayesdnf {

using LiteralIds = std::span<const std::int32_t>;
using Term = std::vector<std::int32_t>;

inline bool holds(const Term& term, std::int32_t literal) {
    return std::binary_search(term.begin(), term.end(), literal);
}

// The term and one literal more, which it must not hold yet.
inline Term with(const Term& term, std::int32_t literal) {
    Term out;
    out.reserve(term.size() + 1);
    const auto place = std::lower_bound(term.begin(), term.end(), literal);
    out.insert(out.end(), term.begin(), place);
    out.push_back(literal);
    out.insert(out.end(), place, term.end());
    return out;
}

inline Term without(const Term& term, std::int32_t literal) {
    Term out;
    out.reserve(term.size());
    for (const std::int32_t l : term)
        if (l != literal) out.push_back(l);
    return out;
}

}  // namespace bayesdnf
