// A view of the packed table: planes, the literal table over them, segments and row weights.
//
// A literal is a plane or its complement; a complement is false where the value is missing, which
// is what the validity plane says. Nothing here owns the planes: they are numpy arrays.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "data/bits.hpp"
#include "data/term.hpp"

namespace bayesdnf {

struct LiteralSource {
    std::int32_t plane;
    std::int32_t valid;  // plane that says where the value is known, or -1: known everywhere
    bool complement;
};

// The rows of a literal, read word by word; not owned.
struct LiteralRows {
    const Word *plane, *known;
    Word flipped;  // all ones for a complement
    Word operator[](std::size_t w) const { return (plane[w] ^ flipped) & known[w]; }
};

// Room for sweeps of one thread, kept between calls: they are the innermost loops, and their caller
// is the only one who knows on which thread it runs.
struct SweepRoom {
    std::vector<Count> by_plane, of_mask, of_digits;
    std::vector<Word> weighted;
    std::vector<std::int32_t> from_device;
};

// Numbers of rows, both ends included; none where `fewest` is more than `most`.
struct RowSpan {
    std::int32_t fewest, most;
};

// A literal, and the rows that it shares with a mask: of the first segment, and of the second.
struct Selected {
    std::int32_t mask, literal, first, second;
};

// Planes that lie in the memory of another device too, a GPU, which sweeps them in our place. Calls
// come from any thread.
class DevicePlanes {
  public:
    virtual ~DevicePlanes() = default;
    // counts[segment][mask][plane] of all planes; masks are n_words() apart.
    virtual void sweep(const Word* masks, std::size_t n_masks, std::int32_t* counts) const = 0;
    // See BitView::select. of_masks[segment][mask]: rows of the masks. Returns how many were
    // selected, in any order; those for which there is no room are lost.
    virtual std::size_t select(const Word* masks, std::size_t n_masks, const std::int32_t* of_masks,
                               std::span<const RowSpan> ruled_out,
                               std::span<Selected> selected) const = 0;
};

class BitView {
  public:
    // weights: n_weights planes laid out like `planes`; the weight of a row is the number whose
    // binary digits they hold, lowest first. n_weights = 0: every row counts once.
    BitView(const Word* planes, std::size_t stride, std::size_t n_planes,
            std::vector<std::size_t> offsets, std::vector<std::size_t> rows_per_segment,
            const Word* weights, std::size_t n_weights, std::vector<LiteralSource> literals,
            const Simd& simd);

    // The same rows and weights over other planes, each a literal; stride() apart, not owned.
    BitView over(const Word* planes, std::size_t n_planes) const;
    // The rows of the first segments with other weights, as binary digits; stride() apart, not
    // owned.
    BitView weighted(const Word* weights, std::size_t n_weights, std::size_t n_segments) const;

    std::size_t stride() const { return stride_; }
    std::size_t n_words() const { return offsets_.back(); }
    std::size_t n_segments() const { return offsets_.size() - 1; }
    // Where segments begin, in words, and their end.
    const std::vector<std::size_t>& offsets() const { return offsets_; }
    std::size_t n_planes() const { return n_planes_; }
    std::size_t n_literals() const { return literals_.size(); }
    const std::vector<Word>& all_rows() const { return all_rows_; }
    const std::vector<Count>& totals() const { return totals_; }
    const Simd& simd() const { return simd_; }

    void and_literal(Word* mask, std::int32_t literal) const;
    void term_mask(Word* mask, LiteralIds term) const;
    LiteralRows rows_of(std::int32_t literal) const;
    // Rows of the mask on which a literal holds, whatever their weights.
    Count shared_rows(const Word* mask, std::int32_t literal) const;

    // counts[segment]: weighted rows of the mask.
    void count(const Word* mask, Count* counts) const;
    Count count_all(const Word* mask) const;

    // counts[segment][mask][plane - first] for planes [first, last); masks are n_words() apart.
    void sweep(const Word* masks, std::size_t n_masks, std::size_t first, std::size_t last,
               Count* counts, SweepRoom& room) const;

    // Sweeps of all planes go to this device from now on, or to the processor again (nullptr).
    // Views made of this one do without it. Not while anything uses the view.
    void use(std::shared_ptr<const DevicePlanes> device) { device_ = std::move(device); }

    // Whether a device can select literals by their counts: of two segments, without weights.
    bool selects() const { return device_ != nullptr && n_weights_ == 0 && n_segments() == 2; }
    // The literals that share rows with each mask, by mask and number, save for those whose rows of
    // the second segment are in ruled_out[rows of the first]. A device tells of few where a sweep
    // would bring the counts of all. False: there are too many; sweep.
    bool select(const Word* masks, std::size_t n_masks, std::span<const RowSpan> ruled_out,
                std::vector<Selected>& selected) const;

    // counts[segment][mask][literal]: every one-literal extension of every mask, from one sweep.
    // A complement comes by subtraction from the rows whose value is known.
    void literal_counts(const Word* masks, std::size_t n_masks, Count* counts,
                        SweepRoom& room) const;

  private:
    // A sweep that knows no weights, by whoever does it.
    void sweep_rows(const Word* masks, std::size_t n_masks, std::size_t first, std::size_t last,
                    Count* counts, std::vector<std::int32_t>& from_device) const;
    // Literals one after the other that come of planes one after the other: of each plane the
    // literal and its complement, known everywhere. Or one literal of any kind.
    struct Run {
        std::size_t literal, plane, n_pairs;
    };

    // Whether segments are so short that sweeps are faster over planes that lie word by word, and
    // the planes so few that a second copy of them (8 MiB) costs little.
    bool is_short() const {
        return n_words() > 0 && n_words() <= 64 * n_segments() &&
               n_words() * n_planes_ <= std::size_t{1} << 20;
    }
    void lay_by_word();
    void find_runs();

    const Word* planes_;
    std::size_t stride_, n_planes_;
    std::vector<std::size_t> offsets_;
    const Word* weights_;
    std::size_t n_weights_;
    std::vector<LiteralSource> literals_;
    bool plain_;  // the literals are the planes, in their order
    std::vector<Run> runs_;
    std::shared_ptr<const std::vector<Word>> by_word_;  // none where segments are long
    const Simd& simd_;
    std::vector<Word> all_rows_;
    std::vector<Count> totals_;
    std::shared_ptr<const DevicePlanes> device_;
};

}  // namespace bayesdnf
