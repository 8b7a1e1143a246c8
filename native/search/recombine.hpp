// The best function made of terms that are at hand.
#pragma once

#include <vector>

#include "search/state.hpp"
#include "stop.hpp"

namespace bayesdnf {

// Terms of the state make way for terms of the pool, up to two for one or one for up to two (the
// second beside those that promise most), until no exchange helps: of those of one term the one
// with the highest bound that helps, and the others only where there is none. A pool holds the
// terms of several good functions: what each of them found is put together here, without looking at
// literals again. Of a simple posterior.
void recombine(State& state, const std::vector<Term>& pool, const Stop& stop);

}  // namespace bayesdnf
