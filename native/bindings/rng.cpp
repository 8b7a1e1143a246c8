#include <nanobind/stl/array.h>
#include <nanobind/stl/tuple.h>

#include <tuple>

#include "bindings/arrays.hpp"
#include "rng.hpp"

namespace bayesdnf::bindings {
namespace {

template <class T, class Draw>
Out<T, 1> draws(std::size_t n, Draw draw) {
    auto out = new_array<T, 1>({n});
    for (std::size_t i = 0; i < n; ++i) out.data()[i] = draw();
    return out;
}

}  // namespace

void bind_rng(nb::module_& m) {
    using namespace nb::literals;
    nb::class_<Philox>(m, "Philox", "Philox4x64-10: the numbers of numpy's Philox(key, counter).")
        .def(nb::init<Philox::Key, Philox::Counter>(), "key"_a,
             "counter"_a = Philox::Counter{0, 0, 0, 0})
        .def_static(
            "resume",
            [](Philox::Key key, Philox::Counter counter, int used) {
                require(0 <= used && used <= 4, "used must be between 0 and 4");
                return Philox::resume(key, counter, used);
            },
            "key"_a, "counter"_a, "used"_a)
        .def_prop_ro(
            "state", [](const Philox& p) { return std::tuple(p.key(), p.counter(), p.used()); },
            "(key, counter, used): what resume() takes.")
        .def(
            "raw",
            [](Philox& p, std::size_t n) {
                return draws<std::uint64_t>(n, [&] { return p.next(); });
            },
            "n"_a)
        .def(
            "uniform",
            [](Philox& p, std::size_t n) { return draws<double>(n, [&] { return p.uniform(); }); },
            "n"_a)
        .def(
            "below",
            [](Philox& p, std::uint64_t bound, std::size_t n) {
                require(bound > 0, "bound must be positive");
                return draws<std::uint64_t>(n, [&] { return p.below(bound); });
            },
            "bound"_a, "n"_a)
        .def(
            "normal",
            [](Philox& p, std::size_t n) { return draws<double>(n, [&] { return p.normal(); }); },
            "n"_a)
        .def(
            "beta",
            [](Philox& p, double a, double b, std::size_t n) {
                require(a > 0 && b > 0 && std::isfinite(a) && std::isfinite(b),
                        "a and b must be positive and finite");
                return draws<double>(n, [&] { return p.beta(a, b); });
            },
            "a"_a, "b"_a, "n"_a);

    m.def(
        "draw_beta_pairs",
        [](In<double, 1> alpha0, In<double, 1> beta0, In<double, 1> alpha1, In<double, 1> beta1,
           bool ordered, Philox& rng) {
            constexpr int kTries = 1000;
            const std::size_t n = alpha0.shape(0);
            require(beta0.shape(0) == n && alpha1.shape(0) == n && beta1.shape(0) == n,
                    "the four arrays must be of one length");
            for (const auto& array : {alpha0, beta0, alpha1, beta1})
                for (std::size_t i = 0; i < n; ++i)
                    require(array.data()[i] > 0 && std::isfinite(array.data()[i]),
                            "Beta parameters must be positive and finite");
            auto first = new_array<double, 1>({n}), second = new_array<double, 1>({n});
            for (std::size_t i = 0; i < n; ++i) {
                double x = NAN, y = NAN;
                for (int tries = 0; tries < kTries; ++tries) {
                    x = rng.beta(alpha0.data()[i], beta0.data()[i]);
                    y = rng.beta(alpha1.data()[i], beta1.data()[i]);
                    if (!ordered || x <= y) break;
                    x = y = NAN;
                }
                first.data()[i] = x;
                second.data()[i] = y;
            }
            return std::tuple(first, second);
        },
        "alpha0"_a, "beta0"_a, "alpha1"_a, "beta1"_a, "ordered"_a, "rng"_a,
        "Pairs of Beta draws, in order where asked for; NaN where 1000 pairs were not in order.");
}

}  // namespace bayesdnf::bindings
