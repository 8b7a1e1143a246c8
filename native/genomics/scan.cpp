#include "genomics/scan.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "threads.hpp"

namespace bayesdnf {
namespace {

constexpr std::size_t kBlock = 64;  // variants; a task is two blocks against one another

// Each coding as a sum of levels known, carrier, two.
constexpr std::array<std::array<Count, kLevels>, kCodings> kOfLevels = {{
    {0, 1, 0},   // dominant
    {0, 0, 1},   // recessive
    {0, 1, -1},  // heterozygous
    {1, -1, 0},
    {1, 0, -1},
    {1, -1, 1},
}};
// Copies 0, 1 and 2 as sums of levels.
constexpr std::array<std::array<Count, kLevels>, kLevels> kCopies = {
    {{1, -1, 0}, {0, 1, -1}, {0, 0, 1}}};

// Replace the last axis of a flat array, of `levels` entries, by linear combinations of it, and
// bring it to the front: after as many turns as there are axes the order is the original one.
template <class Forms>
inline std::size_t combine_axis(const Count* in, std::size_t size, const Forms& forms,
                                std::size_t n_forms, Count* out) {
    const std::size_t rest = size / kLevels;
    for (std::size_t f = 0; f < n_forms; ++f) {
        const auto& form = forms[f];
        for (std::size_t r = 0; r < rest; ++r) {
            const Count* x = in + r * kLevels;
            out[f * rest + r] = form[0] * x[0] + form[1] * x[1] + form[2] * x[2];
        }
    }
    return n_forms * rest;
}

// The nine ANDs of dominant, recessive and heterozygous: the usual case, written out.
inline void plain_products(const Count* levels, Count* rows) {
    const Count cc = levels[4], ct = levels[5], tc = levels[7], tt = levels[8];
    const Count products[] = {cc,      ct,      cc - ct,          tc, tt, tc - tt,
                              cc - tc, ct - tt, cc - ct - tc + tt};
    std::copy(std::begin(products), std::end(products), rows);
}

// The nine genotype cells of two variants, written out as well.
inline void plain_cells(const Count* l, Count* cells) {
    const Count differences[] = {l[0] - l[1] - l[3] + l[4],
                                 l[1] - l[2] - l[4] + l[5],
                                 l[2] - l[5],
                                 l[3] - l[4] - l[6] + l[7],
                                 l[4] - l[5] - l[7] + l[8],
                                 l[5] - l[8],
                                 l[6] - l[7],
                                 l[7] - l[8],
                                 l[8]};
    std::copy(std::begin(differences), std::end(differences), cells);
}

constexpr std::size_t power(std::size_t base, std::size_t exponent) {
    return exponent == 0 ? 1 : base * power(base, exponent - 1);
}

}  // namespace

bool operator<(const Finding& a, const Finding& b) {
    return a.key != b.key ? a.key > b.key : a.variants < b.variants;
}

void Findings::offer(const Finding& finding) {
    if (heap_.size() < most_) {
        heap_.push_back(finding);
        std::push_heap(heap_.begin(), heap_.end());
    } else if (most_ > 0 && finding < heap_.front()) {
        std::pop_heap(heap_.begin(), heap_.end());
        heap_.back() = finding;
        std::push_heap(heap_.begin(), heap_.end());
    }
}

std::vector<Finding> Findings::sorted() const {
    std::vector<Finding> out = heap_;
    std::sort(out.begin(), out.end());
    return out;
}

ScanTable::ScanTable(const Word* planes, std::size_t n_words, std::size_t n_variants,
                     std::span<const Word> cases, std::span<const Word> controls,
                     const Effect& effect, ScanRules rules,
                     std::span<const std::int32_t> chromosome,
                     std::span<const std::int64_t> position, std::size_t n_threads)
    : n_variants_(n_variants),
      n_swept_(kLevels),
      rules_(std::move(rules)),
      chromosome_(chromosome.begin(), chromosome.end()),
      position_(position.begin(), position.end()),
      offsets_{},
      margins_(n_variants),
      likelihood_(effect, simd().popcount(cases.data(), cases.size()),
                  simd().popcount(controls.data(), controls.size())) {
    const Picker pick[2] = {Picker(cases), Picker(controls)};
    constexpr std::size_t kLine = 8;  // words of a cache line
    for (std::size_t s = 0; s < 2; ++s) {
        const std::size_t words = words_for(pick[s].n_picked());
        const std::size_t unit = words >= kLine ? kLine : 1;
        offsets_[s + 1] = offsets_[s] + divide_up(words, unit) * unit;
    }
    stride_ = offsets_[2];
    const Simd& k = simd();
    const bool positive_only =
        rules_.measure == Measure::conjunction &&
        std::all_of(rules_.codings.begin(), rules_.codings.end(), [](auto c) { return c < 3; });
    // The calls that are known matter only where a literal holds for lack of copies.
    if (positive_only) n_swept_ = 2;
    for (std::size_t f = 0; f < rules_.codings.size(); ++f)
        forms_[f] = kOfLevels[rules_.codings[f]];
    plain_ = rules_.codings == std::vector<std::uint8_t>{0, 1, 2};
    words_.resize(n_variants * n_swept_ * stride_);
    parallel_for(n_variants, n_threads, [&](std::size_t v) {
        for (std::size_t level = 0; level < kLevels; ++level) {
            const Word* plane = planes + (v * kLevels + level) * n_words;
            const bool kept = level + n_swept_ >= kLevels;
            std::vector<Word> scratch(kept ? 0 : stride_);
            Word* const to =
                kept ? words_.data() + (v * n_swept_ + level + n_swept_ - kLevels) * stride_
                     : scratch.data();
            for (std::size_t s = 0; s < 2; ++s) {
                pick[s](plane, to + offsets_[s]);
                margins_[v][s][level] = k.popcount(to + offsets_[s], words_for(pick[s].n_picked()));
            }
        }
    });
    even_ = INFINITY;
    if (likelihood_.ordered()) {
        even_ = -INFINITY;
        for (Count a = 0; a <= likelihood_.n_positive(); ++a)
            even_ = std::max(even_, likelihood_.bound(a, likelihood_.n_negative()));
    }
    if (rules_.measure == Measure::cells) {
        times_log_.assign(
            static_cast<std::size_t>(likelihood_.n_positive() + likelihood_.n_negative()) + 1, 0);
        for (std::size_t i = 1; i < times_log_.size(); ++i)
            times_log_[i] = static_cast<double>(i) * std::log(static_cast<double>(i));
    }
    score_singles();
}

template <std::size_t N>
bool ScanTable::best_of(const Counts<N>& rows, std::size_t n, double least, Finding& out) const {
    // Nearly all candidates fall short: this loop, which does not branch, is where time goes.
    double most = -INFINITY;
    for (std::size_t i = 0; i < n; ++i)
        most = std::max(most, likelihood_.bound(rows[0][i], rows[1][i]));
    if (most <= least) return false;
    double best = least;
    bool found = false;
    for (std::size_t i = 0; i < n; ++i) {
        const Count a = rows[0][i], b = rows[1][i];
        if (a + b == 0 || likelihood_.bound(a, b) <= best) continue;
        const double exact = likelihood_(a, b);
        if (exact <= best) continue;
        best = exact;
        found = true;
        out.what = static_cast<std::uint32_t>(i);
        out.positive = a;
        out.negative = b;
    }
    if (found) out.log_bayes_factor = best;
    return found;
}

// No union of cells is likelier than a rate for each cell, and one for the rows of no cell.
template <std::size_t N>
double ScanTable::saturated(const Counts<N>& cells) const {
    Count a = likelihood_.n_positive(), b = likelihood_.n_negative();
    double sum = 0;
    for (std::size_t i = 0; i < N; ++i) {
        const Count x = cells[0][i], y = cells[1][i];
        sum += times_log(x) + times_log(y) - times_log(x + y);
        a -= x;
        b -= y;
    }
    constexpr double kRounding = 1e-6;
    return sum + times_log(a) + times_log(b) - times_log(a + b) +
           likelihood_.largest_order_factor() + kRounding;
}

// The likelihood is convex in the marked positives and negatives (it is the logarithm of an
// integral of exponentials), so of all unions of cells the best one takes those with the highest
// rates, down to some rate, or those with the lowest. Where none of them, or all, would be better
// still, there is no marker to be found, and what is returned may not be the best of the rest.
template <std::size_t N>
bool ScanTable::best_union(const Counts<N>& cells, double least, Finding& out) const {
    std::array<std::uint8_t, N> order;
    std::size_t n = 0;
    for (std::size_t i = 0; i < N; ++i) {
        if (cells[0][i] + cells[1][i] == 0) continue;
        std::size_t j = n++;
        const auto higher = [&](std::size_t x, std::size_t y) {
            return cells[0][x] * cells[1][y] > cells[0][y] * cells[1][x];
        };
        for (; j > 0 && higher(i, order[j - 1]); --j) order[j] = order[j - 1];
        order[j] = static_cast<std::uint8_t>(i);
    }
    bool found = false;
    for (bool lowest : {false, true}) {
        if (n < 2 || (lowest && least >= even_)) break;
        if (lowest) std::reverse(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(n));
        Counts<N> sums;
        Count a = 0, b = 0;
        for (std::size_t j = 0; j + 1 < n; ++j) {  // all cells together are no marker
            sums[0][j] = a += cells[0][order[j]];
            sums[1][j] = b += cells[1][order[j]];
        }
        if (!best_of(sums, n - 1, least, out)) continue;
        found = true;
        least = out.log_bayes_factor;
        std::uint32_t marked = 0;
        for (std::size_t j = 0; j <= out.what; ++j) marked |= std::uint32_t{1} << order[j];
        out.what = marked;
    }
    return found;
}

template <std::size_t Variants, std::size_t N>
bool ScanTable::score(const Counts<N>& counts, double sub, double least, Finding& out) const {
    static_assert(N == power(kLevels, Variants));
    const double base = rules_.by_gain ? std::max(0.0, sub) : 0.0;
    const double wanted = likelihood_.null() + base + least;
    bool found;
    if (rules_.measure == Measure::cells) {
        Counts<N> cells;
        for (std::size_t s = 0; s < 2; ++s) {
            if (Variants == 2) {
                plain_cells(counts[s].data(), cells[s].data());
                continue;
            }
            std::array<Count, N> from = counts[s];
            for (std::size_t axis = 0; axis < Variants; ++axis) {
                combine_axis(from.data(), N, kCopies, kLevels, cells[s].data());
                from = cells[s];
            }
        }
        if (saturated(cells) <= wanted) return false;
        found = best_union(cells, wanted, out);
    } else {
        constexpr std::size_t kMost = power(kCodings, Variants);
        const std::size_t n_forms = rules_.codings.size();
        Counts<kMost> rows;
        std::size_t n = N;
        for (std::size_t s = 0; s < 2; ++s) {
            if (Variants == 2 && plain_) {
                plain_products(counts[s].data(), rows[s].data());
                continue;
            }
            std::array<Count, kMost> from;
            std::copy(counts[s].begin(), counts[s].end(), from.begin());
            n = N;
            for (std::size_t axis = 0; axis < Variants; ++axis) {
                n = combine_axis(from.data(), n, forms_, n_forms, rows[s].data());
                if (axis + 1 < Variants) std::copy_n(rows[s].begin(), n, from.begin());
            }
        }
        found = best_of(rows, n, wanted, out);
        if (found) {  // from places in the list of codings to codings
            std::uint32_t left = out.what, what = 0, unit = 1;
            for (std::size_t v = 0; v < Variants; ++v, unit *= kCodings) {
                const auto after = static_cast<std::uint32_t>(power(n_forms, Variants - 1 - v));
                what += rules_.codings[left / after] * unit;
                left %= after;
            }
            out.what = what;
        }
    }
    if (!found) return false;
    out.log_bayes_factor -= likelihood_.null();
    out.gain = out.log_bayes_factor - std::max(0.0, sub);
    out.key = rules_.by_gain ? out.gain : out.log_bayes_factor;
    return true;
}

void ScanTable::score_singles() {
    singles_.resize(n_variants_);
    for (std::size_t v = 0; v < n_variants_; ++v) {
        Finding& f = singles_[v];
        f = {0, {static_cast<std::int32_t>(v), -1, -1}, 0, 0, 0, 0, 0};
        if (!score<1>(margins_[v], 0, -INFINITY, f)) f.log_bayes_factor = f.gain = f.key = 0;
    }
}

bool ScanTable::apart(std::int32_t a, std::int32_t b) const {
    return rules_.gap == 0 || chromosome_[as_index(a)] != chromosome_[as_index(b)] ||
           std::abs(position_[as_index(a)] - position_[as_index(b)]) >= rules_.gap;
}

// Tasks are pairs of blocks (i, j), i <= j, numbered row by row.
std::size_t ScanTable::n_tasks() const {
    const std::size_t blocks = divide_up(n_variants_, kBlock);
    return blocks * (blocks + 1) / 2;
}

static std::pair<std::size_t, std::size_t> blocks_of(std::size_t task, std::size_t blocks) {
    std::size_t row = 0;
    for (std::size_t length = blocks; task >= length; --length, ++row) task -= length;
    return {row, row + task};
}

std::size_t ScanTable::pairs_in(std::size_t task) const {
    const auto [i, j] = blocks_of(task, divide_up(n_variants_, kBlock));
    const std::size_t a = std::min(kBlock, n_variants_ - i * kBlock);
    const std::size_t b = std::min(kBlock, n_variants_ - j * kBlock);
    return i == j ? a * (a - 1) / 2 : a * b;
}

// Level counts of variant x of the masks and y of the planes, out of a sweep.
ScanTable::Counts<kLevels * kLevels> ScanTable::pair_counts(const std::vector<Count>& swept,
                                                            std::size_t masks, std::size_t planes,
                                                            std::size_t x, std::size_t y) const {
    const std::size_t skip = kLevels - n_swept_;
    Counts<kLevels * kLevels> out{};
    for (std::size_t s = 0; s < 2; ++s)
        for (std::size_t u = 0; u < n_swept_; ++u)
            for (std::size_t v = 0; v < n_swept_; ++v)
                out[s][(u + skip) * kLevels + v + skip] =
                    swept[(s * masks + x * n_swept_ + u) * planes + y * n_swept_ + v];
    return out;
}

void ScanTable::scan_task(std::size_t task, Findings& best, std::vector<Count>& counts) const {
    const auto [i, j] = blocks_of(task, divide_up(n_variants_, kBlock));
    const std::size_t first = i * kBlock, second = j * kBlock;
    const std::size_t n_first = std::min(kBlock, n_variants_ - first);
    const std::size_t n_second = std::min(kBlock, n_variants_ - second);
    const std::size_t masks = n_first * n_swept_, planes = n_second * n_swept_;
    counts.resize(2 * masks * planes);
    simd().sweep(levels(first), stride_, masks, levels(second), stride_, planes, segments(),
                 counts.data(), planes);
    for (std::size_t x = 0; x < n_first; ++x) {
        const auto a = static_cast<std::int32_t>(first + x);
        for (std::size_t y = i == j ? x + 1 : 0; y < n_second; ++y) {
            const auto b = static_cast<std::int32_t>(second + y);
            const auto table = pair_counts(counts, masks, planes, x, y);
            const double sub = std::max(singles_[first + x].log_bayes_factor,
                                        singles_[second + y].log_bayes_factor);
            Finding f;
            if (!score<2>(table, sub, best.least(), f) || !apart(a, b)) continue;
            f.variants = {a, b, -1};
            best.offer(f);
        }
    }
}

std::size_t ScanTable::scan_pairs(std::size_t first, std::size_t last, std::size_t step,
                                  std::size_t n_threads, const Stop& stop, Findings& best) const {
    const std::size_t n = first < last ? divide_up(last - first, step) : 0;
    const std::size_t threads = std::max<std::size_t>(1, std::min(n, n_threads));
    // Each thread has findings of its own, and its own threshold to reach: no locks in the loop.
    std::vector<Findings> own(threads, Findings(rules_.top));
    std::vector<std::uint8_t> done(n, 0);
    parallel_for(threads, threads, [&](std::size_t t) {
        std::vector<Count> counts;
        for (std::size_t i = t; i < n && !stop(); i += threads) {
            scan_task(first + i * step, own[t], counts);
            done[i] = 1;
        }
    });
    const auto undone = std::find(done.begin(), done.end(), 0);
    for (const Findings& some : own) best.take_in(some);
    return static_cast<std::size_t>(undone - done.begin());
}

std::size_t ScanTable::scan_triples(std::span<const std::int32_t> chosen, std::size_t first,
                                    std::size_t last, std::size_t n_threads, const Stop& stop,
                                    Findings& best) const {
    const std::size_t n = chosen.size();
    // Levels of the chosen variants side by side, and what every two of them come to.
    const std::size_t size = n_swept_ * stride_, skip = kLevels - n_swept_;
    std::vector<Word> side(n * size);
    for (std::size_t i = 0; i < n; ++i)
        std::copy_n(levels(as_index(chosen[i])), size, &side[i * size]);
    std::vector<double> pairs(n * n, -INFINITY);
    std::vector<Count> counts(2 * n_swept_ * n * n_swept_);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t planes = n * n_swept_;
        simd().sweep(&side[i * size], stride_, n_swept_, side.data(), stride_, planes, segments(),
                     counts.data(), planes);
        for (std::size_t j = i + 1; j < n; ++j) {
            Finding f{};
            score<2>(pair_counts(counts, n_swept_, planes, 0, j), 0, -INFINITY, f);
            const double alone = std::max(singles_[as_index(chosen[i])].log_bayes_factor,
                                          singles_[as_index(chosen[j])].log_bayes_factor);
            pairs[i * n + j] = pairs[j * n + i] = std::max(alone, f.log_bayes_factor);
        }
    }
    const std::size_t rows = last - first, threads = std::max<std::size_t>(1, n_threads);
    std::vector<Findings> own(threads, Findings(rules_.top));
    std::atomic<std::size_t> next{first};
    std::vector<std::uint8_t> done(rows, 0);
    parallel_for(threads, threads, [&](std::size_t t) {
        const std::size_t n_masks = n_swept_ * n_swept_;
        std::vector<Word> masks(n_masks * stride_);
        std::vector<Count> found(2 * n_masks * n * n_swept_);
        for (std::size_t i = next++; i < last && !stop(); i = next++) {
            for (std::size_t j = i + 1; j + 1 < n; ++j) {
                if (!apart(chosen[i], chosen[j])) continue;
                for (std::size_t u = 0; u < n_swept_; ++u)
                    for (std::size_t v = 0; v < n_swept_; ++v)
                        simd().and_into(&masks[(u * n_swept_ + v) * stride_],
                                        &side[i * size + u * stride_],
                                        &side[j * size + v * stride_], stride_);
                const std::size_t planes = (n - j - 1) * n_swept_;
                simd().sweep(masks.data(), stride_, n_masks, &side[(j + 1) * size], stride_, planes,
                             segments(), found.data(), planes);
                for (std::size_t k = j + 1; k < n; ++k) {
                    Counts<kLevels * kLevels * kLevels> table{};
                    for (std::size_t s = 0; s < 2; ++s)
                        for (std::size_t m = 0; m < n_masks; ++m)
                            for (std::size_t w = 0; w < n_swept_; ++w) {
                                const std::size_t u = m / n_swept_ + skip, v = m % n_swept_ + skip;
                                table[s][(u * kLevels + v) * kLevels + w + skip] =
                                    found[(s * n_masks + m) * planes + (k - j - 1) * n_swept_ + w];
                            }
                    const double sub =
                        std::max({pairs[i * n + j], pairs[i * n + k], pairs[j * n + k]});
                    Finding f;
                    if (!score<3>(table, sub, own[t].least(), f) || !apart(chosen[i], chosen[k]) ||
                        !apart(chosen[j], chosen[k]))
                        continue;
                    f.variants = {chosen[i], chosen[j], chosen[k]};
                    own[t].offer(f);
                }
            }
            done[i - first] = 1;
        }
    });
    for (const Findings& some : own) best.take_in(some);
    return static_cast<std::size_t>(std::find(done.begin(), done.end(), 0) - done.begin());
}

}  // namespace bayesdnf
