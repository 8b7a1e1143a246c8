#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <limits>
#include <optional>
#include <string>

#include "bindings/keeping.hpp"
#include "data/map_guard.hpp"
#include "data/rows.hpp"
#include "threads.hpp"

namespace bayesdnf::bindings {
namespace {

using Planes = In<Word, 2>;

// Planes per piece, so that no piece of a sweep lasts longer than some tens of milliseconds.
std::size_t planes_per_piece(std::size_t n_words, std::size_t n_masks) {
    constexpr std::size_t kWordPairs = 10'000'000;
    return std::max<std::size_t>(64, kWordPairs / std::max<std::size_t>(1, n_words * n_masks));
}

const Simd& chosen(const std::optional<std::string>& name) {
    return name ? simd_named(name->c_str()) : simd();
}

// All rows, each as often as its weight says.
Count weighted_rows(const Planes& weights, std::size_t n_words, const Simd& simd) {
    Count sum = 0;
    for (std::size_t digit = 0; digit < weights.shape(0); ++digit) {
        const Count rows = simd.popcount(weights.data() + digit * weights.shape(1), n_words);
        if (rows == 0) continue;
        constexpr std::size_t kDigits = std::numeric_limits<Count>::digits;
        if (digit >= kDigits) return std::numeric_limits<Count>::max();
        sum = saturating_add(sum, saturating_multiply(rows, Count{1} << digit));
    }
    return sum;
}

// Whether no plane has bits in the padding, or for rows whose value is not known. Counts of a
// complement are differences, and scores look counts up in tables that end with the rows there are.
bool consistent(const Planes& planes, const std::vector<std::size_t>& rows_per_segment,
                const std::vector<std::size_t>& offsets,
                const std::vector<LiteralSource>& literals) {
    const std::size_t n_words = offsets.back(), stride = planes.shape(1);
    std::vector<Word> rows(n_words);
    std::vector<std::size_t> partial;  // words that hold padding
    for (std::size_t s = 0; s < rows_per_segment.size(); ++s) {
        fill_ones(rows.data() + offsets[s], rows_per_segment[s], offsets[s + 1] - offsets[s]);
        for (std::size_t w = offsets[s]; w < offsets[s + 1]; ++w)
            if (rows[w] != ~Word{0}) partial.push_back(w);
    }
    Word wrong = 0;
    for (std::size_t j = 0; j < planes.shape(0); ++j)
        for (const std::size_t w : partial) wrong |= planes.data()[j * stride + w] & ~rows[w];
    // A plane's literals mostly stand side by side: the pair before need not be looked at again.
    std::int32_t plane = -1, valid = -1;
    for (const LiteralSource& l : literals) {
        if (l.valid < 0 || (l.plane == plane && l.valid == valid)) continue;
        plane = l.plane, valid = l.valid;
        const Word* const value = planes.data() + as_index(plane) * stride;
        const Word* const known = planes.data() + as_index(valid) * stride;
        for (std::size_t w = 0; w < n_words; ++w) wrong |= value[w] & ~known[w];
    }
    return wrong == 0;
}

PyBitView make_view(Planes planes, const std::vector<std::size_t>& rows_per_segment,
                    const std::vector<std::size_t>& offsets, std::optional<Planes> weights,
                    In<std::int32_t, 1> plane, In<std::uint8_t, 1> complement,
                    In<std::int32_t, 1> valid, std::optional<std::string> simd) {
    require(offsets.size() == rows_per_segment.size() + 1 && offsets[0] == 0,
            "offsets must hold one entry more than there are segments and begin with 0");
    for (std::size_t s = 0; s < rows_per_segment.size(); ++s)
        require(fits(rows_per_segment[s], offsets[s], offsets[s + 1]),
                "a segment's rows do not fit between its offsets");
    require(offsets.back() <= planes.shape(1), "the segments are longer than the planes");
    require(!weights || weights->shape(1) == planes.shape(1),
            "weights must be laid out like planes");
    require(plane.shape(0) == complement.shape(0) && plane.shape(0) == valid.shape(0),
            "plane, complement and valid must be of one length");
    std::vector<LiteralSource> literals(plane.shape(0));
    const auto n_planes = static_cast<std::int32_t>(planes.shape(0));
    for (std::size_t l = 0; l < literals.size(); ++l) {
        literals[l] = {plane.data()[l], valid.data()[l], complement.data()[l] != 0};
        require(
            0 <= literals[l].plane && literals[l].plane < n_planes && literals[l].valid < n_planes,
            "a literal points outside the planes");
    }
    require(consistent(planes, rows_per_segment, offsets, literals),
            "planes have bits in the padding, or for rows whose value is not known");
    const Simd& loops = chosen(simd);
    if (weights)
        require(weighted_rows(*weights, offsets.back(), loops) < std::numeric_limits<Count>::max(),
                "the weights add up to more than 64 bits hold");
    auto view =
        std::make_unique<BitView>(planes.data(), planes.shape(1), planes.shape(0), offsets,
                                  rows_per_segment, weights ? weights->data() : nullptr,
                                  weights ? weights->shape(0) : 0, std::move(literals), loops);
    std::vector<nb::object> kept{nb::cast(planes)};
    if (weights) kept.push_back(nb::cast(*weights));
    return {std::move(view), std::move(kept)};
}

// Sweeps by a Python object: sweep(masks, counts) fills counts, select(masks, of_masks, ruled_out,
// selected) fills selected and returns how many there are.
class CalledPlanes : public DevicePlanes {
  public:
    CalledPlanes(const nb::object& device, const BitView& view)
        : sweep_(device.attr("sweep")),
          select_(device.attr("select")),
          n_segments_(view.n_segments()),
          n_words_(view.n_words()),
          n_planes_(view.n_planes()) {}

    void sweep(const Word* masks, std::size_t n_masks, std::int32_t* counts) const override {
        const nb::gil_scoped_acquire acquire;
        Out<std::int32_t, 3> out(counts, {n_segments_, n_masks, n_planes_}, nb::handle());
        sweep_(lent<const Word>(masks, n_masks, n_words_), out.cast(nb::rv_policy::reference));
    }

    std::size_t select(const Word* masks, std::size_t n_masks, const std::int32_t* of_masks,
                       std::span<const RowSpan> ruled_out,
                       std::span<Selected> selected) const override {
        const nb::gil_scoped_acquire acquire;
        const auto* spans = reinterpret_cast<const std::int32_t*>(ruled_out.data());
        auto* found = reinterpret_cast<std::int32_t*>(selected.data());
        return nb::cast<std::size_t>(
            select_(lent<const Word>(masks, n_masks, n_words_), lent(of_masks, 2, n_masks),
                    lent(spans, ruled_out.size(), 2), lent(found, selected.size(), 4)));
    }

  private:
    // An array of Python's over memory that stays ours.
    template <class T>
    static nb::object lent(T* data, std::size_t rows, std::size_t columns) {
        using Array = nb::ndarray<nb::numpy, T, nb::ndim<2>, nb::c_contig>;
        return nb::cast(Array(data, {rows, columns}, nb::handle()), nb::rv_policy::reference);
    }

    nb::object sweep_, select_;
    std::size_t n_segments_, n_words_, n_planes_;
};
static_assert(sizeof(RowSpan) == 2 * sizeof(std::int32_t) &&
              sizeof(Selected) == 4 * sizeof(std::int32_t));

Out<Count, 3> sweep(const PyBitView& self, In<Word, 2> masks, std::size_t n_threads) {
    const BitView& view = *self;
    require(masks.shape(1) == view.n_words(), "masks must have as many words as a segmented row");
    const std::size_t n_masks = masks.shape(0), n_planes = view.n_planes();
    const std::size_t piece = planes_per_piece(view.n_words(), n_masks);
    const std::size_t n_pieces = divide_up(n_planes, piece);
    auto counts = new_array<Count, 3>({view.n_segments(), n_masks, n_planes});
    const auto run_piece = [&, out = counts.data()](std::size_t i) {
        const std::size_t first = i * piece, last = std::min(n_planes, first + piece);
        SweepRoom room;
        if (n_pieces == 1) return view.sweep(masks.data(), n_masks, first, last, out, room);
        const std::size_t n = last - first;
        std::vector<Count> part(view.n_segments() * n_masks * n);
        view.sweep(masks.data(), n_masks, first, last, part.data(), room);
        for (std::size_t row = 0; row < view.n_segments() * n_masks; ++row)
            std::copy_n(part.data() + row * n, n, out + row * n_planes + first);
    };
    const nb::gil_scoped_release release;
    parallel_for(n_pieces, n_threads, run_piece);
    return counts;
}

Out<Count, 3> literal_counts(const PyBitView& self, In<Word, 2> masks) {
    const BitView& view = *self;
    require(masks.shape(1) == view.n_words(), "masks must have as many words as a segmented row");
    auto counts = new_array<Count, 3>({view.n_segments(), masks.shape(0), view.n_literals()});
    const nb::gil_scoped_release release;
    SweepRoom room;
    view.literal_counts(masks.data(), masks.shape(0), counts.data(), room);
    return counts;
}

Out<Count, 2> count(const PyBitView& self, In<Word, 2> masks) {
    const BitView& view = *self;
    require(masks.shape(1) == view.n_words(), "masks must have as many words as a segmented row");
    auto counts = new_array<Count, 2>({masks.shape(0), view.n_segments()});
    for (std::size_t m = 0; m < masks.shape(0); ++m)
        view.count(masks.data() + m * view.n_words(), counts.data() + m * view.n_segments());
    return counts;
}

Out<Word, 2> term_masks(const PyBitView& self, In<std::int64_t, 1> literal_starts,
                        In<std::int32_t, 1> literals) {
    const BitView& view = *self;
    const std::vector<LiteralIds> terms = flat_terms(literal_starts, literals, view.n_literals());
    auto masks = new_array<Word, 2>({terms.size(), view.n_words()});
    for (std::size_t t = 0; t < terms.size(); ++t)
        view.term_mask(masks.data() + t * view.n_words(), terms[t]);
    return masks;
}

Out<std::uint64_t, 2> hash_literals(const PyBitView& self) {
    const BitView& view = *self;
    auto hashes = new_array<std::uint64_t, 2>({view.n_literals(), 2});
    const nb::gil_scoped_release release;
    std::vector<Word> mask(view.n_words());
    for (std::size_t l = 0; l < view.n_literals(); ++l) {
        const auto id = static_cast<std::int32_t>(l);
        view.term_mask(mask.data(), LiteralIds(&id, 1));
        const Hash hash = hash_words(mask.data(), mask.size());
        std::copy(hash.begin(), hash.end(), hashes.data() + 2 * l);
    }
    return hashes;
}

template <void (*const Simd::*Operation)(Word*, const Word*, const Word*, std::size_t)>
Out<Word, 1> combine(In<Word, 1> a, In<Word, 1> b, std::optional<std::string> simd) {
    require(a.shape(0) == b.shape(0), "both sides must have the same number of words");
    auto out = new_array<Word, 1>({a.shape(0)});
    (chosen(simd).*Operation)(out.data(), a.data(), b.data(), a.shape(0));
    return out;
}

}  // namespace

void bind_bits(nb::module_& m) {
    using namespace nb::literals;

    nb::class_<MapGuard>(m, "MapGuard", "Lets a mapped file shrink without ending the process.")
        .def(
            "__init__",
            [](MapGuard* self, In<std::uint8_t, 1> bytes) {
                new (self) MapGuard(bytes.data(), bytes.shape(0));
            },
            "bytes"_a)
        .def_prop_ro("broken", &MapGuard::broken, "Whether bytes were read that are gone.");

    m.def(
        "simd", [] { return std::string(simd().name); },
        "Name of the instruction set in use; BAYESDNF_SIMD forces another.");
    m.def(
        "available_simd",
        [] {
            std::vector<std::string> names;
            for (const Simd* k : available_simd()) names.emplace_back(k->name);
            return names;
        },
        "Names of the instruction sets this processor can run.");

    m.def("bits_and", &combine<&Simd::and_into>, "a"_a, "b"_a, "simd"_a = nb::none());
    m.def("bits_or", &combine<&Simd::or_into>, "a"_a, "b"_a, "simd"_a = nb::none());
    m.def("bits_and_not", &combine<&Simd::and_not_into>, "a"_a, "b"_a, "simd"_a = nb::none(),
          "a AND NOT b.");
    m.def(
        "popcount",
        [](In<Word, 1> a, std::optional<std::string> simd) {
            return chosen(simd).popcount(a.data(), a.shape(0));
        },
        "a"_a, "simd"_a = nb::none());
    m.def(
        "and_popcount",
        [](In<Word, 1> a, In<Word, 1> b, std::size_t repeats, std::optional<std::string> simd) {
            require(a.shape(0) > 0 && b.shape(0) % a.shape(0) == 0,
                    "b must be a whole number of times as long as a");
            const Simd& k = chosen(simd);
            const nb::gil_scoped_release release;
            Count sum = 0;
            for (std::size_t r = 0; r < repeats; ++r)
                for (std::size_t w = 0; w < b.shape(0); w += a.shape(0))
                    sum += k.and_popcount(a.data(), b.data() + w, a.shape(0));
            return sum;
        },
        "a"_a, "b"_a, "repeats"_a = 1, "simd"_a = nb::none(),
        "Rows in a and in b, b read in pieces as long as a: the bare loop that sweeps are "
        "measured against.");

    m.def(
        "hash_rows",
        [](Planes planes, std::size_t n_rows) {
            require(words_for(n_rows) <= planes.shape(1), "n_rows is more than the planes hold");
            auto hashes = new_array<std::uint64_t, 2>({n_rows, 2});
            const nb::gil_scoped_release release;
            hash_rows(planes.data(), planes.shape(1), planes.shape(0), n_rows, hashes.data());
            return hashes;
        },
        "planes"_a, "n_rows"_a, "128 bits per row that depend on the row's bits only.");
    m.def(
        "gather_rows",
        [](Planes planes, std::size_t n_rows, In<std::int64_t, 1> sources,
           const std::vector<std::size_t>& rows_per_segment,
           const std::vector<std::size_t>& offsets, InOut<Word, 2> out) {
            require(words_for(n_rows) <= planes.shape(1), "n_rows is more than the planes hold");
            require(offsets.size() == rows_per_segment.size() + 1 &&
                        offsets.back() <= out.shape(1) && out.shape(0) == planes.shape(0),
                    "out does not have the shape that the segments ask for");
            std::size_t total = 0;
            for (std::size_t s = 0; s < rows_per_segment.size(); ++s) {
                require(fits(rows_per_segment[s], offsets[s], offsets[s + 1]),
                        "a segment's rows do not fit between its offsets");
                total = saturating_add(total, rows_per_segment[s]);
            }
            require(total == sources.shape(0), "sources must name one row per output row");
            for (std::size_t i = 0; i < total; ++i)
                require(
                    sources.data()[i] >= 0 && sources.data()[i] < static_cast<std::int64_t>(n_rows),
                    "a source row is outside the planes");
            const nb::gil_scoped_release release;
            gather_rows(planes.data(), planes.shape(1), planes.shape(0), n_rows, sources.data(),
                        rows_per_segment.data(), {offsets.data(), rows_per_segment.size()},
                        out.data(), out.shape(1));
        },
        "planes"_a, "n_rows"_a, "sources"_a, "rows_per_segment"_a, "offsets"_a,
        "out"_a.noconvert());  // a converted copy would take the rows and be thrown away
    m.def(
        "append_rows",
        [](InOut<Word, 2> out, std::size_t first, Planes planes, std::size_t n_rows) {
            require(out.shape(0) == planes.shape(0), "both must have the same planes");
            require(words_for(n_rows) <= planes.shape(1) &&
                        words_for(saturating_add(first, n_rows)) <= out.shape(1),
                    "the rows do not fit");
            const nb::gil_scoped_release release;
            for (std::size_t j = 0; j < planes.shape(0); ++j)
                append_bits(out.data() + j * out.shape(1), first,
                            planes.data() + j * planes.shape(1), n_rows);
        },
        "out"_a.noconvert(), "first"_a, "planes"_a, "n_rows"_a);

    nb::class_<PyBitView>(m, "BitView", "Planes, literal table, segments and weights as one view.")
        .def(nb::new_(&make_view), "planes"_a, "rows_per_segment"_a, "offsets"_a,
             "weights"_a.none(), "plane"_a, "complement"_a, "valid"_a, "simd"_a = nb::none())
        .def_prop_ro("n_words", [](const PyBitView& v) { return v->n_words(); })
        .def_prop_ro("n_literals", [](const PyBitView& v) { return v->n_literals(); })
        .def_prop_ro(
            "totals", [](const PyBitView& v) { return v->totals(); }, "Weighted rows per segment.")
        .def_prop_ro("simd", [](const PyBitView& v) { return std::string(v->simd().name); })
        .def(
            "all_rows",
            [](const PyBitView& v) {
                auto mask = new_array<Word, 1>({v->n_words()});
                std::copy_n(v->all_rows().data(), v->n_words(), mask.data());
                return mask;
            },
            "The mask with every row in it.")
        .def("sweep", &sweep, "masks"_a, "n_threads"_a = 1, "counts[segment, mask, plane].")
        .def(
            "use",
            [](PyBitView& v, std::optional<nb::object> device) {
                v->use(device ? std::make_shared<CalledPlanes>(*device, *v) : nullptr);
            },
            "device"_a.none(),
            "Let a device's sweep(masks, counts) fill counts[segment, mask, plane] and its "
            "select(masks, of_masks, ruled_out, selected) fill selected[:, mask literal first "
            "second] and return how many there are, in place of the processor, or None: the "
            "processor again. Not while anything uses the view.")
        .def(
            "select",
            [](const PyBitView& self, In<Word, 2> masks, In<std::int32_t, 2> ruled_out) {
                const BitView& view = *self;
                require(view.selects(), "only a device selects, of two segments without weights");
                require(masks.shape(1) == view.n_words() && ruled_out.shape(1) == 2 &&
                            static_cast<Count>(ruled_out.shape(0)) > view.totals()[0],
                        "masks or spans do not have the shape of the rows");
                std::vector<Selected> selected;
                const std::span<const RowSpan> spans(
                    reinterpret_cast<const RowSpan*>(ruled_out.data()), ruled_out.shape(0));
                {
                    const nb::gil_scoped_release release;
                    require(view.select(masks.data(), masks.shape(0), spans, selected),
                            "too many literals are selected");
                }
                auto out = new_array<std::int32_t, 2>({selected.size(), 4});
                std::copy_n(reinterpret_cast<const std::int32_t*>(selected.data()),
                            4 * selected.size(), out.data());
                return out;
            },
            "masks"_a, "ruled_out"_a,
            "selected[:, mask literal first second] by the device, save for rows of the second "
            "segment from ruled_out[first, 0] to ruled_out[first, 1].")
        .def("literal_counts", &literal_counts, "masks"_a, "counts[segment, mask, literal].")
        .def("count", &count, "masks"_a, "counts[mask, segment].")
        .def("term_masks", &term_masks, "literal_starts"_a, "literals"_a)
        .def("hash_literals", &hash_literals, "128 bits per literal: equal columns, equal bits.");
}

}  // namespace bayesdnf::bindings
