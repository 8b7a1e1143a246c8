// Pairs of variants whose counts take more than those of carriers and of two copies in cases and in
// controls: within strata, where calls are missing, with negated literals, beside a third variant.
// Counts of all segments are parked before the screen of screens.cu looks at them. What it cannot
// rule out is listed with its counts; the CPU scores it.
//
// Segments are the cases of each stratum, then the controls of each; of every one of these
// PASSES segments: all in one; KNOWN: planes 1 and 2 (carriers, two copies) of both variants, then
// 0 and 1 (known, carriers) beside 0 and 2, then 0 and 2 beside 0 and 1; TRIPLES: rows among
// carriers of the third variant, then among its two copies.

constexpr int kPasses = KNOWN ? 3 : TRIPLES ? 2 : 1;
constexpr int kGroups = 2 * STRATA;  // classes and strata
static_assert(kPasses * kGroups == SEGMENTS);
constexpr int kFound = 2 + TRIPLES + kGroups * kRaw;
constexpr int kParked = PACKED ? kCounts / 2 : kCounts;  // words of a segment and a thread

// Counts of one pair, read from where they are parked.
struct Parked {
    const u32* at;
    int pair;
    const float *row, *column;  // margins: carriers and two copies of each group
    const Rules& rules;

    __device__ void get(int group, float* raw) const {
        const auto pass = [&](int number, float* counts) {
            const u64 segment = group * kPasses + number;
            Park{const_cast<u32*>(at) + segment * kParked * kThreads}.get(pair, counts);
        };
        float c[4];
        pass(0, c);
#if TRIPLES
#pragma unroll
        for (int k = 0; k < 4; ++k) raw[k] = c[k];
        pass(1, raw + 4);
#elif KNOWN
        float low[4], high[4];
        pass(1, low);
        pass(2, high);
        raw[0] = low[0], raw[1] = high[1], raw[2] = low[1];
        raw[3] = low[2], raw[4] = c[0], raw[5] = c[1];
        raw[6] = high[2], raw[7] = c[2], raw[8] = c[3];
#elif NEEDS_KNOWN
        raw[0] = rules.samples[group], raw[1] = column[2 * group], raw[2] = column[2 * group + 1];
        raw[3] = row[2 * group], raw[4] = c[0], raw[5] = c[1];
        raw[6] = row[2 * group + 1], raw[7] = c[2], raw[8] = c[3];
#else
#pragma unroll
        for (int k = 0; k < 4; ++k) raw[k] = c[k];
#endif
    }
};

// levels: of a row, and of a column, which for triples are those of two variants. Item: x, y, where
// levels of columns begin, and the variant that a pair comes after.
extern "C" __global__ void __launch_bounds__(kThreads, 1)
    scan_segments(const Segment* given_segments, u64 first_row, u64 first_column, int n_variants,
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
    own += static_cast<u64>(blockIdx.x) * SEGMENTS * kParked * kThreads + thread;
    const u32 stages = static_cast<u32>(__cvta_generic_to_shared(shared));
    Feed feed{segments, first_row, first_column, items, n_items,
              levels,   margins,   stages,       0,     static_cast<int>(blockIdx.x)};
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; ++stage) feed.fetch();
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
    __syncthreads();
    Products products(stages);
    const int row0 = (warp & 1) * 32 + (lane >> 2), column0 = (warp >> 1) * 32 + (lane & 3);
    for (int item = blockIdx.x; item < n_items; item += gridDim.x) {
        products.begin();
#pragma unroll 1
        for (int s = 0; s < SEGMENTS; ++s) {
            int counts[kCounts];
#pragma unroll
            for (int i = 0; i < kCounts; ++i) counts[i] = 0;
            products.add(feed, static_cast<int>(segments[s].bytes / STAGE_BYTES), counts);
            Park{own + s * kParked * kThreads}.put(counts);
        }
        const Item at = items[item];
#pragma unroll 1
        for (int pair = 0; pair < kPairs; ++pair) {
            const int x = at.x + row0 + pair / kDown * 8, b = at.y + column0 + pair % kDown * 4;
            const int a = x - at.z;
            if (b >= n_variants || b <= a || a <= at.w) continue;
            const Parked counts{own, pair, margins + static_cast<u64>(a) * 2 * kGroups,
                                margins + static_cast<u64>(b) * 2 * kGroups, rules};
            if (!worth_a_score(rules, levels + static_cast<u64>(x) * kLevelStride,
                               levels + static_cast<u64>(b + at.z) * kLevelStride, counts))
                continue;
            const u32 place = atomicAdd(n_found, 1u);
            if (place >= capacity) continue;
            int* to = found + static_cast<u64>(place) * kFound;
#if TRIPLES
            *to++ = at.w;
#endif
            *to++ = a;
            *to++ = b;
            for (int group = 0; group < kGroups; ++group) {
                float raw[kRaw];
                counts.get(group, raw);
                for (int k = 0; k < kRaw; ++k) *to++ = static_cast<int>(raw[k]);
            }
        }
    }
}
