// Pairs of variants in cases and in controls: counts by products.cu, and the screen of screens.cu
// over them. Counts of cases are parked while controls are counted. Pairs that the screen cannot
// rule out are listed with their counts; the CPU scores them.
//
// PARKED_HERE: counts of cases are parked in shared memory.

constexpr int kFound = 10;  // numbers of a pair that is listed: variants, cases, controls

// Counts of one pair.
struct Both {
    const float *cases, *controls;
    __device__ void get(int s, float* raw) const {
#pragma unroll
        for (int k = 0; k < 4; ++k) raw[k] = s == 0 ? cases[k] : controls[k];
    }
};

// The nine levels of a pair of which all calls are known; margins are carriers and two copies.
__device__ inline void levels_of(float n, const float* row, const float* column, const float* c,
                                 float* out) {
    out[0] = n, out[1] = column[0], out[2] = column[1];
    out[3] = row[0], out[4] = c[0], out[5] = c[1];
    out[6] = row[1], out[7] = c[2], out[8] = c[3];
}

// Its cells: cases, and all. Margins of controls come after those of cases.
__device__ inline void cells_of_pair(const Rules& rules, const float* row, const float* column,
                                     const float* of_cases, const float* of_controls, float* cases,
                                     float* all) {
    float levels[9];
    levels_of(rules.samples[0], row, column, of_cases, levels);
    cells_of(levels, cases);
    levels_of(rules.samples[1], row + 2, column + 2, of_controls, levels);
    cells_of(levels, all);
#pragma unroll
    for (int i = 0; i < 9; ++i) all[i] += cases[i];
}

// First test, for every pair: it takes few steps and rules nearly everything out. `facts` are those
// of both variants.
__device__ inline bool may_be_worth(const Rules& rules, const float* row, const float* column,
                                    const float* of_cases, const float* of_controls) {
    const float least = fmaxf(row[0], column[0]);
#if CELLS
    float cases[9], all[9];
    cells_of_pair(rules, row + 1, column + 1, of_cases, of_controls, cases, all);
    return cells_may_be_worth(rules, least, cases, all);
#else
    return ands_may_be_worth(rules, least, of_cases, of_controls);
#endif
}

extern "C" __global__ void __launch_bounds__(kThreads, 1)
    scan_pairs(const Segment* given_segments, u64 first_row, u64 first_column, int n_variants,
               const Item* items, int n_items, const float* __restrict__ levels,
               const float* __restrict__ margins, const Rules* given, u32* own, int* found,
               u32* n_found, u32 capacity) {
    extern __shared__ __align__(128) unsigned char shared[];
    __shared__ Rules rules;
    __shared__ Segment segments[SEGMENTS];
    copy_to_shared(&rules, given, sizeof(rules));
    copy_to_shared(segments, given_segments, sizeof(segments));
    __syncthreads();
    const int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5;
    unsigned char* const beyond = shared + STAGES * kStage;
    const float* const facts = reinterpret_cast<const float*>(beyond);
    u32* const parked = PARKED_HERE
                            ? reinterpret_cast<u32*>(beyond + kTurns * kVariants * kFacts * 4)
                            : own + static_cast<u64>(gridDim.x + blockIdx.x) * kThreads * kCounts;
    const Park park{parked + thread};
    own += static_cast<u64>(blockIdx.x) * kThreads * kCounts + thread;
    const auto address = [](const void* p) {
        return static_cast<u32>(__cvta_generic_to_shared(p));
    };
    Feed feed{segments, first_row, first_column,    items,           n_items,
              levels,   margins,   address(shared), address(beyond), static_cast<int>(blockIdx.x)};
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; ++stage) feed.fetch();
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
    __syncthreads();
    Products products(address(shared));
    int turn = 0;
    for (int item = blockIdx.x; item < n_items; item += gridDim.x) {
        products.begin();
        int counts[kCounts];
#pragma unroll
        for (int i = 0; i < kCounts; ++i) counts[i] = 0;
        products.add(feed, static_cast<int>(segments[0].bytes / STAGE_BYTES), counts);
        park.put(counts);
#pragma unroll
        for (int i = 0; i < kCounts; ++i) counts[i] = 0;
        products.add(feed, static_cast<int>(segments[1].bytes / STAGE_BYTES), counts);
        // Facts of this block of pairs came with its first stage.
        const int row0 = (warp & 1) * 32 + (lane >> 2), column0 = (warp >> 1) * 32 + (lane & 3);
        const float* const of_rows = facts + (turn * kVariants + row0) * kFacts;
        const float* const of_columns =
            facts + (turn * kVariants + kRowVariants + column0) * kFacts;
        turn = turn + 1 == kTurns ? 0 : turn + 1;
        u32 worth = 0;
#pragma unroll
        for (int pair = 0; pair < kPairs; ++pair) {
            const int i = pair / kDown, j = pair % kDown;
            // Reads far ahead would take registers that the products need.
            if (!PARKED_HERE && pair % 4 == 0) asm volatile("" ::: "memory");
            float of_cases[4], of_controls[4];
            park.get(pair, of_cases);
#pragma unroll
            for (int k = 0; k < 4; ++k) of_controls[k] = as_float(counts[4 * pair + k]);
            if (may_be_worth(rules, of_rows + i * 8 * kFacts, of_columns + j * 4 * kFacts, of_cases,
                             of_controls))
                worth |= 1u << pair;
        }
        if (worth == 0) continue;
        // Seldom: to memory of this thread's own, where a loop can find them.
#pragma unroll
        for (int i = 0; i < kCounts; ++i) own[i * kThreads] = counts[i];
#pragma unroll 1
        for (; worth != 0; worth &= worth - 1) {
            const int pair = __ffs(worth) - 1;
            const Item at = items[item];
            const int a = at.x + row0 + pair / kDown * 8, b = at.y + column0 + pair % kDown * 4;
            if (b >= n_variants || b <= a) continue;
            float of_cases[4], of_controls[4];
            park.get(pair, of_cases);
#pragma unroll
            for (int k = 0; k < 4; ++k) of_controls[k] = as_float(own[(4 * pair + k) * kThreads]);
            const float *row = levels + a * kLevelStride, *column = levels + b * kLevelStride;
#if CELLS
            float cases[9], all[9];
            cells_of_pair(rules, margins + 4 * a, margins + 4 * b, of_cases, of_controls, cases,
                          all);
            if (!unions_worth(rules, row, column, cases, all)) continue;
#else
            if (!ands_worth(rules, row, column, Both{of_cases, of_controls})) continue;
#endif
            const u32 place = atomicAdd(n_found, 1u);
            if (place >= capacity) continue;
            int* const to = found + static_cast<u64>(place) * kFound;
            to[0] = a, to[1] = b;
            for (int k = 0; k < 4; ++k) {
                to[2 + k] = static_cast<int>(of_cases[k]);
                to[6 + k] = static_cast<int>(of_controls[k]);
            }
        }
    }
}
