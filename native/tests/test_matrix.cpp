#include "data/matrix.hpp"

#include "tests/check.hpp"
#include "tests/random_bits.hpp"

using namespace bayesdnf;

namespace {

// 100 + 37 rows in two segments, 9 value planes (inside their validity), 1 validity plane.
struct Fixture {
    std::size_t stride = 4;
    std::vector<Word> planes, weights;
    std::vector<std::int64_t> weight_of = std::vector<std::int64_t>(4 * 64, 0);
    std::vector<LiteralSource> literals;

    Fixture() {
        Philox rng({21, 22});
        planes = random_words(rng, 10 * stride);
        std::vector<Word> rows(stride);
        fill_ones(rows.data(), 100, 2);
        fill_ones(rows.data() + 2, 37, 2);
        for (std::size_t j = 0; j < 10; ++j)
            for (std::size_t w = 0; w < stride; ++w)
                planes[j * stride + w] &= rows[w] & (j == 3 ? planes[9 * stride + w] : ~Word{0});
        for (std::size_t w = 0; w < stride; ++w) planes[3 * stride + w] &= planes[9 * stride + w];
        for (std::int32_t j = 0; j < 9; ++j)
            for (const bool complement : {false, true})
                literals.push_back({j, j == 3 ? 9 : -1, complement});
        weights = random_words(rng, 3 * stride);
        for (std::size_t w = 0; w < 3 * stride; ++w) weights[w] &= rows[w % stride];
        for (std::size_t i = 0; i < 4 * 64; ++i)
            for (std::size_t b = 0; b < 3; ++b)
                weight_of[i] += bit(weights.data() + b * stride, i) << b;
    }
    bool real(std::size_t i) const { return i < 100 || (i >= 128 && i < 165); }
    bool holds(std::size_t l, std::size_t i) const {
        const LiteralSource& s = literals[l];
        const bool on = bit(planes.data() + as_index(s.plane) * stride, i);
        if (!s.complement) return on;
        return real(i) && !on &&
               (s.valid < 0 || bit(planes.data() + as_index(s.valid) * stride, i));
    }
};

SweepRoom room;

}  // namespace

TEST(counts_of_every_extension_match_row_by_row_counting) {
    const Fixture f;
    for (const Simd* k : available_simd())
        for (const std::size_t n_weights : {0u, 3u}) {
            const BitView view(f.planes.data(), f.stride, 10, {0, 2, 4}, {100, 37},
                               f.weights.data(), n_weights, f.literals, *k);
            const std::int32_t terms[3][2] = {{0, 7}, {6, 1}, {5, 12}};
            std::vector<Word> masks(3 * view.n_words());
            for (std::size_t m = 0; m < 3; ++m)
                view.term_mask(masks.data() + m * view.n_words(), LiteralIds(terms[m], 2));
            std::vector<Count> counts(2 * 3 * f.literals.size());
            view.literal_counts(masks.data(), 3, counts.data(), room);
            for (std::size_t s = 0; s < 2; ++s)
                for (std::size_t m = 0; m < 3; ++m)
                    for (std::size_t l = 0; l < f.literals.size(); ++l) {
                        Count expected = 0;
                        for (std::size_t i = s * 128; i < s * 128 + 128; ++i)
                            if (f.real(i) && f.holds(as_index(terms[m][0]), i) &&
                                f.holds(as_index(terms[m][1]), i) && f.holds(l, i))
                                expected += n_weights == 0 ? 1 : f.weight_of[i];
                        CHECK(counts[(s * 3 + m) * f.literals.size() + l] == expected);
                    }
        }
}

TEST(a_sweep_of_some_planes_is_part_of_the_whole_sweep) {
    const Fixture f;
    const BitView view(f.planes.data(), f.stride, 10, {0, 2, 4}, {100, 37}, f.weights.data(), 3,
                       f.literals, simd());
    std::vector<Count> whole(2 * 10), part(2 * 3);
    view.sweep(view.all_rows().data(), 1, 0, 10, whole.data(), room);
    view.sweep(view.all_rows().data(), 1, 4, 7, part.data(), room);
    for (std::size_t s = 0; s < 2; ++s)
        for (std::size_t j = 0; j < 3; ++j) CHECK(part[s * 3 + j] == whole[s * 10 + 4 + j]);
}

TEST(a_table_without_rows_counts_none) {
    const std::vector<Word> none(1);
    std::vector<LiteralSource> literals;
    for (std::int32_t j = 0; j < 20; ++j) literals.push_back({j, -1, j % 2 == 0});
    const BitView view(none.data(), 0, 20, {0, 0, 0}, {0, 0}, nullptr, 0, literals, simd());
    std::vector<Count> counts(2 * 3 * 20, 1);
    view.literal_counts(none.data(), 3, counts.data(), room);
    for (const Count c : counts) CHECK(c == 0);
}
