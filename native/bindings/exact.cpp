#include "search/exact.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <tuple>
#include <utility>

#include "bindings/cells.hpp"
#include "search/pricing.hpp"
#include "search/term_sets.hpp"
#include "stop.hpp"

namespace bayesdnf::bindings {
void bind_exact(nb::module_& m) {
    using namespace nb::literals;

    using PyTermSearch = Keeping<TermSearch>;
    nb::class_<PyTermSearch>(m, "TermSearch", "Branch and bound for the best single term.")
        .def(nb::new_([](nb::object posterior, std::size_t max_size) {
                 const auto& scores = core_of<Posterior>(posterior);
                 require_simple(scores);
                 return PyTermSearch(std::make_unique<TermSearch>(scores, max_size), {posterior});
             }),
             "posterior"_a, "max_size"_a)
        .def(
            "seed",
            [](PyTermSearch& self, std::size_t width, const StopFlag& stop) {
                const nb::gil_scoped_release release;
                self->seed(width, stop);
            },
            "width"_a, "stop"_a, "Start from the best term of a beam.")
        .def(
            "advance",
            [](PyTermSearch& self, const StopFlag& stop) {
                const nb::gil_scoped_release release;
                return self->advance(stop);
            },
            "stop"_a, "Search on; True when the best term is proved.")
        .def_prop_ro("term", [](const PyTermSearch& self) { return self->best(); })
        .def_prop_ro("score", [](const PyTermSearch& self) { return self->score(); })
        .def_prop_ro("nodes", [](const PyTermSearch& self) { return self->nodes(); })
        .def_prop_ro("branches", [](const PyTermSearch& self) { return self->branches(); })
        .def_prop_ro("branches_done",
                     [](const PyTermSearch& self) { return self->branches_done(); });

    nb::class_<PricedTerms>(m, "PricedTerms")
        .def_ro("terms", &PricedTerms::terms)
        .def_ro("worth", &PricedTerms::worth)
        .def_ro("complete", &PricedTerms::complete)
        .def_ro("ceiling", &PricedTerms::ceiling)
        .def_ro("nodes", &PricedTerms::nodes);

    m.def(
        "priced_terms",
        [](nb::object posterior, std::vector<std::int32_t> space, bool shorter_is_better,
           bool more_positives, In<std::int64_t, 1> sizes, In<std::int64_t, 1> literals,
           In<std::int64_t, 1> prices, std::int64_t negative_cost, In<Word, 1> rows,
           std::int64_t floor, std::size_t most, bool every, Count most_positive,
           Count most_negative, std::uint64_t max_nodes, const StopFlag& stop) {
            const auto& scores = core_of<Posterior>(posterior);
            require_simple(scores);
            require_literals(space, scores.view().n_literals());
            require(sizes.shape(0) <= scores.view().n_literals() + 1,
                    "sizes must end at the number of literals");
            require(literals.shape(0) == scores.view().n_literals(),
                    "literals must have one entry for each literal");
            require(prices.shape(0) == scores.view().n_words() * kWordBits,
                    "prices must have one entry for each bit of a row mask");
            require(rows.shape(0) == 0 || rows.shape(0) == scores.view().n_words(),
                    "rows must be a row mask, or empty");
            // A worth is the sum of all of these at most; half of the range is left for it.
            std::int64_t total = 0;
            const auto magnitude = [](std::int64_t value) {
                require(value > INT64_MIN, "a price is too large");
                return value < 0 ? -value : value;
            };
            const auto add = [&](std::int64_t value) {
                total = saturating_add(total, magnitude(value));
            };
            for (std::size_t i = 0; i < prices.shape(0); ++i) add(prices.data()[i]);
            for (std::size_t i = 0; i < literals.shape(0); ++i) add(literals.data()[i]);
            require(0 <= negative_cost, "negative_cost must be 0 or more");
            add(saturating_multiply(negative_cost, scores.likelihood().n_negative()));
            std::int64_t largest = 0;
            for (std::size_t k = 0; k < sizes.shape(0); ++k)
                if (sizes.data()[k] != kNoSize)
                    largest = std::max(largest, magnitude(sizes.data()[k]));
            require(saturating_add(total, largest) < INT64_MAX / 8, "the prices are too large");
            require(floor > INT64_MIN, "floor is too low");
            PricingWish wish;
            wish.sizes.assign(sizes.data(), sizes.data() + sizes.shape(0));
            wish.literals.assign(literals.data(), literals.data() + literals.shape(0));
            wish.prices.assign(prices.data(), prices.data() + prices.shape(0));
            wish.negative_cost = negative_cost;
            wish.rows.assign(rows.data(), rows.data() + rows.shape(0));
            wish.floor = floor;
            wish.most = most;
            wish.every = every;
            wish.most_positive = most_positive;
            wish.most_negative = most_negative;
            wish.max_nodes = max_nodes;
            const TermSpace terms{std::move(space), shorter_is_better, more_positives};
            const nb::gil_scoped_release release;
            return priced_terms(scores, terms, wish, stop);
        },
        "posterior"_a, "space"_a, "shorter_is_better"_a, "more_positives"_a, "sizes"_a,
        "literals"_a, "prices"_a, "negative_cost"_a, "rows"_a, "floor"_a, "most"_a, "every"_a,
        "most_positive"_a, "most_negative"_a, "max_nodes"_a, "stop"_a,
        "Terms worth at least floor: their size, literals and the prices of the rows they mark.");
    m.attr("NO_SIZE") = kNoSize;

    nb::class_<TermSets>(m, "TermSets")
        .def_ro("sets", &TermSets::sets)
        .def_ro("complete", &TermSets::complete)
        .def_ro("nodes", &TermSets::nodes);

    m.def(
        "better_sets",
        [](nb::object posterior, In<double, 1> worth, In<bool, 2> marked,
           In<std::int64_t, 1> kept_off, In<double, 1> saved, In<std::int64_t, 2> cells,
           std::size_t n_terms, double constant, double fewer, std::pair<Count, Count> positive,
           std::pair<Count, Count> negative, double target, bool removable, bool replaceable,
           std::size_t most, const StopFlag& stop) {
            const auto& scores = core_of<Posterior>(posterior);
            require_simple(scores);
            const Likelihood& likelihood = scores.likelihood();
            const std::size_t n_cells = cells.shape(0);
            require(marked.shape(0) == worth.shape(0) && marked.shape(1) == n_cells,
                    "marked must have a row for each term and a column for each cell");
            require(cells.shape(1) == 2, "cells must have two columns");
            require(kept_off.shape(0) == worth.shape(0) && saved.shape(0) == worth.shape(0),
                    "kept_off and saved must have one entry for each term");
            for (std::size_t t = 0; t < worth.shape(0); ++t)
                require(kept_off.data()[t] >= 0, "kept_off must be 0 or more");
            require(n_terms >= 1, "n_terms must be 1 or more");
            TermSetsWish wish;
            Count counts[2] = {0, 0};
            for (std::size_t i = 0; i < n_cells; ++i) {
                const std::int64_t* cell = cells.data() + 2 * i;
                require(cell[0] >= 0 && cell[1] >= 0, "cells must hold 0 rows or more");
                require(cell[0] == 0 || wish.n_positive == i, "cells with positives come first");
                if (cell[0] > 0) ++wish.n_positive;
                counts[0] = saturating_add(counts[0], cell[0]);
                counts[1] = saturating_add(counts[1], cell[1]);
                wish.positive.push_back(cell[0]);
                wish.negative.push_back(cell[1]);
            }
            require(counts[0] == likelihood.n_positive() && counts[1] == likelihood.n_negative(),
                    "cells must add up to the rows of the posterior");
            for (const auto& [low, high] : {positive, negative})
                require(0 <= low && low <= high, "a range must not be empty");
            require(likelihood.has(positive.second, negative.second),
                    "more rows are marked than there are");
            wish.worth.assign(worth.data(), worth.data() + worth.shape(0));
            for (std::size_t t = 0; t < worth.shape(0); ++t) {
                wish.cells.emplace_back();
                for (std::size_t i = 0; i < n_cells; ++i)
                    if (marked.data()[t * n_cells + i])
                        wish.cells.back().push_back(static_cast<std::int32_t>(i));
            }
            wish.kept_off.assign(kept_off.data(), kept_off.data() + worth.shape(0));
            wish.saved.assign(saved.data(), saved.data() + worth.shape(0));
            wish.n_terms = n_terms;
            wish.constant = constant;
            wish.fewer = fewer;
            std::tie(wish.least_positive, wish.most_positive) = positive;
            std::tie(wish.least_negative, wish.most_negative) = negative;
            wish.target = target;
            wish.removable = removable;
            wish.replaceable = replaceable;
            wish.most = most;
            const nb::gil_scoped_release release;
            return better_sets(likelihood, wish, stop);
        },
        "posterior"_a, "worth"_a, "marked"_a, "kept_off"_a, "saved"_a, "cells"_a, "n_terms"_a,
        "constant"_a, "fewer"_a, "positive"_a, "negative"_a, "target"_a, "removable"_a,
        "replaceable"_a, "most"_a, "stop"_a,
        "Sets of so many terms that score more than a target.");
}

}  // namespace bayesdnf::bindings
