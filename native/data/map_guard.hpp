// Memory-mapped files that shrink. Reading past the end of a file that was cut off while it is
// mapped raises SIGBUS, which ends a process. A guarded range reads as zeros there instead, and
// says so.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace bayesdnf {

class MapGuard {
  public:
    // The range must stay mapped as long as this lives. Ranges past the most that can be guarded,
    // and those of systems without such signals, are not guarded.
    MapGuard(const void* begin, std::size_t n_bytes);
    ~MapGuard();
    MapGuard(const MapGuard&) = delete;
    MapGuard& operator=(const MapGuard&) = delete;

    // Whether something was read that the file no longer has.
    bool broken() const;

    struct Range {
        std::atomic<bool> taken{false};
        std::atomic<std::uintptr_t> begin{0}, end{0};
        std::atomic<bool> broken{false};
    };

  private:
    Range* range_ = nullptr;
};

}  // namespace bayesdnf
