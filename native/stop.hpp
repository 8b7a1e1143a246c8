// Long work asks now and then whether to stop.
#pragma once

#include <atomic>
#include <chrono>

namespace bayesdnf {

// Asked between sweeps: should the work stop now?
class Stop {
  public:
    virtual ~Stop() = default;
    virtual bool operator()() const = 0;
};

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

}  // namespace bayesdnf
