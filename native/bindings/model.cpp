#include <nanobind/stl/optional.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <tuple>

#include "bindings/cells.hpp"
#include "model/special.hpp"
#include "threads.hpp"

namespace bayesdnf::bindings {
namespace {

Support make_support(In<std::int32_t, 1> attribute, In<std::int32_t, 1> rank,
                     In<std::uint8_t, 1> op, In<std::int32_t, 1> equal, bool antichain,
                     bool related, bool disjoint, Count min_cover,
                     std::optional<std::int64_t> max_terms,
                     std::optional<std::int64_t> max_literals, std::int64_t max_layers,
                     std::vector<std::vector<Knowledge::Entry>> apart,
                     std::vector<std::vector<Knowledge::Entry>> at_most_one,
                     std::vector<Knowledge::Entry> required) {
    const std::size_t n = attribute.shape(0);
    require_literals(apart, n);
    require_literals(at_most_one, n);
    require_literals(required, n);
    require(rank.shape(0) == n && op.shape(0) == n && equal.shape(0) == n,
            "attribute, rank, op and equal must be of one length");
    // Numbers of attributes only tell them apart: counted anew, the largest is below n.
    std::vector<std::int32_t> numbers(attribute.data(), attribute.data() + n);
    std::sort(numbers.begin(), numbers.end());
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
    std::vector<LiteralMeaning> literals(n);
    for (std::size_t l = 0; l < n; ++l) {
        require(attribute.data()[l] >= 0 && equal.data()[l] >= 0 &&
                    equal.data()[l] < static_cast<std::int32_t>(n) && op.data()[l] < 4,
                "a literal's meaning is out of range");
        const auto place = std::lower_bound(numbers.begin(), numbers.end(), attribute.data()[l]);
        literals[l] = {static_cast<std::int32_t>(place - numbers.begin()), rank.data()[l],
                       equal.data()[l], static_cast<Operator>(op.data()[l])};
    }
    return Support(Rules{antichain, related, disjoint, min_cover, max_terms.value_or(INT64_MAX),
                         max_literals.value_or(INT64_MAX), max_layers},
                   std::move(literals),
                   Knowledge{std::move(apart), std::move(at_most_one), std::move(required)});
}

template <class T>
std::vector<T> as_vector(const In<T, 1>& array) {
    return {array.data(), array.data() + array.shape(0)};
}

// Parameters of Beta distributions; beyond these bounds nothing of their logs would be left.
void require_parameters(std::initializer_list<double> values) {
    constexpr double kLeast = 1e-12, kMost = 1e12;
    for (const double v : values)
        require(kLeast <= v && v <= kMost,
                "Beta parameters must be positive and finite, from 1e-12 to 1e12");
}

std::vector<LiteralIds> as_terms(const std::vector<Term>& terms, const Support& s) {
    require_literals(terms, s.n_literals());
    return {terms.begin(), terms.end()};
}

std::tuple<Out<std::uint8_t, 1>, Out<double, 1>, Out<double, 1>, Out<Count, 4>> score(
    const PyPosterior& self, In<std::int64_t, 1> term_starts, In<std::int64_t, 1> literal_starts,
    In<std::int32_t, 1> literals, In<std::int32_t, 1> layers, std::size_t n_threads) {
    const Posterior& posterior = *self;
    const Functions functions(term_starts, literal_starts, literals, layers,
                              posterior.view().n_literals());
    const std::size_t n = functions.size();
    auto verdict = new_array<std::uint8_t, 1>({n});
    auto log_prior = new_array<double, 1>({n});
    auto log_likelihood = new_array<double, 1>({n});
    auto cells = new_cells(posterior, n);
    {
        const nb::gil_scoped_release release;
        parallel_for(n, n_threads, [&](std::size_t f) {
            const Score s = posterior.score(functions[f], functions.layers(f));
            verdict.data()[f] = static_cast<std::uint8_t>(s.verdict);
            log_prior.data()[f] = s.log_prior;
            log_likelihood.data()[f] = s.log_likelihood;
            put_cells(posterior, s.cells, f, cells);
        });
    }
    return {verdict, log_prior, log_likelihood, cells};
}

}  // namespace

void bind_model(nb::module_& m) {
    using namespace nb::literals;

    nb::class_<Effect>(m, "Effect")
        .def(nb::new_([](double a0, double b0, double a1, double b1, double a, double b,
                         bool ordered, std::optional<double> pi0, std::optional<double> pi1) {
                 require_parameters({a0, b0, a1, b1, a, b});
                 require(pi0.has_value() == pi1.has_value(), "both rates are known or none");
                 for (const double pi : {pi0.value_or(0.5), pi1.value_or(0.5)})
                     require(0 < pi && pi < 1, "known rates must lie between 0 and 1");
                 return Effect{a0, b0, a1, b1, a, b, ordered, pi0.value_or(NAN), pi1.value_or(NAN)};
             }),
             "a0"_a, "b0"_a, "a1"_a, "b1"_a, "a"_a, "b"_a, "ordered"_a, "pi0"_a = nb::none(),
             "pi1"_a = nb::none());

    nb::class_<Likelihood>(m, "Likelihood")
        .def(nb::new_([](const Effect& effect, Count n_positive, Count n_negative) {
                 require(n_positive >= 0 && n_negative >= 0, "counts must not be negative");
                 require(saturating_add(n_positive, n_negative) < std::numeric_limits<Count>::max(),
                         "the counts add up to more than 64 bits hold");
                 return Likelihood(effect, n_positive, n_negative);
             }),
             "effect"_a, "n_positive"_a, "n_negative"_a)
        .def(
            "__call__",
            [](const Likelihood& l, Count a, Count b) {
                require(l.has(a, b), "more rows are marked than there are");
                return l(a, b);
            },
            "marked_positive"_a, "marked_negative"_a)
        .def(
            "order_factor",
            [](const Likelihood& l, Count a, Count b) {
                require(l.has(a, b), "more rows are marked than there are");
                return l.order_factor(a, b);
            },
            "marked_positive"_a, "marked_negative"_a)
        .def_prop_ro("null", &Likelihood::null);

    m.def(
        "log_order_probability",
        [](double alpha0, double beta0, double alpha1, double beta1) {
            require_parameters({alpha0, beta0, alpha1, beta1});
            return log_order_probability(alpha0, beta0, alpha1, beta1);
        },
        "alpha0"_a, "beta0"_a, "alpha1"_a, "beta1"_a,
        "log P(X <= Y) for two independent Beta variables.");
    m.def(
        "log_beta_cdf",
        [](In<double, 1> logit_x, double a, double b) {
            require_parameters({a, b});
            auto out = new_array<double, 1>({logit_x.shape(0)});
            for (std::size_t i = 0; i < logit_x.shape(0); ++i)
                out.data()[i] = log_beta_cdf(logit_x.data()[i], a, b);
            return out;
        },
        "logit_x"_a, "a"_a, "b"_a,
        "log of the Beta(a, b) distribution function at x, given as log(x / (1 - x)).");
    m.def(
        "log_elementary_symmetric",
        [](In<double, 1> log_weights, std::size_t largest) {
            require(largest <= log_weights.shape(0), "there are not that many weights");
            auto out = new_array<double, 1>({largest + 1});
            std::vector<double> e(largest + 1, -INFINITY);
            e[0] = 0;
            for (std::size_t j = 0; j < log_weights.shape(0); ++j) {
                const double w = log_weights.data()[j];
                for (std::size_t k = std::min(largest, j + 1); k > 0; --k) {
                    const double added = e[k - 1] + w, high = std::max(e[k], added);
                    e[k] = high + std::log1p(std::exp(std::min(e[k], added) - high));
                }
            }
            std::copy(e.begin(), e.end(), out.data());
            return out;
        },
        "log_weights"_a, "largest"_a, "log e_k of the weights for k in 0..largest.");

    nb::enum_<Verdict>(m, "Verdict", nb::is_arithmetic(),
                       "Whether a function is inside the support, or why it is not.")
        .value("ALLOWED", Verdict::allowed)
        .value("EMPTY_TERM", Verdict::empty_term)
        .value("REPEATED_LITERAL", Verdict::repeated_literal)
        .value("RELATED_LITERALS", Verdict::related_literals)
        .value("TOO_FEW_ROWS", Verdict::too_few_rows)
        .value("REPEATED_TERM", Verdict::repeated_term)
        .value("ABSORBED_TERM", Verdict::absorbed_term)
        .value("SHARED_ATTRIBUTE", Verdict::shared_attribute)
        .value("TOO_MANY_TERMS", Verdict::too_many_terms)
        .value("TOO_MANY_LITERALS", Verdict::too_many_literals)
        .value("KEPT_APART", Verdict::kept_apart)
        .value("EXCLUSIVE_GROUP", Verdict::exclusive_group)
        .value("LACKS_REQUIRED", Verdict::lacks_required)
        .value("IDLE_TERM", Verdict::idle_term)
        .value("TOO_MANY_LAYERS", Verdict::too_many_layers)
        .value("NOTHING_LEFT", Verdict::nothing_left);

    nb::class_<Support>(m, "Support")
        .def(nb::new_(&make_support), "attribute"_a, "rank"_a, "op"_a, "equal"_a, "antichain"_a,
             "related"_a, "disjoint"_a, "min_cover"_a, "max_terms"_a.none(),
             "max_literals"_a.none(), "max_layers"_a = 1, "apart"_a = nb::list(),
             "at_most_one"_a = nb::list(), "required"_a = nb::list())
        .def(
            "implies",
            [](const Support& s, std::int32_t a, std::int32_t b) {
                require_literals(std::array{a, b}, s.n_literals());
                return s.implies(a, b);
            },
            "a"_a, "b"_a)
        .def(
            "excludes",
            [](const Support& s, std::int32_t a, std::int32_t b) {
                require_literals(std::array{a, b}, s.n_literals());
                return s.excludes(a, b);
            },
            "a"_a, "b"_a)
        .def(
            "addable",
            [](const Support& s, const std::vector<std::int32_t>& term,
               const std::vector<std::vector<std::int32_t>>& rest) {
                auto may = new_array<std::uint8_t, 1>({s.n_literals()});
                require_literals(LiteralIds(term), s.n_literals());
                const auto others = as_terms(rest, s);
                s.addable(LiteralIds(term), others, may.data());
                return may;
            },
            "term"_a, "rest"_a)
        .def(
            "check",
            [](const Support& s, const std::vector<std::vector<std::int32_t>>& terms,
               const std::vector<std::int32_t>& layers, const std::vector<Count>& covers,
               Count lowest) {
                require(terms.size() == covers.size(), "one cover per term is needed");
                require(terms.size() == layers.size(), "each term needs a layer");
                require_layers(layers, terms.size());
                return s.check(as_terms(terms, s), layers, covers, lowest);
            },
            "terms"_a, "layers"_a, "covers"_a, "lowest"_a);

    nb::class_<PyIndividuals>(m, "Individuals", "The table row by row.")
        .def(nb::new_([](nb::object view_object, const std::vector<std::size_t>& rows_per_segment,
                         const std::vector<std::size_t>& offsets, const std::vector<Count>& counts,
                         std::size_t n_positive) {
                 const BitView& view = core_of<BitView>(view_object);
                 const std::size_t n_segments = rows_per_segment.size();
                 require(n_segments > 0 && offsets.size() == n_segments + 1 &&
                             n_segments <= view.n_segments(),
                         "the segments must be those of the view");
                 require(0 < n_positive && n_positive <= n_segments,
                         "there are not that many segments of positives");
                 std::size_t n_rows = 0;
                 for (std::size_t s = 0; s < n_segments; ++s) {
                     const std::size_t end = s + 1 < n_segments ? offsets[s + 1] : view.n_words();
                     require(end <= view.n_words() && fits(rows_per_segment[s], offsets[s], end),
                             "the segments must lie within the view");
                     n_rows = saturating_add(n_rows, rows_per_segment[s]);
                 }
                 require(counts.empty() || counts.size() == n_rows, "one count per row is needed");
                 Count total = 0;
                 for (const Count c : counts) {
                     require(c > 0, "counts must be positive");
                     total = saturating_add(total, c);
                 }
                 require(total < std::numeric_limits<Count>::max(),
                         "the counts add up to more than 64 bits hold");
                 std::unique_ptr<Individuals> individuals;
                 {
                     const nb::gil_scoped_release release;
                     individuals = std::make_unique<Individuals>(view, rows_per_segment, offsets,
                                                                 counts, n_positive);
                 }
                 return PyIndividuals(std::move(individuals), {view_object});
             }),
             "view"_a, "rows_per_segment"_a, "offsets"_a, "counts"_a, "n_positive"_a);

    nb::class_<PyPosterior>(m, "Posterior")
        .def(nb::new_([](nb::object view, nb::object support, In<double, 1> count,
                         In<double, 1> size, In<std::int64_t, 1> weights, Effect effect,
                         std::size_t layers, std::size_t n_classes) {
                 const BitView& bits = core_of<BitView>(view);
                 const Support& rules = nb::cast<const Support&>(support);
                 require(
                     n_classes >= 2 && bits.n_segments() > 0 && bits.n_segments() % n_classes == 0,
                     "a posterior needs segments of every class");
                 require(0 < layers && layers <= kMostLayers, "layers must be 1 or more");
                 require(
                     !(effect.ordered || effect.known()) || (layers == 1 && bits.n_segments() == 2),
                     "rates are ordered or known with one layer, one stratum and two classes only");
                 require(weights.shape(0) == 0 || weights.shape(0) == bits.n_literals(),
                         "one weight per literal is needed");
                 // Logs of doubles reach 745; a function of two million literals then adds up to
                 // less than 64 bits hold.
                 constexpr std::int64_t kLargest = std::int64_t{1024} << 32;
                 for (std::size_t l = 0; l < weights.shape(0); ++l)
                     require(-kLargest <= weights.data()[l] && weights.data()[l] <= kLargest,
                             "the log weight of a literal is too large");
                 require(rules.n_literals() == bits.n_literals(),
                         "support and view must have the same literals");
                 auto posterior = std::make_unique<Posterior>(
                     bits, rules,
                     FunctionPrior(as_vector(count), as_vector(size), as_vector(weights), layers),
                     effect, n_classes);
                 return PyPosterior(std::move(posterior), {view, support});
             }),
             "view"_a, "support"_a, "count"_a, "size"_a, "weights"_a, "effect"_a, "layers"_a = 1,
             "n_classes"_a = 2)
        .def("score", &score, "term_starts"_a, "literal_starts"_a, "literals"_a, "layers"_a,
             "n_threads"_a = 1,
             "(verdict, log_prior, log_likelihood, cells[function, stratum, part, class]).");
}

}  // namespace bayesdnf::bindings
