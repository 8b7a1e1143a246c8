#include "search/term_sets.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>

#include "search/useful_terms.hpp"

namespace bayesdnf {
namespace {

constexpr int kFirstSteps = 150, kSteps = 25;  // of prices, at the root and below
constexpr double kTolerance = 1e-9;

// What rows of a plane above the likelihood are worth, and its height at no rows.
struct Plane {
    double positive, negative, height;
};

class SetWalk {
  public:
    SetWalk(const Likelihood& likelihood, const TermSetsWish& wish, const Stop& stop)
        : useful_(likelihood, wish),
          wish_(wish),
          stop_(stop),
          covered_(wish.positive.size()),
          prices_(wish.n_positive),
          paid_(wish.n_positive),
          slopes_(wish.n_positive) {
        const auto end = static_cast<std::int32_t>(wish.n_positive);
        split_.reserve(wish.cells.size());
        for (const std::vector<std::int32_t>& cells : wish.cells)
            split_.push_back(
                as_index(std::lower_bound(cells.begin(), cells.end(), end) - cells.begin()));
    }

    TermSets run() {
        std::vector<std::int32_t> terms;
        for (std::size_t t = 0; t < wish_.cells.size(); ++t) {
            Candidate c{static_cast<std::int32_t>(t)};
            if (fits(c, 0, 0)) terms.push_back(c.term);
        }
        if (wish_.replaceable) terms = useful_.undominated(terms, stop_, halted_);
        std::vector<Candidate> all;
        for (const std::int32_t term : terms) {
            all.push_back({term});
            fits(all.back(), 0, 0);
        }
        std::vector<double> prices(wish_.n_positive, 1.0);
        visit(std::move(all), wish_.n_terms, {0, 0, wish_.constant}, prices);
        found_.complete = !halted_;
        return std::move(found_);
    }

  private:
    struct Candidate {
        std::int32_t term;
        Count positive = 0, negative = 0;  // that it adds
        Count alone = 0;                   // of these negatives: in cells without positives
        double worth = 0;                  // at the prices at hand
        double cost = 0;                   // of that, what it pays for cells that cost
    };
    struct Chosen {
        Count positive, negative;
        double prior;
    };

    // Count what a candidate adds; whether it can be in a function of the box.
    bool fits(Candidate& c, Count positive, Count negative) {
        const std::vector<std::int32_t>& cells = wish_.cells[as_index(c.term)];
        const std::size_t split = split_[as_index(c.term)];
        c.positive = c.negative = c.alone = 0;
        for (std::size_t i = 0; i < split; ++i) {
            const std::size_t cell = as_index(cells[i]);
            if (covered_[cell] > 0) continue;
            c.positive += wish_.positive[cell];
            c.negative += wish_.negative[cell];
        }
        if (positive + c.positive > wish_.most_positive) return false;
        for (std::size_t i = split; i < cells.size(); ++i)
            if (covered_[as_index(cells[i])] == 0) c.alone += wish_.negative[as_index(cells[i])];
        c.negative += c.alone;
        return negative + c.negative <= wish_.most_negative &&
               useful_.pays(c.term, c.positive, negative + c.negative);
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
                const double score = useful_.log_likelihood(so_far.positive + c.positive,
                                                            so_far.negative + c.negative) +
                                     so_far.prior + wish_.worth[as_index(c.term)];
                if (score > wish_.target) keep(c.term);
            }
            return;
        }
        Plane plane{};
        const double bound = best_bound(open, n, so_far, prices, plane);
        if (bound <= wish_.target || open.size() < n) return;
        // The term that costs most first, then the one with the most new negatives: it pays in
        // full, and the others nothing.
        std::sort(open.begin(), open.end(), [](const Candidate& x, const Candidate& y) {
            if (x.cost != y.cost) return x.cost < y.cost;
            if (x.negative != y.negative) return x.negative > y.negative;
            return x.worth != y.worth ? x.worth > y.worth : x.term < y.term;
        });
        const Count missing = std::max<Count>(0, wish_.least_negative - so_far.negative);
        const std::vector<double> others = sums_after(open, n - 1);
        const double rest = 1 - share_;
        const double base = bound - top_ - rest * plane.negative * static_cast<double>(missing);
        // The same where no cell pays for negatives, which are paid by their number.
        const double free = base + cells_paid_;
        for (std::size_t i = 0; i + n <= open.size() && !halted_; ++i) {
            const Candidate& c = open[i];
            const double marked =
                plane.negative * static_cast<double>(std::max(c.negative, missing));
            const double paid =
                std::min(base + static_cast<double>(n) * c.cost + rest * marked, free + marked);
            if (paid + c.worth - c.cost + others[i] > wish_.target)
                choose(open, i, n, so_far, prices);
        }
    }

    void choose(const std::vector<Candidate>& open, std::size_t i, std::size_t n,
                const Chosen& so_far, const std::vector<double>& prices) {
        const Candidate& c = open[i];
        const Chosen now{so_far.positive + c.positive, so_far.negative + c.negative,
                         so_far.prior + wish_.worth[as_index(c.term)]};
        chosen_.push_back(c.term);
        for (const std::int32_t cell : wish_.cells[as_index(c.term)]) ++covered_[as_index(cell)];
        if (all_pay(now.negative)) {
            std::vector<Candidate> rest;
            for (std::size_t j = i + 1; j < open.size(); ++j) {
                Candidate next{open[j].term};
                if (fits(next, now.positive, now.negative)) rest.push_back(next);
            }
            if (rest.size() + 1 >= n) visit(std::move(rest), n - 1, now, prices);
        }
        for (const std::int32_t cell : wish_.cells[as_index(c.term)]) --covered_[as_index(cell)];
        chosen_.pop_back();
    }

    // Whether each chosen term is worth its prior, by the positives that no other one marks.
    bool all_pay(Count negative) {
        for (const std::int32_t term : chosen_) {
            Count unique = 0;
            for (std::size_t i = 0; i < split_[as_index(term)]; ++i) {
                const std::size_t cell = as_index(wish_.cells[as_index(term)][i]);
                if (covered_[cell] == 1) unique += wish_.positive[cell];
            }
            if (!useful_.pays(term, unique, negative)) return false;
        }
        return true;
    }

    // By place: the sum of the n largest worths behind it, without what they cost.
    std::vector<double> sums_after(const std::vector<Candidate>& open, std::size_t n) {
        std::vector<double> sums(open.size(), -INFINITY);
        std::priority_queue<double, std::vector<double>, std::greater<>> largest;
        double sum = 0;
        for (std::size_t i = open.size(); i-- > 0;) {
            if (largest.size() == n) sums[i] = sum;
            largest.push(open[i].worth - open[i].cost);
            sum += open[i].worth - open[i].cost;
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
        const double low = useful_.log_likelihood(a1, b1), across = useful_.log_likelihood(a2, b1),
                     up = useful_.log_likelihood(a1, b2), high = useful_.log_likelihood(a2, b2);
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
                prices_[i] =
                    std::min(prices[i], p.positive * static_cast<double>(wish_.positive[i]));
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

    // What a cell adds to a plane: negatives at a share of their cost.
    double gain(std::size_t cell, const Plane& p) const {
        return p.positive * static_cast<double>(wish_.positive[cell]) +
               share_ * p.negative * static_cast<double>(wish_.negative[cell]);
    }

    // Steps 1 to 3 of the argument in docs/bound.md for n different terms: the n largest worths.
    double bound_at(std::vector<Candidate>& open, std::size_t n, const Chosen& so_far,
                    const Plane& p) {
        double value = p.height + p.positive * static_cast<double>(so_far.positive) +
                       p.negative * static_cast<double>(so_far.negative) + so_far.prior;
        // A cell that gains is paid for by its price; of one that costs, each term pays an n-th.
        cells_paid_ = 0;
        for (std::size_t i = 0; i < prices_.size(); ++i) {
            paid_[i] = 0;
            if (covered_[i] > 0) continue;
            const double own = gain(i, p);
            paid_[i] = own > 0 ? std::min(prices_[i], own) : own / static_cast<double>(n);
            value += std::max(0.0, own - paid_[i]);
            // Beyond that, where its negatives cost nothing here.
            cells_paid_ += p.positive * static_cast<double>(wish_.positive[i]) - std::max(0.0, own);
        }
        // At least as many negatives are marked as the box begins with, too.
        const Count missing = std::max<Count>(0, wish_.least_negative - so_far.negative);
        value += (1 - share_) * p.negative * static_cast<double>(missing);
        const double each = share_ * p.negative / static_cast<double>(n);
        for (Candidate& c : open) {
            c.cost = each * static_cast<double>(c.alone);
            double paid = 0;
            const std::vector<std::int32_t>& cells = wish_.cells[as_index(c.term)];
            for (std::size_t i = 0; i < split_[as_index(c.term)]; ++i) {
                const double own = paid_[as_index(cells[i])];
                (own < 0 ? c.cost : paid) += own;
            }
            c.worth = wish_.worth[as_index(c.term)] + paid + c.cost;
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
        double paid = 0;  // negatives, by the cells and terms that pay
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t term = as_index(open[k].term);
            for (std::size_t i = 0; i < split_[term]; ++i)
                slopes_[as_index(wish_.cells[term][i])] += 1;
            paid += static_cast<double>(open[k].alone) / static_cast<double>(n);
        }
        double norm = 0;
        for (std::size_t i = 0; i < prices_.size(); ++i) {
            const double own = gain(i, p), negative = static_cast<double>(wish_.negative[i]);
            if (covered_[i] > 0 || own <= 0) {
                if (covered_[i] == 0) paid += negative * (slopes_[i] + 1) / static_cast<double>(n);
                slopes_[i] = 0;
                continue;
            }
            if (prices_[i] < own) paid += negative;
            if ((prices_[i] >= own && slopes_[i] < 0) || (prices_[i] <= 0 && slopes_[i] > 0))
                slopes_[i] = 0;
            norm += slopes_[i] * slopes_[i];
        }
        const auto missing = static_cast<double>(wish_.least_negative - so_far.negative);
        const double by_share = missing > 0 ? p.negative * (paid - missing) : 0;
        if (norm < kTolerance && std::abs(by_share) < kTolerance) return false;
        const double length = step * (value - wish_.target + 0.5) / std::max(1.0, norm);
        for (std::size_t i = 0; i < prices_.size(); ++i)
            if (slopes_[i] != 0)
                prices_[i] = std::clamp(prices_[i] - length * slopes_[i], 0.0, gain(i, p));
        if (std::abs(by_share) >= kTolerance)
            share_ = std::clamp(share_ - (by_share > 0 ? 0.3 : -0.3) * step, 0.0, 1.0);
        return true;
    }

    UsefulTerms useful_;
    const TermSetsWish& wish_;
    const Stop& stop_;
    std::vector<std::size_t> split_;     // of each term: where its cells of negatives begin
    std::vector<std::int32_t> covered_;  // of each cell: chosen terms that mark it
    std::vector<std::int32_t> chosen_;
    // Of cells with positives: prices of those that gain, and what each term pays there.
    std::vector<double> prices_, paid_, slopes_;
    double share_ = 1;  // of the cost of negatives that cells pay; the rest is the box's least
    double top_ = 0;
    double cells_paid_ = 0;  // for negatives, by cells that hold positives too
    bool halted_ = false;
    TermSets found_;
};

}  // namespace

TermSets better_sets(const Likelihood& likelihood, const TermSetsWish& wish, const Stop& stop) {
    return SetWalk(likelihood, wish, stop).run();
}

}  // namespace bayesdnf
