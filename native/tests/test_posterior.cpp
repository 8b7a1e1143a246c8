#include "model/posterior.hpp"

#include <atomic>
#include <cmath>

#include "model/special.hpp"
#include "tests/check.hpp"
#include "threads.hpp"

using namespace bayesdnf;

static double real(Count n) { return static_cast<double>(n); }

namespace {

// P(X <= Y) by brute force: the midpoint rule over both, in double precision.
double slow_order(double a0, double b0, double a1, double b1) {
    const int n = 20000;
    double below = 0, sum = 0, total0 = 0, total1 = 0;
    for (int i = 0; i < n; ++i) {
        const double x = (i + 0.5) / n;
        const double f0 = std::exp((a0 - 1) * std::log(x) + (b0 - 1) * std::log1p(-x));
        const double f1 = std::exp((a1 - 1) * std::log(x) + (b1 - 1) * std::log1p(-x));
        sum += f1 * (below + f0 / 2);
        below += f0;
        total0 += f0;
        total1 += f1;
    }
    return sum / (total0 * total1);
}

}  // namespace

TEST(order_probability_whole_half_whole_and_broken_parameters) {
    const double cases[][4] = {{1, 1, 1, 1},     {3, 5, 4, 4},       {10, 2, 3, 9},
                               {2.5, 5, 4, 4},   {3, 5, 4.25, 4.5},  {2.5, 3.5, 4.25, 4.5},
                               {30, 40, 35, 30}, {12.5, 3, 3.5, 20}, {1, 9, 9, 1}};
    for (const auto& c : cases)
        CHECK_CLOSE(std::exp(log_order_probability(c[0], c[1], c[2], c[3])),
                    slow_order(c[0], c[1], c[2], c[3]), 2e-7);
    CHECK_CLOSE(log_order_probability(1, 1, 1, 1), std::log(0.5), 1e-15);
}

TEST(order_probability_of_both_orders_is_one) {
    for (const double shift : {0.0, 0.25, 0.5})
        for (double a = 1; a < 60; a += 7)
            CHECK_CLOSE(std::exp(log_order_probability(a + shift, 20, 13 + shift, 30)) +
                            std::exp(log_order_probability(13 + shift, 30, a + shift, 20)),
                        1.0, 1e-12);
}

// More counts than the cache has places, from threads that meet at the same ones.
TEST(order_factors_are_kept_for_their_own_counts) {
    const Effect effect{2, 1, 3, 1, 1, 1, true};
    const Count n_positive = 130, n_negative = 90;
    const Likelihood kept(effect, n_positive, n_negative), copy = kept;
    const auto expected = [&](Count a, Count b) {
        return log_order_probability(2 + real(n_positive - a), 1 + real(n_negative - b),
                                     3 + real(a), 1 + real(b)) -
               log_order_probability(2, 1, 3, 1);
    };
    std::atomic<int> wrong{0};
    parallel_for(4, 4, [&](std::size_t thread) {
        for (const Likelihood* likelihood : {&kept, &copy})
            for (Count a = 0; a <= n_positive; ++a)
                for (Count b = 0; b <= n_negative; ++b) {
                    const Count own = thread % 2 == 0 ? a : n_positive - a;
                    if (a % 9 == 0 || b % 9 == 0)
                        wrong += likelihood->order_factor(own, b) != expected(own, b);
                    else
                        likelihood->order_factor(own, b);
                }
    });
    CHECK(wrong == 0);
}

TEST(skip_rule_agrees_with_the_full_sum) {
    const Likelihood flat({1, 1, 1, 1, 1, 1, true}, 60, 80);
    for (Count a = 0; a <= 60; ++a)
        for (Count b = 0; b <= 80; ++b)
            CHECK_CLOSE(flat.order_factor(a, b),
                        log_order_probability(1 + real(60 - a), 1 + real(80 - b), 1 + real(a),
                                              1 + real(b)) -
                            std::log(0.5),
                        1e-12);
}

TEST(tables_equal_the_beta_functions_they_stand_for) {
    const Effect e{2, 3, 1.5, 0.5, 1, 2, false};
    const Likelihood lik(e, 30, 41);
    for (Count a = 0; a <= 30; a += 3)
        for (Count b = 0; b <= 41; b += 5)
            CHECK_CLOSE(lik(a, b),
                        log_beta(1.5 + real(a), 0.5 + real(b)) - log_beta(1.5, 0.5) +
                            log_beta(2 + real(30 - a), 3 + real(41 - b)) - log_beta(2, 3),
                        1e-11);
    CHECK_CLOSE(lik.null(), log_beta(1 + 30, 2 + 41) - log_beta(1, 2), 1e-12);
}

TEST(prior_does_not_depend_on_the_order_of_terms) {
    const FunctionPrior prior({-1, -2.5, -3.125, -4}, {0, -0.1, -0.7, -1.3}, {5, 1, 2, 3});
    const std::vector<std::int32_t> a{0}, b{1, 2}, c{3, 0, 1};
    const LiteralIds one[] = {a, b, c}, other[] = {c, a, b};
    CHECK(prior(one, 1) == prior(other, 1));
    CHECK_CLOSE(prior(one, 1), -4 - 0.1 - 0.7 - 1.3 + 17 * 0x1p-32, 1e-15);
    const LiteralIds too_many[] = {a, b, c, a};
    CHECK(std::isinf(prior(too_many, 1)));
}

TEST(bounds_side_by_side_are_the_bounds_one_by_one) {
    for (const bool ordered : {false, true}) {
        const Likelihood lik({2, 3, 1.5, 0.5, 1, 2, ordered}, 30, 41);
        std::vector<Count> a, b;
        for (Count i = 0; i <= 26; i += 2)
            for (Count j = 0; j <= 36; j += 3) {
                a.push_back(i);
                b.push_back(j);
            }
        std::vector<double> out(a.size());
        lik.bounds(4, 5, a.data(), b.data(), a.size(), out.data());
        for (std::size_t i = 0; i < a.size(); ++i) CHECK(out[i] == lik.bound(4 + a[i], 5 + b[i]));
    }
}

TEST(values_added_from_one_table_are_those_from_three) {
    Likelihood lik({2, 3, 1.5, 0.5, 1, 2, false}, 30, 41);
    std::vector<Count> a, b;
    for (Count i = 0; i <= 26; ++i)
        for (Count j = 0; j <= 36; ++j) {
            a.push_back(i);
            b.push_back(j);
        }
    for (int table = 0; table < 2; ++table) {
        std::vector<double> out(a.size(), 0.1);
        lik.add_unordered(4, 5, a.data(), b.data(), a.size(), out.data());
        for (std::size_t i = 0; i < a.size(); ++i)
            CHECK(out[i] == 0.1 + lik.unordered(4 + a[i], 5 + b[i]));
        lik.tabulate();
    }
}

TEST(sizes_of_tables_do_not_overflow) {
    constexpr Count kMost = INT64_MAX;
    CHECK(CellLookUp::size(0, 0) == 1);
    CHECK(CellLookUp::size(2, 3) == 12);
    CHECK(CellLookUp::size(kMost, 0) == kMost);
    CHECK(CellLookUp::size(Count{1} << 40, Count{1} << 40) == kMost);
}

TEST(counts_beyond_the_tables_are_worked_out_one_by_one) {
    // Tables end at 2^20 entries.
    constexpr Count kPositive = 1'200'000, kNegative = 1'500'000;
    const Likelihood lik({2, 3, 1.5, 0.5, 1, 2, false}, kPositive, kNegative);
    std::vector<Count> a, b;
    for (const Count i : {0, 7, 1'048'575, 1'048'576, 1'199'990})
        for (const Count j : {0, 1'048'574, 1'048'577, 1'499'990}) {
            a.push_back(i);
            b.push_back(j);
        }
    std::vector<double> out(a.size());
    lik.bounds(4, 5, a.data(), b.data(), a.size(), out.data());
    for (std::size_t i = 0; i < a.size(); ++i) {
        const double p = real(4 + a[i]), n = real(5 + b[i]);
        const double direct = log_beta(1.5 + p, 0.5 + n) - log_beta(1.5, 0.5) +
                              log_beta(2 + real(kPositive) - p, 3 + real(kNegative) - n) -
                              log_beta(2, 3);
        CHECK_CLOSE(lik(4 + a[i], 5 + b[i]), direct, 1e-7);
        CHECK(out[i] == lik.bound(4 + a[i], 5 + b[i]));
    }
}

TEST(cells_of_several_classes_and_strata_are_multivariate_beta_functions) {
    const Effect e{1, 1, 1, 1, 1, 1, false};
    for (const std::size_t classes : {2u, 3u, 5u})
        for (const std::size_t strata : {1u, 3u}) {
            std::vector<Count> totals, rows;
            for (std::size_t i = 0; i < classes * strata; ++i) {
                totals.push_back(static_cast<Count>(20 + 7 * i));
                rows.push_back(static_cast<Count>(5 * i % 17));
            }
            const CellLikelihood cells(e, totals, classes);
            // log D(1 + counts) - log D(1), stratum by stratum.
            const auto direct = [&](const std::vector<Count>& counts) {
                const double c = static_cast<double>(classes);
                double sum = 0;
                for (std::size_t s = 0; s < strata; ++s) {
                    double all = 0;
                    for (std::size_t k = 0; k < classes; ++k) {
                        sum += std::lgamma(1 + real(counts[k * strata + s]));
                        all += real(counts[k * strata + s]);
                    }
                    sum += std::lgamma(c) - std::lgamma(c + all);
                }
                return sum;
            };
            for (const bool lowest : {false, true})
                CHECK_CLOSE(cells.part(lowest, rows.data()), direct(rows), 1e-10);
            CHECK_CLOSE(cells.null(), direct(totals), 1e-10);
        }
}

TEST(probabilities_of_all_outcomes_of_three_classes_add_up_to_one) {
    const CellLikelihood cells({1, 1, 1, 1, 1, 1, false}, {5, 5, 5}, 3);
    double sum = 0;
    for (unsigned outcome = 0; outcome < 243; ++outcome) {  // five rows of three classes
        Count counts[3] = {};
        for (unsigned row = 0, rest = outcome; row < 5; ++row, rest /= 3) ++counts[rest % 3];
        sum += std::exp(cells.part(true, counts));
    }
    CHECK_CLOSE(sum, 1, 1e-12);
}
