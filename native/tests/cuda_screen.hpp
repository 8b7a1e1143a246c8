// The screens of GPUs, compiled for the CPU: to be included within a namespace, once for each set
// of their macros, which are those that were defined before and 0.
#ifndef CELLS
#define CELLS 0
#endif
#ifndef CODINGS
#define CODINGS 7
#endif
#ifndef BOTH_DIRECTIONS
#define BOTH_DIRECTIONS 0
#endif
#ifndef STRATA
#define STRATA 1
#endif
#ifndef NEEDS_KNOWN
#define NEEDS_KNOWN 0
#endif
#ifndef KNOWN
#define KNOWN NEEDS_KNOWN
#endif
#ifndef TRIPLES
#define TRIPLES 0
#endif
#ifndef COMPLEMENTS
#define COMPLEMENTS 0
#endif

#include "cuda/screens.cu"

// What the CPU's tables tell of them.
inline Rules rules_of(const ScanTable& table) {
    const CaseSplit& split = table.split();
    const Reach& reach = table.scores().reach();
    Rules rules{};
    rules.share = static_cast<float>(reach.share());
    rules.beyond = static_cast<float>(reach.beyond());
    for (std::size_t s = 0; s < split.n_segments(); ++s)
        rules.samples[s] = static_cast<float>(split.rows(s));
    std::copy(reach.cuts().begin(), reach.cuts().end(), rules.cuts);
#if STRATA > 1
    static_assert(sizeof(Stratum) == sizeof(StratumBound));
    std::memcpy(rules.strata, table.scores().bounds().data(), sizeof(rules.strata));
#endif
    return rules;
}

// Counts as a kernel has them, from those of all levels.
struct Given {
    std::vector<std::array<float, kRaw>> of_group;

    template <class Tables>
    explicit Given(const Tables& tables) : of_group(2 * STRATA) {
        for (std::size_t s = 0; s < of_group.size(); ++s) {
            const auto& levels = tables[s % STRATA][s / STRATA];
            for (std::size_t k = 0; k < kRaw; ++k) {
#if TRIPLES
                const std::size_t at = (1 + k / 4) * 9 + (1 + k / 2 % 2) * 3 + 1 + k % 2;
#elif NEEDS_KNOWN
                const std::size_t at = k;
#else
                const std::size_t at = (1 + k / 2) * 3 + 1 + k % 2;
#endif
                of_group[s][k] = static_cast<float>(levels[at]);
            }
        }
    }
    void get(int group, float* raw) const {
        std::copy_n(of_group[static_cast<std::size_t>(group)].begin(), kRaw, raw);
    }
};

// Levels for a sub-term's score.
inline std::array<float, 12> levels_for(const ScanTable& table, double sub, double least) {
    std::array<float, 12> out{};
    if (STRATA > 1) {
        out[0] = table.scores().least_sum(sub, least);
        return out;
    }
    const Reach::Levels& levels = table.scores().levels(sub, least);
    std::copy(levels.begin(), levels.end(), out.begin());
    out[11] = *std::min_element(out.begin(), out.begin() + kLevels);
    return out;
}

template <class Tables>
bool may_be(const ScanTable& table, const Tables& tables, double sub_of_row, double sub_of_column,
            double least) {
    const auto row = levels_for(table, sub_of_row, least);
    const auto column = levels_for(table, sub_of_column, least);
    const Given given(tables);
    const bool worth = worth_a_score(rules_of(table), row.data(), column.data(), given);
#if !TRIPLES && !NEEDS_KNOWN && STRATA == 1
    // The first test of pairs.cu lets pass what the second does.
    const float first = std::max(row[11], column[11]);
    const bool passed = ands_may_be_worth(rules_of(table), first, given.of_group[0].data(),
                                          given.of_group[1].data());
    return worth && passed;
#else
    return worth;
#endif
}

#undef CELLS
#undef CODINGS
#undef BOTH_DIRECTIONS
#undef STRATA
#undef NEEDS_KNOWN
#undef KNOWN
#undef TRIPLES
#undef COMPLEMENTS
