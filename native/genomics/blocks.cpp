#include "genomics/blocks.hpp"

namespace bayesdnf {

CaseSplit::CaseSplit(std::span<const Word> segments, std::size_t n_words) : n_words_(n_words) {
    for (std::size_t at = 0; at < segments.size(); at += n_words)
        pick_.emplace_back(segments.subspan(at, n_words));
}

void CaseSplit::split(const Word* variants, std::size_t n, std::size_t level, std::size_t segment,
                      std::vector<Word>& out) const {
    const std::size_t stride = words_for(rows(segment));
    out.resize(n * stride);
    if (n == 0) return;  // there may be no variants to point at
    pick_[segment].pick(variants + level * n_words_, kPlanesPerVariant * n_words_, n, out.data(),
                        stride);
}

void LaneBlock::fill(const CaseSplit& split, const Word* variants, std::size_t n, bool known) {
    n_ = n;
    known_ = known;
    lanes_.resize(split.n_segments());
    for (std::size_t s = 0; s < split.n_segments(); ++s)
        for (std::size_t level = known ? kKnown : kCarrier; level < kLevels; ++level) {
            split.split(variants, n, level, s, words_);
            lanes_[s][level].resize(split.n_quads(s) * kLanes);
            pair_loops().lanes(words_.data(), words_for(split.rows(s)), n, split.rows(s),
                               lanes_[s][level].data());
        }
}

}  // namespace bayesdnf
