#include "data/rows.hpp"

#include "tests/check.hpp"
#include "tests/random_bits.hpp"

using namespace bayesdnf;

TEST(a_transposed_block_swaps_rows_and_columns) {
    Philox rng({7, 8});
    const auto original = random_words(rng, 64);
    auto block = original;
    transpose_block(block.data());
    for (std::size_t i = 0; i < 64; ++i)
        for (std::size_t j = 0; j < 64; ++j) CHECK(bit(&block[i], j) == bit(&original[j], i));
}

TEST(rows_hash_alike_exactly_when_they_are_equal) {
    Philox rng({9, 1});
    const std::size_t n_planes = 70, n_rows = 130, stride = 3;
    auto planes = random_words(rng, n_planes * stride);
    // Row 129 becomes a copy of row 5; row 64 differs from it in the last plane only.
    for (std::size_t j = 0; j < n_planes; ++j) {
        Word* p = planes.data() + j * stride;
        const Word value = bit(p, 5);
        p[2] = (p[2] & ~(Word{1} << 1)) | value << 1;
        p[1] = (p[1] & ~Word{1}) | (j + 1 == n_planes ? 1 - value : value);
    }
    std::vector<std::uint64_t> hash(2 * n_rows);
    hash_rows(planes.data(), stride, n_planes, n_rows, hash.data());
    CHECK(hash[2 * 5] == hash[2 * 129] && hash[2 * 5 + 1] == hash[2 * 129 + 1]);
    CHECK(hash[2 * 5] != hash[2 * 64] && hash[2 * 5 + 1] != hash[2 * 64 + 1]);
}

TEST(gathered_rows_land_in_their_segments) {
    Philox rng({2, 2});
    const std::size_t n_planes = 67, n_rows = 100, stride = 2, out_stride = 6;
    const auto planes = random_words(rng, n_planes * stride);
    const std::size_t rows[] = {65, 0, 3}, offsets[] = {0, 2, 2, 5};
    std::vector<std::int64_t> sources(68);
    for (auto& s : sources) s = static_cast<std::int64_t>(rng.below(n_rows));
    std::vector<Word> out(n_planes * out_stride, 0);
    gather_rows(planes.data(), stride, n_planes, n_rows, sources.data(), rows, {offsets, 3},
                out.data(), out_stride);
    for (std::size_t j = 0; j < n_planes; ++j) {
        const Word *from = planes.data() + j * stride, *to = out.data() + j * out_stride;
        for (std::size_t i = 0; i < 65; ++i) CHECK(bit(to, i) == bit(from, as_index(sources[i])));
        for (std::size_t i = 65; i < 128; ++i) CHECK(!bit(to, i));
        for (std::size_t i = 0; i < 3; ++i)
            CHECK(bit(to, 128 + i) == bit(from, as_index(sources[65 + i])));
        for (std::size_t i = 131; i < 5 * 64; ++i) CHECK(!bit(to, i));
    }
}

TEST(appended_bits_follow_one_another) {
    Philox rng({4, 9});
    for (const std::size_t first : {0u, 1u, 63u, 64u, 65u})
        for (const std::size_t n : {0u, 1u, 63u, 64u, 65u, 127u, 128u}) {
            const auto src = random_words(rng, 2 + words_for(n));
            std::vector<Word> dst(words_for(first + n) + 1, 0);
            append_bits(dst.data(), first, src.data(), n);
            for (std::size_t i = 0; i < dst.size() * 64; ++i)
                CHECK(bit(dst.data(), i) ==
                      (i >= first && i < first + n && bit(src.data(), i - first)));
        }
}
