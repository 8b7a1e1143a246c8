#include <cstring>

#include "genomics/simd/pairs.hpp"

namespace bayesdnf {

extern const PairLoops pair_loops_portable;
#if defined(BAYESDNF_X86_SIMD)
extern const PairLoops pair_loops_avx2;
extern const PairLoops pair_loops_avx512;
#endif

const PairLoops& pair_loops_of([[maybe_unused]] const Simd& simd) {
#if defined(BAYESDNF_X86_SIMD)
    if (std::strcmp(simd.name, "avx512") == 0) return pair_loops_avx512;
    if (std::strcmp(simd.name, "avx2") == 0) return pair_loops_avx2;
#endif
    return pair_loops_portable;
}

const PairLoops& pair_loops() {
    static const PairLoops& chosen = pair_loops_of(simd());
    return chosen;
}

}  // namespace bayesdnf
