#include "data/map_guard.hpp"

#if defined(__unix__) || defined(__APPLE__)
#include <csignal>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>
#define BAYESDNF_GUARDS 1
#endif

namespace bayesdnf {

#if defined(BAYESDNF_GUARDS)
namespace {

// A signal handler may take no lock and no memory: ranges lie in a fixed array of atomics.
MapGuard::Range ranges[256];
struct sigaction before;
std::uintptr_t page_size;

void read_zeros(int signal, siginfo_t* info, void* context) {
    const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
    for (MapGuard::Range& range : ranges) {
        if (!range.taken || address < range.begin || address >= range.end) continue;
        range.broken = true;
        // A page of zeros in place of the one that is gone; the instruction is then tried again.
        void* const page = static_cast<char*>(info->si_addr) - (address & (page_size - 1));
        if (mmap(page, page_size, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) !=
            MAP_FAILED)
            return;
    }
    if ((before.sa_flags & SA_SIGINFO) != 0 && before.sa_sigaction != nullptr)
        before.sa_sigaction(signal, info, context);
    else if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN)
        before.sa_handler(signal);
    else
        sigaction(signal, &before, nullptr);  // comes again, and ends the process
}

void install() {
    page_size = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    struct sigaction ours = {};
    ours.sa_sigaction = read_zeros;
    ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&ours.sa_mask);
    sigaction(SIGBUS, &ours, &before);
}

}  // namespace

MapGuard::MapGuard(const void* begin, std::size_t n_bytes) {
    static std::once_flag once;
    std::call_once(once, install);
    for (Range& range : ranges) {
        bool free = false;
        if (!range.taken.compare_exchange_strong(free, true)) continue;
        range.broken = false;
        range.begin = reinterpret_cast<std::uintptr_t>(begin);
        range.end = range.begin + n_bytes;
        range_ = &range;
        return;
    }
}

MapGuard::~MapGuard() {
    if (range_ == nullptr) return;
    range_->end = 0;
    range_->begin = 0;
    range_->taken = false;
}
#else
MapGuard::MapGuard(const void*, std::size_t) {}
MapGuard::~MapGuard() = default;
#endif

bool MapGuard::broken() const { return range_ != nullptr && range_->broken; }

}  // namespace bayesdnf
