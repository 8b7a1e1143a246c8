// Counts of pairs of variants by binary tensor-core products: what the kernels of scans share.
// Compiled by NVRTC at first use, after screens.cu and before pairs.cu or segments.cu; see
// src/bayesdnf/genomics/scanning/cuda_kernels.py.
//
// A product is a matrix product of bits, AND for times and popcount for plus. An operand's row is
// one plane of one variant (its carriers, say) within one segment of the samples, such as the
// cases. Two planes of either variant make four products, the counts of a pair in that segment. A
// block of eight warps counts 64 variants (rows of the result) beside 128 others (columns), segment
// after segment. Stages of operands arrive without a pause, those of the next block of pairs while
// this one is screened.
//
// STAGES, STAGE_BYTES: stages of shared memory, and bytes of every operand row in one.
// SEGMENTS: of which each block of pairs has counts. PLANES: of a variant in the operands.
// GENERAL: the kernel of segments.cu. BYTES: products of bytes in place of bits.

typedef unsigned int u32;
typedef unsigned long long u64;

constexpr int kThreads = 256;
constexpr int kRowVariants = 64, kColumnVariants = 128, kVariants = kRowVariants + kColumnVariants;
constexpr int kRows = 2 * kRowVariants, kColumns = 2 * kColumnVariants;
constexpr int kPieces = STAGE_BYTES / 16, kSteps = STAGE_BYTES / 64;
constexpr int kStage = (kRows + kColumns) * STAGE_BYTES;
constexpr int kAcross = 4, kDown = 8;  // fragments of a warp: 4 x 16 rows by 8 x 8 columns
constexpr int kPairs = kAcross * kDown, kCounts = 4 * kPairs;
// What a block of pairs needs to know of its variants, in pairs.cu: the least level, margins.
// Stages of two blocks after this one may have been asked for, so there are three of them.
constexpr int kFacts = CELLS ? 5 : 1, kTurns = 3;

// A block of pairs: its first row and column. GENERAL: where facts of columns begin beyond those of
// rows, and the variant that those of a pair come after.
#if GENERAL
typedef int4 Item;
#else
typedef int2 Item;
#endif

// The operands of a segment: of all variants, or of some from a first one on. An operand row has so
// many bytes. Of the planes of each variant two are counted, of rows and of columns.
struct Segment {
    const unsigned char *rows, *columns;
    u64 bytes;
    u32 row_planes[2], column_planes[2];
};

// Row of the operands for a row of a stage, from the first of rows or columns on. Of the sixteen
// rows of a fragment the first eight are the first planes, the other eight the second planes of the
// same variants, and of eight columns every second: so the four products of a pair are the four
// counts of one thread.
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

__device__ inline void multiply_bytes(int* c, const uint4& a, u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.u8.u8.s32 "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}

// Brings the stages of this multiprocessor's blocks of pairs to shared memory, in the order in
// which they are used: of every block segment after segment.
struct Feed {
    const Segment* segments;  // shared
    u64 first_row, first_column;
    const Item* items;
    int n_items;
    const float *levels, *margins;
    u32 shared, facts;  // addresses

    int item, segment = SEGMENTS - 1, left = 0, slot = 0, turn = 0;
    u64 stride = 0;
    const unsigned char *row = nullptr, *column = nullptr;

    // From one row that a thread copies to the next: so many variants further on.
    static constexpr int kStep = kThreads / kPieces;
    static_assert(kStep % 16 == 0 && kRows % kStep == 0);

    __device__ void begin_segment() {
        const int first = threadIdx.x / kPieces, piece = threadIdx.x % kPieces;
        segment = segment + 1 == SEGMENTS ? 0 : segment + 1;
#if !GENERAL
        if (segment == 0) begin_facts();
#endif
        const Segment& of = segments[segment];
        const Item at = items[item];
        left = static_cast<int>(of.bytes / STAGE_BYTES);
        stride = kStep / 2 * PLANES * of.bytes;
        const u64 r = operand_row(first);
        row = of.rows + ((at.x - first_row + r / 2) * PLANES + of.row_planes[r & 1]) * of.bytes +
              piece * 16;
        column =
            of.columns +
            ((at.y - first_column + first / 2) * PLANES + of.column_planes[first & 1]) * of.bytes +
            piece * 16;
    }

#if !GENERAL
    __device__ void begin_facts() {
        const int t = threadIdx.x;
        if (t < kVariants) {
            const Item at = items[item];
            const u64 variant = t < kRowVariants ? at.x + t : at.y + t - kRowVariants;
            const u32 to = facts + (turn * kVariants + t) * kFacts * 4;
            copy_word_async(to, levels + (variant + 1) * kLevelStride - 1);
#if CELLS
#pragma unroll
            for (int k = 0; k < 4; ++k)
                copy_word_async(to + 4 * (1 + k), margins + 4 * variant + k);
#endif
        }
        turn = turn + 1 == kTurns ? 0 : turn + 1;
    }
#endif

    __device__ void fetch() {
        if (item < n_items) {
            if (left == 0) begin_segment();
            // A thread copies one piece of every so-many-th row, and these are as far apart in the
            // operand.
            const u32 to =
                shared + slot * kStage + place_of(threadIdx.x / kPieces, threadIdx.x % kPieces);
#pragma unroll
            for (int i = 0; i < kRows / kStep; ++i)
                copy_async(to + i * kStep * STAGE_BYTES, row + i * stride);
#pragma unroll
            for (int i = 0; i < kColumns / kStep; ++i)
                copy_async(to + (kRows + i * kStep) * STAGE_BYTES, column + i * stride);
            row += STAGE_BYTES, column += STAGE_BYTES;
            if (--left == 0 && segment + 1 == SEGMENTS) item += gridDim.x;
        }
        slot = slot + 1 == STAGES ? 0 : slot + 1;
        asm volatile("cp.async.commit_group;");
    }
};

// By all threads; they must wait for each other before it is used.
__device__ inline void copy_to_shared(void* to, const void* from, int bytes) {
    for (int i = threadIdx.x; i < bytes / 4; i += kThreads)
        static_cast<u32*>(to)[i] = static_cast<const u32*>(from)[i];
}

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
#if !BYTES
    uint4 a[kAcross][2], b;
#endif

    __device__ Products(u32 shared) {
        const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, matrix = lane >> 3,
                  r = lane & 7;
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

#if BYTES
    // Eight products of bytes in place of one of bits, each of every eighth bit: in the bytes of A
    // bit b is left where it is, which is 2^b, and in those of B, whose bits are reversed, it is
    // 2^(7 - b). So every row that both have adds 128. Which bits of a word meet which does not
    // matter, as long as it is the same in A and B.
    __device__ void begin() {}

    __device__ void add(Feed& feed, int n_stages, int* counts) {
        for (int stage = 0; stage < n_stages; ++stage) {
#pragma unroll 1
            for (int half = 0; half < 2 * kSteps; ++half) {
                uint4 a[kAcross];
                u32 b[kDown][2];
#pragma unroll
                for (int i = 0; i < kAcross; ++i) a[i] = row_fragment(slot, i, half / 2, half % 2);
#pragma unroll
                for (int j = 0; j < kDown; ++j) {
                    const uint4 both = column_fragment(slot, j, half / 2);
                    b[j][0] = reversed(half % 2 ? both.z : both.x);
                    b[j][1] = reversed(half % 2 ? both.w : both.y);
                }
#pragma unroll 1
                for (int bit = 0; bit < 8; ++bit) {
                    const u32 one = 0x01010101u << bit, other = 0x80808080u >> bit;
                    uint4 some[kAcross];
#pragma unroll
                    for (int i = 0; i < kAcross; ++i)
                        some[i] = {a[i].x & one, a[i].y & one, a[i].z & one, a[i].w & one};
#pragma unroll
                    for (int j = 0; j < kDown; ++j)
#pragma unroll
                        for (int i = 0; i < kAcross; ++i)
                            multiply_bytes(counts + (i * kDown + j) * 4, some[i], b[j][0] & other,
                                           b[j][1] & other);
                }
            }
            asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 3));
            __syncthreads();
            feed.fetch();
            slot = slot + 1 == STAGES ? 0 : slot + 1;
        }
#pragma unroll
        for (int i = 0; i < kCounts; ++i) counts[i] >>= 7;
    }

    // The bits of each byte.
    __device__ static u32 reversed(u32 x) { return __byte_perm(__brev(x), 0, 0x0123); }
#else
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
#endif
};

// A count below 2^23 as a float, by its place in the digits of 2^23.
__device__ inline float as_float(u32 count) {
    return __uint_as_float(count | 0x4b000000u) - 8388608.0f;
}

// Where counts of a segment are parked, a place for each thread.
// PACKED: counts fit 16 bits.
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
