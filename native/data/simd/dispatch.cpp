// Which instruction set runs: decided once, from what the processor says and BAYESDNF_SIMD.
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include "data/bits.hpp"

namespace bayesdnf {

extern const Simd simd_portable;
#if defined(BAYESDNF_X86_SIMD)
extern const Simd simd_avx2;
extern const Simd simd_avx512;
#endif

const std::vector<const Simd*>& available_simd() {
    static const std::vector<const Simd*> list = [] {
        std::vector<const Simd*> found{&simd_portable};
#if defined(BAYESDNF_X86_SIMD)
        __builtin_cpu_init();
        if (__builtin_cpu_supports("avx2")) found.push_back(&simd_avx2);
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vpopcntdq"))
            found.push_back(&simd_avx512);
#endif
        return found;
    }();
    return list;
}

const Simd& simd_named(const char* name) {
    std::string known;
    for (const Simd* k : available_simd()) {
        if (std::strcmp(k->name, name) == 0) return *k;
        known += known.empty() ? k->name : std::string(", ") + k->name;
    }
    throw SettingError("BAYESDNF_SIMD must be one of " + known + " on this processor. Got '" +
                       name + "' instead.");
}

const Simd& simd() {
    static const Simd& chosen = []() -> const Simd& {
        const char* forced = std::getenv("BAYESDNF_SIMD");
        return forced && *forced ? simd_named(forced) : *available_simd().back();
    }();
    return chosen;
}

}  // namespace bayesdnf
