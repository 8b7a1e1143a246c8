// What the kernels of native/cuda need of a GPU, on a processor: one block of threads at a time,
// every thread of it a context of its own. A thread runs until it waits: for its block at
// __syncthreads, or for the other lanes of its warp at an instruction that a warp does together.
//
// Copies to shared memory are done as early as a GPU may do them in one launch, and as late in the
// next; the first warp is ahead of all others in two launches, and the last one in the next two. So
// a wait that is missing shows. Lanes of a warp that meet at different instructions are an error, and so are
// threads that wait for each other for ever, and addresses outside shared memory.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <csetjmp>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#define __device__
#define __global__
#define __shared__ static
#define __launch_bounds__(...)
#define threadIdx (emulated::thread->index)
#define blockIdx (emulated::block_index)
#define blockDim (emulated::block_size)
#define gridDim (emulated::grid_size)

struct uint4 {
    unsigned x, y, z, w;
};
struct int4 {
    int x, y, z, w;
};
struct int2 {
    int x, y;
};

namespace emulated {

constexpr unsigned kLanes = 32;
constexpr std::size_t kStack = 1 << 16;

struct Dim {
    unsigned x = 1, y = 1, z = 1;
};

struct Copy {
    unsigned char* to;
    const void* from;
    std::size_t bytes;
};

struct Thread {
    ucontext_t context;  // where it begins
    std::jmp_buf at;     // and goes on: jumps take no system call
    std::vector<char> stack;
    Dim index;
    unsigned number;
    bool begun, done;
    std::vector<Copy> open;               // copies of the group that is not committed yet
    std::deque<std::vector<Copy>> groups;  // committed, and not done yet
};

// An instruction that all lanes of a warp do together.
struct Warp {
    const char* at;
    void* lanes[kLanes];
    unsigned arrived;
    std::uint64_t turn;
};

inline std::vector<Thread> threads;
inline std::vector<Warp> warps;
inline Thread* thread;
inline std::jmp_buf scheduler;
inline Dim block_index, block_size, grid_size;
inline std::vector<unsigned char> memory;  // shared memory of a size that the launch says
inline unsigned char* shared_memory;
inline std::size_t shared_bytes;
inline unsigned living, arrived;  // threads of the block
inline std::uint64_t barrier;
inline bool progress, early;
inline std::string error;
inline void (*body)();

inline void yield() {
    if (_setjmp(thread->at) == 0) _longjmp(scheduler, 1);
}

inline void resume() {
    if (_setjmp(scheduler) != 0) return;
    if (std::exchange(thread->begun, true)) _longjmp(thread->at, 1);
    setcontext(&thread->context);
}

[[noreturn]] inline void fail(const std::string& what) {
    error = "thread " + std::to_string(thread->number) + " of block " +
            std::to_string(block_index.x) + ": " + what;
    for (;;) yield();
}

// Waits for all lanes, the last of which does the work of all: `work(lanes)`.
template <class Lane, class Work>
void together(const char* what, Lane& mine, Work work) {
    Warp& warp = warps[thread->number / kLanes];
    if (warp.arrived > 0 && std::strcmp(warp.at, what) != 0)
        fail(std::string("at ") + what + ", and other lanes at " + warp.at);
    warp.at = what;
    warp.lanes[thread->number % kLanes] = &mine;
    const std::uint64_t turn = warp.turn;
    if (++warp.arrived == kLanes) {
        Lane* lanes[kLanes];
        for (unsigned i = 0; i < kLanes; ++i) lanes[i] = static_cast<Lane*>(warp.lanes[i]);
        work(lanes);
        warp.arrived = 0;
        ++warp.turn;
        progress = true;
    } else {
        while (warp.turn == turn) yield();
    }
}

inline unsigned char* shared_at(std::uint32_t address, std::size_t bytes) {
    if (address + bytes > shared_bytes || address % bytes != 0)
        fail("address " + std::to_string(address) + " of " + std::to_string(shared_bytes));
    return shared_memory + address;
}

inline void start() {
    body();
    thread->done = true;
    --living;
    progress = true;
    _longjmp(scheduler, 1);
}

inline void begin_block(unsigned size) {
    threads.resize(size);
    warps.assign((size + kLanes - 1) / kLanes, Warp{});
    living = size;
    arrived = 0;
    std::fill(memory.begin(), memory.end(), static_cast<unsigned char>(0xCD));
    for (unsigned t = 0; t < size; ++t) {
        Thread& made = threads[t];
        made.stack.resize(kStack);
        made.number = t;
        made.index = {t % block_size.x, t / block_size.x % block_size.y,
                      t / block_size.x / block_size.y};
        made.begun = made.done = false;
        made.open.clear();
        made.groups.clear();
        getcontext(&made.context);
        made.context.uc_stack.ss_sp = made.stack.data();
        made.context.uc_stack.ss_size = made.stack.size();
        made.context.uc_link = nullptr;
        makecontext(&made.context, start, 0);
    }
}

// Runs the lanes of a warp until all of them wait for other warps. Returns whether they came on.
inline bool run_warp(unsigned number) {
    const auto size = static_cast<unsigned>(threads.size());
    bool came_on = false;
    do {
        progress = false;
        for (unsigned i = number * kLanes; i < std::min(size, (number + 1) * kLanes); ++i) {
            thread = &threads[i];
            if (!thread->done && error.empty()) resume();
        }
        came_on |= progress;
    } while (progress && error.empty());
    return came_on;
}

// One warp after the other goes as far as it can: a barrier that is missing shows.
inline void run_block(bool backwards) {
    const auto n_warps = static_cast<unsigned>(warps.size());
    while (living > 0 && error.empty()) {
        bool came_on = false;
        for (unsigned i = 0; i < n_warps; ++i) came_on |= run_warp(backwards ? n_warps - 1 - i : i);
        if (!came_on && error.empty()) error = "threads wait for each other";
    }
}

template <class... Given, std::size_t... I>
void call(void (*kernel)(Given...), void** given, std::index_sequence<I...>) {
    kernel(*static_cast<std::remove_const_t<Given>*>(given[I])...);
}

// Runs a kernel; returns what went wrong.
inline const char* launch(const unsigned* grid, const unsigned* block, std::size_t bytes,
                          void (*of_each)()) {
    static unsigned launches = 0;
    early = launches % 2 == 0;
    const bool backwards = launches++ / 2 % 2 == 1;
    grid_size = {grid[0], grid[1], grid[2]};
    block_size = {block[0], block[1], block[2]};
    memory.resize(bytes + 128);
    const auto at = reinterpret_cast<std::uintptr_t>(memory.data());
    shared_memory = memory.data() + (128 - at % 128) % 128;
    shared_bytes = bytes;
    body = of_each;
    error.clear();
    for (unsigned z = 0; z < grid[2]; ++z)
        for (unsigned y = 0; y < grid[1]; ++y)
            for (unsigned x = 0; x < grid[0] && error.empty(); ++x) {
                block_index = {x, y, z};
                begin_block(block[0] * block[1] * block[2]);
                run_block(backwards);
            }
    return error.c_str();
}

// Instructions of PTX, by their names. Where a fragment's element lies stands in PTX's manual,
// "Matrix Fragments for mma.m16n8k256" and "... for mma.m16n8k32".

struct Product {
    int* c[4];
    std::uint32_t a[4], b[2];
};

// Adds products of a warp: row g and g + 8 of A and column g of B lie in the four lanes 4 g + q.
template <class Multiply>
void multiply(const char* what, Product mine, Multiply by_word) {
    together(what, mine, [&](Product** lanes) {
        for (unsigned row = 0; row < 16; ++row)
            for (unsigned column = 0; column < 8; ++column) {
                int sum = 0;
                for (unsigned q = 0; q < 4; ++q) {
                    const Product &of_a = *lanes[row % 8 * 4 + q], &of_b = *lanes[column * 4 + q];
                    for (unsigned half = 0; half < 2; ++half)
                        sum += by_word(of_a.a[row / 8 + 2 * half], of_b.b[half]);
                }
                *lanes[row % 8 * 4 + column / 2]->c[row / 8 * 2 + column % 2] += sum;
            }
    });
}

inline void mma_sync_aligned_m16n8k256_row_col_s32_b1_b1_s32_and_popc(
    int& c0, int& c1, int& c2, int& c3, std::uint32_t a0, std::uint32_t a1, std::uint32_t a2,
    std::uint32_t a3, std::uint32_t b0, std::uint32_t b1) {
    multiply("mma of bits", {{&c0, &c1, &c2, &c3}, {a0, a1, a2, a3}, {b0, b1}},
             [](std::uint32_t a, std::uint32_t b) { return std::popcount(a & b); });
}

inline void mma_sync_aligned_m16n8k32_row_col_s32_u8_u8_s32(
    int& c0, int& c1, int& c2, int& c3, std::uint32_t a0, std::uint32_t a1, std::uint32_t a2,
    std::uint32_t a3, std::uint32_t b0, std::uint32_t b1) {
    multiply("mma of bytes", {{&c0, &c1, &c2, &c3}, {a0, a1, a2, a3}, {b0, b1}},
             [](std::uint32_t a, std::uint32_t b) {
                 int sum = 0;
                 for (int shift = 0; shift < 32; shift += 8)
                     sum += static_cast<int>((a >> shift & 255) * (b >> shift & 255));
                 return sum;
             });
}

struct Matrices {
    std::uint32_t* words[4];
    std::uint32_t address;
};

inline void ldmatrix_sync_aligned_m8n8_x4_shared_b16(std::uint32_t& x, std::uint32_t& y,
                                                     std::uint32_t& z, std::uint32_t& w,
                                                     std::uint32_t address) {
    shared_at(address, 16);
    Matrices mine{{&x, &y, &z, &w}, address};
    together("ldmatrix", mine, [](Matrices** lanes) {
        for (unsigned lane = 0; lane < kLanes; ++lane)
            for (unsigned matrix = 0; matrix < 4; ++matrix) {
                const std::uint32_t row = lanes[matrix * 8 + lane / 4]->address;
                std::memcpy(lanes[lane]->words[matrix], shared_memory + row + lane % 4 * 4, 4);
            }
    });
}

inline void copy_async(std::uint32_t to, const void* from, std::size_t bytes) {
    const Copy copy{shared_at(to, bytes), from, bytes};
    if (reinterpret_cast<std::uintptr_t>(from) % bytes != 0) fail("a copy from an odd address");
    if (early)
        std::memcpy(copy.to, copy.from, copy.bytes);
    else
        thread->open.push_back(copy);
}

inline void cp_async_cg_shared_global(std::uint32_t to, const void* from, std::size_t bytes) {
    copy_async(to, from, bytes);
}

inline void cp_async_ca_shared_global(std::uint32_t to, const void* from, std::size_t bytes) {
    copy_async(to, from, bytes);
}

inline void cp_async_commit_group() {
    thread->groups.push_back(std::move(thread->open));
    thread->open.clear();
}

inline void cp_async_wait_group(std::size_t left) {
    for (; thread->groups.size() > left; thread->groups.pop_front())
        for (const Copy& copy : thread->groups.front())
            std::memcpy(copy.to, copy.from, copy.bytes);
}

inline void ld_global_nc_L1__no_allocate_v4_u32(std::uint32_t& x, std::uint32_t& y,
                                                std::uint32_t& z, std::uint32_t& w,
                                                const void* from) {
    const std::uint32_t* words = static_cast<const std::uint32_t*>(from);
    x = words[0], y = words[1], z = words[2], w = words[3];
}

}  // namespace emulated

// Functions of CUDA.

using std::min;

inline void __syncthreads() {
    using namespace emulated;
    const std::uint64_t before = barrier;
    if (++arrived == living) {
        arrived = 0;
        ++barrier;
        progress = true;
    } else {
        while (barrier == before) yield();
    }
}

inline unsigned __ballot_sync(unsigned, bool mine) {
    using emulated::kLanes;
    struct Lane {
        bool vote;
        unsigned all;
    } lane{mine, 0};
    emulated::together("ballot", lane, [](Lane** lanes) {
        unsigned all = 0;
        for (unsigned i = 0; i < kLanes; ++i) all |= static_cast<unsigned>(lanes[i]->vote) << i;
        for (unsigned i = 0; i < kLanes; ++i) lanes[i]->all = all;
    });
    return lane.all;
}

inline unsigned atomicAdd(unsigned* at, unsigned more) { return std::exchange(*at, *at + more); }
inline std::size_t __cvta_generic_to_shared(const void* p) {
    return static_cast<std::size_t>(static_cast<const unsigned char*>(p) -
                                    emulated::shared_memory);
}
template <class T>
T __ldg(const T* from) {
    return *from;
}
inline int4 make_int4(int x, int y, int z, int w) { return {x, y, z, w}; }
inline int __float_as_int(float x) { return std::bit_cast<int>(x); }
inline float __int_as_float(int x) { return std::bit_cast<float>(x); }
inline float __uint_as_float(unsigned x) { return std::bit_cast<float>(x); }
inline float __fdividef(float a, float b) { return a / b; }
inline int __ffs(unsigned x) { return x == 0 ? 0 : std::countr_zero(x) + 1; }
inline unsigned __brev(unsigned x) {
    unsigned out = 0;
    for (int i = 0; i < 32; ++i) out |= (x >> i & 1) << (31 - i);
    return out;
}
inline unsigned __byte_perm(unsigned x, unsigned y, unsigned which) {
    const std::uint64_t both = x | static_cast<std::uint64_t>(y) << 32;
    unsigned out = 0;
    for (int i = 0; i < 4; ++i)
        out |= static_cast<unsigned>(both >> (which >> 4 * i & 7) * 8 & 255) << 8 * i;
    return out;
}
