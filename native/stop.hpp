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

// Stops when told to, or at a moment. Both may be set from another thread while work goes on, and
// nothing else is handed over with them: relaxed order is enough.
class StopFlag : public Stop {
  public:
    void raise() { raised_.store(true, std::memory_order_relaxed); }
    void set_deadline(double seconds_from_now) {
        constexpr double kForever = 1e9;  // decades; more might not fit into the clock's ticks
        if (!(seconds_from_now < kForever)) {
            deadline_.store(kNever, std::memory_order_relaxed);
            return;
        }
        const Clock::time_point moment =
            Clock::now() + std::chrono::duration_cast<Clock::duration>(
                               std::chrono::duration<double>(seconds_from_now));
        deadline_.store(moment.time_since_epoch().count(), std::memory_order_relaxed);
    }
    bool operator()() const override {
        if (raised_.load(std::memory_order_relaxed)) return true;
        // The clock is asked only where there is a deadline: reading it costs more than the rest.
        const Clock::rep deadline = deadline_.load(std::memory_order_relaxed);
        return deadline != kNever && Clock::now().time_since_epoch().count() >= deadline;
    }

  private:
    using Clock = std::chrono::steady_clock;
    static constexpr Clock::rep kNever = Clock::duration::max().count();

    std::atomic<bool> raised_{false};
    std::atomic<Clock::rep> deadline_{kNever};  // ticks of the clock
};

}  // namespace bayesdnf
