// Stops that never come, at once, or after some time.
#pragma once

#include <cstddef>

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

// Time is how often it was asked.
class After : public Stop {
  public:
    explicit After(std::size_t most) : most_(most) {}
    bool operator()() const override { return asked_++ >= most_; }
    std::size_t asked() const { return asked_; }

  private:
    std::size_t most_;
    mutable std::size_t asked_ = 0;
};

}  // namespace bayesdnf
