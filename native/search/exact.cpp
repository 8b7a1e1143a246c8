#include "search/exact.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "search/beam.hpp"

namespace bayesdnf {
namespace {

// Scores closer than this are the same: bounds and scores are rounded differently, and a bound
// that only repeats the best score must cut.
constexpr double kSame = 1e-9;

// Above this many literals the room in a term is not worked out: it only sharpens the bounds.
constexpr std::size_t kMostToGroup = 10'000;

}  // namespace

Ceiling::Ceiling(const Likelihood& likelihood, Count least)
    : likelihood_(likelihood),
      least_(least),
      // With all positives marked and nothing else, Likelihood::bound adds just this factor.
      largest_order_factor_(likelihood.bound(likelihood.n_positive(), 0) -
                            likelihood.unordered(likelihood.n_positive(), 0)),
      ordered_(largest_order_factor_ > 0) {}

double Ceiling::at(Count a, Count b) const {
    if (!ordered_) return likelihood_.unordered(a, b) + largest_order_factor_;
    // Where the marked rows are the less risky ones the order factor matters: more positives or
    // fewer negatives, up to equal shares, only raise the likelihood, and there the bound is low.
    const Count n_pos = likelihood_.n_positive(), n_neg = likelihood_.n_negative();
    double value = likelihood_.unordered(a, b);
    if (a * n_neg < b * n_pos)
        value = std::min({value, likelihood_.unordered(divide_up(b * n_pos, n_neg), b),
                          likelihood_.unordered(a, a * n_neg / n_pos)});
    return value + largest_order_factor_;
}

double Ceiling::over(const CountRange& r) const {
    if (r.positive + r.negative < least_) return -INFINITY;
    if (ordered_) return at(r.positive, std::max(r.fewest_negative, least_ - r.positive));
    double best = -INFINITY;
    const auto vertex = [&](Count a, Count b) {
        if (r.fewest_positive <= a && a <= r.positive && r.fewest_negative <= b &&
            b <= r.negative && a + b >= least_)
            best = std::max(best, at(a, b));
    };
    for (const Count a : {r.fewest_positive, r.positive}) {
        vertex(a, r.fewest_negative);
        vertex(a, r.negative);
        vertex(a, least_ - a);
    }
    vertex(least_ - r.fewest_negative, r.fewest_negative);
    vertex(least_ - r.negative, r.negative);
    return best;
}

TermSearch::TermSearch(const Posterior& posterior, std::size_t max_size)
    : posterior_(posterior),
      ceiling_(posterior.likelihood(), posterior.support().rules().min_cover),
      count_free_(posterior.support().rules().related && !posterior.support().has_groups()),
      term_prior_(posterior.prior().of_count(1, 1)) {
    const Rules& rules = posterior.support().rules();
    const BitView& view = posterior.view();
    const FunctionPrior& prior = posterior.prior();
    const Score null = posterior.score({}, {});
    score_ = null.verdict == Verdict::allowed ? null.log_prior + null.log_likelihood : -INFINITY;
    if (rules.max_terms >= 1 && term_prior_ > -INFINITY) longest_ = longest_possible(max_size);
    rise_.assign(longest_ + 1, NAN);
    mask_.resize(view.n_words());
    counts_.resize(2 * view.n_literals());
    may_.resize(view.n_literals());
    for (std::size_t l = 0; l < view.n_literals(); ++l) {
        weights_.push_back(prior.of_literal(static_cast<std::int32_t>(l)));
        if (weights_.back() != 0) weighted_ = true;
    }
    if (weighted_) count_free_ = false;  // then it matters which ones are taken
}

// The largest size that the prior gives mass and the support has room for.
std::size_t TermSearch::longest_possible(std::size_t max_size) const {
    const Support& support = posterior_.support();
    const std::size_t p = support.n_literals();
    std::size_t room = p;
    if (!support.rules().related && p <= kMostToGroup) {
        // Literals in groups whose members are related to one another: a term takes one of each.
        std::vector<std::vector<std::int32_t>> groups;
        std::vector<std::uint8_t> may(p);
        for (std::size_t l = 0; l < p; ++l) {
            const auto id = static_cast<std::int32_t>(l);
            support.addable({&id, 1}, {}, may.data());
            const auto fits = [&](const std::vector<std::int32_t>& group) {
                return std::none_of(group.begin(), group.end(),
                                    [&](std::int32_t other) { return may[as_index(other)]; });
            };
            const auto group = std::find_if(groups.begin(), groups.end(), fits);
            if (group == groups.end())
                groups.push_back({id});
            else
                group->push_back(id);
        }
        room = groups.size();
    }
    std::size_t longest = 0;
    for (std::size_t k = 1; k <= std::min(room, max_size); ++k)
        if (static_cast<std::int64_t>(k) <= support.rules().max_literals &&
            posterior_.prior().of_size(k) > -INFINITY)
            longest = k;
    return longest;
}

void TermSearch::seed(std::size_t width, const Stop& stop) {
    if (longest_ == 0) return;
    const Grown grown = grow_term(State(posterior_), kNone, kFirstLayer, width, -INFINITY, stop);
    if (grown.term.size() <= longest_ && grown.score > score_) {
        best_ = grown.term;
        score_ = grown.score;
    }
}

bool TermSearch::advance(const Stop& stop) {
    if (longest_ == 0) return true;
    if (!started_) {
        if (stop()) return false;
        started_ = true;
        std::vector<Branch> all;
        all.reserve(weights_.size());
        for (std::size_t l = 0; l < weights_.size(); ++l)
            all.push_back({static_cast<std::int32_t>(l), 0, 0, 0});
        const auto& totals = posterior_.view().totals();
        expand(all, totals[0], totals[1]);
        n_branches_ = frames_.back().branches.size();
    }
    std::vector<Branch> pool;
    while (!frames_.empty()) {
        if (stop()) return false;
        Frame& frame = frames_.back();
        if (frame.next == frame.branches.size()) {
            frames_.pop_back();
            free_.resize(frames_.empty() ? 0 : frames_.back().n_free);
            if (!term_.empty()) term_.pop_back();
            continue;
        }
        const Branch branch = frame.branches[frame.next++];
        if (frame.next == 1 || hopeless(branch.hope)) continue;
        pool.clear();
        for (std::size_t i = 0; i + 1 < frame.next; ++i)
            if (!hopeless(frame.branches[i].hope)) pool.push_back(frame.branches[i]);
        term_.push_back(branch.literal);
        expand(pool, branch.positive, branch.negative);
    }
    return true;
}

std::size_t TermSearch::branches_done() const {
    return !started_ ? 0 : frames_.empty() ? n_branches_ : frames_.front().next;
}

// Whether, from term_ on, leaving out literals never lowers the prior of a term that may win.
// Sizes that the prior prefers to some shorter one do no harm when they are too improbable.
bool TermSearch::shorter_is_better(Count positive, Count negative) {
    const std::size_t k = term_.size();
    if (std::isnan(rise_[k])) {
        const FunctionPrior& prior = posterior_.prior();
        double lowest = prior.of_size(k), rise = -INFINITY;
        for (std::size_t u = k + 1; u <= longest_; ++u) {
            if (prior.of_size(u) > lowest) rise = std::max(rise, prior.of_size(u));
            lowest = std::min(lowest, prior.of_size(u));
        }
        rise_[k] = rise;
    }
    if (rise_[k] == -INFINITY) return true;
    return !weighted_ &&
           hopeless(term_prior_ + rise_[k] + ceiling_.over({0, positive, 0, negative}));
}

// Score every extension of term_ by a literal of the pool; keep what may be worth extending.
void TermSearch::expand(std::span<const Branch> pool, Count positive, Count negative) {
    ++nodes_;
    weight_ = 0;
    for (const std::int32_t l : term_) weight_ += weights_[as_index(l)];
    const BitView& view = posterior_.view();
    const std::size_t p = view.n_literals();
    view.term_mask(mask_.data(), term_);
    view.literal_counts(mask_.data(), 1, counts_.data(), room_);
    posterior_.support().addable(term_, {}, may_.data());
    std::vector<Branch> open;
    const std::size_t had_free = free_.size();
    // Where literals are required, one that takes nothing away may be needed all the same.
    const bool drop_idle = !term_.empty() && posterior_.support().required().empty() &&
                           shorter_is_better(positive, negative);
    for (const Branch& from : pool) {
        const std::int32_t l = from.literal;
        const std::size_t at = as_index(l);
        const Count a = counts_[at], b = counts_[p + at];
        if (!may_[at] || a + b < posterior_.support().rules().min_cover) continue;
        // Without a literal that takes away no negative (and, unless rates are ordered, no
        // positive) every term from here is at least as likely, and shorter.
        if (drop_idle && b == negative && (a == positive || ceiling_.ordered()) &&
            weights_[at] <= 0)
            continue;
        if (count_free_ && !term_.empty() && a == positive && b == negative)
            free_.push_back(l);  // any number of these fits any longer term
        else
            open.push_back({l, a, b, 0});
    }
    if (free_.size() > had_free) consider(-1, positive, negative);
    for (const Branch& branch : open) consider(branch.literal, branch.positive, branch.negative);
    if (term_.size() + 2 > longest_) open.clear();
    // A literal whose every continuation is hopeless leaves the pool of the others, too; their
    // prospects then shrink.
    while (filter(open, positive, negative)) {
    }
    std::sort(open.begin(), open.end(), [](const Branch& x, const Branch& y) {
        return x.hope != y.hope ? x.hope > y.hope : x.literal < y.literal;
    });
    frames_.push_back({std::move(open), 0, free_.size()});
}

bool TermSearch::filter(std::vector<Branch>& branches, Count positive, Count negative) {
    if (branches.empty()) return false;
    set_prospects(branches, positive, negative);
    for (Branch& b : branches) b.hope = hope(b, positive, negative);
    return std::erase_if(branches, [&](const Branch& b) { return hopeless(b.hope); }) > 0;
}

void TermSearch::set_prospects(std::span<const Branch> pool, Count positive, Count negative) {
    Prospects& s = prospects_;
    const auto sums = [&](std::vector<Count>& each, std::vector<Count>& sum) {
        std::sort(each.begin(), each.end(), std::greater<>());
        sum.assign(1, 0);
        for (const Count c : each) sum.push_back(sum.back() + c);
    };
    s.each_positive.clear();
    s.each_negative.clear();
    for (const Branch& b : pool) {
        s.each_positive.push_back(positive - b.positive);
        s.each_negative.push_back(negative - b.negative);
    }
    sums(s.each_negative, s.negatives);
    if (!ceiling_.ordered()) sums(s.each_positive, s.positives);

    const std::size_t k = term_.size() + 1;  // with the branch's own literal
    const std::size_t most = std::min(pool.size() - 1, longest_ - k);
    s.prior.assign(most + 1, -INFINITY);
    std::vector<double> gains;
    if (weighted_) {
        for (const Branch& b : pool) gains.push_back(weights_[as_index(b.literal)]);
        std::sort(gains.begin(), gains.end(), std::greater<>());
    }
    double gain = 0;
    for (std::size_t j = 1; j <= most; ++j) {
        if (!gains.empty()) gain += gains[j - 1];
        s.prior[j] = term_prior_ + best_size(k + j) + gain;
    }
    s.later = s.prior;
    for (std::size_t j = most; j-- > 1;) s.later[j] = std::max(s.later[j], s.later[j + 1]);
}

double TermSearch::hope(const Branch& branch, Count positive, Count negative) const {
    const Prospects& s = prospects_;
    // The most that j literals of the pool other than the branch's own can take away.
    const auto taken = [](const std::vector<Count>& each, const std::vector<Count>& sum, Count own,
                          std::size_t j) { return own >= each[j - 1] ? sum[j + 1] - own : sum[j]; };
    const Count a = branch.positive, b = branch.negative;
    const double full = ceiling_.over({0, a, 0, b});
    double best = -INFINITY;
    for (std::size_t j = 1; j < s.prior.size() && s.later[j] + full > best; ++j) {
        const Count fewest_b =
            std::max<Count>(0, b - taken(s.each_negative, s.negatives, negative - b, j));
        const Count fewest_a =
            ceiling_.ordered()
                ? 0
                : std::max<Count>(0, a - taken(s.each_positive, s.positives, positive - a, j));
        if (fewest_a == 0 && fewest_b == 0) {
            best = std::max(best, s.later[j] + full);
            break;
        }
        best = std::max(best, s.prior[j] + ceiling_.over({fewest_a, a, fewest_b, b}));
    }
    return best + weight_ + weights_[as_index(branch.literal)];
}

double TermSearch::best_size(std::size_t k, std::size_t* size) const {
    double best = -INFINITY;
    for (std::size_t i = k; i <= std::min(k + free_.size(), longest_); ++i)
        if (const double value = posterior_.prior().of_size(i); value > best) {
            best = value;
            if (size != nullptr) *size = i;
        }
    return best;
}

// Judge term_ with one literal added (-1: none) and as many free ones as the prior likes best.
void TermSearch::consider(std::int32_t added, Count positive, Count negative) {
    const std::size_t k = term_.size() + (added < 0 ? 0 : 1);
    std::size_t size = k;
    const double weight = weight_ + (added < 0 ? 0 : weights_[as_index(added)]);
    const double prior = term_prior_ + best_size(k, &size) + weight;
    if (!(prior + ceiling_.at(positive, negative) + kSame > score_)) return;
    Term term = term_;
    if (added >= 0) term.push_back(added);
    for (std::size_t i = 0; i + k < size; ++i) term.push_back(free_[i]);
    std::sort(term.begin(), term.end());
    const LiteralIds alone[] = {term};
    const std::int32_t layers[] = {1};
    const Score found = posterior_.score(alone, layers);
    const double value = found.log_prior + found.log_likelihood;
    if (found.verdict == Verdict::allowed && value > score_) {
        best_ = std::move(term);
        score_ = value;
    }
}

bool TermSearch::hopeless(double hope) const { return !(hope > score_ + kSame); }

}  // namespace bayesdnf
