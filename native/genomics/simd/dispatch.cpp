#include <cstring>

#include "genomics/simd/pairs.hpp"

namespace bayesdnf {

#define BAYESDNF_DECLARE(name)                \
    extern const PairLoops pair_loops_##name; \
    extern const StrataLoops strata_loops_##name;
BAYESDNF_DECLARE(portable)
#if defined(BAYESDNF_X86_SIMD)
BAYESDNF_DECLARE(avx2)
BAYESDNF_DECLARE(avx512)
#endif

namespace {

struct Loops {
    const PairLoops& pairs;
    const StrataLoops& strata;
};

Loops loops_of([[maybe_unused]] const Simd& simd) {
#if defined(BAYESDNF_X86_SIMD)
    if (std::strcmp(simd.name, "avx512") == 0) return {pair_loops_avx512, strata_loops_avx512};
    if (std::strcmp(simd.name, "avx2") == 0) return {pair_loops_avx2, strata_loops_avx2};
#endif
    return {pair_loops_portable, strata_loops_portable};
}

}  // namespace

const PairLoops& pair_loops_of(const Simd& simd) { return loops_of(simd).pairs; }
const StrataLoops& strata_loops_of(const Simd& simd) { return loops_of(simd).strata; }

const PairLoops& pair_loops() {
    static const PairLoops& chosen = pair_loops_of(simd());
    return chosen;
}

const StrataLoops& strata_loops() {
    static const StrataLoops& chosen = strata_loops_of(simd());
    return chosen;
}

}  // namespace bayesdnf
