// Our search for the best function: beam and large-neighbourhood search, informed annealing.
#pragma once

#include <chrono>
#include <atomic>

#include "beam.hpp"
#include "rng.hpp"

namespace bayesdnf {

// Stops when told to, or at a moment.
class StopFlag : public Stop {
  public:
    void raise() { raised_ = true; }
    void set_deadline(double seconds_from_now) {
        deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(
                                       std::chrono::duration<double>(seconds_from_now));
        timed_ = true;
    }
    bool operator()() const override {
        return raised_.load(std::memory_order_relaxed) || (timed_ && Clock::now() >= deadline_);
    }

  private:
    using Clock = std::chrono::steady_clock;
    std::atomic<bool> raised_{false};
    bool timed_ = false;
    Clock::time_point deadline_{};
};

struct HuntSettings {
    std::size_t steps = 2000;  // of informed annealing
    double hottest = 0.02;     // inverse temperature of the likelihood at the first step; the last is 1
    std::size_t width = 8;     // of the beam that rebuilds the result
};

// Add terms grown by beam while that helps, then take each term out in turn and rebuild.
void rebuild(State& state, std::size_t width, const Stop& stop);

// The best one-literal change or deletion, again and again, until none helps.
void polish(State& state, const Stop& stop);

// One numbered restart; the result depends on the data, the settings and the stream only.
State restart(const Posterior& posterior, const HuntSettings& settings, Philox rng,
              const Stop& stop);

}  // namespace bayesdnf
