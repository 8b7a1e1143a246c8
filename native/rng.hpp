// Philox4x64-10, the same numbers as numpy's Philox(key=..., counter=...), and our own draws on it.
//
// One stream per chain or restart, keyed by index. The whole state is a counter, a key and how
// much of the current block is used: a checkpoint stores that and nothing else.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#if defined(_MSC_VER) && !defined(__SIZEOF_INT128__)
#include <intrin.h>
#endif

namespace bayesdnf {

struct Product {
    std::uint64_t high, low;
};

inline Product multiply(std::uint64_t a, std::uint64_t b) {
#if defined(__SIZEOF_INT128__)
    const unsigned __int128 p = static_cast<unsigned __int128>(a) * b;
    return {static_cast<std::uint64_t>(p >> 64), static_cast<std::uint64_t>(p)};
#else
    Product p{};
    p.low = _umul128(a, b, &p.high);
    return p;
#endif
}

class Philox {
  public:
    using Key = std::array<std::uint64_t, 2>;
    using Counter = std::array<std::uint64_t, 4>;

    explicit Philox(Key key, Counter counter = {0, 0, 0, 0}) : key_(key), counter_(counter) {}

    std::uint64_t next() {
        if (used_ == 4) {
            for (auto& c : counter_)
                if (++c != 0) break;
            block_ = scramble(counter_, key_);
            used_ = 0;
        }
        return block_[static_cast<std::size_t>(used_++)];
    }

    // Uniform on [0, 1), 53 bits, as numpy's random().
    double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }

    // Uniform on (0, 1]: safe to take the logarithm of.
    double uniform_positive() { return static_cast<double>((next() >> 11) + 1) * 0x1p-53; }

    // Uniform on 0..n-1 without bias (multiply and shift, rejecting the uneven remainder).
    std::uint64_t below(std::uint64_t n) {
        Product p = multiply(next(), n);
        if (p.low < n) {
            const std::uint64_t uneven = (0 - n) % n;
            while (p.low < uneven) p = multiply(next(), n);
        }
        return p.high;
    }

    // Standard normal by the polar method; one value per pair, so no state is carried over.
    double normal() {
        for (;;) {
            const double u = 2.0 * uniform() - 1.0;
            const double v = 2.0 * uniform() - 1.0;
            const double s = u * u + v * v;
            if (s > 0.0 && s < 1.0) return u * std::sqrt(-2.0 * std::log(s) / s);
        }
    }

    // Logarithm of a Gamma(shape, 1) draw (Marsaglia and Tsang 2000; below one by their boost).
    double log_gamma_draw(double shape) {
        if (shape < 1.0) {
            const double boosted = log_gamma_draw(shape + 1.0);
            return boosted + std::log(uniform_positive()) / shape;
        }
        const double d = shape - 1.0 / 3.0;
        const double c = 1.0 / std::sqrt(9.0 * d);
        for (;;) {
            const double x = normal();
            const double t = 1.0 + c * x;
            if (t <= 0.0) continue;
            const double v = t * t * t;
            const double log_u = std::log(uniform_positive());
            if (log_u < 0.5 * x * x + d - d * v + d * std::log(v)) return std::log(d * v);
        }
    }

    // Beta(a, b) from two Gamma draws, kept in logs so that small parameters do not underflow.
    double beta(double a, double b) {
        const double x = log_gamma_draw(a);
        const double y = log_gamma_draw(b);
        return 1.0 / (1.0 + std::exp(y - x));
    }

    const Key& key() const { return key_; }
    const Counter& counter() const { return counter_; }
    int used() const { return used_; }

    // Continue a stream from a stored state.
    static Philox resume(Key key, Counter counter, int used) {
        Philox p(key, counter);
        if (used < 4) {
            p.block_ = scramble(counter, key);
            p.used_ = used;
        }
        return p;
    }

  private:
    static Counter scramble(Counter c, Key k) {
        for (int round = 0; round < 10; ++round) {
            const Product a = multiply(0xD2E7470EE14C6C93u, c[0]);
            const Product b = multiply(0xCA5A826395121157u, c[2]);
            c = {b.high ^ c[1] ^ k[0], b.low, a.high ^ c[3] ^ k[1], a.low};
            k[0] += 0x9E3779B97F4A7C15u;
            k[1] += 0xBB67AE8584CAA73Bu;
        }
        return c;
    }

    Key key_;
    Counter counter_;
    Counter block_{};
    int used_ = 4;
};

}  // namespace bayesdnf
