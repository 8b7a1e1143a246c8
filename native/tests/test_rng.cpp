#include "rng.hpp"

#include "tests/check.hpp"

using namespace bayesdnf;

TEST(philox_gives_the_published_numbers) {
    // Known-answer vectors of Random123 (kat_vectors, philox4x64 10), block at counter 0 and all
    // ones. A stream adds one to its counter before the first block, hence the counters here.
    const std::uint64_t all = ~std::uint64_t{0};
    Philox zero({0, 0}, {all, all, all, all});
    CHECK(zero.next() == 0x16554d9eca36314cu);
    CHECK(zero.next() == 0xdb20fe9d672d0fdcu);
    CHECK(zero.next() == 0xd7e772cee186176bu);
    CHECK(zero.next() == 0x7e68b68aec7ba23bu);
    Philox ones({all, all}, {all - 1, all, all, all});
    CHECK(ones.next() == 0x87b092c3013fe90bu);
    CHECK(ones.next() == 0x438c3c67be8d0224u);
    CHECK(ones.next() == 0x9cc7d7c69cd777b6u);
    CHECK(ones.next() == 0xa09caebf594f0ba0u);
}

TEST(a_stream_resumes_where_it_stopped) {
    for (int taken = 0; taken < 9; ++taken) {
        Philox whole({11, 12}, {5, 0, 0, 0});
        for (int i = 0; i < taken; ++i) whole.next();
        Philox part = Philox::resume(whole.key(), whole.counter(), whole.used());
        for (int i = 0; i < 10; ++i) CHECK(part.next() == whole.next());
    }
}

TEST(below_stays_below_and_reaches_everything) {
    Philox rng({1, 1});
    for (const std::uint64_t n : {1u, 2u, 3u, 7u, 100u}) {
        std::vector<int> seen(n);
        for (int i = 0; i < 5000; ++i) {
            const auto x = rng.below(n);
            CHECK(x < n);
            seen[x] = 1;
        }
        for (const int s : seen) CHECK(s == 1);
    }
}

TEST(beta_draws_have_the_right_moments_even_for_small_parameters) {
    Philox rng({8, 8});
    const double pairs[][2] = {{1, 1}, {0.2, 0.3}, {50, 3}, {1e-3, 1e-3}};
    for (const auto& [a, b] : pairs) {
        const int n = 200000;
        double sum = 0, squares = 0;
        for (int i = 0; i < n; ++i) {
            const double x = rng.beta(a, b);
            CHECK(x >= 0 && x <= 1);
            sum += x;
            squares += x * x;
        }
        const double mean = a / (a + b), variance = mean * (1 - mean) / (a + b + 1);
        CHECK_CLOSE(sum / n, mean, 6 * std::sqrt(variance / n));
        CHECK_CLOSE(squares / n - mean * mean, variance, 0.01 * variance + 0.002);
    }
}
