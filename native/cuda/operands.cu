// Operands of scans: samples of a segment, apart from the others. See
// src/bayesdnf/genomics/scanning/cuda_operands.py.
//
// ROWS: that a block makes together.

typedef unsigned int u32;
typedef unsigned long long u64;

// The bits of some samples of every row, one after the other: a warp makes a word of 32 samples at
// a time, of each of its rows, so that the list of samples, which is longer than a row, is read
// once for all of these.
extern "C" __global__ void pick(const u32* rows, u64 row_words, int n_rows, const int* samples,
                                int n_samples, u32* out, u64 out_words) {
    const int lane = threadIdx.x & 31, first_row = blockIdx.y * ROWS;
    const int last = min(ROWS, n_rows - first_row) - 1;
    rows += first_row * row_words;
    out += first_row * out_words;
    const u64 first = (blockIdx.x * static_cast<u64>(blockDim.x) + threadIdx.x) / 32;
    const u64 step = gridDim.x * static_cast<u64>(blockDim.x) / 32;
    for (u64 word = first; word * 32 < n_samples; word += step) {
        const u64 i = word * 32 + lane;
        const bool there = i < n_samples;
        const int sample = samples[there ? i : 0];
        u32 bits[ROWS], made = 0;
#pragma unroll
        for (int r = 0; r < ROWS; ++r) bits[r] = rows[min(r, last) * row_words + (sample >> 5)];
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            const u32 of_row = __ballot_sync(~0u, there && (bits[r] >> (sample & 31) & 1));
            if (lane == r) made = of_row;
        }
        if (lane <= last) out[lane * out_words + word] = made;
    }
}
