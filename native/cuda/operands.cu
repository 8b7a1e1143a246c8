// Operands of scans: samples of a segment, apart from the others. See
// src/bayesdnf/genomics/scanning/cuda_operands.py.

typedef unsigned int u32;
typedef unsigned long long u64;

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
