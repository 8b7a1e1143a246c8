#include "search/beam.hpp"

#include <algorithm>
#include <cmath>
#include <span>

#include "search/separation.hpp"

namespace bayesdnf {
namespace {

struct Partial {
    Term term;
    Count positive, negative;  // rows not yet marked that it covers
};

struct Candidate {
    double rank;
    std::int32_t parent, literal;
    Count positive, negative;
    // Equal ranks are decided by where they come from, so that a beam is the same everywhere.
    bool operator<(const Candidate& o) const {
        if (rank != o.rank) return rank > o.rank;
        return parent != o.parent ? parent < o.parent : literal < o.literal;
    }
};

// Keeps the best `room` candidates of a stream. It sorts now and then rather than at every offer:
// between two cuts most offers fall to the threshold.
class Best {
  public:
    explicit Best(std::size_t room) : room_(room) {}
    void offer(const Candidate& c) {
        if (c.rank < threshold_) return;
        kept_.push_back(c);
        if (kept_.size() >= 4 * room_ + 64) cut();
    }
    std::vector<Candidate>& sorted() {
        cut();
        std::sort(kept_.begin(), kept_.end());
        return kept_;
    }

  private:
    void cut() {
        if (kept_.size() <= room_) return;
        const auto end = kept_.begin() + static_cast<std::ptrdiff_t>(room_);
        std::nth_element(kept_.begin(), end, kept_.end());
        kept_.erase(end, kept_.end());
        threshold_ = std::max_element(kept_.begin(), kept_.end())->rank;  // the worst one kept
    }
    std::size_t room_;
    double threshold_ = -INFINITY;
    std::vector<Candidate> kept_;
};

// What a term must begin with beside the others: `start`, and a literal of each required entry that
// the others lack.
std::vector<Term> starts(const Support& support, Terms others, const Term& start,
                         std::size_t most) {
    std::vector<Term> found{start};
    if (support.required().empty()) return found;
    std::vector<std::uint8_t> may(support.n_literals());
    for (const Knowledge::Entry* entry : support.lacking(others)) {
        std::vector<Term> longer;
        for (const Term& term : found) {
            const bool met = std::any_of(entry->begin(), entry->end(),
                                         [&](std::int32_t l) { return holds(term, l); });
            if (met) longer.push_back(term);
            if (met) continue;
            support.addable(term, others, may.data());
            for (const std::int32_t l : *entry)
                if (may[as_index(l)] && longer.size() < most) longer.push_back(with(term, l));
        }
        found = std::move(longer);
    }
    // The beam holds terms of one size: where entries overlap, the shortest.
    std::size_t shortest = support.n_literals();
    for (const Term& term : found) shortest = std::min(shortest, term.size());
    std::erase_if(found, [&](const Term& term) { return term.size() > shortest; });
    return found;
}

// The likelihood that a longer term may still come to, by the open positives that its beginning
// covers: no term that covers a of them can do better than to mark them and no open negative.
class Hope {
  public:
    Hope(const Likelihood& likelihood, const MarkedCounts& rest, Count open_positive,
         Count open_negative)
        : highest_(static_cast<std::size_t>(open_positive) + 1) {
        for (Count a = 0; a <= open_positive; ++a)
            highest_[static_cast<std::size_t>(a)] =
                likelihood.bound(rest.positive + a, rest.negative);
        // A longer term may also lose positives, so fewer of them are within its reach.
        for (std::size_t a = 1; a < highest_.size(); ++a)
            highest_[a] = std::max(highest_[a], highest_[a - 1]);
        // Without an order of the rates a term may even gain by losing them.
        if (!likelihood.ordered())
            std::fill(highest_.begin(), highest_.end(),
                      std::max(highest_.back(),
                               likelihood.bound(rest.positive, rest.negative + open_negative)));
    }

    double operator()(Count positives) const {
        return highest_[static_cast<std::size_t>(positives)];
    }
    // The fewest positives from which more than `value` can be hoped for.
    Count fewest_above(double value) const {
        return std::upper_bound(highest_.begin(), highest_.end(), value) - highest_.begin();
    }

  private:
    std::vector<double> highest_;  // rising
};

class Beam {
  public:
    Beam(const State& state, std::size_t left_out, std::size_t width, double floor,
         const Stop& stop)
        : state_(state),
          posterior_(state.posterior()),
          view_(posterior_.view()),
          prior_(posterior_.prior()),
          stop_(stop),
          left_out_(left_out),
          width_(width),
          masks_at_once_(
              std::clamp<std::size_t>(kCountsAtOnce / (2 * view_.n_literals() + 1), 4, 64)),
          rest_(state.marked(left_out)),
          others_(state.spans(left_out)),
          others_prior_(state.terms_prior(left_out) + prior_.of_count(others_.size() + 1)),
          separation_(posterior_, rest_),
          hope_(posterior_.likelihood(), rest_, separation_.open_positive(),
                separation_.open_negative()),
          open_(view_.n_words()) {
        best_.score = floor;
        view_.simd().and_not_into(open_.data(), view_.all_rows().data(), rest_.rows.data(),
                                  view_.n_words());
        for (std::size_t l = 0; l < view_.n_literals(); ++l)
            heaviest_ = std::max(heaviest_, prior_.of_literal(static_cast<std::int32_t>(l)));
    }

    Grown grow(const Term& start) {
        begin(start);
        const std::size_t p = view_.n_literals();
        const std::size_t shortest = partials_.empty() ? p : partials_.front().term.size();
        // Terms of this size, at best. Once that falls, longer terms are seldom worth their prior,
        // unless the prior prefers them.
        double level = -INFINITY;
        std::size_t falls = 0;
        for (std::size_t size = shortest + 1; size <= p && !partials_.empty() && !stop_(); ++size) {
            Offers offers = extend_all(size);
            judge(offers.contenders);
            const bool longer = prior_.reach(size + 1) > prior_.of_size(size);
            falls = offers.highest < level && !longer ? falls + 1 : 0;
            if (falls > kPatience) break;
            level = offers.highest;
            keep_best(offers.children);
        }
        if (best_.term.empty()) best_.score = -INFINITY;
        return best_;
    }

  private:
    static constexpr std::size_t kCountsAtOnce = 1 << 17;  // of both kinds of rows: a cache's worth
    static constexpr std::size_t kContenders = 256;
    static constexpr std::size_t kPatience = 1;  // levels in a row that may fall below the last
    static constexpr double kLookAhead = 4;      // literals whose weights are hoped for

    // What comes of adding a literal: terms to judge as they are, and terms to go on with.
    struct Offers {
        Best children, contenders;
        double highest = -INFINITY;  // bound
    };
    // Memory that is kept from level to level; it grows with the partial terms there are, since
    // narrow beams are by far the most.
    struct Room {
        std::vector<Word> masks;
        std::vector<Count> counts;
        std::vector<std::uint8_t> may;
        std::vector<std::int32_t> near;
        SweepRoom sweep;

        void fit(std::size_t n_masks, const BitView& view) {
            const std::size_t p = view.n_literals();
            if (masks.size() < n_masks * view.n_words()) masks.resize(n_masks * view.n_words());
            if (counts.size() < 2 * n_masks * p) counts.resize(2 * n_masks * p);
            may.resize(p);
            near.resize(p);
        }
    };

    void begin(const Term& start) {
        std::vector<Word> mask(view_.n_words());
        for (Term& term : starts(posterior_.support(), others_, start, width_)) {
            open_rows_of(term, mask.data());
            const MarkedCounts covered = posterior_.count(mask.data());
            if (term != start) consider(term);  // it may be all that is wanted
            partials_.push_back({std::move(term), covered.positive, covered.negative});
        }
    }

    void open_rows_of(const Term& term, Word* mask) const {
        std::copy(open_.begin(), open_.end(), mask);
        for (const std::int32_t l : term) view_.and_literal(mask, l);
    }

    void consider(Term term) {
        if (const double score = state_.score_with(left_out_, term); score > best_.score)
            best_ = {std::move(term), score};
    }

    // Every extension of every partial term to `size` literals.
    Offers extend_all(std::size_t size) {
        Offers offers{Best(width_ * size), Best(kContenders)};
        for (std::size_t first = 0; first < partials_.size() && !stop_(); first += masks_at_once_)
            extend_block(first, size, offers);
        return offers;
    }

    // Several partial terms share one sweep of the columns.
    void extend_block(std::size_t first, std::size_t size, Offers& offers) {
        const std::size_t p = view_.n_literals();
        const std::size_t n = std::min(masks_at_once_, partials_.size() - first);
        room_.fit(n, view_);
        for (std::size_t b = 0; b < n; ++b)
            open_rows_of(partials_[first + b].term, room_.masks.data() + b * view_.n_words());
        view_.literal_counts(room_.masks.data(), n, room_.counts.data(), room_.sweep);
        for (std::size_t b = 0; b < n; ++b) {
            posterior_.support().addable(partials_[first + b].term, others_, room_.may.data());
            offer_extensions(first + b, size, room_.may.data(), room_.counts.data() + b * p,
                             room_.counts.data() + (n + b) * p, room_.near.data(), offers);
        }
    }

    // One partial term with each literal that may join it; positive, negative: open rows that it
    // covers with each; near: room for the literals worth a look.
    void offer_extensions(std::size_t number, std::size_t size, const std::uint8_t* may,
                          const Count* positive, const Count* negative, std::int32_t* near,
                          Offers& offers) const {
        const Partial& parent = partials_[number];
        const Likelihood& likelihood = posterior_.likelihood();
        double parent_prior = others_prior_;
        for (const std::int32_t l : parent.term) parent_prior += prior_.of_literal(l);
        // What a longer term may still gain from its size and its literals' weights.
        const double ahead = prior_.reach(size + 1) + kLookAhead * heaviest_;
        const double reachable = parent_prior + heaviest_ + std::max(prior_.of_size(size), ahead);
        const Count fewest = hope_.fewest_above(best_.score - reachable);
        // Most literals leave too few positives, so those that do not are listed first, without
        // branches. A literal that takes no row away makes the term longer and nothing else.
        const bool begun = size > 1;
        std::size_t n_near = 0;
        for (std::size_t l = 0; l < view_.n_literals(); ++l) {
            const Count a = positive[l], b = negative[l];
            near[n_near] = static_cast<std::int32_t>(l);
            n_near += static_cast<std::size_t>(
                (a >= fewest) & (may[l] != 0) & (a + b > 0) &
                !(begun & (a == parent.positive) & (b == parent.negative)));
        }
        const auto from = static_cast<std::int32_t>(number);
        for (const std::int32_t id : std::span(near, n_near)) {
            const Count a = positive[id], b = negative[id];
            const double literal_prior = parent_prior + prior_.of_literal(id);
            const double bound = literal_prior + prior_.of_size(size) +
                                 likelihood.bound(rest_.positive + a, rest_.negative + b);
            offers.highest = std::max(offers.highest, bound);
            if (bound > best_.score) offers.contenders.offer({bound, from, id, a, b});
            // Could a longer term from here still win?
            if (b > 0 && literal_prior + ahead + hope_(a) > best_.score)
                offers.children.offer({separation_(a, b), from, id, a, b});
        }
    }

    Term extended(const Candidate& c) const {
        return with(partials_[static_cast<std::size_t>(c.parent)].term, c.literal);
    }

    // The bound is above the exact score, so the first allowed contenders decide.
    void judge(Best& contenders) {
        for (const Candidate& c : contenders.sorted()) {
            if (c.rank <= best_.score) break;
            consider(extended(c));
        }
    }

    // The same set is reached once from each of its literals; the first is kept.
    void keep_best(Best& children) {
        std::vector<Partial> next;
        for (const Candidate& c : children.sorted())
            next.push_back({extended(c), c.positive, c.negative});
        std::vector<std::size_t> order(next.size());
        for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t x, std::size_t y) { return next[x].term < next[y].term; });
        std::vector<std::uint8_t> repeated(next.size(), 0);
        for (std::size_t i = 1; i < order.size(); ++i)
            repeated[order[i]] = next[order[i]].term == next[order[i - 1]].term;
        partials_.clear();
        for (std::size_t i = 0; i < next.size() && partials_.size() < width_; ++i)
            if (!repeated[i]) partials_.push_back(std::move(next[i]));
    }

    const State& state_;
    const Posterior& posterior_;
    const BitView& view_;
    const FunctionPrior& prior_;
    const Stop& stop_;
    std::size_t left_out_, width_, masks_at_once_;
    Marked rest_;                     // by the other terms
    std::vector<LiteralIds> others_;  // the other terms
    double others_prior_;             // theirs, and that of there being one more
    Separation separation_;
    Hope hope_;
    std::vector<Word> open_;  // rows that the other terms do not mark
    double heaviest_ = 0;     // what the weightiest literal can add to the prior
    std::vector<Partial> partials_;
    Room room_;
    Grown best_;
};

}  // namespace

Grown grow_term(const State& state, std::size_t without, std::size_t width, double floor,
                const Stop& stop, const Term& start) {
    return Beam(state, without, width, floor, stop).grow(start);
}

}  // namespace bayesdnf
