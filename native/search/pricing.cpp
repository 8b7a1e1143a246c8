#include "search/pricing.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <optional>

namespace bayesdnf {
namespace {

// The sums of positive and of negative prices over rows, by sweeps: a price is a row weight, whose
// binary digits are planes. Where only positive rows have prices, and none below 0, that is a
// quarter of the work.
class PriceSums {
  public:
    PriceSums(const BitView& view, const std::vector<std::int64_t>& prices) : view_(view) {
        const std::size_t n_words = view.n_words();
        masks_.resize(2 * n_words);
        plus_.resize(n_words);
        minus_.resize(n_words);
        std::uint64_t largest = 1;
        for (const std::int64_t p : prices) largest = std::max(largest, size_of(p));
        const auto n_digits = as_index(std::bit_width(largest));
        digits_.resize(n_digits * view.stride());
        for (std::size_t i = 0; i < prices.size(); ++i) {
            const std::size_t word = i / kWordBits;
            const Word bit = Word{1} << (i % kWordBits);
            if (prices[i] == 0 || !(view.all_rows()[word] & bit)) continue;
            (prices[i] > 0 ? plus_ : minus_)[word] |= bit;
            if (prices[i] < 0) n_masks_ = 2;
            if (word >= view.offsets()[1]) n_segments_ = view.n_segments();
            for (std::size_t d = 0; d < n_digits; ++d)
                if (size_of(prices[i]) >> d & 1) digits_[d * view.stride() + word] |= bit;
        }
        priced_.emplace(view.weighted(digits_.data(), n_digits, n_segments_));
        counts_.resize(n_segments_ * 2 * view.n_literals());
    }

    // gains[l], losses[l]: sums over the rows of the mask where literal l holds.
    void sums(const Word* mask, std::int64_t* gains, std::int64_t* losses) {
        const std::size_t n = priced_->n_words(), p = view_.n_literals();
        view_.simd().and_into(masks_.data(), mask, plus_.data(), n);
        if (n_masks_ == 2) view_.simd().and_into(masks_.data() + n, mask, minus_.data(), n);
        priced_->literal_counts(masks_.data(), n_masks_, counts_.data(), room_);
        std::fill(gains, gains + p, 0);
        std::fill(losses, losses + p, 0);
        for (std::size_t s = 0; s < n_segments_; ++s)
            for (std::size_t l = 0; l < p; ++l) {
                gains[l] += counts_[s * n_masks_ * p + l];
                if (n_masks_ == 2) losses[l] += counts_[(s * n_masks_ + 1) * p + l];
            }
    }
    // The sum of the negative prices, as a number that is not negative.
    std::int64_t loss(const Word* mask) {
        if (n_masks_ == 1) return 0;
        view_.simd().and_into(masks_.data(), mask, minus_.data(), priced_->n_words());
        return priced_->count_all(masks_.data());
    }

  private:
    static std::uint64_t size_of(std::int64_t price) {
        return static_cast<std::uint64_t>(price < 0 ? -price : price);
    }

    const BitView& view_;
    std::size_t n_masks_ = 1, n_segments_ = 1;
    std::vector<Word> plus_, minus_, digits_, masks_;
    std::optional<BitView> priced_;
    std::vector<Count> counts_;
    SweepRoom room_;
};

class PricingWalk {
  public:
    PricingWalk(const Posterior& posterior, const TermSpace& space, const PricingWish& wish,
                const Stop& stop)
        : view_(posterior.view()),
          support_(posterior.support()),
          space_(space),
          wish_(wish),
          stop_(stop),
          floor_(wish.floor),
          sums_(view_, wish.prices),
          mask_(view_.n_words()),
          counts_(2 * view_.n_literals()),
          gains_(view_.n_literals()),
          losses_(view_.n_literals()),
          may_(view_.n_literals()) {
        found_.ceiling = std::numeric_limits<std::int64_t>::min();
        // Of some rows a term may mark none and mark enough of the others.
        if (wish.rows.empty()) least_ = support_.rules().min_cover;
        while (longest_ + 1 < wish.sizes.size()) ++longest_;
        while (longest_ > 0 && wish.sizes[longest_] == kNoSize) --longest_;
        for (const std::int32_t l : space.literals)
            if (wish.literals[as_index(l)] != 0) weighted_ = true;
    }

    PricedTerms run() {
        if (longest_ > 0) {
            Count totals[2];
            view_.count(wish_.rows.empty() ? view_.all_rows().data() : wish_.rows.data(), totals);
            visit(space_.literals, 0, totals[0], totals[1]);
        }
        found_.complete = !halted_;
        for (const std::int64_t worth : found_.worth)
            found_.ceiling = std::max(found_.ceiling, worth);
        if (found_.terms.size() < wish_.most || wish_.every)
            found_.ceiling = std::max(found_.ceiling, wish_.floor - 1);
        return std::move(found_);
    }

  private:
    struct Branch {
        std::int32_t literal;
        Count positive, negative;
        std::int64_t gain, loss;  // positive and negative prices of the rows marked with it
        std::int64_t hope;        // no longer term that holds it is worth more
    };

    // term_ is the term at hand, `pool` what may be added; `weight` is what its literals are worth.
    void visit(std::span<const std::int32_t> pool, std::int64_t weight, Count positive,
               Count negative) {
        ++found_.nodes;
        view_.term_mask(mask_.data(), term_);
        if (!wish_.rows.empty())
            view_.simd().and_into(mask_.data(), mask_.data(), wish_.rows.data(), mask_.size());
        view_.literal_counts(mask_.data(), 1, counts_.data(), room_);
        sums_.sums(mask_.data(), gains_.data(), losses_.data());
        const std::int64_t loss = sums_.loss(mask_.data()) + wish_.negative_cost * negative;
        support_.addable(term_, {}, may_.data());
        const std::size_t p = view_.n_literals();
        for (const std::int32_t l : pool)
            losses_[as_index(l)] += wish_.negative_cost * counts_[p + as_index(l)];
        const bool drop_idle = !term_.empty() && space_.shorter_is_better;
        std::vector<Branch> open;
        for (const std::int32_t l : pool) {
            const std::size_t at = as_index(l);
            const Count a = counts_[at], b = counts_[p + at];
            if (!may_[at] || a + b < least_) continue;
            if (drop_idle && b == negative && (a == positive || space_.more_positives) &&
                wish_.literals[at] <= 0)
                continue;
            open.push_back({l, a, b, gains_[at], losses_[at], 0});
        }
        const std::size_t k = term_.size() + 1;
        for (const Branch& b : open) consider(b, k, weight);
        if (k >= longest_) return;
        while (filter(open, k, weight, loss, negative)) {
        }
        std::sort(open.begin(), open.end(), [](const Branch& x, const Branch& y) {
            return x.gain != y.gain ? x.gain > y.gain : x.literal < y.literal;
        });
        // A branch goes on with the literals of the branches before it: every set is met once, and
        // those that keep few positives, whose hopes sink soonest, have most of the work.
        std::vector<std::int32_t> rest;
        for (std::size_t i = 0; i < open.size(); ++i) {
            const Branch& b = open[i];
            if (b.hope < floor_) continue;  // the floor has risen
            if (i > 0 && !halted()) {
                term_.insert(std::upper_bound(term_.begin(), term_.end(), b.literal), b.literal);
                visit(rest, weight + wish_.literals[as_index(b.literal)], b.positive, b.negative);
                term_.erase(std::find(term_.begin(), term_.end(), b.literal));
            } else if (i > 0) {
                found_.ceiling = std::max(found_.ceiling, b.hope);
            }
            rest.push_back(b.literal);
        }
    }

    bool halted() {
        if (!halted_ && (found_.nodes >= wish_.max_nodes || stop_())) halted_ = true;
        return halted_;
    }

    void consider(const Branch& b, std::size_t k, std::int64_t weight) {
        if (wish_.sizes[k] == kNoSize || b.positive > wish_.most_positive ||
            b.negative > wish_.most_negative)
            return;
        const std::int64_t worth =
            wish_.sizes[k] + weight + wish_.literals[as_index(b.literal)] + b.gain - b.loss;
        if (worth < floor_ || wish_.most == 0) return;
        if (found_.terms.size() == wish_.most) {
            found_.ceiling = std::max(found_.ceiling, worth);
            if (wish_.every) {
                halted_ = true;
                return;
            }
            const auto least = std::min_element(found_.worth.begin(), found_.worth.end());
            const auto place = least - found_.worth.begin();
            found_.terms[as_index(place)] = with(term_, b.literal);
            *least = worth;
        } else {
            found_.terms.push_back(with(term_, b.literal));
            found_.worth.push_back(worth);
        }
        if (!wish_.every && found_.terms.size() == wish_.most)
            floor_ = *std::min_element(found_.worth.begin(), found_.worth.end()) + 1;
    }

    // Work out what can still come of each branch; drop those that cannot reach the floor. Their
    // literals leave the pool of the others, whose hopes then sink.
    bool filter(std::vector<Branch>& open, std::size_t k, std::int64_t weight, std::int64_t loss,
                Count negative) {
        if (open.empty()) return false;
        const auto sums = [](std::vector<std::int64_t>& each, std::vector<std::int64_t>& sum) {
            std::sort(each.begin(), each.end(), std::greater<>());
            sum.assign(1, 0);
            for (const std::int64_t c : each) sum.push_back(sum.back() + c);
        };
        each_loss_.clear();
        each_negative_.clear();
        for (const Branch& b : open) {
            each_loss_.push_back(loss - b.loss);
            each_negative_.push_back(negative - b.negative);
        }
        sums(each_loss_, losses_taken_);
        sums(each_negative_, negatives_taken_);
        const std::size_t most = std::min(open.size() - 1, longest_ - k);
        prior_.assign(most + 1, kNoSize);
        std::vector<std::int64_t> own;
        if (weighted_) {
            for (const Branch& b : open) own.push_back(wish_.literals[as_index(b.literal)]);
            std::sort(own.begin(), own.end(), std::greater<>());
        }
        std::int64_t bonus = 0;
        for (std::size_t j = 1; j <= most; ++j) {
            if (weighted_) bonus += own[j - 1];
            if (wish_.sizes[k + j] != kNoSize) prior_[j] = wish_.sizes[k + j] + bonus;
        }
        later_ = prior_;
        for (std::size_t j = most; j-- > 1;) later_[j] = std::max(later_[j], later_[j + 1]);
        for (Branch& b : open)
            b.hope = hope(b, loss, negative, weight + wish_.literals[as_index(b.literal)]);
        return std::erase_if(open, [&](const Branch& b) { return b.hope < floor_; }) > 0;
    }

    std::int64_t hope(const Branch& branch, std::int64_t loss, Count negative,
                      std::int64_t weight) const {
        // The most that j literals of the pool other than the branch's own can take away.
        const auto taken = [](const std::vector<std::int64_t>& each,
                              const std::vector<std::int64_t>& sum, std::int64_t own,
                              std::size_t j) {
            return own >= each[j - 1] ? sum[j + 1] - own : sum[j];
        };
        std::int64_t best = kNoSize;
        for (std::size_t j = 1; j < prior_.size(); ++j) {
            if (later_[j] + branch.gain <= best) break;
            if (branch.negative -
                    taken(each_negative_, negatives_taken_, negative - branch.negative, j) >
                wish_.most_negative)
                continue;
            const std::int64_t left =
                branch.loss - taken(each_loss_, losses_taken_, loss - branch.loss, j);
            if (left <= 0) {
                best = std::max(best, later_[j] + branch.gain);
                break;
            }
            best = std::max(best, prior_[j] + branch.gain - left);
        }
        return best == kNoSize ? best : best + weight;
    }

    const BitView& view_;
    const Support& support_;
    const TermSpace& space_;
    const PricingWish& wish_;
    const Stop& stop_;
    std::int64_t floor_;
    PriceSums sums_;
    std::size_t longest_ = 0;
    Count least_ = 0;  // rows that a term must mark
    bool weighted_ = false, halted_ = false;
    Term term_;
    std::vector<Word> mask_;
    std::vector<Count> counts_;
    std::vector<std::int64_t> gains_, losses_;
    std::vector<std::uint8_t> may_;
    SweepRoom room_;
    std::vector<std::int64_t> each_loss_, losses_taken_, each_negative_, negatives_taken_;
    std::vector<std::int64_t> prior_, later_;
    PricedTerms found_;
};

}  // namespace

PricedTerms priced_terms(const Posterior& posterior, const TermSpace& space,
                         const PricingWish& wish, const Stop& stop) {
    return PricingWalk(posterior, space, wish, stop).run();
}

}  // namespace bayesdnf
