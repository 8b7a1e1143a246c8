#include "genomics/genotypes.hpp"

#include <algorithm>
#include <cmath>

#include "tests/check.hpp"
#include "tests/random_bits.hpp"

using namespace bayesdnf;

namespace {

constexpr std::size_t kWidths[] = {1, 3, 63, 64, 65, 127, 128, 200};

// Copies 0, 1, 2 or -1 for missing.
std::vector<std::int8_t> random_copies(Philox& rng, std::size_t n) {
    std::vector<std::int8_t> copies(n);
    for (auto& c : copies) c = static_cast<std::int8_t>(static_cast<int>(rng.below(4)) - 1);
    return copies;
}

struct Packed {
    explicit Packed(std::size_t n)
        : known(words_for(n)), carrier(words_for(n)), two(words_for(n)) {}
    std::vector<Word> known, carrier, two;
    bool operator==(const Packed&) const = default;
};

Packed packed(const std::vector<std::int8_t>& copies) {
    Packed p(copies.size());
    read_copies(copies.data(), copies.size(), p.known.data(), p.carrier.data(), p.two.data());
    return p;
}

using Calls = std::vector<std::vector<std::int8_t>>;  // by variant and sample

std::vector<Word> planes_of(const Calls& calls) {
    std::vector<Word> planes;
    for (const auto& copies : calls) {
        const Packed p = packed(copies);
        for (const auto* plane : {&p.known, &p.carrier, &p.two})
            planes.insert(planes.end(), plane->begin(), plane->end());
    }
    return planes;
}

// Squared correlation of copies over the samples known in both, from means and deviations.
double slow_r_squared(const std::vector<std::int8_t>& a, const std::vector<std::int8_t>& b) {
    double n = 0, mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] >= 0 && b[i] >= 0) ++n, mean_a += a[i], mean_b += b[i];
    mean_a /= n, mean_b /= n;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (a[i] >= 0 && b[i] >= 0) {
            aa += (a[i] - mean_a) * (a[i] - mean_a);
            bb += (b[i] - mean_b) * (b[i] - mean_b);
            ab += (a[i] - mean_a) * (b[i] - mean_b);
        }
    return n > 0 && aa > 1e-9 && bb > 1e-9 ? ab * ab / (aa * bb) : 0;
}

double minor_share(const std::vector<std::int8_t>& copies) {
    double n = 0, sum = 0;
    for (const std::int8_t c : copies)
        if (c >= 0) ++n, sum += c;
    const double share = n > 0 ? sum / (2 * n) : 0;
    return std::min(share, 1 - share);
}

// KING-robust kinship by counting variants one by one (Manichaikul et al. 2010, equation 11).
double slow_kinship(const Calls& calls, std::size_t i, std::size_t j) {
    double shared = 0, opposite = 0, of_i = 0, of_j = 0;
    for (const auto& copies : calls) {
        const int x = copies[i], y = copies[j];
        if (x < 0 || y < 0) continue;
        shared += x == 1 && y == 1;
        opposite += std::abs(x - y) == 2;
        of_i += x == 1;
        of_j += y == 1;
    }
    const double fewer = std::min(of_i, of_j);
    if (fewer == 0) return -INFINITY;
    return (shared - 2 * opposite) / (2 * fewer) + 0.5 - (of_i + of_j) / (4 * fewer);
}

}  // namespace

TEST(copies_become_planes) {
    Philox rng({1, 1});
    for (const std::size_t n : kWidths) {
        const auto copies = random_copies(rng, n);
        const Packed p = packed(copies);
        for (std::size_t i = 0; i < p.known.size() * 64; ++i) {
            const int c = i < n ? copies[i] : -1;
            CHECK(bit(p.known.data(), i) == (c >= 0));
            CHECK(bit(p.carrier.data(), i) == (c >= 1));
            CHECK(bit(p.two.data(), i) == (c == 2));
        }
    }
}

TEST(bed_bytes_become_the_same_planes) {
    Philox rng({1, 2});
    for (const std::size_t n : kWidths) {
        const auto copies = random_copies(rng, n);
        std::vector<std::uint8_t> bytes((n + 3) / 4, 0xff);    // padding must not matter
        constexpr unsigned code[] = {0b01, 0b11, 0b10, 0b00};  // missing, 0, 1, 2 copies
        for (std::size_t i = 0; i < n; ++i) {
            const unsigned shift = 2 * (i % 4);
            bytes[i / 4] = static_cast<std::uint8_t>((bytes[i / 4] & ~(3u << shift)) |
                                                     code[copies[i] + 1] << shift);
        }
        Packed p(n);
        read_bed_variant(bytes.data(), n, p.known.data(), p.carrier.data(), p.two.data());
        CHECK(p == packed(copies));
    }
}

TEST(picked_samples_keep_their_order) {
    Philox rng({1, 3});
    for (const std::size_t n : kWidths) {
        auto plane = random_words(rng, words_for(n)), mask = random_words(rng, words_for(n));
        if (n == 65) fill_ones(mask.data(), n, mask.size());
        if (n == 127) std::fill(mask.begin(), mask.end(), Word{0});
        const Picker pick(mask);
        std::vector<Word> out(words_for(pick.n_picked()) + 1, ~Word{0});
        pick(plane.data(), out.data());
        std::size_t at = 0;
        for (std::size_t i = 0; i < mask.size() * 64; ++i)
            if (bit(mask.data(), i)) CHECK(bit(out.data(), at++) == bit(plane.data(), i));
        CHECK(at == pick.n_picked());
        for (; at < words_for(pick.n_picked()) * 64; ++at) CHECK(!bit(out.data(), at));
        CHECK(out.back() == ~Word{0});  // nothing past the end is touched
    }
}

TEST(equal_variants_are_wholly_correlated) {
    Philox rng({1, 4});
    const std::size_t n = 100, words = words_for(n);
    const Packed p = packed(random_copies(rng, n));
    std::vector<Word> planes;
    for (const auto* plane : {&p.known, &p.carrier, &p.two})
        planes.insert(planes.end(), plane->begin(), plane->end());
    const Likeness same = likeness(planes.data(), planes.data(), words, words, simd());
    CHECK_CLOSE(same.r_squared(), 1.0, 1e-12);
    CHECK(same.xx == same.xy && same.x == same.y);
}

TEST(correlation_is_that_of_the_samples_known_in_both) {
    Philox rng({1, 5});
    for (const std::size_t n : kWidths) {
        const Calls calls{random_copies(rng, n), random_copies(rng, n)};
        const auto planes = planes_of(calls);
        const std::size_t words = words_for(n);
        const Likeness pair =
            likeness(planes.data(), planes.data() + 3 * words, words, words, simd());
        CHECK_CLOSE(pair.r_squared(), slow_r_squared(calls[0], calls[1]), 1e-9);
    }
}

TEST(pruning_leaves_no_pair_alike_and_drops_the_rarer_of_two) {
    constexpr std::size_t kVariants = 30;
    constexpr std::int64_t kWindow = 6;
    constexpr double kMost = 0.4;
    std::size_t dropped = 0;
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
        Philox rng({seed, 6});
        const std::size_t n = kWidths[seed % 5] + 40;
        // Variants that follow one another for the most part, on two chromosomes.
        Calls calls{random_copies(rng, n)};
        std::vector<std::int32_t> chromosome{1};
        std::vector<std::int64_t> position{0};
        while (calls.size() < kVariants) {
            auto next = rng.below(3) == 0 ? random_copies(rng, n) : calls.back();
            for (auto& c : next)
                if (rng.below(8) == 0) c = static_cast<std::int8_t>(rng.below(3));
            calls.push_back(next);
            chromosome.push_back(calls.size() <= kVariants / 2 ? 1 : 2);
            position.push_back(position.back() + static_cast<std::int64_t>(rng.below(4)));
        }
        const auto planes = planes_of(calls);
        const auto keep = prune(planes.data(), words_for(n), kVariants, chromosome.data(),
                                position.data(), kWindow, kMost);
        for (std::size_t v = 0; v < kVariants; ++v) {
            bool reason = false;  // a commoner neighbour that is too alike
            for (std::size_t u = 0; u < kVariants; ++u) {
                if (u == v || chromosome[u] != chromosome[v] ||
                    std::abs(position[u] - position[v]) > kWindow)
                    continue;
                const bool alike = slow_r_squared(calls[u], calls[v]) > kMost;
                CHECK(!(alike && keep[u] && keep[v]));
                reason = reason || (alike && minor_share(calls[u]) >= minor_share(calls[v]));
            }
            CHECK(keep[v] || reason);
            dropped += !keep[v];
        }
    }
    CHECK(dropped > 20 && dropped < 280);
}

TEST(relatives_are_the_pairs_of_high_kinship_whatever_the_threads) {
    std::size_t told = 0, left_out = 0;
    for (const std::size_t n_variants : {1u, 63u, 64u, 65u, 200u}) {
        Philox rng({n_variants, 7});
        const std::size_t n = 70;
        Calls calls(n_variants);
        for (auto& copies : calls) {
            copies = random_copies(rng, n);
            copies[69] = copies[3];  // the same person twice
            if (rng.below(2)) copies[68] = copies[5];
        }
        const auto planes = planes_of(calls);
        constexpr double kLeast = 0.1;
        const auto one = relatives(planes.data(), words_for(n), n_variants, n, kLeast, 1);
        const auto two = relatives(planes.data(), words_for(n), n_variants, n, kLeast, 2);
        CHECK(one.size() == two.size());
        std::size_t at = 0;
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i + 1; j < n; ++j) {
                const double kinship = slow_kinship(calls, i, j);
                if (kinship < kLeast) {
                    ++left_out;
                    continue;
                }
                ++told;
                CHECK(at < one.size());
                if (at >= one.size()) return;
                for (const Related& found : {one[at], two[at]}) {
                    CHECK(found.first == static_cast<std::int32_t>(i));
                    CHECK(found.second == static_cast<std::int32_t>(j));
                    CHECK_CLOSE(found.kinship, kinship, 1e-12);
                }
                ++at;
            }
        CHECK(at == one.size());
        if (n_variants > 60) CHECK_CLOSE(slow_kinship(calls, 3, 69), 0.5, 1e-12);
    }
    CHECK(told > 5 && left_out > 5);
}
