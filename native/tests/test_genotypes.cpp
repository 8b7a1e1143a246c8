#include "genomics/genotypes.hpp"

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
