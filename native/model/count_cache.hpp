// Values of a pure function of two counts that is dear, kept for all threads without a lock.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "data/bits.hpp"

namespace bayesdnf {

class CountCache {
  public:
    // compute() is the value at (a, b), and always the same: so it does not matter who keeps it.
    template <class Compute>
    double operator()(Count a, Count b, const Compute& compute) {
        const std::uint64_t key = hashed(a, b);
        Entry& entry = entries_[key % kEntries];
        // Threads may write both words at once. Words of two writes do not belong together: XORed
        // they give no key (but for one case in 2^64).
        const std::uint64_t bits = entry.value.load(std::memory_order_relaxed);
        if ((entry.mark.load(std::memory_order_relaxed) ^ bits) == key)
            return std::bit_cast<double>(bits);
        const double value = compute();
        const auto made = std::bit_cast<std::uint64_t>(value);
        entry.value.store(made, std::memory_order_relaxed);
        entry.mark.store(key ^ made, std::memory_order_relaxed);
        return value;
    }

  private:
    static constexpr std::size_t kEntries = 1 << 13;  // 128 kB

    struct Entry {
        std::atomic<std::uint64_t> value{0}, mark{0};
    };

    // The finaliser of SplitMix64 (Steele, Lea and Flood 2014), twice: every bit of the counts
    // changes half of the key's bits.
    static std::uint64_t mixed(std::uint64_t x) {
        x += 0x9e3779b97f4a7c15u;
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
        x = (x ^ x >> 27) * 0x94d049bb133111ebu;
        return x ^ x >> 31;
    }
    static std::uint64_t hashed(Count a, Count b) {
        return mixed(mixed(static_cast<std::uint64_t>(a)) ^ static_cast<std::uint64_t>(b));
    }

    std::array<Entry, kEntries> entries_;
};

}  // namespace bayesdnf
