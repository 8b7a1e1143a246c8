#include "search/implicants.hpp"

#include <nanobind/stl/vector.h>

#include <limits>

#include "bindings/arrays.hpp"

namespace bayesdnf::bindings {

void bind_implicants(nb::module_& m) {
    using namespace nb::literals;

    nb::class_<ImplicantsFound>(m, "ImplicantsFound")
        .def_ro("terms", &ImplicantsFound::terms)
        .def_ro("worth", &ImplicantsFound::worth)
        .def_ro("complete", &ImplicantsFound::complete)
        .def_ro("ceiling", &ImplicantsFound::ceiling)
        .def_ro("nodes", &ImplicantsFound::nodes);

    nb::class_<Implicants>(m, "Implicants",
                           "Minimal sets of literals that hold on no negative row.")
        .def(nb::new_([](In<Word, 2> positives, std::size_t n_positive, In<Word, 2> negatives,
                         std::size_t n_negative) {
                 require(positives.shape(0) == negatives.shape(0),
                         "positives and negatives must have one mask for each literal");
                 require(positives.shape(1) == words_for(n_positive) &&
                             negatives.shape(1) == words_for(n_negative),
                         "masks must be as long as the rows need");
                 return Implicants(positives.data(), n_positive, negatives.data(), n_negative,
                                   positives.shape(0));
             }),
             "positives"_a, "n_positive"_a, "negatives"_a, "n_negative"_a)
        .def(
            "search",
            [](const Implicants& self, In<std::int64_t, 1> weights, std::int64_t size_cost,
               std::int64_t floor, bool best_only, std::size_t most, std::uint64_t max_nodes,
               const StopFlag& stop) {
                require(weights.shape(0) == self.n_positive(),
                        "weights must have one entry for each positive row");
                ImplicantWish wish;
                wish.weights.assign(weights.data(), weights.data() + weights.shape(0));
                std::int64_t total = 0;
                for (const std::int64_t w : wish.weights) {
                    require(w >= 0, "weights must be 0 or more");
                    total = saturating_add(total, w);
                }
                require(size_cost >= 0, "size_cost must be 0 or more");
                // A term is worth weights less costs: both must leave room for the other.
                constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 2;
                const auto longest = static_cast<std::int64_t>(self.n_literals());
                require(total <= kMost && saturating_multiply(size_cost, longest) <= kMost,
                        "the weights, or the costs of a term, add up to more than 64 bits hold");
                wish.size_cost = size_cost;
                require(floor > INT64_MIN, "floor is too low");
                wish.floor = floor;
                wish.best_only = best_only;
                wish.most = most;
                wish.max_nodes = max_nodes;
                const nb::gil_scoped_release release;
                return self.search(wish, stop);
            },
            "weights"_a, "size_cost"_a, "floor"_a, "best_only"_a, "most"_a, "max_nodes"_a, "stop"_a,
            "Implicants worth at least floor: weights of rows less size_cost a literal.");
}

}  // namespace bayesdnf::bindings
