#include "search/beam.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

#include "search/hope.hpp"

namespace bayesdnf {
namespace {

struct Partial {
    Term term;
    Count covered;  // open rows that it covers
};

struct Candidate {
    double rank;
    std::int32_t parent, literal;
    Count covered;
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
    bool wants(double rank) const { return rank >= threshold_; }
    void offer(const Candidate& c) {
        if (!wants(c.rank)) return;
        kept_.push_back(c);
        if (kept_.size() >= 4 * room_ + 16) cut();
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

class Beam {
  public:
    Beam(const State& state, std::size_t left_out, Height height, std::size_t width, double floor,
         const Stop& stop)
        : state_(state),
          posterior_(state.posterior()),
          view_(posterior_.view()),
          prior_(posterior_.prior()),
          stop_(stop),
          left_out_(left_out),
          height_(height),
          width_(width),
          opening_(opening(state, left_out, height)),
          masks_at_once_(std::clamp<std::size_t>(
              kCountsAtOnce / (opening_.n_parts() * view_.n_segments() * view_.n_literals() + 1),
              view_.selects() ? 8 : 4, 64)),
          others_(state.spans(left_out)),
          hope_(opening_, view_.n_words()) {
        best_.score = floor;
        best_.height = height;
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
    static constexpr std::size_t kLiterals = 64;
    static constexpr std::size_t kPatience = 1;  // levels in a row that may fall below the last
    static constexpr double kLookAhead = 4;      // literals whose weights are hoped for

    // What comes of adding a literal: terms to judge as they are, and terms to go on with.
    struct Offers {
        Best children, contenders;
        double highest = -INFINITY;  // bound
    };
    // What the extensions of one partial term have in common.
    struct Level {
        double parent, ahead, of_size;  // log priors
        Count fewest;  // positives that a term must take to be of any use, where that is known
    };
    // Memory that is kept from level to level; it grows with the partial terms there are, since
    // narrow beams are by far the most.
    struct Room {
        std::vector<Word> rows, masks;
        std::vector<Count> counts;
        std::vector<std::uint8_t> may;
        std::vector<std::int32_t> near;
        std::vector<double> bounds, separations;
        std::vector<Count> totals;
        std::vector<RowSpan> ruled_out;
        std::vector<Selected> selected;
        SweepRoom sweep;

        void fit(std::size_t n_masks, const BitView& view) {
            const std::size_t p = view.n_literals(), n_counts = view.n_segments() * n_masks * p;
            rows.resize(view.n_words());
            if (masks.size() < n_masks * view.n_words()) masks.resize(n_masks * view.n_words());
            if (counts.size() < n_counts) counts.resize(n_counts);
            may.resize(p);
            near.resize(p);
            bounds.resize(p);
            separations.resize(p);
            totals.resize(p);
        }
    };

    static Opening opening(const State& state, std::size_t left_out, Height height) {
        Opening found;
        found.look(state, left_out, height);
        return found;
    }

    void begin(const Term& start) {
        const std::size_t n_words = view_.n_words(), n_segments = view_.n_segments();
        std::vector<Word> rows(n_words), masks(opening_.n_parts() * n_words);
        std::vector<Count> counts(opening_.n_parts() * n_segments);
        for (Term& term : starts(posterior_.support(), others_, start, width_)) {
            view_.term_mask(rows.data(), term);
            opening_.open_rows(rows.data(), masks.data());
            for (std::size_t h = 0; h < opening_.n_parts(); ++h)
                view_.count(masks.data() + h * n_words, counts.data() + h * n_segments);
            const Count covered = std::accumulate(counts.begin(), counts.end(), Count{0});
            if (term != start) consider(term);  // it may be all that is wanted
            partials_.push_back({std::move(term), covered});
        }
    }

    void consider(Term term) {
        if (const double score = state_.score_with(left_out_, term, height_); score > best_.score) {
            best_.term = std::move(term);
            best_.score = score;
        }
    }

    // Every extension of every partial term to `size` literals.
    Offers extend_all(std::size_t size) {
        Offers offers{Best(width_ * size), Best(kContenders)};
        dull_.forget(opening_, partials_.size() * view_.n_literals());
        heaviest_partial_ = -INFINITY;
        for (const Partial& partial : partials_)
            heaviest_partial_ = std::max(heaviest_partial_, prior_of(partial));
        for (std::size_t first = 0; first < partials_.size() && !stop_(); first += masks_at_once_)
            extend_block(first, size, offers);
        return offers;
    }

    // Several partial terms share one sweep of the columns.
    void extend_block(std::size_t first, std::size_t size, Offers& offers) {
        const std::size_t p = view_.n_literals(), n_parts = opening_.n_parts();
        const std::size_t n = std::min(masks_at_once_, partials_.size() - first);
        room_.fit(n * n_parts, view_);
        for (std::size_t b = 0; b < n; ++b) {
            view_.term_mask(room_.rows.data(), partials_[first + b].term);
            opening_.open_rows(room_.rows.data(),
                               room_.masks.data() + b * n_parts * view_.n_words());
        }
        // The first block teaches which counts do not matter; of the next ones a device tells the
        // others only.
        if (first > 0 && offer_selected(first, n, size, offers)) return;
        view_.literal_counts(room_.masks.data(), n * n_parts, room_.counts.data(), room_.sweep);
        for (std::size_t b = 0; b < n; ++b) {
            posterior_.support().addable(partials_[first + b].term, others_, room_.may.data());
            offer_extensions(first + b, size,
                             {room_.counts.data() + b * n_parts * p, p, n * n_parts * p}, offers);
        }
    }

    double prior_of(const Partial& partial) const {
        double sum = opening_.others_prior();
        for (const std::int32_t l : partial.term) sum += prior_.of_literal(l);
        return sum;
    }

    Level level(std::size_t size, double parent_prior) const {
        Level found;
        found.parent = parent_prior;
        // What a longer term may still gain from its size and its literals' weights.
        found.ahead = prior_.reach(size + 1) + kLookAhead * heaviest_;
        found.of_size = prior_.of_size(size);
        const double reachable = parent_prior + heaviest_ + std::max(found.of_size, found.ahead);
        found.fewest = opening_.simple() ? hope_.fewest_above(best_.score - reachable) : 0;
        return found;
    }

    // Extensions of some partial terms, by a device that tells of few. False: it does not.
    bool offer_selected(std::size_t first, std::size_t n, std::size_t size, Offers& offers) {
        if (!dull_.keeps() || !view_.selects()) return false;
        room_.ruled_out = dull_.spans();
        const Count fewest = level(size, heaviest_partial_).fewest;
        for (std::size_t a = 0; a < std::min(as_index(fewest), room_.ruled_out.size()); ++a)
            room_.ruled_out[a] = {0, std::numeric_limits<std::int32_t>::max()};
        if (!view_.select(room_.masks.data(), n, room_.ruled_out, room_.selected)) return false;
        std::size_t number = kNone;
        Level of_parent{};
        for (const Selected& found : room_.selected) {
            if (first + as_index(found.mask) != number) {
                number = first + as_index(found.mask);
                of_parent = level(size, prior_of(partials_[number]));
                posterior_.support().addable(partials_[number].term, others_, room_.may.data());
            }
            const Count rows[] = {found.first, found.second}, covered = rows[0] + rows[1];
            if (room_.may[as_index(found.literal)] != 0 && rows[0] >= of_parent.fewest &&
                !(size > 1 && covered == partials_[number].covered))
                offer(static_cast<std::int32_t>(number), found.literal, {rows, 2, 1}, of_parent,
                      offers);
        }
        return true;
    }

    // One partial term with each literal that may join it; taken: open rows that it covers with the
    // first of them, the others follow.
    void offer_extensions(std::size_t number, std::size_t size, const Taken& taken,
                          Offers& offers) {
        const Partial& parent = partials_[number];
        const Level of_parent = level(size, prior_of(parent));
        const std::size_t p = view_.n_literals();
        if (!dull_.keeps()) {
            opening_.bounds(taken, p, room_.bounds.data(), room_.totals.data());
            opening_.separations(taken, p, room_.separations.data());
        }
        const auto from = static_cast<std::int32_t>(number);
        // A few literals at a time: what the first ones teach spares the others.
        for (std::size_t first = 0; first < p; first += kLiterals) {
            const std::size_t last = std::min(p, first + kLiterals);
            const std::size_t n_near =
                near_literals(parent, size > 1, first, last, of_parent.fewest, taken);
            for (const std::int32_t id : std::span(room_.near).first(n_near)) {
                const std::size_t l = as_index(id);
                const Taken longer{taken.first + l, taken.part_step, taken.segment_step};
                offer(from, id, longer, of_parent, offers);
            }
        }
    }

    void offer(std::int32_t parent, std::int32_t id, const Taken& longer, const Level& level,
               Offers& offers) {
        const double literal_prior = level.parent + prior_.of_literal(id);
        const std::size_t l = as_index(id);
        const bool simple = dull_.keeps();
        const Count positive = longer.first[0], negative = longer.first[longer.segment_step];
        const double likelihood = simple ? opening_.bound(longer) : room_.bounds[l];
        const double separation = simple ? opening_.separation(longer) : room_.separations[l];
        const Count covered = simple ? positive + negative : room_.totals[l];
        const double bound = literal_prior + level.of_size + likelihood;
        if (simple) {
            // By the weightiest literals, since others may come to the same counts.
            const double highest = heaviest_partial_ + heaviest_ + level.of_size + likelihood;
            if (highest <= offers.highest &&
                (highest <= best_.score || !offers.contenders.wants(highest)) &&
                !offers.children.wants(separation))
                dull_.add(positive, negative);
        }
        offers.highest = std::max(offers.highest, bound);
        if (bound > best_.score) offers.contenders.offer({bound, parent, id, covered});
        if (!offers.children.wants(separation)) return;
        // Could a longer term from here still win? Where the rates are ordered only by losing
        // negatives.
        const double wanted = best_.score - literal_prior - level.ahead;
        if (opening_.simple() ? negative > 0 && hope_(positive) > wanted
                              : likelihood > wanted || opening_.hope(longer) > wanted)
            offers.children.offer({separation, parent, id, covered});
    }

    // Of some literals those that may matter: most leave too few rows, or counts that are known to
    // lead nowhere. A literal that takes no row away makes the term longer and nothing else.
    std::size_t near_literals(const Partial& parent, bool begun, std::size_t first,
                              std::size_t last, Count fewest, const Taken& taken) {
        const std::uint8_t* may = room_.may.data();
        std::int32_t* near = room_.near.data();
        std::size_t n_near = 0;
        const auto list = [&](auto counts) {
            for (std::size_t l = first; l < last; ++l) {  // without branches
                const auto [covered, far] = counts(l);
                near[n_near] = static_cast<std::int32_t>(l);
                n_near += static_cast<std::size_t>(!far & (may[l] != 0) & (covered > 0) &
                                                   !(begun & (covered == parent.covered)));
            }
        };
        const Count *positive = taken.first, *negative = taken.first + taken.segment_step;
        if (dull_.keeps())
            list([&](std::size_t l) {
                const Count a = positive[l], b = negative[l];
                return std::pair(a + b, (a < fewest) | dull_.has(a, b));
            });
        else
            list([&](std::size_t l) { return std::pair(room_.totals[l], positive[l] < fewest); });
        return n_near;
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
        for (const Candidate& c : children.sorted()) next.push_back({extended(c), c.covered});
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
    std::size_t left_out_;
    Height height_;
    std::size_t width_;
    Opening opening_;
    std::size_t masks_at_once_;
    std::vector<LiteralIds> others_;  // the other terms
    Hope hope_;
    double heaviest_ = 0;  // what the weightiest literal can add to the prior
    std::vector<Partial> partials_;
    double heaviest_partial_ = 0;  // log prior of the weightiest of them beside the others
    Dull dull_;                    // keeps nothing unless the opening is simple
    Room room_;
    Grown best_;
};

}  // namespace

Grown grow_term(const State& state, std::size_t without, Height height, std::size_t width,
                double floor, const Stop& stop, const Term& start) {
    return Beam(state, without, height, width, floor, stop).grow(start);
}

Grown grow_anywhere(const State& state, std::size_t without, std::size_t width, double floor,
                    const Stop& stop, const Term& start) {
    Grown best;
    for (const Height height : state.places(without)) {
        if (stop()) break;
        Grown grown = grow_term(state, without, height, width, floor, stop, start);
        if (grown.term.empty() || grown.score <= best.score) continue;
        best = std::move(grown);
        floor = std::max(floor, best.score);
    }
    return best;
}

}  // namespace bayesdnf
