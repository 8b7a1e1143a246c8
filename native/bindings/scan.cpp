#include "genomics/scan.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
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
bool consistent(const In<Word, 3>& planes) {
    const std::size_t n = planes.shape(2);
    for (std::size_t v = 0; v < planes.shape(0); ++v) {
        const Word* const p = planes.data() + v * kPlanesPerVariant * n;
        const Word *known = p + kKnown * n, *carrier = p + kCarrier * n, *two = p + kTwo * n;
        Word wrong = 0;
        for (std::size_t w = 0; w < n; ++w)
            wrong |= (two[w] & ~carrier[w]) | (carrier[w] & ~known[w]);
        if (wrong) return false;
    }
    return true;
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

// What is for whoever counts pairs elsewhere.
void require_one_stratum(const ScanTable& table) {
    require(table.split().n_strata() == 1, "pairs that were counted have no strata");
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
        require(consistent(planes), "planes must rise: two copies, one or more, known");
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

// Whether counts of a pair rise from two copies of both, and none exceeds its variants' own.
bool possible(const ScanTable& table, const ScanTable::CountedPair& pair) {
    for (std::size_t s = 0; s < 2; ++s) {
        const std::int32_t* const c = pair.data() + 2 + 4 * s;
        const auto& a = table.margins(static_cast<std::size_t>(pair[0]))[0][s];
        const auto& b = table.margins(static_cast<std::size_t>(pair[1]))[0][s];
        if (c[3] < 0 || c[1] < c[3] || c[2] < c[3] || c[0] < c[1] + c[2] - c[3] ||
            c[0] > std::min(a[kCarrier], b[kCarrier]) || c[1] > b[kTwo] || c[2] > a[kTwo])
            return false;
    }
    return true;
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
    nb::class_<PyScanTable>(m, "ScanTable", "Genotypes of cases and controls, for scans of pairs.")
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
                using Pair = ScanTable::CountedPair;
                require(pairs.shape(1) == std::tuple_size_v<Pair>,
                        "pairs must have shape (pairs, 10)");
                require_one_stratum(*t);
                require(t->all_known(), "with cells or negations all calls must be known");
                std::vector<Pair> given(pairs.shape(0));
                const auto n = static_cast<std::int32_t>(t->n_variants());
                for (std::size_t i = 0; i < given.size(); ++i) {
                    Pair& pair = given[i];
                    std::copy_n(pairs.data() + i * pair.size(), pair.size(), pair.begin());
                    require(0 <= pair[0] && pair[0] < pair[1] && pair[1] < n,
                            "the variants of a pair must rise and be in the table");
                    require(possible(*t, pair), "a pair has counts that cannot be");
                }
                const nb::gil_scoped_release release;
                t->score_pairs(given, n_threads, best);
            },
            "pairs"_a, "n_threads"_a, "best"_a,
            "Score pairs that were counted: variants, then cases and controls who are carriers of "
            "both, have two copies of one or the other, and of both; and keep what is best.")
        .def(
            "levels",
            [](const PyScanTable& t, double least, std::size_t n_threads) {
                require_one_stratum(*t);
                constexpr std::size_t kColumns = kReachLevels + 1;
                const std::size_t used =
                    t->rules().measure == Measure::cells ? kReachLevels : kAndLevels;
                auto out = new_array<float, 2>({t->n_variants(), kColumns});
                const nb::gil_scoped_release release;
                parallel_for(t->n_variants(), n_threads, [&](std::size_t v) {
                    const Reach::Levels& of_variant = t->levels(v, least);
                    float* const row = out.data() + v * kColumns;
                    std::copy(of_variant.begin(), of_variant.end(), row);
                    row[kReachLevels] = *std::min_element(row, row + used);
                });
                return out;
            },
            "least"_a, "n_threads"_a = 1,
            "By variant, what the screen holds sets of rows against, and the least of it.")
        .def_prop_ro(
            "cuts",
            [](const PyScanTable& t) {
                const auto& cuts = t->scores().reach().cuts();
                return std::vector<float>(cuts.begin(), cuts.end());
            },
            "Where the ranges of numbers of rows end that have a level each.")
        .def_prop_ro("both_directions",
                     [](const PyScanTable& t) { return t->scores().reach().both_directions(); })
        .def_prop_ro("all_known", [](const PyScanTable& t) { return t->all_known(); })
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
            "By variant, cases then controls of all strata: known calls, carriers, two copies.");
    nb::class_<PyTripleTable>(m, "TripleTable", "Some variants of a table, for scans of triples.")
        .def(nb::new_(&make_triples), "table"_a, "chosen"_a, "n_threads"_a = 1)
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
            "first"_a, "last"_a, "step"_a, "n_threads"_a, "stop"_a, "best"_a);
}

}  // namespace bayesdnf::bindings
