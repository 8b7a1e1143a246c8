#include "search/opening.hpp"

#include "tests/check.hpp"
#include "tests/small_problem.hpp"

using namespace bayesdnf;

namespace {

constexpr std::size_t kCandidates = 6;

// Candidates side by side against each for itself, beside every term of some random states.
void judge_both_ways(const Problem& problem, const Posterior& posterior, Philox& rng) {
    const BitView& view = posterior.view();
    const std::size_t n_segments = view.n_segments();
    SweepRoom room;
    Opening opening;
    for (int repeat = 0; repeat < 4; ++repeat) {
        const State drawn = problem.random_state(rng);
        const State state(posterior, drawn.terms(), drawn.layers());
        for (std::size_t i = 0; i <= state.size(); ++i) {
            const std::size_t without = i < state.size() ? i : kNone;
            opening.look(state, without, i < state.size() ? state.height(i) : kFirstLayer);
            const std::size_t n_parts = opening.n_parts();
            std::vector<Word> masks(n_parts * view.n_words());
            opening.open_rows(view.all_rows().data(), masks.data());
            std::vector<Count> counts(n_segments * n_parts * kCandidates), totals(kCandidates);
            view.literal_counts(masks.data(), n_parts, counts.data(), room);
            const Taken first{counts.data(), kCandidates, n_parts * kCandidates};
            std::vector<double> separations(kCandidates), bounds(kCandidates), alone(kCandidates);
            opening.separations(first, kCandidates, separations.data());
            opening.bounds(first, kCandidates, bounds.data(), totals.data());
            opening.bounds(first, kCandidates, alone.data(), nullptr);
            CHECK(alone == bounds);
            for (std::size_t l = 0; l < kCandidates; ++l) {
                const Taken taken{counts.data() + l, first.part_step, first.segment_step};
                if (opening.simple())  // its two sides are added up in another order
                    CHECK_CLOSE(separations[l], opening.separation(taken), kRounding);
                else
                    CHECK(separations[l] == opening.separation(taken));
                CHECK_CLOSE(bounds[l], opening.bound(taken), kRounding);
                Count total = 0;
                for (std::size_t c = l; c < counts.size(); c += kCandidates) total += counts[c];
                CHECK(totals[l] == total);
            }
        }
    }
}

}  // namespace

TEST(candidates_side_by_side_are_judged_as_each_for_itself) {
    for (std::uint64_t seed = 0; seed < kSeeds; ++seed) {
        const Problem problem(seed, kCandidates, true, kKinds[seed % 4]);
        Philox rng({seed, 5});
        judge_both_ways(problem, *problem.posterior, rng);
    }
}

TEST(so_they_are_where_strata_are_too_large_for_tables) {
    // Every row 15 times: 750 positives and 600 negatives in each of two strata.
    constexpr std::size_t kDigits = 4, kStrata = 2;
    const Problem problem(2, kCandidates, true, {1, kStrata});
    std::vector<Word> weights;
    for (std::size_t digit = 0; digit < kDigits; ++digit)
        for (std::size_t w = 0; w < 2 * kStrata; ++w) weights.push_back(problem.rows_of(w));
    std::vector<LiteralSource> literals;
    for (std::int32_t l = 0; l < static_cast<std::int32_t>(kCandidates); ++l)
        literals.push_back({l % Problem::kPlanes, -1, l >= Problem::kPlanes});
    const BitView heavy(problem.planes.data(), 2 * kStrata, Problem::kPlanes, {0, 1, 2, 3, 4},
                        {50, 50, 40, 40}, weights.data(), kDigits, literals, simd());
    const Posterior posterior(heavy, *problem.support, problem.posterior->prior(),
                              {1, 1, 1, 1, 1, 1, false});
    CHECK(posterior.shares().empty());
    CHECK(!problem.posterior->shares().empty());
    Philox rng({2, 5});
    judge_both_ways(problem, posterior, rng);
}
