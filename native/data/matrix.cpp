#include "data/matrix.hpp"

#include <algorithm>

namespace bayesdnf {

BitView::BitView(const Word* planes, std::size_t stride, std::size_t n_planes,
                 std::vector<std::size_t> offsets, std::vector<std::size_t> rows_per_segment,
                 const Word* weights, std::size_t n_weights, std::vector<LiteralSource> literals,
                 const Simd& simd)
    : planes_(planes),
      stride_(stride),
      n_planes_(n_planes),
      offsets_(std::move(offsets)),
      weights_(weights),
      n_weights_(n_weights),
      literals_(std::move(literals)),
      plain_(literals_.size() == n_planes),
      simd_(simd),
      all_rows_(offsets_.back()),
      totals_(offsets_.size() - 1) {
    for (std::size_t l = 0; plain_ && l < literals_.size(); ++l)
        plain_ = literals_[l].plane == static_cast<std::int32_t>(l) && literals_[l].valid < 0 &&
                 !literals_[l].complement;
    for (std::size_t s = 0; s + 1 < offsets_.size(); ++s)
        fill_ones(all_rows_.data() + offsets_[s], rows_per_segment[s],
                  offsets_[s + 1] - offsets_[s]);
    count(all_rows_.data(), totals_.data());
    if (!plain_) find_runs();
    if (is_short()) lay_by_word();
}

void BitView::lay_by_word() {
    std::vector<Word> words(n_words() * n_planes_);
    for (std::size_t j = 0; j < n_planes_; ++j)
        for (std::size_t w = 0; w < n_words(); ++w)
            words[w * n_planes_ + j] = planes_[j * stride_ + w];
    by_word_ = std::make_shared<const std::vector<Word>>(std::move(words));
}

void BitView::find_runs() {
    const auto is = [&](std::size_t l, std::size_t plane, bool complement) {
        return l < literals_.size() && literals_[l].valid < 0 &&
               literals_[l].plane == static_cast<std::int32_t>(plane) &&
               literals_[l].complement == complement;
    };
    for (std::size_t l = 0; l < literals_.size();) {
        const std::size_t plane = as_index(literals_[l].plane);
        std::size_t n = 0;
        while (is(l + 2 * n, plane + n, false) && is(l + 2 * n + 1, plane + n, true)) ++n;
        runs_.push_back({l, plane, n});
        l += std::max<std::size_t>(2 * n, 1);
    }
}

BitView BitView::over(const Word* planes, std::size_t n_planes) const {
    BitView other = *this;
    other.device_ = nullptr;
    other.planes_ = planes;
    other.n_planes_ = n_planes;
    other.literals_.clear();
    for (std::size_t l = 0; l < n_planes; ++l)
        other.literals_.push_back({static_cast<std::int32_t>(l), -1, false});
    other.plain_ = true;
    other.runs_.clear();
    other.by_word_.reset();
    return other;
}

BitView BitView::weighted(const Word* weights, std::size_t n_weights,
                          std::size_t n_segments) const {
    BitView other = *this;
    other.device_ = nullptr;
    other.weights_ = weights;
    other.n_weights_ = n_weights;
    other.offsets_.resize(n_segments + 1);
    other.all_rows_.resize(other.n_words());
    other.totals_.resize(n_segments);
    other.count(other.all_rows_.data(), other.totals_.data());
    return other;
}

void BitView::and_literal(Word* mask, std::int32_t literal) const {
    const LiteralSource& source = literals_[as_index(literal)];
    const Word* plane = planes_ + as_index(source.plane) * stride_;
    if (!source.complement) {
        simd_.and_into(mask, mask, plane, n_words());
        return;
    }
    simd_.and_not_into(mask, mask, plane, n_words());
    if (source.valid >= 0)
        simd_.and_into(mask, mask, planes_ + as_index(source.valid) * stride_, n_words());
}

void BitView::term_mask(Word* mask, LiteralIds term) const {
    std::copy(all_rows_.begin(), all_rows_.end(), mask);
    for (const std::int32_t literal : term) and_literal(mask, literal);
}

LiteralRows BitView::rows_of(std::int32_t literal) const {
    const LiteralSource& source = literals_[as_index(literal)];
    const Word* known =
        source.valid < 0 ? all_rows_.data() : planes_ + as_index(source.valid) * stride_;
    return {planes_ + as_index(source.plane) * stride_, known, source.complement ? ~Word{0} : 0};
}

Count BitView::shared_rows(const Word* mask, std::int32_t literal) const {
    const LiteralSource& source = literals_[as_index(literal)];
    const LiteralRows rows = rows_of(literal);
    const Count held = simd_.and_popcount(mask, rows.plane, n_words());
    if (!source.complement) return held;
    // Where it is missing, neither the plane nor its complement holds.
    return (source.valid < 0 ? simd_.popcount(mask, n_words())
                             : simd_.and_popcount(mask, rows.known, n_words())) -
           held;
}

void BitView::count(const Word* mask, Count* counts) const {
    for (std::size_t s = 0; s < n_segments(); ++s) {
        const std::size_t first = offsets_[s];
        const std::size_t n = offsets_[s + 1] - first;
        counts[s] = n_weights_ == 0 ? simd_.popcount(mask + first, n) : 0;
        for (std::size_t b = 0; b < n_weights_; ++b)
            counts[s] += simd_.and_popcount(mask + first, weights_ + b * stride_ + first, n) << b;
    }
}

Count BitView::count_all(const Word* mask) const {
    std::vector<Count> counts(n_segments());
    count(mask, counts.data());
    Count sum = 0;
    for (const Count c : counts) sum += c;
    return sum;
}

void BitView::sweep_rows(const Word* masks, std::size_t n_masks, std::size_t first,
                         std::size_t last, Count* counts,
                         std::vector<std::int32_t>& from_device) const {
    const std::size_t n = last - first;
    const Segments segments{offsets_.data(), n_segments()};
    if (device_ != nullptr && n == n_planes_) {
        from_device.resize(n_segments() * n_masks * n);
        device_->sweep(masks, n_masks, from_device.data());
        std::copy(from_device.begin(), from_device.end(), counts);
    } else if (by_word_ != nullptr) {
        simd_.sweep_by_word(masks, n_words(), n_masks, by_word_->data() + first, n_planes_, n,
                            segments, counts, n);
    } else {
        simd_.sweep(masks, n_words(), n_masks, planes_ + first * stride_, stride_, n, segments,
                    counts, n);
    }
}

void BitView::sweep(const Word* masks, std::size_t n_masks, std::size_t first, std::size_t last,
                    Count* counts, SweepRoom& room) const {
    if (n_weights_ == 0) return sweep_rows(masks, n_masks, first, last, counts, room.from_device);
    const std::size_t n = last - first;
    // A weight's binary digit b is one more mask, worth 2^b: the inner loops never hear of weights.
    room.weighted.resize(n_weights_ * n_words());
    room.of_digits.resize(n_segments() * n_weights_ * n);
    for (std::size_t m = 0; m < n_masks; ++m) {
        for (std::size_t b = 0; b < n_weights_; ++b)
            simd_.and_into(room.weighted.data() + b * n_words(), masks + m * n_words(),
                           weights_ + b * stride_, n_words());
        sweep_rows(room.weighted.data(), n_weights_, first, last, room.of_digits.data(),
                   room.from_device);
        for (std::size_t s = 0; s < n_segments(); ++s) {
            Count* out = counts + (s * n_masks + m) * n;
            std::fill(out, out + n, Count{0});
            for (std::size_t b = 0; b < n_weights_; ++b) {
                const Count* digits = room.of_digits.data() + (s * n_weights_ + b) * n;
                for (std::size_t j = 0; j < n; ++j) out[j] += digits[j] << b;
            }
        }
    }
}

bool BitView::select(const Word* masks, std::size_t n_masks, std::span<const RowSpan> ruled_out,
                     std::vector<Selected>& selected) const {
    constexpr std::size_t kRoom = std::size_t{1} << 17;  // 2 MiB
    std::vector<std::int32_t> of_masks(2 * n_masks);
    for (std::size_t m = 0; m < n_masks; ++m) {
        Count rows[2];
        count(masks + m * n_words(), rows);
        for (std::size_t s = 0; s < 2; ++s)
            of_masks[s * n_masks + m] = static_cast<std::int32_t>(rows[s]);
    }
    selected.resize(kRoom);
    const std::size_t n = device_->select(masks, n_masks, of_masks.data(), ruled_out, selected);
    selected.resize(std::min(n, kRoom));
    std::sort(selected.begin(), selected.end(), [](const Selected& a, const Selected& b) {
        return a.mask != b.mask ? a.mask < b.mask : a.literal < b.literal;
    });
    return n <= kRoom;
}

void BitView::literal_counts(const Word* masks, std::size_t n_masks, Count* counts,
                             SweepRoom& room) const {
    if (plain_) {
        sweep(masks, n_masks, 0, n_planes_, counts, room);
        return;
    }
    room.by_plane.resize(n_segments() * n_masks * n_planes_);
    room.of_mask.resize(n_segments());
    sweep(masks, n_masks, 0, n_planes_, room.by_plane.data(), room);
    for (std::size_t m = 0; m < n_masks; ++m) {
        count(masks + m * n_words(), room.of_mask.data());
        for (std::size_t s = 0; s < n_segments(); ++s) {
            const Count* plane = room.by_plane.data() + (s * n_masks + m) * n_planes_;
            Count* out = counts + (s * n_masks + m) * n_literals();
            const Count all = room.of_mask[s];
            for (const Run& run : runs_) {
                // Names of their own, which no store can change: the loop becomes vector code.
                const Count* const held = plane + run.plane;
                Count* const pairs = out + run.literal;
                const std::size_t n = run.n_pairs;
                for (std::size_t i = 0; i < n; ++i) {
                    pairs[2 * i] = held[i];
                    pairs[2 * i + 1] = all - held[i];
                }
                if (run.n_pairs > 0) continue;
                const LiteralSource& source = literals_[run.literal];
                // A complement has no plane: its count is what is known less what the plane marks,
                // since a missing value satisfies neither a literal nor its negation.
                const Count known = source.valid < 0 ? all : plane[source.valid];
                *pairs = source.complement ? known - plane[source.plane] : plane[source.plane];
            }
        }
    }
}

}  // namespace bayesdnf
