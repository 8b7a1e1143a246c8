// The sweep of data/bits.hpp on a GPU: rows that masks and planes share, segment by segment; and
// the selection of literals by such counts.
// Compiled by NVRTC at first use; see src/bayesdnf/gpu/sweeping.py.
//
// Up to eight masks are the columns of a binary tensor-core product (AND for times, popcount for
// plus) whose rows are planes: eight masks take as long as one, the time to read the planes once.
// A warp counts sixteen planes. Segments begin at whole pieces of 64 bytes; the bits between their
// end and the next piece are 0.

typedef unsigned int u32;
typedef unsigned long long u64;

constexpr int kPiece = 64, kAhead = 8;  // bytes of a row that are read together; pieces under way

// Planes pass through once; masks are read by every warp and stay in the cache.
__device__ inline uint4 read_once(const unsigned char* from) {
    uint4 v;
    asm("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
        : "l"(from));
    return v;
}

__device__ inline void multiply(int* c, u32 a0, u32 a1, u32 a2, u32 a3, u32 b0, u32 b1) {
    asm("mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc "
        "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
}

// Products of N pieces: all are read before the first is needed.
template <int N>
__device__ inline void add(const unsigned char* low, const unsigned char* high,
                           const unsigned char* mask, int piece, int* c) {
    uint4 a[N], b[N], m[N];
#pragma unroll
    for (int i = 0; i < N; ++i) {
        const u64 at = static_cast<u64>(piece + i) * kPiece;
        a[i] = read_once(low + at);
        b[i] = read_once(high + at);
        m[i] = __ldg(reinterpret_cast<const uint4*>(mask + at));
    }
#pragma unroll
    for (int i = 0; i < N; ++i) {
        multiply(c, a[i].x, b[i].x, a[i].y, b[i].y, m[i].x, m[i].y);
        multiply(c, a[i].z, b[i].z, a[i].w, b[i].w, m[i].z, m[i].w);
    }
}

// counts[segment][mask][plane]. There are rows for whole warps of planes, also past the last one;
// segment s is the pieces from ends[s - 1] (0 of the first) to ends[s].
extern "C" __global__ void __launch_bounds__(256, 2)
    sweep(const unsigned char* __restrict__ planes, u64 row_bytes, int n_planes,
          const int* __restrict__ ends, int n_segments, const unsigned char* __restrict__ masks,
          int n_masks, int* __restrict__ counts) {
    const int lane = threadIdx.x & 31, group = lane >> 2, quarter = lane & 3;
    const int first = (blockIdx.x * (blockDim.x >> 5) + (threadIdx.x >> 5)) * 16;
    if (first >= n_planes) return;
    const unsigned char* const low = planes + (first + group) * row_bytes + quarter * 16;
    const unsigned char* const high = low + 8 * row_bytes;
    // Threads without a mask of their own repeat the first, and nobody asks for what they count.
    const unsigned char* const mask =
        masks + (group < n_masks ? group : 0) * row_bytes + quarter * 16;
    int begin = 0;
    for (int s = 0; s < n_segments; ++s) {
        const int end = ends[s];
        int c[4] = {0, 0, 0, 0};
        int piece = begin;
        for (; piece + kAhead <= end; piece += kAhead) add<kAhead>(low, high, mask, piece, c);
        for (; piece + 2 <= end; piece += 2) add<2>(low, high, mask, piece, c);
        if (piece < end) add<1>(low, high, mask, piece, c);
        begin = end;
        // Counts 0 and 1 of a thread are of plane `group`, masks 2 quarter and one more; 2 and 3 of
        // the plane eight further.
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const int of = 2 * quarter + (k & 1), plane = first + group + (k >> 1) * 8;
            if (of < n_masks && plane < n_planes)
                counts[(static_cast<u64>(s) * n_masks + of) * n_planes + plane] = c[k];
        }
    }
}

// Of what a sweep of two segments counted, the literals that share rows with a mask, save for those
// whose rows of the second segment are in the span of as many rows of the first. A literal is a
// plane, or a complement: the rows whose value is known less those of the plane.
// of_masks[segment][mask]: rows of the masks.
extern "C" __global__ void select_literals(const int* __restrict__ counts, int n_masks,
                                           int n_planes, const int* __restrict__ planes,
                                           const int* __restrict__ valid,
                                           const unsigned char* __restrict__ complements,
                                           int n_literals, const int* __restrict__ of_masks,
                                           const int2* __restrict__ ruled_out, int first_mask,
                                           int4* selected, u32* n_selected, u32 capacity) {
    const int l = blockIdx.x * blockDim.x + threadIdx.x, mask = blockIdx.y;
    if (l >= n_literals) return;
    int rows[2];
#pragma unroll
    for (int s = 0; s < 2; ++s) {
        const int row = s * n_masks + mask;
        const int* const of_planes = counts + static_cast<u64>(row) * n_planes;
        const int held = of_planes[planes[l]];
        const int known = valid[l] < 0 ? of_masks[row] : of_planes[valid[l]];
        rows[s] = complements[l] ? known - held : held;
    }
    const int2 span = ruled_out[rows[0]];
    if (rows[0] + rows[1] == 0 || (rows[1] >= span.x && rows[1] <= span.y)) return;
    const u32 place = atomicAdd(n_selected, 1u);
    if (place < capacity) selected[place] = make_int4(first_mask + mask, l, rows[0], rows[1]);
}
