// Which kernel runs: decided once, from what the processor says and BAYESDNF_KERNEL.
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "data/bits.hpp"

namespace bayesdnf {

extern const Kernels kernels_portable;
#if defined(BAYESDNF_X86_KERNELS)
extern const Kernels kernels_avx2;
extern const Kernels kernels_avx512;
#endif

const std::vector<const Kernels*>& available_kernels() {
    static const std::vector<const Kernels*> list = [] {
        std::vector<const Kernels*> found{&kernels_portable};
#if defined(BAYESDNF_X86_KERNELS)
        __builtin_cpu_init();
        if (__builtin_cpu_supports("avx2")) found.push_back(&kernels_avx2);
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vpopcntdq"))
            found.push_back(&kernels_avx512);
#endif
        return found;
    }();
    return list;
}

const Kernels& kernel_named(const char* name) {
    std::string known;
    for (const Kernels* k : available_kernels()) {
        if (std::strcmp(k->name, name) == 0) return *k;
        known += known.empty() ? k->name : std::string(", ") + k->name;
    }
    throw std::invalid_argument("BAYESDNF_KERNEL must be one of " + known +
                                " on this processor. Got '" + name + "' instead.");
}

const Kernels& kernels() {
    static const Kernels& chosen = []() -> const Kernels& {
        const char* forced = std::getenv("BAYESDNF_KERNEL");
        return forced && *forced ? kernel_named(forced) : *available_kernels().back();
    }();
    return chosen;
}

}  // namespace bayesdnf
