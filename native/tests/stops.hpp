// Stops that never come, or at once.
#pragma once

#include "stop.hpp"

namespace bayesdnf {

class Never : public Stop {
  public:
    bool operator()() const override { return false; }
};

class Always : public Stop {
  public:
    bool operator()() const override { return true; }
};

}  // namespace bayesdnf
