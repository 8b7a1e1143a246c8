#include "search/term_sets.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <queue>

namespace bayesdnf {
namespace {

constexpr std::size_t kTableEntries = std::size_t{1} << 22;
constexpr Count kPieces = 64;  // in which negatives are taken, for what a removal may lose
constexpr Count kMostKeptOff = 20;
constexpr int kFirstSteps = 150, kSteps = 25;  // of prices, at the root and below
constexpr double kTolerance = 1e-9;

// What rows of a plane above the likelihood are worth, and its height at no rows.
struct Plane {
    double positive, negative, height;
};

class SetWalk {
  public:
    SetWalk(const Likelihood& likelihood, const TermSetsWish& wish, const Stop& stop)
        : likelihood_(likelihood),
          wish_(wish),
          stop_(stop),
          n_negative_rows_(as_index(likelihood.n_negative()) + 1),
          covered_(wish.weights.size()),
          prices_(wish.n_positive),
          slopes_(wish.n_positive) {
        const std::size_t entries = (as_index(likelihood.n_positive()) + 1) * n_negative_rows_;
        if (entries <= kTableEntries) table_.assign(entries, std::nan(""));
        split_.reserve(wish.rows.size());
        for (const std::vector<std::int32_t>& rows : wish.rows)
            split_.push_back(
                as_index(std::lower_bound(rows.begin(), rows.end(), as_literal(wish.n_positive)) -
                         rows.begin()));
    }

    TermSets run() {
        std::vector<Candidate> all;
        for (std::size_t t = 0; t < wish_.rows.size(); ++t) {
            Candidate c{as_literal(t)};
            if (fits(c, 0, 0)) all.push_back(c);
        }
        if (wish_.replaceable) drop_dominated(all);
        std::vector<double> prices(wish_.n_positive, 1.0);
        visit(std::move(all), wish_.n_terms, {0, 0, wish_.constant}, prices);
        found_.complete = !halted_;
        return std::move(found_);
    }

  private:
    struct Candidate {
        std::int32_t term;
        Count positive = 0, negative = 0;  // that it adds
        double worth = 0;                  // at the prices at hand
    };
    struct Chosen {
        Count positive, negative;
        double prior;
    };

    static std::int32_t as_literal(std::size_t n) { return static_cast<std::int32_t>(n); }

    double log_likelihood(Count a, Count b) {
        if (table_.empty()) return likelihood_(a, b);
        double& value = table_[as_index(a) * n_negative_rows_ + as_index(b)];
        if (std::isnan(value)) value = likelihood_(a, b);
        return value;
    }

    // A number of a table of marked rows that is worked out when it is first asked for.
    template <class Work>
    double looked_up(std::vector<double>& table, Count i, Count negative, const Work& work) {
        if (table_.empty() || i > likelihood_.n_positive()) return work();
        table.resize(table_.size(), std::nan(""));
        double& value = table[as_index(i) * n_negative_rows_ + as_index(negative)];
        if (std::isnan(value)) value = work();
        return value;
    }

    // What the likelihood loses at most with `n` positives that one term alone marks, where so many
    // negatives are marked or more. At a it loses L(a, b) - L(a - n, b) or less, which rises with
    // a, L being convex; between two numbers of negatives it is at most what the first of them
    // gives less what the second does.
    double loss(Count n, Count negative) {
        return looked_up(losses_, n, negative, [&] {
            double most = 0;
            const Count a = wish_.most_positive, high = wish_.most_negative;
            const Count step = (high - negative) / kPieces + 1;
            for (Count b = negative; b <= high; b += step)
                most = std::max(most, log_likelihood(a, b) -
                                          log_likelihood(a - n, std::min(b + step - 1, high)));
            return most;
        });
    }

    // What the likelihood loses at most by n more negatives, where so many are marked or more:
    // L(a, b) - L(a, b + n), which falls with b, L being convex.
    double cost(Count n, Count negative) {
        const Count more = std::min(negative + n, likelihood_.n_negative());
        return looked_up(costs_, n, negative, [&] {
            double most = 0;
            const Count high = wish_.most_positive, step = high / kPieces + 1;
            for (Count a = 0; a <= high; a += step)
                most = std::max(most, log_likelihood(std::min(a + step - 1, high), negative) -
                                          log_likelihood(a, more));
            return most;
        });
    }

    // Whether a term may be in a best function: which would be worse without it, by the positives
    // that it alone marks, and worse without one of its literals.
    bool pays(std::int32_t term, Count unique, Count negative) {
        const std::size_t t = as_index(term);
        negative = std::max(negative, wish_.least_negative);
        if (wish_.removable &&
            loss(unique, negative) + wish_.worth[t] + wish_.constant - wish_.fewer < -kTolerance)
            return false;
        return !wish_.replaceable || wish_.kept_off[t] > kMostKeptOff ||
               cost(wish_.kept_off[t], negative) >= wish_.saved[t] - kTolerance;
    }

    // Count what a candidate adds; whether it can be in a function of the box.
    bool fits(Candidate& c, Count positive, Count negative) {
        const std::vector<std::int32_t>& rows = wish_.rows[as_index(c.term)];
        const std::size_t split = split_[as_index(c.term)];
        c.positive = c.negative = 0;
        for (std::size_t i = 0; i < split; ++i)
            if (covered_[as_index(rows[i])] == 0) c.positive += wish_.weights[as_index(rows[i])];
        if (positive + c.positive > wish_.most_positive) return false;
        for (std::size_t i = split; i < rows.size(); ++i)
            if (covered_[as_index(rows[i])] == 0) c.negative += wish_.weights[as_index(rows[i])];
        return negative + c.negative <= wish_.most_negative &&
               pays(c.term, c.positive, negative + c.negative);
    }

    // Leave out terms in whose place another one is never worse: it is not less likely a priori,
    // marks the same positives at least, and negatives of this one at most.
    void drop_dominated(std::vector<Candidate>& all) {
        const auto before = [&](const Candidate& x, const Candidate& y) {
            if (x.positive != y.positive) return x.positive > y.positive;
            if (x.negative != y.negative) return x.negative < y.negative;
            const double a = wish_.worth[as_index(x.term)], b = wish_.worth[as_index(y.term)];
            return a != b ? a > b : x.term < y.term;
        };
        std::sort(all.begin(), all.end(), before);
        const std::size_t n = wish_.weights.size(), n_words = n / 64 + 1;
        std::vector<Word> positives(n_words), masks;
        for (std::size_t i = 0; i < wish_.n_positive; ++i) positives[i / 64] |= Word{1} << (i % 64);
        std::vector<Candidate> kept;
        std::vector<Word> mask(n_words);
        for (const Candidate& c : all) {
            std::fill(mask.begin(), mask.end(), 0);
            for (const std::int32_t row : wish_.rows[as_index(c.term)])
                mask[as_index(row) / 64] |= Word{1} << (as_index(row) % 64);
            const auto beats = [&](std::size_t k) {
                if (wish_.worth[as_index(kept[k].term)] < wish_.worth[as_index(c.term)] ||
                    kept[k].negative > c.negative)
                    return false;
                for (std::size_t w = 0; w < n_words; ++w) {
                    const Word own = mask[w], other = masks[k * n_words + w];
                    if ((own & ~other & positives[w]) || (other & ~own & ~positives[w]))
                        return false;
                }
                return true;
            };
            bool beaten = false;
            for (std::size_t k = 0; k < kept.size() && !beaten; ++k) beaten = beats(k);
            if (beaten) continue;
            kept.push_back(c);
            masks.insert(masks.end(), mask.begin(), mask.end());
            if (stop_()) {
                halted_ = true;
                return;
            }
        }
        all = std::move(kept);
    }

    // Sets that hold `n` of the candidates beside the chosen terms.
    void visit(std::vector<Candidate> open, std::size_t n, const Chosen& so_far,
               std::vector<double> prices) {
        if (halted_ || stop_()) {
            halted_ = true;
            return;
        }
        ++found_.nodes;
        if (n == 1) {
            for (const Candidate& c : open) {
                const double score =
                    log_likelihood(so_far.positive + c.positive, so_far.negative + c.negative) +
                    so_far.prior + wish_.worth[as_index(c.term)];
                if (score > wish_.target) keep(c.term);
            }
            return;
        }
        Plane plane{};
        const double bound = best_bound(open, n, so_far, prices, plane);
        if (bound <= wish_.target || open.size() < n) return;
        // The term with the most new negatives first, which the others then do not exceed. It pays
        // for its negatives in full, and they for none.
        std::sort(open.begin(), open.end(), [](const Candidate& x, const Candidate& y) {
            if (x.negative != y.negative) return x.negative > y.negative;
            return x.worth != y.worth ? x.worth > y.worth : x.term < y.term;
        });
        const Count missing = std::max<Count>(0, wish_.least_negative - so_far.negative);
        const double each = share_ * plane.negative / static_cast<double>(n);
        const std::vector<double> others = sums_after(open, n - 1, each);
        const double base =
            bound - top_ - (1 - share_) * plane.negative * static_cast<double>(missing);
        for (std::size_t i = 0; i + n <= open.size() && !halted_; ++i) {
            const Candidate& c = open[i];
            const double paid = plane.negative * static_cast<double>(std::max(c.negative, missing));
            const double own = c.worth - each * static_cast<double>(c.negative);
            if (base + own + paid + others[i] > wish_.target) choose(open, i, n, so_far, prices);
        }
    }

    void choose(const std::vector<Candidate>& open, std::size_t i, std::size_t n,
                const Chosen& so_far, const std::vector<double>& prices) {
        const Candidate& c = open[i];
        const Chosen now{so_far.positive + c.positive, so_far.negative + c.negative,
                         so_far.prior + wish_.worth[as_index(c.term)]};
        chosen_.push_back(c.term);
        for (const std::int32_t row : wish_.rows[as_index(c.term)]) ++covered_[as_index(row)];
        if (all_pay(now.negative)) {
            std::vector<Candidate> rest;
            for (std::size_t j = i + 1; j < open.size(); ++j) {
                Candidate next{open[j].term};
                if (fits(next, now.positive, now.negative)) rest.push_back(next);
            }
            if (rest.size() + 1 >= n) visit(std::move(rest), n - 1, now, prices);
        }
        for (const std::int32_t row : wish_.rows[as_index(c.term)]) --covered_[as_index(row)];
        chosen_.pop_back();
    }

    // Whether each chosen term is worth its prior, by the positives that no other one marks.
    bool all_pay(Count negative) {
        for (const std::int32_t term : chosen_) {
            Count unique = 0;
            for (std::size_t i = 0; i < split_[as_index(term)]; ++i) {
                const std::size_t row = as_index(wish_.rows[as_index(term)][i]);
                if (covered_[row] == 1) unique += wish_.weights[row];
            }
            if (!pays(term, unique, negative)) return false;
        }
        return true;
    }

    // By place: the sum of the n largest worths behind it, negatives unpaid.
    std::vector<double> sums_after(const std::vector<Candidate>& open, std::size_t n, double each) {
        std::vector<double> sums(open.size(), -INFINITY);
        std::priority_queue<double, std::vector<double>, std::greater<>> largest;
        double sum = 0;
        for (std::size_t i = open.size(); i-- > 0;) {
            if (largest.size() == n) sums[i] = sum;
            const double worth = open[i].worth - each * static_cast<double>(open[i].negative);
            largest.push(worth);
            sum += worth;
            if (largest.size() > n) {
                sum -= largest.top();
                largest.pop();
            }
        }
        return sums;
    }

    void keep(std::int32_t term) {
        if (found_.sets.size() == wish_.most) {
            halted_ = true;
            return;
        }
        found_.sets.push_back(chosen_);
        found_.sets.back().push_back(term);
    }

    // Of the counts that n more candidates can bring about.
    std::vector<Plane> planes(const std::vector<Candidate>& open, std::size_t n,
                              const Chosen& so_far) {
        std::vector<Count> counts(open.size());
        const auto most = [&](Count Candidate::* which, Count marked, Count limit) {
            for (std::size_t i = 0; i < open.size(); ++i) counts[i] = open[i].*which;
            std::nth_element(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(n - 1),
                             counts.end(), std::greater<>());
            for (std::size_t i = 0; i < n; ++i) marked = std::min(limit, marked + counts[i]);
            return marked;
        };
        const Count a1 = std::max(wish_.least_positive, so_far.positive),
                    a2 = most(&Candidate::positive, so_far.positive, wish_.most_positive),
                    b1 = std::max(wish_.least_negative, so_far.negative),
                    b2 = most(&Candidate::negative, so_far.negative, wish_.most_negative);
        if (a1 > a2 || b1 > b2) return {};
        const double low = log_likelihood(a1, b1), across = log_likelihood(a2, b1),
                     up = log_likelihood(a1, b2), high = log_likelihood(a2, b2);
        const auto wide = static_cast<double>(std::max<Count>(1, a2 - a1)),
                   tall = static_cast<double>(std::max<Count>(1, b2 - b1));
        double s[2] = {(across - low) / wide, (high - up) / wide};
        double r[2] = {(up - low) / tall, (high - across) / tall};
        // The hull of four corners, cut along the diagonal that is higher in the middle.
        if (low + high >= across + up) std::swap(r[0], r[1]);
        std::vector<Plane> found;
        for (const double share : {0.0, 1.0, 0.5}) {
            const double x = std::max(0.0, (1 - share) * s[0] + share * s[1]),
                         y = std::min(0.0, (1 - share) * r[0] + share * r[1]);
            const auto above = [&](double value, Count a, Count b) {
                return value - x * static_cast<double>(a) - y * static_cast<double>(b);
            };
            found.push_back({x, y,
                             std::max({above(low, a1, b1), above(across, a2, b1), above(up, a1, b2),
                                       above(high, a2, b2)})});
        }
        return found;
    }

    // The lowest bound that some steps of prices come to. Candidates that no set above the target
    // holds leave `open`; `prices` and the candidates' worth are those of the bound.
    double best_bound(std::vector<Candidate>& open, std::size_t n, const Chosen& so_far,
                      std::vector<double>& prices, Plane& plane) {
        double best = INFINITY;
        if (open.size() < n) return best;
        const std::vector<Plane> all = planes(open, n, so_far);
        if (all.empty()) return -INFINITY;
        std::vector<double> best_prices;
        double best_share = 1;
        for (const Plane& p : all) {
            for (std::size_t i = 0; i < prices.size(); ++i)
                prices_[i] = covered_[i] > 0 ? 0 : std::min(prices[i], p.positive * weight(i));
            share_ = 1;
            double own = INFINITY, step = 0.4;
            const int steps = chosen_.empty() ? kFirstSteps : kSteps;
            for (int i = 0; i < steps; ++i) {
                const double value = bound_at(open, n, so_far, p);
                if (value <= wish_.target || open.size() < n) return -INFINITY;
                if (value < best) {
                    best = value;
                    plane = p;
                    best_prices = prices_;
                    best_share = share_;
                }
                if (value < own)
                    own = value;
                else
                    step *= 0.6;
                if (!descend(open, n, so_far, p, step, value)) break;
            }
        }
        prices = prices_ = best_prices;
        share_ = best_share;
        return bound_at(open, n, so_far, plane);
    }

    double weight(std::size_t row) const { return static_cast<double>(wish_.weights[row]); }

    // Steps 1 to 3 of the argument in docs/trust.md for n different terms: the n largest worths.
    double bound_at(std::vector<Candidate>& open, std::size_t n, const Chosen& so_far,
                    const Plane& p) {
        double value = p.height + p.positive * static_cast<double>(so_far.positive) +
                       p.negative * static_cast<double>(so_far.negative) + so_far.prior;
        for (std::size_t i = 0; i < prices_.size(); ++i)
            if (covered_[i] == 0) value += p.positive * weight(i) - prices_[i];
        // At least as many negatives are marked as the box begins with, too.
        const Count missing = std::max<Count>(0, wish_.least_negative - so_far.negative);
        value += (1 - share_) * p.negative * static_cast<double>(missing);
        const double each = share_ * p.negative / static_cast<double>(n);
        for (Candidate& c : open) {
            c.worth = wish_.worth[as_index(c.term)] + each * static_cast<double>(c.negative);
            const std::vector<std::int32_t>& rows = wish_.rows[as_index(c.term)];
            for (std::size_t i = 0; i < split_[as_index(c.term)]; ++i)
                c.worth += prices_[as_index(rows[i])];
        }
        const auto last = open.begin() + static_cast<std::ptrdiff_t>(n - 1);
        std::nth_element(open.begin(), last, open.end(),
                         [](const Candidate& x, const Candidate& y) {
                             return x.worth != y.worth ? x.worth > y.worth : x.term < y.term;
                         });
        top_ = 0;
        for (auto c = open.begin(); c <= last; ++c) top_ += c->worth;
        value += top_;
        // With a term in the place of the last of these, the bound is lower by what it lacks.
        const double floor = wish_.target - value + last->worth;
        open.erase(std::remove_if(last + 1, open.end(),
                                  [&](const Candidate& c) { return c.worth <= floor; }),
                   open.end());
        return value;
    }

    // Move the prices down the slope of the bound; false at its lowest.
    bool descend(const std::vector<Candidate>& open, std::size_t n, const Chosen& so_far,
                 const Plane& p, double step, double value) {
        std::fill(slopes_.begin(), slopes_.end(), -1.0);
        double paid = 0;
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t term = as_index(open[k].term);
            for (std::size_t i = 0; i < split_[term]; ++i)
                slopes_[as_index(wish_.rows[term][i])] += 1;
            paid += static_cast<double>(open[k].negative) / static_cast<double>(n);
        }
        double norm = 0;
        for (std::size_t i = 0; i < prices_.size(); ++i) {
            if (covered_[i] > 0 || (prices_[i] >= p.positive * weight(i) && slopes_[i] < 0) ||
                (prices_[i] <= 0 && slopes_[i] > 0))
                slopes_[i] = 0;
            norm += slopes_[i] * slopes_[i];
        }
        const auto missing = static_cast<double>(wish_.least_negative - so_far.negative);
        const double by_share = missing > 0 ? p.negative * (paid - missing) : 0;
        if (norm < kTolerance && std::abs(by_share) < kTolerance) return false;
        const double length = step * (value - wish_.target + 0.5) / std::max(1.0, norm);
        for (std::size_t i = 0; i < prices_.size(); ++i)
            prices_[i] = std::clamp(prices_[i] - length * slopes_[i], 0.0, p.positive * weight(i));
        if (std::abs(by_share) >= kTolerance)
            share_ = std::clamp(share_ - (by_share > 0 ? 0.3 : -0.3) * step, 0.0, 1.0);
        return true;
    }

    const Likelihood& likelihood_;
    const TermSetsWish& wish_;
    const Stop& stop_;
    std::size_t n_negative_rows_;
    std::vector<double> table_, losses_, costs_;
    std::vector<std::size_t> split_;     // of each term: where its negatives begin
    std::vector<std::int32_t> covered_;  // of each row: chosen terms that mark it
    std::vector<std::int32_t> chosen_;
    std::vector<double> prices_, slopes_;  // of positive rows
    double share_ = 1;  // of the cost of negatives that terms pay; the rest is the box's least
    double top_ = 0;
    bool halted_ = false;
    TermSets found_;
};

}  // namespace

TermSets better_sets(const Likelihood& likelihood, const TermSetsWish& wish, const Stop& stop) {
    return SetWalk(likelihood, wish, stop).run();
}

}  // namespace bayesdnf
