#include "genomics/scan.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <tuple>

#include "bindings/keeping.hpp"
#include "genomics/triples.hpp"

namespace bayesdnf::bindings {
namespace {

using FindingArrays = std::tuple<Out<std::int32_t, 2>, Out<std::uint32_t, 1>, Out<Count, 2>,
                                 Out<double, 1>, Out<double, 1>>;

FindingArrays arrays_of(const std::vector<Finding>& findings) {
    const std::size_t n = findings.size();
    auto variants = new_array<std::int32_t, 2>({n, kMostVariants});
    auto what = new_array<std::uint32_t, 1>({n});
    auto rows = new_array<Count, 2>({n, 2});
    auto log_bayes_factor = new_array<double, 1>({n});
    auto gain = new_array<double, 1>({n});
    for (std::size_t i = 0; i < n; ++i) {
        const Finding& f = findings[i];
        std::copy(f.variants.begin(), f.variants.end(), variants.data() + i * kMostVariants);
        what.data()[i] = f.what;
        rows.data()[2 * i] = f.positive;
        rows.data()[2 * i + 1] = f.negative;
        log_bayes_factor.data()[i] = f.log_bayes_factor;
        gain.data()[i] = f.gain;
    }
    return {variants, what, rows, log_bayes_factor, gain};
}

template <class T>
std::span<const T> span_of(const In<T, 1>& array) {
    return {array.data(), array.shape(0)};
}

// Whether who has two copies has one or more, and whose copies are counted is known.
bool consistent(const In<Word, 3>& planes, std::size_t n_threads) {
    constexpr std::size_t kPiece = 64;
    const std::size_t n = planes.shape(2);
    std::atomic<bool> all{true};
    parallel_pieces(planes.shape(0), kPiece, n_threads, [&](std::size_t first, std::size_t last) {
        Word wrong = 0;
        for (std::size_t v = first; v < last; ++v) {
            const Word* const p = planes.data() + v * kPlanesPerVariant * n;
            const Word *known = p + kKnown * n, *carrier = p + kCarrier * n, *two = p + kTwo * n;
            for (std::size_t w = 0; w < n; ++w)
                wrong |= (two[w] & ~carrier[w]) | (carrier[w] & ~known[w]);
        }
        if (wrong) all = false;
    });
    return all;
}

bool disjoint(const In<Word, 2>& masks) {
    for (std::size_t w = 0; w < masks.shape(1); ++w) {
        Word seen = 0;
        for (std::size_t s = 0; s < masks.shape(0); ++s) {
            const Word mask = masks.data()[s * masks.shape(1) + w];
            if (seen & mask) return false;
            seen |= mask;
        }
    }
    return true;
}

using PyScanTable = Keeping<ScanTable>;
using PyTripleTable = Keeping<TripleTable>;

PyScanTable* make_table(In<Word, 3> planes, In<Word, 2> segments, const Effect& effect,
                        std::vector<std::uint8_t> codings, bool cells, bool by_gain,
                        std::size_t top, std::int64_t gap, In<std::int32_t, 1> chromosome,
                        In<std::int64_t, 1> position, std::size_t n_threads) {
    require(planes.shape(1) == kPlanesPerVariant, "planes must have shape (variants, 3, words)");
    require(segments.shape(1) == planes.shape(2),
            "the masks of cases and controls must be as long as the planes");
    require(segments.shape(1) > 0, "a scan needs samples");
    require(segments.shape(0) >= 2 && segments.shape(0) % 2 == 0,
            "there must be a mask of cases and one of controls for each stratum");
    require_places(chromosome, position, planes.shape(0));
    require(!codings.empty() && codings.size() <= kCodings, "one to six codings are needed");
    for (const std::uint8_t c : codings) require(c < kCodings, "a coding is a number below 6");
    std::unique_ptr<ScanTable> table;
    {
        const nb::gil_scoped_release release;
        require(disjoint(segments), "nobody is both a case and a control, or in two strata");
        require(consistent(planes, n_threads), "planes must rise: two copies, one or more, known");
        table = std::make_unique<ScanTable>(
            planes.data(), planes.shape(0), std::span<const Word>(segments.data(), segments.size()),
            segments.shape(1), effect,
            ScanRules{std::move(codings), cells ? Measure::cells : Measure::conjunction, by_gain,
                      top, gap},
            span_of(chromosome), span_of(position), n_threads);
    }
    return new PyScanTable(std::move(table), {nb::cast(planes)});
}

PyTripleTable* make_triples(nb::object table, In<std::int32_t, 1> chosen, std::size_t n_threads) {
    const ScanTable& core = core_of<ScanTable>(table);
    require(core.split().n_strata() == 1 || core.rules().measure != Measure::cells,
            "cells of three variants are not scored within strata");
    for (std::size_t i = 0; i < chosen.shape(0); ++i)
        require(chosen.data()[i] >= 0 &&
                    chosen.data()[i] < static_cast<std::int32_t>(core.n_variants()) &&
                    (i == 0 || chosen.data()[i - 1] < chosen.data()[i]),
                "the chosen variants must rise and be in the table");
    std::unique_ptr<TripleTable> triples;
    {
        const nb::gil_scoped_release release;
        triples = std::make_unique<TripleTable>(core, span_of(chosen), n_threads);
    }
    return new PyTripleTable(std::move(triples), {table});
}

// Sums what some tasks of a scan hold.
template <class Table>
std::size_t sum_of(const Table& t, std::size_t first, std::size_t last, std::size_t step,
                   std::size_t (Table::*size)(std::size_t) const) {
    require(step > 0 && last <= t.n_tasks(), "tasks are outside the scan");
    std::size_t sum = 0;
    for (std::size_t task = first; task < last; task = saturating_add(task, step))
        sum += (t.*size)(task);
    return sum;
}

// Whether counts of levels of two variants rise from two copies of both, and no cell has less than
// no row.
bool rises(const std::int32_t* c, std::size_t n_counts) {
    if (n_counts == ScanTable::kFewCounts)
        return c[3] >= 0 && c[1] >= c[3] && c[2] >= c[3] && c[0] >= c[1] + c[2] - c[3];
    std::array<Count, ScanTable::kAllCounts> levels, cells;
    std::copy_n(c, levels.size(), levels.begin());
    plain_cells(levels.data(), cells.data());
    return *std::min_element(cells.begin(), cells.end()) >= 0;
}

// Whether they do, and none exceeds its variants' own.
bool possible(const ScanTable& table, const std::int32_t* pair, std::size_t n_counts) {
    const std::size_t n_strata = table.split().n_strata();
    for (std::size_t s = 0; s < 2 * n_strata; ++s) {
        const std::int32_t* const c = pair + 2 + n_counts * s;
        const auto margin = [&](std::size_t v) -> const auto& {
            return table.margins(static_cast<std::size_t>(v))[s % n_strata][s / n_strata];
        };
        const auto& a = margin(static_cast<std::size_t>(pair[0]));
        const auto& b = margin(static_cast<std::size_t>(pair[1]));
        if (!rises(c, n_counts)) return false;
        // From carriers of both on, or from known calls on.
        const std::size_t side = n_counts == ScanTable::kAllCounts ? kLevels : kLevels - 1;
        for (std::size_t k = 0; k < side; ++k)
            if (c[k * side] > a[kLevels - side + k] || c[k] > b[kLevels - side + k]) return false;
    }
    return true;
}

// The same of a triple: those with two copies of the first variant are among its carriers, and
// there are no more of them than rows.
bool possible(const CaseSplit& split, const std::int32_t* triple, std::size_t columns) {
    for (std::size_t at = 3, s = 0; at < columns; at += TripleTable::kCounted, ++s) {
        constexpr std::size_t kFew = ScanTable::kFewCounts;
        const std::int32_t *const carriers = triple + at, *const two = carriers + kFew;
        std::array<std::int32_t, kFew> one;
        for (std::size_t k = 0; k < kFew; ++k) one[k] = carriers[k] - two[k];
        if (!rises(two, kFew) || !rises(one.data(), kFew) ||
            static_cast<std::size_t>(carriers[0]) > split.rows(s))
            return false;
    }
    return true;
}

// What a screen elsewhere goes by: levels and the least of them, or what strata must add up to.
std::size_t columns_of_levels(const ScanTable& table) {
    return table.split().n_strata() > 1 ? 1 : kReachLevels + 1;
}

void write_levels(const ScanTable& table, double sub, double least, float* out) {
    if (table.split().n_strata() > 1) {
        *out = table.scores().least_sum(sub, least);
        return;
    }
    const Reach::Levels& levels = table.scores().levels(sub, least);
    std::copy(levels.begin(), levels.end(), out);
    out[kReachLevels] = *std::min_element(
        out, out + (table.rules().measure == Measure::cells ? kReachLevels : kAndLevels));
}

std::size_t checked_task(const ScanTable& table, std::int64_t task) {
    require(0 <= task && static_cast<std::size_t>(task) < table.n_tasks(),
            "tasks are outside the scan");
    return static_cast<std::size_t>(task);
}

// Blocks of a task are its rows, so many at a time, beside its columns.
Out<std::int32_t, 2> blocks(const PyScanTable& table, In<std::int64_t, 1> tasks, std::size_t rows) {
    require(rows > 0, "a block has one row at least");
    std::vector<std::int32_t> found;
    {
        const nb::gil_scoped_release release;
        for (std::size_t i = 0; i < tasks.shape(0); ++i) {
            const std::size_t task = checked_task(*table, tasks.data()[i]);
            const auto [first, column] = table->place_of_task(task);
            const std::size_t last = std::min(column + kLanes, table->n_variants());
            for (std::size_t row = first; row < first + kTile && row + 1 < last; row += rows) {
                found.push_back(static_cast<std::int32_t>(row));
                found.push_back(static_cast<std::int32_t>(column));
            }
        }
    }
    auto out = new_array<std::int32_t, 2>({found.size() / 2, 2});
    std::copy(found.begin(), found.end(), out.data());
    return out;
}

// What tables tell of their screen, for whoever screens elsewhere.
template <class Table>
void bind_screen(nb::class_<Table>& table, const ScanTable& (*pairs_of)(const Table&)) {
    table
        .def_prop_ro(
            "cuts",
            [pairs_of](const Table& t) {
                const auto& cuts = pairs_of(t).scores().reach().cuts();
                return std::vector<float>(cuts.begin(), cuts.end());
            },
            "Where the ranges of numbers of rows end that have a level each.")
        .def_prop_ro(
            "both_directions",
            [pairs_of](const Table& t) { return pairs_of(t).scores().reach().both_directions(); })
        .def(
            "stratum_bounds",
            [pairs_of](const Table& t) {
                constexpr std::size_t kNumbers = sizeof(StratumBound) / sizeof(float);
                const std::span<const StratumBound> bounds = pairs_of(t).scores().bounds();
                auto out = new_array<float, 2>({bounds.size(), kNumbers});
                if (!bounds.empty()) std::memcpy(out.data(), bounds.data(), bounds.size_bytes());
                return out;
            },
            "By stratum, what rows of it can add to a score; none without strata.")
        .def_prop_ro("complements",
                     [pairs_of](const Table& t) { return pairs_of(t).scores().complements(); })
        .def_prop_ro("needs_known",
                     [pairs_of](const Table& t) { return pairs_of(t).scores().needs_known(); })
        .def_prop_ro("all_known", [pairs_of](const Table& t) { return pairs_of(t).all_known(); });
}

}  // namespace

void bind_scan(nb::module_& m) {
    using namespace nb::literals;

    nb::class_<Findings>(m, "Findings", "The best findings of a scan so far.")
        .def(nb::new_([](std::size_t most) {
                 require(most > 0, "room for at least one finding is needed");
                 return Findings(most);
             }),
             "most"_a)
        .def_prop_ro(
            "least", [](const Findings& f) { return f.least(); },
            "The key that a finding must reach to stand a chance.")
        .def(
            "arrays", [](const Findings& f) { return arrays_of(f.sorted()); },
            "variants, what, rows (positive, negative), log Bayes factor, gain; best first.");
    nb::class_<PyScanTable> pairs(m, "ScanTable",
                                  "Genotypes of cases and controls, for scans of pairs.");
    bind_screen<PyScanTable>(pairs, [](const PyScanTable& t) -> const ScanTable& { return *t; });
    pairs
        .def(nb::new_(&make_table), "planes"_a, "segments"_a, "effect"_a, "codings"_a, "cells"_a,
             "by_gain"_a, "top"_a, "gap"_a, "chromosome"_a, "position"_a, "n_threads"_a = 1)
        .def_prop_ro("n_tasks", [](const PyScanTable& t) { return t->n_tasks(); })
        .def("singles", [](const PyScanTable& t) { return arrays_of(t->singles()); })
        .def(
            "size_of",
            [](const PyScanTable& t, std::size_t first, std::size_t last, std::size_t step) {
                return sum_of(*t, first, last, step, &ScanTable::pairs_in);
            },
            "first"_a, "last"_a, "step"_a = 1, "How many pairs tasks first, first + step, … hold.")
        .def(
            "scan",
            [](const PyScanTable& t, std::size_t first, std::size_t last, std::size_t step,
               std::size_t n_threads, const StopFlag& stop, Findings& best) {
                require(step > 0 && last <= t->n_tasks(), "tasks are outside the scan");
                const nb::gil_scoped_release release;
                return t->scan_pairs(first, last, step, n_threads, stop, best);
            },
            "first"_a, "last"_a, "step"_a, "n_threads"_a, "stop"_a, "best"_a)
        .def(
            "places",
            [](const PyScanTable& t, In<std::int64_t, 1> tasks) {
                auto places = new_array<std::int32_t, 2>({tasks.shape(0), 2});
                const nb::gil_scoped_release release;
                for (std::size_t i = 0; i < tasks.shape(0); ++i) {
                    const auto place = t->place_of_task(checked_task(*t, tasks.data()[i]));
                    for (std::size_t k = 0; k < 2; ++k)
                        places.data()[2 * i + k] = static_cast<std::int32_t>(place[k]);
                }
                return places;
            },
            "tasks"_a,
            "First variants of the rows (256 at most) and columns (128 at most) of tasks.")
        .def("blocks", &blocks, "tasks"_a, "rows"_a,
             "First variants of the rows and columns of blocks of so many rows that tasks are made "
             "of, without blocks that hold no pair.")
        .def(
            "pairs_in",
            [](const PyScanTable& t, In<std::int64_t, 1> tasks) {
                const nb::gil_scoped_release release;
                std::size_t n = 0;
                for (std::size_t i = 0; i < tasks.shape(0); ++i)
                    n += t->pairs_in(checked_task(*t, tasks.data()[i]));
                return n;
            },
            "tasks"_a, "How many pairs tasks hold.")
        .def(
            "score",
            [](const PyScanTable& t, In<std::int32_t, 2> pairs, std::size_t n_threads,
               Findings& best) {
                const std::size_t columns = pairs.shape(1), segments = t->split().n_segments();
                const std::size_t n_counts = columns == 2 + segments * ScanTable::kAllCounts
                                                 ? ScanTable::kAllCounts
                                                 : ScanTable::kFewCounts;
                require(columns == 2 + segments * n_counts,
                        "pairs must have two columns, and four or nine for each segment");
                require(n_counts == ScanTable::kAllCounts || t->all_known(),
                        "with cells or negations all calls must be known");
                const nb::gil_scoped_release release;
                const auto n = static_cast<std::int32_t>(t->n_variants());
                for (std::size_t i = 0; i < pairs.shape(0); ++i) {
                    const std::int32_t* const pair = pairs.data() + i * columns;
                    require(0 <= pair[0] && pair[0] < pair[1] && pair[1] < n,
                            "the variants of a pair must rise and be in the table");
                    require(possible(*t, pair, n_counts), "a pair has counts that cannot be");
                }
                t->score_pairs({pairs.data(), pairs.size()}, n_counts, n_threads, best);
            },
            "pairs"_a, "n_threads"_a, "best"_a,
            "Score pairs that were counted: variants, then for the cases of each stratum and the "
            "controls of each those who are carriers of both, have two copies of one or the other, "
            "and of both, or nine counts, of known calls too; and keep what is best.")
        .def(
            "levels",
            [](const PyScanTable& t, double least, std::size_t n_threads) {
                auto out = new_array<float, 2>({t->n_variants(), columns_of_levels(*t)});
                const nb::gil_scoped_release release;
                parallel_for(t->n_variants(), n_threads, [&](std::size_t v) {
                    write_levels(*t, t->alone(v), least, out.data() + v * out.shape(1));
                });
                return out;
            },
            "least"_a, "n_threads"_a = 1,
            "By variant, what the screen holds sets of rows against, and the least of it; within "
            "strata, what these must add up to.")
        .def(
            "margins",
            [](const PyScanTable& t) {
                auto out = new_array<Count, 3>({t->n_variants(), 2, kLevels});
                std::fill_n(out.data(), out.size(), Count{0});
                for (std::size_t v = 0; v < t->n_variants(); ++v)
                    for (const auto& stratum : t->margins(v))
                        for (std::size_t i = 0; i < 2 * kLevels; ++i)
                            out.data()[v * 2 * kLevels + i] += stratum[i / kLevels][i % kLevels];
                return out;
            },
            "By variant, cases then controls of all strata: known calls, carriers, two copies.")
        .def(
            "margins_by_segment",
            [](const PyScanTable& t) {
                const std::size_t n_strata = t->split().n_strata();
                auto out = new_array<Count, 3>({t->n_variants(), 2 * n_strata, kLevels});
                for (std::size_t v = 0; v < t->n_variants(); ++v)
                    for (std::size_t s = 0; s < 2 * n_strata; ++s)
                        std::copy_n(t->margins(v)[s % n_strata][s / n_strata].begin(), kLevels,
                                    out.data() + (v * 2 * n_strata + s) * kLevels);
                return out;
            },
            "By variant, cases of each stratum, then controls of each.");
    nb::class_<PyTripleTable> triples(m, "TripleTable",
                                      "Some variants of a table, for scans of triples.");
    bind_screen<PyTripleTable>(
        triples, [](const PyTripleTable& t) -> const ScanTable& { return t->table(); });
    triples.def(nb::new_(&make_triples), "table"_a, "chosen"_a, "n_threads"_a = 1)
        .def_prop_ro("n_tasks", [](const PyTripleTable& t) { return t->n_tasks(); })
        .def(
            "size_of",
            [](const PyTripleTable& t, std::size_t first, std::size_t last, std::size_t step) {
                return sum_of(*t, first, last, step, &TripleTable::triples_in);
            },
            "first"_a, "last"_a, "step"_a = 1,
            "How many triples tasks first, first + step, … hold.")
        .def(
            "scan",
            [](const PyTripleTable& t, std::size_t first, std::size_t last, std::size_t step,
               std::size_t n_threads, const StopFlag& stop, Findings& best) {
                require(step > 0 && last <= t->n_tasks(), "tasks are outside the scan");
                const nb::gil_scoped_release release;
                return t->scan(first, last, step, n_threads, stop, best);
            },
            "first"_a, "last"_a, "step"_a, "n_threads"_a, "stop"_a, "best"_a)
        .def(
            "levels",
            [](const PyTripleTable& t, In<std::int64_t, 1> firsts, double least,
               std::size_t n_threads) {
                const std::size_t n = t->n_chosen(), n_firsts = firsts.shape(0);
                for (std::size_t i = 0; i < n_firsts; ++i)
                    require(0 <= firsts.data()[i] && static_cast<std::size_t>(firsts.data()[i]) < n,
                            "there is no such variant among the chosen ones");
                auto out = new_array<float, 3>({n_firsts, n, columns_of_levels(t->table())});
                const nb::gil_scoped_release release;
                parallel_for(n_firsts, n_threads, [&](std::size_t i) {
                    const auto first = static_cast<std::size_t>(firsts.data()[i]);
                    for (std::size_t j = 0; j < n; ++j)
                        write_levels(t->table(), j > first ? t->pair(first, j) : 0, least,
                                     out.data() + (i * n + j) * out.shape(2));
                });
                return out;
            },
            "firsts"_a, "least"_a, "n_threads"_a = 1,
            "The same by first variant of a triple and by the other one, both among the chosen "
            "ones.")
        .def(
            "score",
            [](const PyTripleTable& t, In<std::int32_t, 2> triples, std::size_t n_threads,
               Findings& best) {
                const std::size_t columns = triples.shape(1);
                require(columns == 3 + t->table().split().n_segments() * TripleTable::kCounted,
                        "triples must have three columns, and eight for each segment");
                require(!t->table().scores().needs_known(),
                        "triples that were counted are ANDs without negations");
                const nb::gil_scoped_release release;
                const auto n = static_cast<std::int32_t>(t->n_chosen());
                for (std::size_t i = 0; i < triples.shape(0); ++i) {
                    const std::int32_t* const triple = triples.data() + i * columns;
                    require(0 <= triple[0] && triple[0] < triple[1] && triple[1] < triple[2] &&
                                triple[2] < n,
                            "the places of a triple must rise and be among the chosen ones");
                    require(possible(t->table().split(), triple, columns),
                            "a triple has counts that cannot be");
                }
                t->score_triples({triples.data(), triples.size()}, n_threads, best);
            },
            "triples"_a, "n_threads"_a, "best"_a,
            "Score triples that were counted: places among the chosen ones, then for the cases of "
            "each stratum and the controls of each the four counts of pairs of the last two "
            "variants among carriers of the first one, and among its two copies.");
}

}  // namespace bayesdnf::bindings
