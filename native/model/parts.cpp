#include "model/parts.hpp"

#include <algorithm>
#include <numeric>

#include "faults.hpp"

namespace bayesdnf {

void Parts::assign(const BitView& view, std::span<const Word* const> masks, Layers layers,
                   Covers covers) {
    const Simd& simd = view.simd();
    n_words_ = view.n_words();
    n_segments_ = view.n_segments();
    n_layers_ = 0;
    for (const std::int32_t g : layers) n_layers_ = std::max(n_layers_, as_index(g));
    rows_.assign((n_layers_ + 1) * n_words_, 0);
    counts_.resize((n_layers_ + 1) * n_segments_);
    above_.assign(n_words_, 0);
    own_.resize(n_words_);
    covers_.assign(masks.size(), 0);
    // From the highest layer down, each takes what holds of its terms and no higher one has taken.
    for (std::size_t g = n_layers_; g > 0; --g) {
        Word* part = rows_.data() + g * n_words_;
        for (std::size_t i = 0; i < masks.size(); ++i) {
            if (as_index(layers[i]) != g) continue;
            simd.or_into(part, part, masks[i], n_words_);
            if (covers == Covers::left_out) continue;
            if (planted(Fault::cover_beside_nothing))
                std::copy_n(masks[i], n_words_, own_.begin());
            else
                simd.and_not_into(own_.data(), masks[i], above_.data(), n_words_);
            covers_[i] = view.count_all(own_.data());
        }
        if (planted(Fault::rows_counted_twice)) {
            view.count(part, counts_.data() + g * n_segments_);
            simd.or_into(above_.data(), above_.data(), part, n_words_);
            continue;
        }
        simd.and_not_into(part, part, above_.data(), n_words_);
        simd.or_into(above_.data(), above_.data(), part, n_words_);
        view.count(part, counts_.data() + g * n_segments_);
    }
    simd.and_not_into(rows_.data(), view.all_rows().data(), above_.data(), n_words_);
    view.count(rows_.data(), counts_.data());
}

Count Parts::lowest() const {
    const auto end = counts_.begin() + static_cast<std::ptrdiff_t>(n_segments_);
    return std::accumulate(counts_.begin(), end, Count{0});
}

}  // namespace bayesdnf
