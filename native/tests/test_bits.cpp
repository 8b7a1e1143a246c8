#include <initializer_list>

#include "tests/check.hpp"
#include "tests/random_bits.hpp"

using namespace bayesdnf;

TEST(every_instruction_set_counts_like_the_slow_twin_at_every_length) {
    Philox rng({1, 2});
    for (std::size_t n = 0; n <= 70; ++n) {
        const auto a = random_words(rng, n), b = random_words(rng, n);
        for (const Simd* k : available_simd()) {
            CHECK(k->and_popcount(a.data(), b.data(), n) ==
                  slow_and_popcount(a.data(), b.data(), 0, n));
            CHECK(k->popcount(a.data(), n) == slow_and_popcount(a.data(), a.data(), 0, n));
        }
    }
}

TEST(combinations_write_their_words_and_nothing_more) {
    Philox rng({3, 4});
    for (std::size_t n = 0; n <= 20; ++n) {
        const auto a = random_words(rng, n), b = random_words(rng, n);
        for (const Simd* k : available_simd()) {
            const Word guard = 0xABCDEF;
            std::vector<Word> both(n + 1, guard), either(n + 1, guard), only(n + 1, guard);
            k->and_into(both.data(), a.data(), b.data(), n);
            k->or_into(either.data(), a.data(), b.data(), n);
            k->and_not_into(only.data(), a.data(), b.data(), n);
            for (std::size_t w = 0; w < n; ++w) {
                CHECK(both[w] == (a[w] & b[w]));
                CHECK(either[w] == (a[w] | b[w]));
                CHECK(only[w] == (a[w] & ~b[w]));
            }
            CHECK(both[n] == guard && either[n] == guard && only[n] == guard);
        }
    }
}

TEST(sweep_counts_every_segment_mask_and_plane) {
    Philox rng({5, 6});
    const std::size_t offsets[] = {0, 3, 3, 20, 1200};
    const std::size_t n_words = 1200, stride = 1203;
    for (const std::size_t n_planes : {0u, 1u, 3u, 4u, 5u, 9u})
        for (const std::size_t n_masks : {0u, 1u, 2u, 4u, 5u, 9u}) {
            const auto planes = random_words(rng, n_planes * stride);
            const auto masks = random_words(rng, n_masks * n_words);
            for (const Simd* k : available_simd()) {
                std::vector<Count> counts(4 * n_masks * n_planes, -1);
                k->sweep(masks.data(), n_words, n_masks, planes.data(), stride, n_planes,
                         {offsets, 4}, counts.data(), n_planes);
                for (std::size_t s = 0; s < 4; ++s)
                    for (std::size_t m = 0; m < n_masks; ++m)
                        for (std::size_t j = 0; j < n_planes; ++j)
                            CHECK(counts[(s * n_masks + m) * n_planes + j] ==
                                  available_simd()[0]->and_popcount(
                                      masks.data() + m * n_words + offsets[s],
                                      planes.data() + j * stride + offsets[s],
                                      offsets[s + 1] - offsets[s]));
            }
        }
}

TEST(a_sweep_word_by_word_counts_the_same) {
    Philox rng({7, 8});
    const std::size_t offsets[] = {0, 3, 3, 8, 9}, n_words = 9, n_segments = 4;
    for (const std::size_t n_planes : {0u, 1u, 3u, 7u, 16u, 45u})
        for (const std::size_t n_masks : {0u, 1u, 5u}) {
            const auto planes = random_words(rng, n_planes * n_words);
            auto masks = random_words(rng, n_masks * n_words);
            for (std::size_t w = 0; w < masks.size(); w += 4) masks[w] = 0;
            std::vector<Word> by_word(n_planes * n_words);
            for (std::size_t j = 0; j < n_planes; ++j)
                for (std::size_t w = 0; w < n_words; ++w)
                    by_word[w * n_planes + j] = planes[j * n_words + w];
            std::vector<Count> expected(n_segments * n_masks * n_planes, -1);
            available_simd()[0]->sweep(masks.data(), n_words, n_masks, planes.data(), n_words,
                                       n_planes, {offsets, n_segments}, expected.data(), n_planes);
            for (const Simd* k : available_simd()) {
                std::vector<Count> counts(expected.size(), -1);
                k->sweep_by_word(masks.data(), n_words, n_masks, by_word.data(), n_planes, n_planes,
                                 {offsets, n_segments}, counts.data(), n_planes);
                CHECK(counts == expected);
            }
        }
}

TEST(fill_ones_leaves_the_padding_clear) {
    for (const std::size_t bits : {0u, 1u, 63u, 64u, 65u, 127u, 128u}) {
        Word words[3] = {7, 7, 7};
        fill_ones(words, bits, 3);
        for (std::size_t i = 0; i < 192; ++i) CHECK(bit(words, i) == (i < bits));
    }
}

TEST(an_unknown_instruction_set_is_refused_by_name) {
    bool refused = false;
    try {
        simd_named("abacus");
    } catch (const std::exception& e) {
        refused = std::strstr(e.what(), "abacus") && std::strstr(e.what(), "portable");
    }
    CHECK(refused);
}
