// Distinct functions and lists, numbered in the order in which they come.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "search/state.hpp"

namespace bayesdnf {

// A map and not a hash table: its keys stay where they are, so the list of them can point to them,
// and its order does not depend on a hash.
class Catalogue {
  public:
    // Number of a function given by its canonical terms, and whether it is new.
    std::pair<std::int64_t, bool> number(const std::vector<LayeredTerm>& terms) {
        const auto [place, is_new] =
            numbers_.try_emplace(terms, static_cast<std::int64_t>(in_order_.size()));
        if (is_new) in_order_.push_back(&place->first);
        return {place->second, is_new};
    }
    std::size_t size() const { return in_order_.size(); }
    const std::vector<LayeredTerm>& operator[](std::size_t i) const { return *in_order_[i]; }

  private:
    std::map<std::vector<LayeredTerm>, std::int64_t> numbers_;
    std::vector<const std::vector<LayeredTerm>*> in_order_;  // keys of a map stay where they are
};

}  // namespace bayesdnf
