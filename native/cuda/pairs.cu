// Pairs of variants on a GPU: counts by binary tensor-core products, and the screen of
// genomics/simd/pairs.hpp over them. Compiled by NVRTC at first use; see src/bayesdnf/cuda.
//
// A product is a matrix product of bits, AND for times and popcount for plus. An operand's row is
// one plane (carrier or two copies) of one variant, cases or controls only; four products of planes
// are the counts of a pair. A block of eight warps counts 64 variants (rows of the result) beside
// 128 others (columns): first cases, whose counts are parked in memory, which the L2 cache keeps,
// then controls. Pairs that the screen cannot rule out are listed with their counts; the CPU scores
// them.
//
// STAGES: stages of shared memory. PACKED: counts of cases fit 16 bits. CELLS: judge unions of
// cells, not ANDs.

typedef unsigned int u32;
typedef unsigned long long u64;

constexpr int kThreads = 256, kWarps = 8;
constexpr int kRowVariants = 64, kColumnVariants = 128;
constexpr int kRows = 2 * kRowVariants, kColumns = 2 * kColumnVariants;
constexpr int kStageBytes = 128;  // of every operand row, 1024 samples
constexpr int kPieces = kStageBytes / 16;
constexpr int kStage = (kRows + kColumns) * kStageBytes;
constexpr int kAcross = 4, kDown = 8;  // fragments of a warp: 4 x 16 rows by 8 x 8 columns
constexpr int kCounts = kAcross * kDown * 4;
constexpr int kLevels = CELLS ? 11 : 6;
constexpr int kStride = 12;  // floats of a variant's levels, the least of them last
constexpr int kFound = 10;   // numbers of a pair that is listed: variants, cases, controls
constexpr float kLeast = 0.01f;

struct Rules {
    float share, beyond, cases, controls;
    float cuts[10];
    int both_directions;
    u32 products;  // which of the nine ANDs are on offer
};

// Row of the operands for a row of a stage. Of the sixteen rows of a fragment the first eight are
// carriers, the other eight two copies of the same variants, and of eight columns every second:
// so the four products of a pair are the four counts of one thread.
__device__ inline u64 operand_row(int row, int first_row, int first_column) {
    if (row < kRows)
        return 2 * static_cast<u64>(first_row + (row >> 4) * 8 + (row & 7)) + ((row >> 3) & 1);
    return 2 * static_cast<u64>(first_column) + (row - kRows);
}

// Where a piece of sixteen bytes of a stage's row lies: neighbouring rows use other banks.
__device__ inline u32 place_of(int row, int piece) {
    return row * kStageBytes + ((piece ^ ((row & 1) << 2)) << 4);
}

__device__ inline void copy_async(u32 to, const void* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}

__device__ inline void multiply(int* c, u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// All products of one segment (cases or controls) of a block, added to `counts`. Operands have rows
// for whole blocks, also past the last variant.
__device__ inline void count(const unsigned char* operand, u64 row_bytes, int first_row,
                             int first_column, unsigned char* shared, int* counts) {
    const int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5;
    const int n_stages = static_cast<int>(row_bytes / kStageBytes);
    // A thread copies one piece of every 32nd row, and 32 rows of a stage are 32 of the operand.
    constexpr int kStep = kThreads / kPieces;
    const int row = thread / kPieces, piece = thread % kPieces;
    const u64 stride = kStep * row_bytes;
    const unsigned char* const rows =
        operand + operand_row(row, first_row, first_column) * row_bytes + piece * 16;
    const unsigned char* const columns =
        operand + operand_row(kRows + row, first_row, first_column) * row_bytes + piece * 16;
    const u32 to = static_cast<u32>(__cvta_generic_to_shared(shared)) + place_of(row, piece);
    const auto fetch = [&](int stage) {
        if (stage < n_stages) {
            const u32 slot = to + (stage % STAGES) * kStage;
            const u64 offset = static_cast<u64>(stage) * kStageBytes;
#pragma unroll
            for (int i = 0; i < kRows / kStep; ++i)
                copy_async(slot + i * kStep * kStageBytes, rows + offset + i * stride);
#pragma unroll
            for (int i = 0; i < kColumns / kStep; ++i)
                copy_async(slot + (kRows + i * kStep) * kStageBytes, columns + offset + i * stride);
        }
        asm volatile("cp.async.commit_group;");
    };
    const int down = (warp & 1) * 64 + (lane >> 2), across = kRows + (warp >> 1) * 64 + (lane >> 2);
    const int quarter = lane & 3;
#pragma unroll
    for (int stage = 0; stage < STAGES - 1; ++stage) fetch(stage);
    for (int stage = 0; stage < n_stages; ++stage) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2));
        __syncthreads();
        fetch(stage + STAGES - 1);
        const unsigned char* const slot = shared + (stage % STAGES) * kStage;
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            uint4 low[kAcross], high[kAcross];
#pragma unroll
            for (int i = 0; i < kAcross; ++i) {
                const int row = down + i * 16;
                low[i] = *reinterpret_cast<const uint4*>(slot + place_of(row, half * 4 + quarter));
                high[i] =
                    *reinterpret_cast<const uint4*>(slot + place_of(row + 8, half * 4 + quarter));
            }
#pragma unroll
            for (int j = 0; j < kDown; ++j) {
                const uint4 b = *reinterpret_cast<const uint4*>(
                    slot + place_of(across + j * 8, half * 4 + quarter));
#pragma unroll
                for (int i = 0; i < kAcross; ++i) {
                    int* const c = counts + (i * kDown + j) * 4;
                    multiply(c, low[i].x, high[i].x, low[i].y, high[i].y, b.x, b.y);
                    multiply(c, low[i].z, high[i].z, low[i].w, high[i].w, b.z, b.w);
                }
            }
        }
    }
    __syncthreads();  // the next segment overwrites what others still read
    asm volatile("cp.async.wait_group 0;");
}

// The most by which a set of m rows, `off` more of them cases than by chance, exceeds its level.
struct Screen {
    const Rules& rules;
    const float *row, *column;  // the levels of both variants; the higher one counts
    float most = 0;

    __device__ void judge(float off, float m) {
        if (!rules.both_directions) off = fmaxf(off, 0.0f);
        int k = 0;
#pragma unroll
        for (int i = 0; i < kLevels - 1; ++i) k += m >= rules.cuts[i];
        const float level = fmaxf(row[k], column[k]);
        most = fmaxf(most, off * off - m * (rules.beyond - m) * level);
    }
};

// Whether the best AND may be worth a look: first against the least of the levels, which takes few
// steps and rules nearly everything out.
__device__ inline bool ands_worth(const Rules& rules, const float* row, const float* column,
                                  const float* cases, const float* controls) {
    const float least = fmaxf(row[kStride - 1], column[kStride - 1]);
    const auto products = [](const float* c, float* out) {
        out[0] = c[0], out[1] = c[1], out[2] = c[0] - c[1];
        out[3] = c[2], out[4] = c[3], out[5] = c[2] - c[3];
        out[6] = c[0] - c[2], out[7] = c[1] - c[3], out[8] = out[2] - out[5];
    };
    float a[9], b[9], most = 0;
    products(cases, a);
    products(controls, b);
#pragma unroll
    for (int i = 0; i < 9; ++i) {
        const float m = a[i] + b[i];
        float off = a[i] - rules.share * m;
        if (!rules.both_directions) off = fmaxf(off, 0.0f);
        if (rules.products >> i & 1) most = fmaxf(most, off * off - m * (rules.beyond - m) * least);
    }
    if (most <= kLeast) return false;
    Screen screen{rules, row, column};
#pragma unroll
    for (int i = 0; i < 9; ++i) {
        const float m = a[i] + b[i];
        if (rules.products >> i & 1) screen.judge(a[i] - rules.share * m, m);
    }
    return screen.most > kLeast;
}

// The same of the best union of the nine cells: it takes all cells from some rate of cases on, or
// those below it. Margins are carriers and two copies of a variant, of cases and of controls.
__device__ inline bool unions_worth(const Rules& rules, const float* row, const float* column,
                                    const float* row_margins, const float* column_margins,
                                    const float* cases, const float* controls) {
    const auto cells = [](float n, float ca, float ta, float cb, float tb, const float* c,
                          float* out) {
        out[0] = n - cb - ca + c[0], out[1] = cb - tb - c[0] + c[1], out[2] = tb - c[1];
        out[3] = ca - c[0] - ta + c[2], out[4] = c[0] - c[1] - c[2] + c[3], out[5] = c[1] - c[3];
        out[6] = ta - c[2], out[7] = c[2] - c[3], out[8] = c[3];
    };
    float a[9], all[9], off[9], rate[9], total_off = 0, total = 0;
    cells(rules.cases, row_margins[0], row_margins[1], column_margins[0], column_margins[1], cases,
          a);
    cells(rules.controls, row_margins[2], row_margins[3], column_margins[2], column_margins[3],
          controls, all);
#pragma unroll
    for (int i = 0; i < 9; ++i) {
        all[i] += a[i];
        off[i] = a[i] - rules.share * all[i];
        rate[i] = off[i] / fmaxf(all[i], 1.0f);
        total_off += off[i];
        total += all[i];
    }
    const float least = fmaxf(row[kStride - 1], column[kStride - 1]);
    // A union's rows over chance are at most the sum of those of the cells that are over it.
    Screen screen{rules, row, column};
    float most = 0;
#pragma unroll
    for (int i = 0; i < 9; ++i) {
        float of_union = 0, rows = 0;
#pragma unroll
        for (int k = 0; k < 9; ++k)
            if (rate[k] >= rate[i]) of_union += off[k], rows += all[k];
        const auto over = [&](float x, float m) {
            if (!rules.both_directions) x = fmaxf(x, 0.0f);
            if (x * x - m * (rules.beyond - m) * least > kLeast) screen.judge(x, m);
        };
        over(of_union, rows);
        if (rules.both_directions) over(total_off - of_union, total - rows);
    }
    return screen.most > kLeast;
}

// The bits of some samples of every row, one after the other: a warp makes a word of 32 at a time.
extern "C" __global__ void pick(const u32* rows, u64 row_words, const int* samples, int n_samples,
                                u32* out, u64 out_words) {
    const int lane = threadIdx.x & 31;
    const u32* const row = rows + blockIdx.y * row_words;
    const u64 first = (blockIdx.x * static_cast<u64>(blockDim.x) + threadIdx.x) / 32;
    const u64 step = gridDim.x * static_cast<u64>(blockDim.x) / 32;
    for (u64 word = first; word * 32 < n_samples; word += step) {
        const u64 i = word * 32 + lane;
        bool bit = false;
        if (i < n_samples) {
            const int sample = samples[i];
            bit = row[sample >> 5] >> (sample & 31) & 1;
        }
        const u32 made = __ballot_sync(~0u, bit);
        if (lane == 0) out[blockIdx.y * out_words + word] = made;
    }
}

extern "C" __global__ void __launch_bounds__(kThreads, 1)
    scan_pairs(const unsigned char* cases, u64 case_bytes, const unsigned char* controls,
               u64 control_bytes, int n_variants, const int2* items, int n_items,
               const float* __restrict__ levels, const float* __restrict__ margins,
               const Rules* given, u32* parked, int* found, u32* n_found, u32 capacity) {
    extern __shared__ __align__(128) unsigned char shared[];
    __shared__ Rules rules;
    if (threadIdx.x < sizeof(Rules) / 4)
        reinterpret_cast<u32*>(&rules)[threadIdx.x] =
            reinterpret_cast<const u32*>(given)[threadIdx.x];
    const int thread = threadIdx.x, lane = thread & 31, warp = thread >> 5;
    u32* const park = parked + static_cast<u64>(blockIdx.x) * 2 * kThreads * kCounts + thread;
    // Counts of controls: in shared memory, if all of its stages have room for them.
    int* const own = STAGES * kStage >= kCounts * kThreads * 4
                         ? reinterpret_cast<int*>(shared) + thread
                         : reinterpret_cast<int*>(park + kThreads * kCounts);
    for (int item = blockIdx.x; item < n_items; item += gridDim.x) {
        const int first_row = items[item].x, first_column = items[item].y;
        int counts[kCounts];
#pragma unroll
        for (int i = 0; i < kCounts; ++i) counts[i] = 0;
        count(cases, case_bytes, first_row, first_column, shared, counts);
#if PACKED
#pragma unroll
        for (int i = 0; i < kCounts; i += 2)
            park[i / 2 * kThreads] = static_cast<u32>(counts[i]) | static_cast<u32>(counts[i + 1])
                                                                       << 16;
#else
#pragma unroll
        for (int i = 0; i < kCounts; ++i) park[i * kThreads] = static_cast<u32>(counts[i]);
#endif
#pragma unroll
        for (int i = 0; i < kCounts; ++i) counts[i] = 0;
        count(controls, control_bytes, first_row, first_column, shared, counts);
        // To memory of this thread's own, so that one short loop goes through all of its pairs.
#pragma unroll
        for (int i = 0; i < kCounts; ++i) own[i * kThreads] = counts[i];
        const int row0 = first_row + (warp & 1) * 32 + (lane >> 2);
        const int column0 = first_column + (warp >> 1) * 32 + (lane & 3);
#pragma unroll 4
        for (int pair = 0; pair < kAcross * kDown; ++pair) {
            const int a = row0 + pair / kDown * 8, b = column0 + pair % kDown * 4;
            float of_cases[4], of_controls[4];
#if PACKED
            const u32 one = park[2 * pair * kThreads], two = park[(2 * pair + 1) * kThreads];
            of_cases[0] = one & 0xffff, of_cases[1] = one >> 16;
            of_cases[2] = two & 0xffff, of_cases[3] = two >> 16;
#else
#pragma unroll
            for (int k = 0; k < 4; ++k) of_cases[k] = park[(4 * pair + k) * kThreads];
#endif
#pragma unroll
            for (int k = 0; k < 4; ++k) of_controls[k] = own[(4 * pair + k) * kThreads];
            if (b >= n_variants || b <= a) continue;
            const float *row = levels + a * kStride, *column = levels + b * kStride;
#if CELLS
            const bool worth = unions_worth(rules, row, column, margins + 4 * a, margins + 4 * b,
                                            of_cases, of_controls);
#else
            const bool worth = ands_worth(rules, row, column, of_cases, of_controls);
#endif
            if (worth) {
                const u32 place = atomicAdd(n_found, 1u);
                if (place < capacity) {
                    int* const to = found + static_cast<u64>(place) * kFound;
                    to[0] = a, to[1] = b;
                    for (int k = 0; k < 4; ++k) {
                        to[2 + k] = static_cast<int>(of_cases[k]);
                        to[6 + k] = static_cast<int>(of_controls[k]);
                    }
                }
            }
        }
        __syncthreads();  // the next block of pairs overwrites what others still read
    }
}
