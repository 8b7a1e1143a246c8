// Vectors that start on a cache line, so that loads of whole registers never cross one.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace bayesdnf {

template <class T>
struct CacheLines {
    using value_type = T;
    static constexpr std::align_val_t kLine{64};
    CacheLines() = default;
    template <class U>
    CacheLines(const CacheLines<U>&) {}
    T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kLine)); }
    void deallocate(T* p, std::size_t) { ::operator delete(p, kLine); }
    bool operator==(const CacheLines&) const { return true; }
};

template <class T>
using AlignedVector = std::vector<T, CacheLines<T>>;

}  // namespace bayesdnf
