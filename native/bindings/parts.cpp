// Parts of many lists on the rows of one table, and what adds up over them.
#include "model/parts.hpp"

#include <algorithm>

#include "bindings/keeping.hpp"

namespace bayesdnf::bindings {
namespace {

// Calls visit(f, parts) for every list in turn.
template <class Visit>
void for_each_list(const BitView& view, const Functions& lists, const Visit& visit) {
    Parts parts;
    std::vector<Word> room;
    std::vector<const Word*> masks;
    for (std::size_t f = 0; f < lists.size(); ++f) {
        const std::span<const LiteralIds> terms = lists[f];
        room.resize(terms.size() * view.n_words());
        masks.clear();
        for (std::size_t t = 0; t < terms.size(); ++t) {
            Word* mask = room.data() + t * view.n_words();
            view.term_mask(mask, terms[t]);
            masks.push_back(mask);
        }
        parts.assign(view, masks, lists.layers(f), Parts::Covers::left_out);
        visit(f, parts);
    }
}

// Layers that a list may have so that its parts are among n_parts.
void require_parts(const Functions& lists, std::size_t n_parts) {
    require(n_parts > 0, "there is at least one part");
    for (std::size_t f = 0; f < lists.size(); ++f)
        for (const std::int32_t g : lists.layers(f))
            require(as_index(g) < n_parts, "a list has more parts than there is room for");
}

template <class Add>
void for_each_row(const Word* rows, std::size_t first, std::size_t last, const Add& add) {
    for (std::size_t w = first; w < last; ++w)
        for (Word left = rows[w]; left != 0; left &= left - 1)
            add(w * kWordBits + lowest_bit(left));
}

Out<std::uint8_t, 2> part_of_rows(const PyBitView& self, In<std::int64_t, 1> term_starts,
                                  In<std::int64_t, 1> literal_starts, In<std::int32_t, 1> literals,
                                  In<std::int32_t, 1> layers) {
    const BitView& view = *self;
    const Functions lists(term_starts, literal_starts, literals, layers, view.n_literals());
    require_parts(lists, 256);
    const std::size_t n_places = view.n_words() * kWordBits;
    auto found = new_array<std::uint8_t, 2>({lists.size(), n_places});
    const nb::gil_scoped_release release;
    std::fill_n(found.data(), lists.size() * n_places, std::uint8_t{0});
    for_each_list(view, lists, [&, out = found.data()](std::size_t f, const Parts& parts) {
        std::uint8_t* own = out + f * n_places;
        for (std::size_t h = 1; h <= parts.n_layers(); ++h)
            for_each_row(parts.rows(h), 0, view.n_words(),
                         [=](std::size_t row) { own[row] = static_cast<std::uint8_t>(h); });
    });
    return found;
}

Out<Count, 3> part_counts(const PyBitView& self, In<std::int64_t, 1> term_starts,
                          In<std::int64_t, 1> literal_starts, In<std::int32_t, 1> literals,
                          In<std::int32_t, 1> layers, std::size_t n_parts) {
    const BitView& view = *self;
    const Functions lists(term_starts, literal_starts, literals, layers, view.n_literals());
    require_parts(lists, n_parts);
    const std::size_t n_segments = view.n_segments();
    auto counts = new_array<Count, 3>({lists.size(), n_segments, n_parts});
    const nb::gil_scoped_release release;
    std::fill_n(counts.data(), lists.size() * n_segments * n_parts, Count{0});
    for_each_list(view, lists, [&, out = counts.data()](std::size_t f, const Parts& parts) {
        for (std::size_t h = 0; h <= parts.n_layers(); ++h)
            for (std::size_t s = 0; s < n_segments; ++s)
                out[(f * n_segments + s) * n_parts + h] = parts.count(h)[s];
    });
    return counts;
}

// Sums are taken list by list, so that they are the same bits everywhere.
Out<double, 1> part_sums(const PyBitView& self, In<std::int64_t, 1> term_starts,
                         In<std::int64_t, 1> literal_starts, In<std::int32_t, 1> literals,
                         In<std::int32_t, 1> layers, In<double, 3> values) {
    const BitView& view = *self;
    const Functions lists(term_starts, literal_starts, literals, layers, view.n_literals());
    const std::size_t n_segments = view.n_segments(), n_parts = values.shape(2);
    require(values.shape(0) == lists.size() && values.shape(1) == n_segments,
            "values are needed for each list and segment");
    require_parts(lists, n_parts);
    auto sums = new_array<double, 1>({view.n_words() * kWordBits});
    const nb::gil_scoped_release release;
    const std::vector<std::size_t>& offsets = view.offsets();
    std::vector<double> lowest(n_segments, 0.0);
    double* out = sums.data();
    std::fill_n(out, view.n_words() * kWordBits, 0.0);
    for_each_list(view, lists, [&](std::size_t f, const Parts& parts) {
        for (std::size_t s = 0; s < n_segments; ++s) {
            const double* own = values.data() + (f * n_segments + s) * n_parts;
            lowest[s] += own[0];
            for (std::size_t h = 1; h <= parts.n_layers(); ++h) {
                const double above = own[h] - own[0];
                for_each_row(parts.rows(h), offsets[s], offsets[s + 1],
                             [=](std::size_t row) { out[row] += above; });
            }
        }
    });
    for (std::size_t s = 0; s < n_segments; ++s)
        for (std::size_t i = offsets[s] * kWordBits; i < offsets[s + 1] * kWordBits; ++i)
            out[i] += lowest[s];
    return sums;
}

}  // namespace

void bind_parts(nb::module_& m) {
    using namespace nb::literals;

    m.def("part_of_rows", &part_of_rows, "view"_a, "term_starts"_a, "literal_starts"_a,
          "literals"_a, "layers"_a,
          "part[list, place]: of each row the highest layer that holds, 0 where none does; rows "
          "have the places of their bits.");
    m.def("part_counts", &part_counts, "view"_a, "term_starts"_a, "literal_starts"_a, "literals"_a,
          "layers"_a, "n_parts"_a, "counts[list, segment, part]: weighted rows.");
    m.def("part_sums", &part_sums, "view"_a, "term_starts"_a, "literal_starts"_a, "literals"_a,
          "layers"_a, "values"_a,
          "sums[place]: over lists, of values[list, segment, part] of the row's part.");
}

}  // namespace bayesdnf::bindings
