// Pairs of variants on a GPU: counts by binary tensor-core products, and the screen of
// genomics/simd/pairs.hpp over them. Compiled by NVRTC at first use; see
// src/bayesdnf/genomics/scanning/cuda_pairs.py.
//
// A product is a matrix product of bits, AND for times and popcount for plus. An operand's row is
// one plane (carrier or two copies) of one variant, cases or controls only; four products of planes
// are the counts of a pair. A block of eight warps counts 64 variants (rows of the result) beside
// 128 others (columns): first cases, whose counts are parked, then controls. Stages of operands
// arrive without a pause, those of the next block of pairs while this one is screened. Pairs that
// the screen cannot rule out are listed with their counts; the CPU scores them.
//
// STAGES, STAGE_BYTES: stages of shared memory, and bytes of every operand row in one.
// PACKED: counts of cases fit 16 bits. PARKED_HERE: they are parked in shared memory.
// CELLS: judge unions of cells, not ANDs. PRODUCTS: which of the nine ANDs are on offer.
// BOTH_DIRECTIONS: sets with fewer cases than by chance count too.

typedef unsigned int u32;
typedef unsigned long long u64;

constexpr int kThreads = 256;
constexpr int kRowVariants = 64, kColumnVariants = 128, kVariants = kRowVariants + kColumnVariants;
constexpr int kRows = 2 * kRowVariants, kColumns = 2 * kColumnVariants;
constexpr int kPieces = STAGE_BYTES / 16, kSteps = STAGE_BYTES / 64;
constexpr int kStage = (kRows + kColumns) * STAGE_BYTES;
constexpr int kAcross = 4, kDown = 8;  // fragments of a warp: 4 x 16 rows by 8 x 8 columns
constexpr int kPairs = kAcross * kDown, kCounts = 4 * kPairs;
constexpr int kLevels = CELLS ? 11 : 6;
constexpr int kStride = 12;  // floats of a variant's levels, the least of them last
constexpr int kFound = 10;   // numbers of a pair that is listed: variants, cases, controls
constexpr float kLeast = 0.01f;
// The first test takes other steps than the second, in single precision too.
constexpr float kSlack = 1 - 1e-4f;
// What a block of pairs needs to know of its variants: the least level, margins. Stages of two
// blocks after this one may have been asked for, so there are three of them.
constexpr int kFacts = CELLS ? 5 : 1, kTurns = 3;

struct Rules {
    float share, beyond, cases, controls;
    float cuts[10];
};

// Operands that are on the GPU: those of all variants, or of some from a first one on.
struct Operand {
    const unsigned char *cases, *controls;
    u64 first;
};

// Row of the operands for a row of a stage, from the first of rows or columns on. Of the sixteen
// rows of a fragment the first eight are carriers, the other eight two copies of the same variants,
// and of eight columns every second: so the four products of a pair are the four counts of one
// thread.
__device__ inline u64 operand_row(int row) {
    return row < kRows ? 2 * ((row >> 4) * 8 + (row & 7)) + ((row >> 3) & 1) : row - kRows;
}

// Which piece of sixteen bytes of a stage's row lies first, second, …: the same piece of eight rows
// that follow each other has eight places among the banks.
__device__ inline int turned(int row) { return STAGE_BYTES == 128 ? row & 7 : row >> 1 & 3; }
__device__ inline u32 place_of(int row, int piece) {
    return row * STAGE_BYTES + ((piece ^ turned(row)) << 4);
}

__device__ inline void copy_async(u32 to, const void* from) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}

__device__ inline void copy_word_async(u32 to, const void* from) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from));
}

__device__ inline void multiply(int* c, const uint4& a, u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}

// Brings the stages of this multiprocessor's blocks of pairs to shared memory, in the order in which
// they are used: of every block cases, then controls.
struct Feed {
    const Operand rows, columns;
    u64 case_bytes, control_bytes;
    const int2* items;
    int n_items;
    const float *levels, *margins;
    u32 shared, facts;  // addresses

    int item, left = 0, slot = 0, turn = 0;
    bool controls = true;
    const unsigned char *row = nullptr, *column = nullptr;

    __device__ void begin_segment() {
        constexpr int kStep = kThreads / kPieces;
        const int first = threadIdx.x / kPieces, piece = threadIdx.x % kPieces;
        controls = !controls;
        if (!controls) begin_facts();
        const int2 at = items[item];
        const u64 bytes = controls ? control_bytes : case_bytes;
        left = static_cast<int>(bytes / STAGE_BYTES);
        row = (controls ? rows.controls : rows.cases) +
              (2 * (at.x - rows.first) + operand_row(first)) * bytes + piece * 16;
        column = (controls ? columns.controls : columns.cases) +
                 (2 * (at.y - columns.first) + first) * bytes + piece * 16;
        static_assert(kStep % 16 == 0 && kRows % kStep == 0);
    }

    __device__ void begin_facts() {
        const int t = threadIdx.x;
        if (t < kVariants) {
            const int2 at = items[item];
            const u64 variant = t < kRowVariants ? at.x + t : at.y + t - kRowVariants;
            const u32 to = facts + (turn * kVariants + t) * kFacts * 4;
            copy_word_async(to, levels + variant * kStride + kStride - 1);
#if CELLS
#pragma unroll
            for (int k = 0; k < 4; ++k)
                copy_word_async(to + 4 * (1 + k), margins + 4 * variant + k);
#endif
        }
        turn = turn + 1 == kTurns ? 0 : turn + 1;
    }

    __device__ void fetch() {
        if (item < n_items) {
            if (left == 0) begin_segment();
            // A thread copies one piece of every so-many-th row, and these are as far apart in the
            // operand.
            constexpr int kStep = kThreads / kPieces;
            const u64 stride = kStep * (controls ? control_bytes : case_bytes);
            const u32 to = shared + slot * kStage +
                           place_of(threadIdx.x / kPieces, threadIdx.x % kPieces);
#pragma unroll
            for (int i = 0; i < kRows / kStep; ++i)
                copy_async(to + i * kStep * STAGE_BYTES, row + i * stride);
#pragma unroll
            for (int i = 0; i < kColumns / kStep; ++i)
                copy_async(to + (kRows + i * kStep) * STAGE_BYTES, column + i * stride);
            row += STAGE_BYTES, column += STAGE_BYTES;
            if (--left == 0 && controls) item += gridDim.x;
        }
        slot = slot + 1 == STAGES ? 0 : slot + 1;
        asm volatile("cp.async.commit_group;");
    }
};

// Four matrices of eight rows by sixteen bytes: thread t gives the address of row t % 8 of matrix
// t / 8, and gets word t % 4 of row t / 4 of each, which is how fragments are spread.
__device__ inline uint4 read_matrices(u32 from) {
    uint4 v;
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "r"(from));
    return v;
}

// Fragments of operands, and products of all stages of a segment. Fragments are read one step of 64
// bytes, two products, ahead of those they are for, also over the end of a stage.
struct Products {
    u32 rows, columns;  // addresses in the first stage for this thread
    int row_turn, column_turn, slot = 0;
    uint4 a[kAcross][2], b;

    __device__ Products(u32 shared) {
        const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, matrix = lane >> 3, r = lane & 7;
        // Of rows: carriers and two copies of sixteen bytes, then of the next sixteen.
        const int row = (warp & 1) * 64 + (matrix & 1) * 8 + r;
        rows = shared + row * STAGE_BYTES;
        row_turn = turned(row) ^ (matrix >> 1);
        // Of columns: sixteen bytes after sixteen.
        const int column = kRows + (warp >> 1) * 64 + r;
        columns = shared + column * STAGE_BYTES;
        column_turn = turned(column) ^ matrix;
    }

    __device__ uint4 row_fragment(int slot, int i, int step, int half) const {
        return read_matrices(rows + slot * kStage + i * 16 * STAGE_BYTES +
                             (((step * 4 + half * 2) ^ row_turn) << 4));
    }
    __device__ uint4 column_fragment(int slot, int j, int step) const {
        return read_matrices(columns + slot * kStage + j * 8 * STAGE_BYTES +
                             (((step * 4) ^ column_turn) << 4));
    }

    __device__ void begin() {
#pragma unroll
        for (int i = 0; i < kAcross; ++i)
            a[i][0] = row_fragment(slot, i, 0, 0), a[i][1] = row_fragment(slot, i, 0, 1);
        b = column_fragment(slot, 0, 0);
    }

    __device__ void add(Feed& feed, int n_stages, int* counts) {
        for (int stage = 0; stage < n_stages; ++stage) {
            const int next = slot + 1 == STAGES ? 0 : slot + 1;
#pragma unroll
            for (int step = 0; step < kSteps; ++step) {
                const bool last = step + 1 == kSteps;
                const int from = last ? next : slot, of_step = last ? 0 : step + 1;
                uint4 next_a[kAcross][2];
#pragma unroll
                for (int j = 0; j < kDown; ++j) {
                    if (last && j == 2) {  // the next stage is needed soon, the one before is free
                        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 3));
                        __syncthreads();
                        feed.fetch();
                    }
                    if (j >= 3 && j < 3 + kAcross) {
                        next_a[j - 3][0] = row_fragment(from, j - 3, of_step, 0);
                        next_a[j - 3][1] = row_fragment(from, j - 3, of_step, 1);
                    }
                    const uint4 next_b = j + 1 < kDown ? column_fragment(slot, j + 1, step)
                                                       : column_fragment(from, 0, of_step);
                    // A product waits for the one before it that adds to the same counts.
#pragma unroll
                    for (int i = 0; i < kAcross; ++i)
                        multiply(counts + (i * kDown + j) * 4, a[i][0], b.x, b.y);
#pragma unroll
                    for (int i = 0; i < kAcross; ++i)
                        multiply(counts + (i * kDown + j) * 4, a[i][1], b.z, b.w);
                    b = next_b;
                }
#pragma unroll
                for (int i = 0; i < kAcross; ++i) a[i][0] = next_a[i][0], a[i][1] = next_a[i][1];
            }
            slot = next;
        }
    }
};

// A count below 2^23 as a float, by its place in the digits of 2^23.
__device__ inline float as_float(u32 count) {
    return __uint_as_float(count | 0x4b000000u) - 8388608.0f;
}

// The square of what a set of rows has over chance; of less than chance it counts if asked for.
__device__ inline float squared(float off) { return BOTH_DIRECTIONS ? off * off : off * fabsf(off); }

// The most by which a set of m rows, `off` more of them cases than by chance, exceeds its level.
struct Screen {
    const Rules& rules;
    const float *row, *column;  // the levels of both variants; the higher one counts
    float most = 0;

    __device__ void judge(float off, float m) {
        int k = 0;
#pragma unroll
        for (int i = 0; i < kLevels - 1; ++i) k += m >= rules.cuts[i];
        const float level = fmaxf(row[k], column[k]);
        most = fmaxf(most, squared(off) - m * (rules.beyond - m) * level);
    }
};

// Of each of the nine ANDs what `of` says of those of the four products.
__device__ inline void nine(const float* c, float* out) {
    out[0] = c[0], out[1] = c[1], out[2] = c[0] - c[1];
    out[3] = c[2], out[4] = c[3], out[5] = c[2] - c[3];
    out[6] = c[0] - c[2], out[7] = c[1] - c[3], out[8] = out[2] - out[5];
}

// The nine cells; margins are carriers and two copies of a variant.
__device__ inline void nine_cells(float n, float ca, float ta, float cb, float tb, const float* c,
                                  float* out) {
    out[0] = n - cb - ca + c[0], out[1] = cb - tb - c[0] + c[1], out[2] = tb - c[1];
    out[3] = ca - c[0] - ta + c[2], out[4] = c[0] - c[1] - c[2] + c[3], out[5] = c[1] - c[3];
    out[6] = ta - c[2], out[7] = c[2] - c[3], out[8] = c[3];
}

// First test, for every pair: against the least of the levels, which takes few steps and rules
// nearly everything out. `facts` are those of both variants.
__device__ inline bool may_be_worth(const Rules& rules, const float* row, const float* column,
                                    const float* cases, const float* controls) {
    const float least = kSlack * fmaxf(row[0], column[0]);
    float m[9], off[9];
#if CELLS
    float a[9];
    nine_cells(rules.cases, row[1], row[2], column[1], column[2], cases, a);
    nine_cells(rules.controls, row[3], row[4], column[3], column[4], controls, m);
    // Over all cells off is 0, so by Cauchy and Schwarz off^2 <= m (n - m) / n times the sum of the
    // cells' off^2 / m, for every union of them.
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 9; ++i) {
        m[i] += a[i];
        off[i] = a[i] - rules.share * m[i];
        sum += __fdividef(off[i] * off[i], fmaxf(m[i], 1.0f));
    }
    return sum > (rules.beyond - 1) * least;
#else
    float of_four[4], off_of_four[4], most = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        of_four[k] = cases[k] + controls[k];
        off_of_four[k] = cases[k] - rules.share * of_four[k];
    }
    nine(of_four, m);
    nine(off_of_four, off);
#pragma unroll
    for (int i = 0; i < 9; ++i)
        if (PRODUCTS >> i & 1)
            most = fmaxf(most, squared(off[i]) - m[i] * (rules.beyond - m[i]) * least);
    return most > 0;
#endif
}

// Second test of the best AND, against the levels for as many rows as it has.
__device__ inline bool ands_worth(const Rules& rules, const float* row, const float* column,
                                  const float* cases, const float* controls) {
    float a[9], b[9];
    nine(cases, a);
    nine(controls, b);
    Screen screen{rules, row, column};
#pragma unroll
    for (int i = 0; i < 9; ++i) {
        const float m = a[i] + b[i];
        if (PRODUCTS >> i & 1) screen.judge(a[i] - rules.share * m, m);
    }
    return screen.most > kLeast;
}

// The same of the best union of the nine cells: it takes all cells from some rate of cases on, or
// those below it.
__device__ inline bool unions_worth(const Rules& rules, const float* row, const float* column,
                                    const float* row_margins, const float* column_margins,
                                    const float* cases, const float* controls) {
    float a[9], all[9], off[9], rate[9], total_off = 0, total = 0;
    nine_cells(rules.cases, row_margins[0], row_margins[1], column_margins[0], column_margins[1],
               cases, a);
    nine_cells(rules.controls, row_margins[2], row_margins[3], column_margins[2], column_margins[3],
               controls, all);
#pragma unroll
    for (int i = 0; i < 9; ++i) {
        all[i] += a[i];
        off[i] = a[i] - rules.share * all[i];
        rate[i] = off[i] / fmaxf(all[i], 1.0f);
        total_off += off[i];
        total += all[i];
    }
    Screen screen{rules, row, column};
#pragma unroll 1
    for (int i = 0; i < 9; ++i) {
        float of_union = 0, rows = 0;
#pragma unroll
        for (int k = 0; k < 9; ++k)
            if (rate[k] >= rate[i]) of_union += off[k], rows += all[k];
        screen.judge(of_union, rows);
        if (BOTH_DIRECTIONS) screen.judge(total_off - of_union, total - rows);
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

// Where counts of cases are parked, a place for each thread.
struct Park {
    u32* at;

    __device__ void put(const int* counts) const {
#pragma unroll
        for (int i = 0; i < kCounts; i += PACKED ? 2 : 1)
            at[i / (PACKED ? 2 : 1) * kThreads] =
                PACKED ? static_cast<u32>(counts[i]) | static_cast<u32>(counts[i + 1]) << 16
                       : static_cast<u32>(counts[i]);
    }

    __device__ void get(int pair, float* counts) const {
#if PACKED
        const u32 one = at[2 * pair * kThreads], two = at[(2 * pair + 1) * kThreads];
        counts[0] = as_float(one & 0xffff), counts[1] = as_float(one >> 16);
        counts[2] = as_float(two & 0xffff), counts[3] = as_float(two >> 16);
#else
#pragma unroll
        for (int k = 0; k < 4; ++k) counts[k] = as_float(at[(4 * pair + k) * kThreads]);
#endif
    }
};

extern "C" __global__ void __launch_bounds__(kThreads, 1)
    scan_pairs(const unsigned char* row_cases, const unsigned char* row_controls, u64 first_row,
               const unsigned char* column_cases, const unsigned char* column_controls,
               u64 first_column, u64 case_bytes, u64 control_bytes, int n_variants,
               const int2* items, int n_items, const float* __restrict__ levels,
               const float* __restrict__ margins, const Rules* given, u32* own, int* found,
               u32* n_found, u32 capacity) {
    extern __shared__ __align__(128) unsigned char shared[];
    __shared__ Rules rules;
    if (threadIdx.x < sizeof(Rules) / 4)
        reinterpret_cast<u32*>(&rules)[threadIdx.x] =
            reinterpret_cast<const u32*>(given)[threadIdx.x];
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
    Feed feed{{row_cases, row_controls, first_row},
              {column_cases, column_controls, first_column},
              case_bytes,
              control_bytes,
              items,
              n_items,
              levels,
              margins,
              address(shared),
              address(beyond),
              static_cast<int>(blockIdx.x)};
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
        products.add(feed, static_cast<int>(case_bytes / STAGE_BYTES), counts);
        park.put(counts);
#pragma unroll
        for (int i = 0; i < kCounts; ++i) counts[i] = 0;
        products.add(feed, static_cast<int>(control_bytes / STAGE_BYTES), counts);
        // Facts of this block of pairs came with its first stage.
        const int row0 = (warp & 1) * 32 + (lane >> 2), column0 = (warp >> 1) * 32 + (lane & 3);
        const float* const of_rows = facts + (turn * kVariants + row0) * kFacts;
        const float* const of_columns = facts + (turn * kVariants + kRowVariants + column0) * kFacts;
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
            const int2 at = items[item];
            const int a = at.x + row0 + pair / kDown * 8, b = at.y + column0 + pair % kDown * 4;
            if (b >= n_variants || b <= a) continue;
            float of_cases[4], of_controls[4];
            park.get(pair, of_cases);
#pragma unroll
            for (int k = 0; k < 4; ++k) of_controls[k] = as_float(own[(4 * pair + k) * kThreads]);
            const float *row = levels + a * kStride, *column = levels + b * kStride;
#if CELLS
            if (!unions_worth(rules, row, column, margins + 4 * a, margins + 4 * b, of_cases,
                              of_controls))
                continue;
#else
            if (!ands_worth(rules, row, column, of_cases, of_controls)) continue;
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
