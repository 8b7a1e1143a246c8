#include "sizes.hpp"

#include <cstddef>
#include <cstdint>

#include "tests/check.hpp"

using namespace bayesdnf;

TEST(sums_and_products_stay_at_the_largest_number) {
    CHECK(saturating_add<std::size_t>(3, 4) == 7);
    CHECK(saturating_add<std::size_t>(SIZE_MAX, 1) == SIZE_MAX);
    CHECK(saturating_add<std::size_t>(SIZE_MAX - 1, 1) == SIZE_MAX);
    CHECK(saturating_add<std::int64_t>(INT64_MAX - 2, 3) == INT64_MAX);
    CHECK(saturating_multiply<std::size_t>(0, SIZE_MAX) == 0);
    CHECK(saturating_multiply<std::size_t>(SIZE_MAX, 0) == 0);
    CHECK(saturating_multiply<std::size_t>(std::size_t{1} << 32, std::size_t{1} << 32) == SIZE_MAX);
    CHECK(saturating_multiply<std::int64_t>(std::int64_t{1} << 31, std::int64_t{1} << 31) ==
          std::int64_t{1} << 62);
}

TEST(division_rounds_up_without_overflow) {
    CHECK(divide_up<std::size_t>(0, 64) == 0);
    CHECK(divide_up<std::size_t>(64, 64) == 1);
    CHECK(divide_up<std::size_t>(65, 64) == 2);
    CHECK(divide_up<std::size_t>(SIZE_MAX, 64) == SIZE_MAX / 64 + 1);
}
