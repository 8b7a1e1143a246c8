#include "sampling/term_draws.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "faults.hpp"
#include "model/special.hpp"

namespace bayesdnf {
namespace {

constexpr std::size_t kLargestDrawn = 64;  // literals of a term: a random word has 64 bits

double log_choose(std::size_t n, std::size_t k) {
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k);
}

// 1, 2, 3, … with probabilities 1/2, 1/4, 1/8, …: zeros below the lowest one of a random word.
std::size_t halving_size(Philox& rng) {
    return 1 + static_cast<std::size_t>(std::countr_zero(rng.next()));
}

// k different numbers below n, in rising order (Floyd).
Term subset(std::size_t n, std::size_t k, Philox& rng) {
    Term chosen;
    for (std::size_t j = n - k; j < n; ++j) {
        auto t = static_cast<std::int32_t>(rng.below(j + 1));
        auto place = std::lower_bound(chosen.begin(), chosen.end(), t);
        if (place != chosen.end() && *place == t) {
            t = static_cast<std::int32_t>(j);
            place = chosen.end();
        }
        chosen.insert(place, t);
    }
    return chosen;
}

}  // namespace

double log_factorial(std::size_t k) { return log_gamma(static_cast<double>(k) + 1.0); }

Term PlainTerms::draw(Philox& rng) const {
    const std::size_t k = halving_size(rng);
    return k > p_ || k > kLargestDrawn ? Term{} : subset(p_, k, rng);
}

double PlainTerms::log_probability(const Term& term) const {
    const std::size_t k = term.size();
    return k > kLargestDrawn ? -INFINITY : -static_cast<double>(k) * kLog2 - log_choose(p_, k);
}

RowTerms::RowTerms(const BitView& view, const Individuals& individuals)
    : individuals_(&individuals), view_(&view) {
    Term held;
    for (std::size_t row = 0; row < individuals.n_positive_rows(); ++row) {
        individuals.true_literals(row, held);
        literals_.push_back(static_cast<std::uint32_t>(held.size()));
    }
    if (literals_.empty()) return;
    const auto [fewest, most] = std::ranges::minmax(literals_);
    fewest_ = fewest;
    most_ = most;
}

Term RowTerms::draw(Philox& rng, Room& room) const {
    if (individuals_->n_positive() == 0) return {};
    const std::size_t row = individuals_->row_of(rng.below(individuals_->n_positive()));
    const std::size_t k = halving_size(rng);
    if (k > literals_[row] || k > kLargestDrawn) return {};
    individuals_->true_literals(row, room.held);
    Term term = subset(room.held.size(), k, rng);
    for (std::int32_t& l : term) l = room.held[as_index(l)];
    return term;
}

double RowTerms::log_probability(const Term& term, const Word* mask, Room& room) const {
    const std::size_t k = term.size();
    if (k > kLargestDrawn) return -INFINITY;
    const double log_size = -static_cast<double>(k) * kLog2;
    const double n_positive = static_cast<double>(individuals_->n_positive());
    if (fewest_ == most_ || planted(Fault::row_birth_one_row)) {
        Count positive = individuals_->positives_of(*view_, mask);
        if (positive == 0) return -INFINITY;
        if (planted(Fault::row_birth_one_row)) positive = 1;
        return log_size - log_choose(fewest_, k) +
               std::log(static_cast<double>(positive) / n_positive);
    }
    // Rows with more true literals are less likely to give just these: sum over them, relative to
    // what the poorest row that could hold the term would give.
    const double reference = log_choose(std::max<std::size_t>(fewest_, k), k);
    room.share.assign(most_ + 1, 0);
    double sum = 0;
    individuals_->for_each_positive(mask, [&](std::size_t row) {
        double& s = room.share[literals_[row]];
        if (s == 0) s = std::exp(reference - log_choose(literals_[row], k));
        sum += s * static_cast<double>(individuals_->count(row));
    });
    return sum == 0 ? -INFINITY : log_size - reference + std::log(sum / n_positive);
}

ListedTerms::ListedTerms(std::vector<Term> terms, const std::vector<double>& weights) {
    std::vector<std::size_t> order(terms.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t i, std::size_t j) { return terms[i] < terms[j]; });
    double sum = 0;
    for (const std::size_t i : order) {
        sum += weights[i];
        if (!terms_.empty() && terms_.back() == terms[i]) {
            up_to_.back() = sum;
        } else {
            terms_.push_back(std::move(terms[i]));
            up_to_.push_back(sum);
        }
    }
}

const Term& ListedTerms::draw(Philox& rng) const {
    const double u = rng.uniform() * up_to_.back();
    const auto place = std::upper_bound(up_to_.begin(), up_to_.end() - 1, u);
    return terms_[static_cast<std::size_t>(place - up_to_.begin())];
}

double ListedTerms::log_probability(const Term& term) const {
    const auto place = std::lower_bound(terms_.begin(), terms_.end(), term);
    if (place == terms_.end() || *place != term) return -INFINITY;
    const auto i = static_cast<std::size_t>(place - terms_.begin());
    const double weight = up_to_[i] - (i == 0 ? 0 : up_to_[i - 1]);
    return std::log(weight / up_to_.back());
}

}  // namespace bayesdnf
