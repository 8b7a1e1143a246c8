#include "genomics/genotypes.hpp"

#include <nanobind/stl/pair.h>

#include "bindings/arrays.hpp"
#include "threads.hpp"

namespace bayesdnf::bindings {
namespace {

using Genotypes = InOut<Word, 3>;
using ReadGenotypes = In<Word, 3>;

template <class Array>
void require_planes(const Array& planes, std::size_t n_samples) {
    require(planes.shape(1) == kPlanesPerVariant && planes.shape(2) >= words_for(n_samples),
            "planes must have shape (variants, 3, words) with a bit for each sample");
}

template <class Read>
void fill(Genotypes& planes, std::size_t n_threads, Read read) {
    const std::size_t stride = planes.shape(2);
    Word* const out = planes.data();
    const nb::gil_scoped_release release;
    parallel_for(planes.shape(0), n_threads, [&](std::size_t v) {
        Word* const p = out + v * kPlanesPerVariant * stride;
        read(v, p + kKnown * stride, p + kCarrier * stride, p + kTwo * stride);
    });
}

}  // namespace

void bind_genotypes(nb::module_& m) {
    using namespace nb::literals;

    m.def(
        "read_bed",
        [](In<std::uint8_t, 2> bytes, std::size_t n_samples, Genotypes planes,
           std::size_t n_threads) {
            require_planes(planes, n_samples);
            require(bytes.shape(0) == planes.shape(0) &&
                        bytes.shape(1) == divide_up(n_samples, std::size_t{4}),
                    "bytes must have one row of (n_samples + 3) / 4 for each variant");
            fill(planes, n_threads, [&](std::size_t v, Word* known, Word* carrier, Word* two) {
                read_bed_variant(bytes.data() + v * bytes.shape(1), n_samples, known, carrier, two);
            });
        },
        "bytes"_a, "n_samples"_a, "planes"_a.noconvert(), "n_threads"_a = 1,
        "Variants of a PLINK 1 .bed file into planes[variant, (known, carrier, two)], counting "
        "the first allele.");
    m.def(
        "count_calls",
        [](ReadGenotypes planes, In<Word, 2> masks, InOut<std::int64_t, 3> counts,
           std::size_t n_threads) {
            const std::size_t n_words = planes.shape(2), n_variants = planes.shape(0);
            require(planes.shape(1) == kPlanesPerVariant && masks.shape(1) == n_words &&
                        counts.shape(0) == masks.shape(0) && counts.shape(1) == n_variants &&
                        counts.shape(2) == kPlanesPerVariant,
                    "planes must be (variants, 3, words), masks (n, words) and counts "
                    "(n, variants, 3)");
            const Simd& k = simd();
            std::int64_t* const out = counts.data();
            const nb::gil_scoped_release release;
            parallel_for(n_variants, n_threads, [&](std::size_t v) {
                const Word* const of_variant = planes.data() + v * kPlanesPerVariant * n_words;
                for (std::size_t i = 0; i < masks.shape(0); ++i)
                    for (std::size_t p = 0; p < kPlanesPerVariant; ++p)
                        out[(i * n_variants + v) * kPlanesPerVariant + p] = k.and_popcount(
                            of_variant + p * n_words, masks.data() + i * n_words, n_words);
            });
        },
        "planes"_a, "masks"_a, "counts"_a.noconvert(), "n_threads"_a = 1,
        "Samples of every mask in each plane of each variant.");
    m.def(
        "read_copies",
        [](In<std::int8_t, 2> copies, Genotypes planes, std::size_t n_threads) {
            require_planes(planes, copies.shape(1));
            require(copies.shape(0) == planes.shape(0),
                    "copies must have one row for each variant");
            fill(planes, n_threads, [&](std::size_t v, Word* known, Word* carrier, Word* two) {
                read_copies(copies.data() + v * copies.shape(1), copies.shape(1), known, carrier,
                            two);
            });
        },
        "copies"_a, "planes"_a.noconvert(), "n_threads"_a = 1,
        "Copies of the counted allele, 0, 1 or 2 and anything else missing, into planes.");
    m.def(
        "pick_samples",
        [](In<Word, 2> planes, In<Word, 1> mask) {
            require(mask.shape(0) == planes.shape(1), "the mask must be as long as the planes");
            const Picker pick({mask.data(), mask.shape(0)});
            const std::size_t n_words = words_for(pick.n_picked());
            auto out = new_array<Word, 2>({planes.shape(0), n_words});
            const nb::gil_scoped_release release;
            for (std::size_t i = 0; i < planes.shape(0); ++i)
                pick(planes.data() + i * planes.shape(1), out.data() + i * n_words);
            return out;
        },
        "planes"_a, "mask"_a, "The samples of a mask, in their order, of every plane.");
    m.def(
        "r_squared",
        [](ReadGenotypes planes, In<std::int64_t, 1> first, In<std::int64_t, 1> second) {
            require_planes(planes, 0);
            require(first.shape(0) == second.shape(0), "first and second must be of one length");
            const auto n = static_cast<std::int64_t>(planes.shape(0));
            for (std::size_t i = 0; i < first.shape(0); ++i)
                require(first.data()[i] >= 0 && first.data()[i] < n && second.data()[i] >= 0 &&
                            second.data()[i] < n,
                        "a variant is outside the planes");
            auto out = new_array<double, 1>({first.shape(0)});
            const std::size_t n_words = planes.shape(2), size = kPlanesPerVariant * n_words;
            const nb::gil_scoped_release release;
            for (std::size_t i = 0; i < first.shape(0); ++i)
                out.data()[i] = likeness(planes.data() + as_index(first.data()[i]) * size,
                                         planes.data() + as_index(second.data()[i]) * size, n_words,
                                         n_words, simd())
                                    .r_squared();
            return out;
        },
        "planes"_a, "first"_a, "second"_a,
        "Squared correlation of the copies, on samples known in both.");
    m.def(
        "prune",
        [](ReadGenotypes planes, In<std::int32_t, 1> chromosome, In<std::int64_t, 1> position,
           std::int64_t window, double r_squared) {
            require_planes(planes, 0);
            require_places(chromosome, position, planes.shape(0));
            auto out = new_array<std::uint8_t, 1>({planes.shape(0)});
            const nb::gil_scoped_release release;
            const auto keep = prune(planes.data(), planes.shape(2), planes.shape(0),
                                    chromosome.data(), position.data(), window, r_squared);
            std::copy(keep.begin(), keep.end(), out.data());
            return out;
        },
        "planes"_a, "chromosome"_a, "position"_a, "window"_a, "r_squared"_a,
        "1 for each variant to keep; variants must be sorted by chromosome and position.");
    m.def(
        "relatives",
        [](ReadGenotypes planes, std::size_t n_samples, double least, std::size_t n_threads) {
            require_planes(planes, n_samples);
            std::vector<Related> found;
            {
                const nb::gil_scoped_release release;
                found = relatives(planes.data(), planes.shape(2), planes.shape(0), n_samples, least,
                                  n_threads);
            }
            auto pairs = new_array<std::int32_t, 2>({found.size(), 2});
            auto kinship = new_array<double, 1>({found.size()});
            for (std::size_t i = 0; i < found.size(); ++i) {
                pairs.data()[2 * i] = found[i].first;
                pairs.data()[2 * i + 1] = found[i].second;
                kinship.data()[i] = found[i].kinship;
            }
            return std::pair(pairs, kinship);
        },
        "planes"_a, "n_samples"_a, "least"_a, "n_threads"_a = 1,
        "Pairs of samples with at least that KING-robust kinship, and their kinship.");
}

}  // namespace bayesdnf::bindings
