#include "search/anneal.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "model/special.hpp"
#include "search/choice.hpp"

namespace bayesdnf {
namespace {

constexpr double kImpossible = -INFINITY;
constexpr double kClip = 1e-10;  // of the rates, in the likelihood only: the author's

std::int64_t weight_of(const FunctionPrior& prior, const Term& term) {
    std::int64_t sum = 0;
    for (const std::int32_t l : term) sum += prior.weight(l);
    return sum;
}

double times(double count, double log) { return count == 0 ? 0 : count * log; }

double log_beta_density(double x, double a, double b) {
    return times(a - 1, std::log(x)) + times(b - 1, std::log(1 - x)) - log_beta(a, b);
}

bool rules_nothing_out(const Support& support) {
    const Rules& r = support.rules();
    return !support.has_groups() && support.required().empty() && !r.antichain && r.related &&
           !r.disjoint && r.min_cover <= 0 && r.max_terms == INT64_MAX &&
           r.max_literals == INT64_MAX;
}

}  // namespace

AnnealChain::AnnealChain(const AnnealProblem& problem, AnnealSettings settings, Philox rng)
    : problem_(&problem),
      settings_(settings),
      rng_(rng),
      turns_(problem.individuals),
      free_(rules_nothing_out(problem.posterior.support())),
      inverse_(problem.posterior.view().n_literals() + 1),
      of_size_(inverse_.size(), 0),
      log_lambda_(settings.log_lambda),
      prior_(kImpossible) {
    const BitView& view = problem.posterior.view();
    accumulate();
    for (std::size_t k = 1; k < inverse_.size(); ++k) inverse_[k] = 1.0 / static_cast<double>(k);
    work_.resize(view.n_words());
    pi0_ = problem.effect.known() ? problem.effect.pi0 : rng_.uniform();
    pi1_ = problem.effect.known() ? problem.effect.pi1 : rng_.uniform();
    update_logs();

    std::vector<std::uint64_t> taken;
    const std::uint64_t n = problem.individuals.size();
    for (std::uint64_t j = n - settings.start_terms; j < n; ++j) {
        const std::uint64_t t = rng_.below(j + 1);
        const auto place = std::lower_bound(taken.begin(), taken.end(), t);
        const std::uint64_t chosen = place != taken.end() && *place == t ? j : t;
        taken.insert(chosen == t ? place : taken.end(), chosen);
        row_term(problem.individuals.row_of(chosen), candidate_);
        if (candidate_.empty()) continue;
        terms_.put(view, terms_.size(), candidate_);
        weights_.push_back(weight_of(problem.posterior.prior(), candidate_));
        ++of_size_[candidate_.size()];
        n_literals_ += candidate_.size();
    }
    candidate_.clear();
    update_marked();
    marked_ = problem.posterior.count(once_.data());
    prior_ = prior_of({marked_});
    best_ = last();
}

std::size_t AnnealChain::advance(std::size_t steps, const Stop& stop) {
    constexpr std::size_t kBetweenLooks = 1024;
    for (std::size_t done = 0; done < steps; ++done) {
        if (done % kBetweenLooks == 0 && stop()) return done;
        step();
    }
    return steps;
}

void AnnealChain::accumulate() {
    double sum = 0;
    for (std::size_t i = 0; i < cumulative_.size(); ++i)
        cumulative_[i] = sum += settings_.probabilities[i];
    // Rounding must not make an impossible move of the last one.
    for (std::size_t i = cumulative_.size(); i-- > 0;) {
        cumulative_[i] = INFINITY;
        if (settings_.probabilities[i] > 0) break;
    }
}

// The five moves that change terms share what they had together anew: a fifth of it as before, the
// rest in proportion to what each had times how often it raised the posterior when tried, which is
// (1 + raised) / (2 + tried).
void AnnealChain::learn() {
    constexpr auto kFirst = static_cast<std::size_t>(AnnealMove::drop);
    constexpr double kKept = 0.2;
    auto& p = settings_.probabilities;
    double together = 0, sum = 0;
    PerAnnealMove<double> useful{};
    for (std::size_t i = kFirst; i < p.size(); ++i) {
        const double raised = static_cast<double>(improved_[i] + 1);
        useful[i] = p[i] * (raised / static_cast<double>(tried_[i] + 2));
        together += p[i];
        sum += useful[i];
    }
    if (sum == 0) return;
    for (std::size_t i = kFirst; i < p.size(); ++i)
        p[i] = kKept * p[i] + (1 - kKept) * together * useful[i] / sum;
    accumulate();
}

void AnnealChain::step() {
    const double u = rng_.uniform();
    move_ = 0;
    while (!(u < cumulative_[move_])) ++move_;
    ++tried_[move_];
    make_move(static_cast<AnnealMove>(move_));
    if (++steps_ == settings_.learning_steps) learn();
}

void AnnealChain::make_move(AnnealMove move) {
    switch (move) {
        case AnnealMove::set_rate0: return set_rate0();
        case AnnealMove::set_rate1: return set_rate1();
        case AnnealMove::drop: return drop();
        case AnnealMove::add: return add();
        case AnnealMove::birth: return birth();
        case AnnealMove::merge: return merge();
        case AnnealMove::death: return death();
    }
}

void AnnealChain::set_rate0() {
    if (problem_->effect.known()) return;
    const auto& likelihood = problem_->posterior.likelihood();
    set_rate(
        pi0_, problem_->effect.a0, problem_->effect.b0,
        {likelihood.n_positive() - marked_.positive, likelihood.n_negative() - marked_.negative});
}

void AnnealChain::set_rate1() {
    if (problem_->effect.known()) return;
    set_rate(pi1_, problem_->effect.a1, problem_->effect.b1, marked_);
}

// Given rows of both outcomes a rate with a Beta prior is Beta again.
void AnnealChain::set_rate(double& rate, double prior_a, double prior_b, MarkedCounts rows) {
    const double a = prior_a + static_cast<double>(rows.positive);
    const double b = prior_b + static_cast<double>(rows.negative);
    rate = settings_.draw_rates ? rng_.beta(a, b) : a / (a + b);
    update_logs();
    note_best();
}

void AnnealChain::drop() {
    if (terms_.empty()) return;
    std::size_t place = rng_.below(n_literals_), i = 0;  // a term with weight k, and a literal
    while (place >= terms_[i].size()) place -= terms_[i++].size();
    const Term& term = terms_[i];
    if (term.size() == 1) return;
    candidate_.assign(term.begin(), term.end());
    candidate_.erase(candidate_.begin() + static_cast<std::ptrdiff_t>(place));
    consider({.marked = widened(), .without = i});
}

void AnnealChain::add() {
    if (terms_.empty()) return;
    double sum = 0;
    for (const Term& t : terms_.terms()) sum += inverse_[t.size()];
    const double target = rng_.uniform() * sum;
    std::size_t i = 0;
    double passed = inverse_[terms_[0].size()];
    while (passed <= target && i + 1 < terms_.size()) passed += inverse_[terms_[++i].size()];
    const BitView& view = problem_->posterior.view();
    const Term& term = terms_[i];
    if (term.size() == view.n_literals()) return;
    auto literal = static_cast<std::int32_t>(rng_.below(view.n_literals() - term.size()));
    std::size_t place = 0;
    for (; place < term.size() && term[place] <= literal; ++place) ++literal;
    candidate_.assign(term.begin(), term.end());
    candidate_.insert(candidate_.begin() + static_cast<std::ptrdiff_t>(place), literal);

    // Lost are the rows that this term alone marks and the literal excludes.
    view.simd().and_not_into(work_.data(), terms_.mask(i).data(), twice_.data(), view.n_words());
    if (own_[i].positive < 0) own_[i] = problem_->posterior.count(work_.data());
    view.and_literal(work_.data(), literal);
    const MarkedCounts kept = problem_->posterior.count(work_.data());
    consider({.marked = {marked_.positive - own_[i].positive + kept.positive,
                         marked_.negative - own_[i].negative + kept.negative},
              .shrinks = false,
              .without = i});
}

void AnnealChain::birth() {
    if (problem_->individuals.n_positive() > 0) {
        row_term(turns_.draw(rng_), candidate_);
        if (!candidate_.empty())
            consider({.marked = widened(), .shrinks = false, .log_factor = log_lambda_});
    }
    log_lambda_ *= settings_.cooling;
}

void AnnealChain::merge() {
    const std::size_t m = terms_.size();
    if (m < 2) return;
    const std::size_t i = rng_.below(m);
    std::size_t j = rng_.below(m - 1);
    j += j >= i;  // any but i, each as probable
    candidate_.clear();
    std::set_intersection(terms_[i].begin(), terms_[i].end(), terms_[j].begin(), terms_[j].end(),
                          std::back_inserter(candidate_));
    if (!candidate_.empty())
        consider({.marked = widened(), .without = std::min(i, j), .without_too = std::max(i, j)});
    log_lambda_ *= settings_.cooling;
}

void AnnealChain::death() {
    if (terms_.size() > 1) {
        const std::size_t i = rng_.below(terms_.size());
        const BitView& view = problem_->posterior.view();
        if (own_[i].positive < 0) {
            view.simd().and_not_into(work_.data(), terms_.mask(i).data(), twice_.data(),
                                     view.n_words());
            own_[i] = problem_->posterior.count(work_.data());
        }
        candidate_.clear();
        consider(
            {.marked = {marked_.positive - own_[i].positive, marked_.negative - own_[i].negative},
             .without = i});
    }
    log_lambda_ *= settings_.cooling;
}

void AnnealChain::consider(const Proposal& proposal) {
    const Count marked = proposal.marked.positive + proposal.marked.negative;
    const auto& l = problem_->posterior.likelihood();
    // The author's code refuses functions that mark nobody or everybody (docs/paper.md).
    if (marked == 0 || marked == l.n_positive() + l.n_negative()) return;  // at any λ
    const double prior = prior_of(proposal);
    const double now = prior_ + likelihood(marked_);
    const double then = prior + likelihood(proposal.marked);
    if (!accepts(now, then, proposal)) return;
    improved_[move_] += then > now;
    commit(proposal, prior);
}

// Outside the support (a row may be a longer term than the prior allows) a chain may only shrink,
// which leads it in; inside it never leaves.
bool AnnealChain::accepts(double now, double then, const Proposal& proposal) {
    if (then == kImpossible) return now == kImpossible && proposal.shrinks;
    if (now == kImpossible) return true;
    return accept(then - now + proposal.log_factor, rng_);
}

void AnnealChain::commit(const Proposal& proposal, double prior) {
    const BitView& view = problem_->posterior.view();
    const auto remove = [&](std::size_t i) {
        terms_.erase(i);
        weights_.erase(weights_.begin() + static_cast<std::ptrdiff_t>(i));
    };
    for (const std::size_t i : {proposal.without, proposal.without_too})
        if (i != kNone) {
            --of_size_[terms_[i].size()];
            n_literals_ -= terms_[i].size();
        }
    if (proposal.without_too != kNone) remove(proposal.without_too);
    if (candidate_.empty()) {
        remove(proposal.without);
    } else {
        const std::size_t i = proposal.without == kNone ? terms_.size() : proposal.without;
        terms_.put(view, i, candidate_);
        weights_.resize(terms_.size());
        weights_[i] = weight_of(problem_->posterior.prior(), candidate_);
        ++of_size_[candidate_.size()];
        n_literals_ += candidate_.size();
    }
    marked_ = proposal.marked;
    prior_ = prior;
    update_marked();
    note_best();
}

// Log prior of the proposed list; -inf where it is ruled out. How many terms have k literals is
// kept and changed for the moment, because counting them anew would cost more than all else here.
double AnnealChain::prior_of(const Proposal& proposal) {
    const FunctionPrior& prior = problem_->posterior.prior();
    std::size_t m = terms_.size();
    std::int64_t weight = 0;
    for (const std::int64_t w : weights_) weight += w;
    const auto change = [&](std::size_t i, int by) {
        if (i != kNone) of_size_[terms_[i].size()] += by;
    };
    change(proposal.without, -1);
    change(proposal.without_too, -1);
    for (const std::size_t i : {proposal.without, proposal.without_too})
        if (i != kNone) {
            weight -= weights_[i];
            --m;
        }
    if (!candidate_.empty()) {
        ++of_size_[candidate_.size()];
        weight += weight_of(prior, candidate_);
        ++m;
    }
    const double sum = prior.of_sizes(m, m == 0 ? 0 : 1, of_size_, weight);
    if (!candidate_.empty()) --of_size_[candidate_.size()];
    change(proposal.without, 1);
    change(proposal.without_too, 1);
    return free_ || sum == kImpossible || supported(proposal) ? sum : kImpossible;
}

bool AnnealChain::supported(const Proposal& proposal) {
    const Posterior& posterior = problem_->posterior;
    std::vector<LiteralIds> terms;
    std::vector<Count> covers;
    for (std::size_t i = 0; i < terms_.size(); ++i)
        if (i != proposal.without && i != proposal.without_too) {
            terms.emplace_back(terms_[i]);
            covers.push_back(posterior.view().count_all(terms_.mask(i).data()));
        }
    if (!candidate_.empty()) {
        terms.emplace_back(candidate_);
        posterior.view().term_mask(work_.data(), candidate_);
        covers.push_back(posterior.view().count_all(work_.data()));
    }
    const std::vector<std::int32_t> layers(terms.size(), 1);
    return posterior.support().check(terms, layers, covers, 0) == Verdict::allowed;
}

double AnnealChain::likelihood(MarkedCounts m) const {
    const Likelihood& l = problem_->posterior.likelihood();
    return times(static_cast<double>(m.positive), log_pi1_) +
           times(static_cast<double>(m.negative), log_not_pi1_) +
           times(static_cast<double>(l.n_positive() - m.positive), log_pi0_) +
           times(static_cast<double>(l.n_negative() - m.negative), log_not_pi0_);
}

double AnnealChain::objective() const {
    const Effect& e = problem_->effect;
    if (e.known()) return prior_ + likelihood(marked_);
    return prior_ + likelihood(marked_) + log_beta_density(pi0_, e.a0, e.b0) +
           log_beta_density(pi1_, e.a1, e.b1);
}

void AnnealChain::note_best() {
    if (settings_.keep_best && objective() > best_.objective) best_ = last();
}

// Literals that another one of the row implies are left out where the prior rules such pairs out:
// the term holds on the same rows without them. Of equal ones the first stays.
void AnnealChain::row_term(std::size_t row, Term& out) const {
    problem_->individuals.true_literals(row, out);
    const Support& support = problem_->posterior.support();
    if (support.rules().related) return;
    const Term all = out;
    std::erase_if(out, [&](std::int32_t l) {
        return std::any_of(all.begin(), all.end(), [&](std::int32_t other) {
            return other != l && support.implies(other, l) &&
                   (other < l || !support.implies(l, other));
        });
    });
}

void AnnealChain::update_logs() {
    const bool known = problem_->effect.known();
    const double low = known ? pi0_ : std::max(pi0_, kClip);
    const double high = known ? pi1_ : std::min(pi1_, 1 - kClip);
    log_pi0_ = std::log(low);
    log_not_pi0_ = std::log(1 - low);
    log_pi1_ = std::log(high);
    log_not_pi1_ = std::log(1 - high);
}

void AnnealChain::update_marked() {
    const BitView& view = problem_->posterior.view();
    const Simd& k = view.simd();
    const std::size_t n = view.n_words();
    once_.assign(n, 0);
    twice_.assign(n, 0);
    unmarked_.resize(n);
    for (std::size_t i = 0; i < terms_.size(); ++i) {
        const std::vector<Word>& mask = terms_.mask(i);
        // A two-level counter in bits: rows marked at least once, and at least twice. A term's own
        // rows are those it marks that are not in `twice`, which makes deaths cheap.
        k.and_into(work_.data(), once_.data(), mask.data(), n);
        k.or_into(twice_.data(), twice_.data(), work_.data(), n);
        k.or_into(once_.data(), once_.data(), mask.data(), n);
    }
    k.and_not_into(unmarked_.data(), view.all_rows().data(), once_.data(), n);
    // Which rows a term marks alone is asked by few moves: counted when it is.
    own_.assign(terms_.size(), {-1, -1});
}

MarkedCounts AnnealChain::widened() {
    const BitView& view = problem_->posterior.view();
    std::copy(unmarked_.begin(), unmarked_.end(), work_.begin());
    for (const std::int32_t l : candidate_) view.and_literal(work_.data(), l);
    const MarkedCounts gained = problem_->posterior.count(work_.data());
    return {marked_.positive + gained.positive, marked_.negative + gained.negative};
}

}  // namespace bayesdnf
