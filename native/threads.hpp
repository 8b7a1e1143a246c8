// Independent pieces of work on a few threads; which thread does which piece never matters.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace bayesdnf {

// Calls work(i) for i in [0, n). The first exception is passed on once all threads have ended.
template <class Work>
void parallel_for(std::size_t n, std::size_t n_threads, Work work) {
    const std::size_t threads = std::min(n, std::max<std::size_t>(1, n_threads));
    if (threads <= 1) {
        for (std::size_t i = 0; i < n; ++i) work(i);
        return;
    }
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex guard;
    const auto run = [&] {
        try {
            for (std::size_t i = next++; i < n; i = next++) work(i);
        } catch (...) {
            const std::lock_guard<std::mutex> lock(guard);
            if (!failure) failure = std::current_exception();
            next = n;  // nobody begins another piece
        }
    };
    std::vector<std::thread> pool;
    try {
        for (std::size_t t = 1; t < threads; ++t) pool.emplace_back(run);
    } catch (const std::system_error&) {
        // No more threads to be had: those that started, and this one, do the work.
    }
    run();
    for (std::thread& t : pool) t.join();
    if (failure) std::rethrow_exception(failure);
}

// The same by pieces of neighbours: work(first, last). Where work(i) takes a microsecond, threads
// would otherwise wait for the counter, and for the cache lines that neighbours share.
template <class Work>
void parallel_pieces(std::size_t n, std::size_t piece, std::size_t n_threads, Work work) {
    parallel_for((n + piece - 1) / piece, n_threads,
                 [&](std::size_t i) { work(i * piece, std::min(n, (i + 1) * piece)); });
}

}  // namespace bayesdnf
