// The screens of scans on a GPU: whether a pair of variants, or a triple, may be worth an exact
// score, given its counts. They are those of genomics/simd/pairs.cpp and strata.cpp, one pair at a
// time, in single precision and never too strict. Plain code, which the C++ tests compile for the
// CPU.
//
// CELLS: judge unions of cells, not ANDs. CODINGS: those on offer to ANDs, a bit for each.
// BOTH_DIRECTIONS: sets with fewer cases than by chance count too. STRATA: how many.
// NEEDS_KNOWN: all nine counts of levels are given, known calls among them, not four.
// TRIPLES: the four counts are given among carriers and among two copies of a third variant.
// COMPLEMENTS: within strata, marking the other rows scores the same.

constexpr int kRaw = TRIPLES ? 8 : NEEDS_KNOWN ? 9 : 4;  // counts of each class and stratum
constexpr int kProducts = TRIPLES ? 27 : NEEDS_KNOWN ? 36 : 9;
constexpr int kLevels = CELLS ? 11 : 6;
constexpr int kLines = 8;
// Floats of a variant's levels, the least of them last; within strata, what their bounds must add
// up to.
constexpr int kLevelStride = STRATA > 1 ? 1 : 12;
constexpr float kLeast = 0.01f;
// The first test takes other steps than the second, in single precision too.
constexpr float kSlack = 1 - 1e-4f;

// genomics/simd/pairs.hpp: what rows of a stratum can add to a score.
struct Stratum {
    float share, beyond, least, lowest, ranges;
    float near[2 * kLines], near_slope[2 * kLines], far[2 * kLines], far_slope[2 * kLines];
    float none, all;
};

struct Rules {
    float share, beyond;
    float samples[2 * STRATA];  // cases of each stratum, controls of each
    float cuts[10];
#if STRATA > 1
    Stratum strata[STRATA];
#endif
};

// The square of what a set of rows has over chance; of less than chance it counts if asked for.
__device__ inline float squared(float off) {
    return BOTH_DIRECTIONS ? off * off : off * fabsf(off);
}

// The most by which a set of m rows, `off` more of them cases than by chance, exceeds its level.
struct Screen {
    const Rules& rules;
    const float *row, *column;  // the levels of both variants; the higher one counts
    float most = 0;

    __device__ void judge(float off, float m) {
        int k = 0;
#pragma unroll
        for (int i = 0; i < kLevels - 1; ++i) k += m >= rules.cuts[i];
        const float level = fmaxf(row[k], column[k]);
        most = fmaxf(most, squared(off) - m * (rules.beyond - m) * level);
    }
};

// genomics/simd/at_most.hpp: what a stratum adds at most, of m rows, `off` more of them cases than
// by chance; exactly where no row is marked, or every row.
__device__ inline float at_most(const Stratum& of, float off, float m) {
    // A number below 2^23 and a float take no conversion into each other, which would be slow: it
    // is the digits of 2^23 plus that number. Eight bits of the logarithm less are no matter.
    constexpr float kDigits = 8388608.0f, kUnit = 1 << 8;
    const float q = fmaxf(m * (of.beyond - m), of.least);
    const float log = __int_as_float(__float_as_int(q) >> 8 | 0x4b000000) - kDigits;
    const float range = (kUnit * log - of.lowest) * of.ranges;
    int line = __float_as_int(fmaxf(range - 0.5f, 0.0f) + kDigits) & (kLines - 1);
    if ((m < 0.5f * of.beyond) != (off > 0)) line += kLines;
    const float square = __fdividef(off * off, q);
    const float near = of.near[line] + of.near_slope[line] * square;
    const float far = of.far[line] + of.far_slope[line] * square;
    constexpr float kOneBits = 0x3f800000, kFallOfBit = 0.34657359f / (1 << 23);
    return fmaxf(near, far) - (kUnit * log - kOneBits) * kFallOfBit;
}

__device__ inline float at_most_exactly(const Stratum& of, float off, float m) {
    if (m < 0.5f) return of.none;
    return m > of.beyond - 1.5f ? of.all : at_most(of, off, m);
}

// Of each of the nine ANDs of dominant, recessive and heterozygous what `c` says of those of the
// four products.
__device__ inline void nine(const float* c, float* out) {
    out[0] = c[0], out[1] = c[1], out[2] = c[0] - c[1];
    out[3] = c[2], out[4] = c[3], out[5] = c[2] - c[3];
    out[6] = c[0] - c[2], out[7] = c[1] - c[3], out[8] = out[2] - out[5];
}

// The six codings of three levels.
__device__ inline void six(const float* l, int step, float* out) {
    const float known = l[0], carrier = l[step], two = l[2 * step];
    out[0] = carrier, out[1] = two, out[2] = carrier - two;
    out[3] = known - carrier, out[4] = known - two, out[5] = known - carrier + two;
}

// The ANDs of given counts, and which of them are on offer.
__device__ inline void products_of(const float* raw, float* out) {
#if TRIPLES
    nine(raw, out);
    nine(raw + 4, out + 9);
#pragma unroll
    for (int i = 0; i < 9; ++i) out[18 + i] = out[i] - out[9 + i];
#elif NEEDS_KNOWN
    float of_row[3][6];  // by level of the column
#pragma unroll
    for (int v = 0; v < 3; ++v) six(raw + v, 3, of_row[v]);
#pragma unroll
    for (int f = 0; f < 6; ++f) six(&of_row[0][f], 6, out + 6 * f);
#else
    nine(raw, out);
#endif
}

__device__ constexpr bool offered(int i) {
    constexpr int n = NEEDS_KNOWN ? 6 : 3;
    if (TRIPLES && !(CODINGS >> i / 9 & 1)) return false;
    if (TRIPLES) i %= 9;
    return (CODINGS >> i / n & 1) && (CODINGS >> i % n & 1);
}

// The nine cells, of nine counts of levels.
__device__ inline void cells_of(const float* l, float* out) {
    out[0] = l[0] - l[1] - l[3] + l[4], out[1] = l[1] - l[2] - l[4] + l[5], out[2] = l[2] - l[5];
    out[3] = l[3] - l[4] - l[6] + l[7], out[4] = l[4] - l[5] - l[7] + l[8], out[5] = l[5] - l[8];
    out[6] = l[6] - l[7], out[7] = l[7] - l[8], out[8] = l[8];
}

// First test of cells, against the least of the levels. Over all cells and the rows of no cell off
// is 0, so by Cauchy and Schwarz off^2 <= m (n - m) / n times the sum of their off^2 / m, for every
// union of cells.
__device__ inline bool cells_may_be_worth(const Rules& rules, float least, const float* cases,
                                          const float* all) {
    float sum = 0, off_outside = 0, outside = rules.beyond - 1;
#pragma unroll
    for (int i = 0; i < 9; ++i) {
        const float off = cases[i] - rules.share * all[i];
        sum += __fdividef(off * off, fmaxf(all[i], 1.0f));
        off_outside -= off, outside -= all[i];
    }
    if (KNOWN) sum += __fdividef(off_outside * off_outside, fmaxf(outside, 1.0f));
    return sum > (rules.beyond - 1) * kSlack * least;
}

// First test of ANDs, against the least of the levels.
__device__ inline bool ands_may_be_worth(const Rules& rules, float least, const float* cases,
                                         const float* controls) {
    float all[4], off_of_four[4], m[9], off[9], most = 0;
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        all[k] = cases[k] + controls[k];
        off_of_four[k] = cases[k] - rules.share * all[k];
    }
    nine(all, m);
    nine(off_of_four, off);
#pragma unroll
    for (int i = 0; i < 9; ++i)
        if ((CODINGS >> i / 3 & 1) && (CODINGS >> i % 3 & 1))
            most = fmaxf(most, squared(off[i]) - m[i] * (rules.beyond - m[i]) * (kSlack * least));
    return most > 0;
}

// Second test of unions of the nine cells: the best one takes all cells from some rate of cases on,
// or those below it.
__device__ inline bool unions_worth(const Rules& rules, const float* row, const float* column,
                                    const float* cases, const float* all) {
    float off[9], rate[9], total_off = 0, total = 0;
#pragma unroll
    for (int i = 0; i < 9; ++i) {
        off[i] = cases[i] - rules.share * all[i];
        rate[i] = off[i] / fmaxf(all[i], 1.0f);
        total_off += off[i];
        total += all[i];
    }
    Screen screen{rules, row, column};
#pragma unroll 1
    for (int i = 0; i < 9; ++i) {
        float of_union = 0, rows = 0;
#pragma unroll
        for (int k = 0; k < 9; ++k)
            if (rate[k] >= rate[i]) of_union += off[k], rows += all[k];
        screen.judge(of_union, rows);
        if (BOTH_DIRECTIONS) screen.judge(total_off - of_union, total - rows);
    }
    return screen.most > kLeast;
}

// Second test of ANDs, against the levels for as many rows as they have. Counts answer with those
// of a class and stratum: cases of each stratum come first.
template <class Counts>
__device__ inline bool ands_worth(const Rules& rules, const float* row, const float* column,
                                  const Counts& counts) {
    float raw[kRaw], a[kProducts], b[kProducts];
    counts.get(0, raw);
    products_of(raw, a);
    counts.get(1, raw);
    products_of(raw, b);
    Screen screen{rules, row, column};
#pragma unroll
    for (int i = 0; i < kProducts; ++i) {
        const float m = a[i] + b[i];
        if (offered(i)) screen.judge(a[i] - rules.share * m, m);
    }
    return screen.most > kLeast;
}

#if STRATA > 1
// The same within strata, whose bounds must add up to what is wanted.
template <class Counts>
__device__ inline bool strata_ands_worth(const Rules& rules, float wanted, const Counts& counts) {
    float sums[kProducts] = {}, most = -1e30f;
    // So that counts of the next strata are read while those of one are judged.
    constexpr int kUnrolled = STRATA < 9 ? STRATA : 1;
#pragma unroll kUnrolled
    for (int s = 0; s < STRATA; ++s) {
        float raw[kRaw], a[kProducts], b[kProducts];
        counts.get(s, raw);
        products_of(raw, a);
        counts.get(STRATA + s, raw);
        products_of(raw, b);
        const Stratum& of = rules.strata[s];
#pragma unroll
        for (int i = 0; i < kProducts; ++i) {
            const float m = a[i] + b[i];
            if (offered(i)) sums[i] += at_most(of, a[i] - of.share * m, m);
        }
    }
#pragma unroll
    for (int i = 0; i < kProducts; ++i)
        if (offered(i)) most = fmaxf(most, sums[i]);
    return most >= wanted;
}

#if CELLS
// What the best union of cells adds in one stratum.
__device__ inline float best_union_at_most(const Stratum& of, const float* cases, const float* rows,
                                           bool complements) {
    // Compared and exchanged in this order, nine numbers are sorted.
    constexpr int kFirst[25] = {0, 1, 2, 4, 0, 2, 3, 5, 0, 1, 4, 7, 1,
                                3, 5, 0, 2, 3, 6, 2, 4, 6, 1, 3, 5};
    constexpr int kSecond[25] = {3, 7, 5, 8, 7, 4, 8, 6, 2, 3, 5, 8, 4,
                                 6, 7, 1, 4, 5, 8, 3, 5, 7, 2, 4, 6};
    float a[9], all[9], rate[9];
#pragma unroll
    for (int i = 0; i < 9; ++i) {
        a[i] = cases[i], all[i] = rows[i];
        rate[i] = __fdividef(a[i], fmaxf(all[i], 1.0f));
    }
#pragma unroll
    for (int e = 0; e < 25; ++e) {
        const int i = kFirst[e], k = kSecond[e];
        const bool exchange = rate[i] < rate[k];
        const auto order = [&](float* x) {
            const float first = x[i], second = x[k];
            x[i] = exchange ? second : first;
            x[k] = exchange ? first : second;
        };
        order(a), order(all), order(rate);
    }
    float most = of.none, sum = 0, m = 0;
#pragma unroll
    for (int i = 0; i < 9; ++i) {
        sum += a[i], m += all[i];
        most = fmaxf(most, at_most_exactly(of, sum - of.share * m, m));
    }
    if (complements) return most;
    sum = m = 0;
#pragma unroll
    for (int i = 8; i >= 0; --i) {
        sum += a[i], m += all[i];
        most = fmaxf(most, at_most_exactly(of, sum - of.share * m, m));
    }
    return most;
}

// The best unions of each stratum add up to no less than the best union for all of them. Where they
// reach what is wanted every union is tried, the next one by one cell that joins or leaves (Gray's
// order of the sets).
template <class Counts>
__device__ inline bool strata_unions_worth(const Rules& rules, float wanted, const Counts& counts) {
    float cases[STRATA][9], rows[STRATA][9], in_all = 0;
    bool complements = COMPLEMENTS;
#pragma unroll 1
    for (int s = 0; s < STRATA; ++s) {
        float raw[kRaw], outside = rules.strata[s].beyond - 1;
        counts.get(s, raw);
        cells_of(raw, cases[s]);
        counts.get(STRATA + s, raw);
        cells_of(raw, rows[s]);
#pragma unroll
        for (int i = 0; i < 9; ++i) {
            rows[s][i] += cases[s][i];
            outside -= rows[s][i];
        }
        // Rows of no cell are outside every union, so that it has no complement.
        const bool alike = COMPLEMENTS && (!KNOWN || outside < 0.5f);
        in_all += best_union_at_most(rules.strata[s], cases[s], rows[s], alike);
        complements = complements && alike;
    }
    if (in_all < wanted) return false;
    float of_cases[STRATA] = {}, of_rows[STRATA] = {};
    const int end = complements ? 256 : 512;
#pragma unroll 1
    for (int set = 1; set < end; ++set) {
        const int cell = __ffs(set) - 1;
        const float joins = (set ^ set >> 1) >> cell & 1 ? 1.0f : -1.0f;
        float sum = 0;
#pragma unroll
        for (int s = 0; s < STRATA; ++s) {
            of_cases[s] += joins * cases[s][cell];
            of_rows[s] += joins * rows[s][cell];
            const Stratum& of = rules.strata[s];
            sum += at_most_exactly(of, of_cases[s] - of.share * of_rows[s], of_rows[s]);
        }
        if (sum >= wanted) return true;
    }
    return false;
}
#endif
#endif

// Whether a pair may be worth an exact score; what a finding must exceed is by variant.
template <class Counts>
__device__ inline bool worth_a_score(const Rules& rules, const float* row, const float* column,
                                     const Counts& counts) {
#if STRATA > 1 && CELLS
    return strata_unions_worth(rules, fmaxf(*row, *column), counts);
#elif STRATA > 1
    return strata_ands_worth(rules, fmaxf(*row, *column), counts);
#elif CELLS
    float raw[kRaw], cases[9], all[9];
    counts.get(0, raw);
    cells_of(raw, cases);
    counts.get(1, raw);
    cells_of(raw, all);
#pragma unroll
    for (int i = 0; i < 9; ++i) all[i] += cases[i];
    const float least = fmaxf(row[kLevelStride - 1], column[kLevelStride - 1]);
    return cells_may_be_worth(rules, least, cases, all) &&
           unions_worth(rules, row, column, cases, all);
#else
    return ands_worth(rules, row, column, counts);
#endif
}
