// The paper's simulated annealing (Hubert 2020): seven moves over a list of terms, rates explicit.
//
// A chain is a function of the data, the settings and its Philox stream. Draws, in their order:
//   start     uniform for pi0; uniform for pi1 (neither where they are known); then `start_terms`
//             distinct individuals of n by Floyd's method: for j = n - start_terms .. n - 1 take
//             t = below(j + 1), or j if t is taken already. Individuals are numbered through the
//             rows, positives first.
//   step      uniform u: the first move whose cumulative probability exceeds u
//   set rate  nothing for "mean"; beta(a + positives, b + negatives) for "draw". A known rate
//             stays what it is.
//   drop      below(total literals): counts through the terms and through each term's literals
//   add       uniform times the sum of 1/k over the terms: counts through the terms; then
//             below(p - k): counts through the literals that the term does not hold
//   birth     below(n_positive) for an individual i; if it was drawn t times and some other fewer,
//             `fewest`, then below(1 + t), and all over again when that exceeds `fewest`
//   merge     (m > 1) below(m) for i, below(m - 1) for j, one more if not below i; what they share
//             takes the place of the earlier one
//   death     (m > 1) below(m)
//   accept    uniform_positive, only for an allowed proposal that goes down, λ included
// Literals of a term are in rising order. Nothing is drawn for a move that is not possible.
//
// With `learning_steps` above 0 the moves after those many steps are chosen by how they did in them
// (the paper, section on annealing, names such a scheme and leaves it open): see learn().
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "data/individuals.hpp"
#include "rng.hpp"
#include "search/state.hpp"
#include "stop.hpp"

namespace bayesdnf {

// The first two set a rate, the others change terms.
enum class AnnealMove : std::uint8_t { set_rate0, set_rate1, drop, add, birth, merge, death };
constexpr std::size_t kAnnealMoves = 7;

// One number for each move, in the order of the enum.
template <class T>
using PerAnnealMove = std::array<T, kAnnealMoves>;

// What the chains of one run share.
struct AnnealProblem {
    const Posterior& posterior;
    Effect effect;
    const Individuals& individuals;
};

struct AnnealSettings {
    std::size_t start_terms = 1;
    bool draw_rates = false;  // else the conditional mean
    PerAnnealMove<double> probabilities{0.05, 0.05, 0.4, 0.4, 0.05, 0.04, 0.01};
    double log_lambda = 1000, cooling = 0.9;
    bool keep_best = false;          // else the last state, as in the paper
    std::size_t learning_steps = 0;  // 0: the probabilities stay as they are
};

struct AnnealState {
    std::vector<Term> terms;  // a list: equal terms may stand in it
    double pi0 = 0, pi1 = 0;
    double objective = -INFINITY;  // log prior + log likelihood + log densities of the rates
};

class AnnealChain {
  public:
    AnnealChain(const AnnealProblem& problem, AnnealSettings settings, Philox rng);

    // Returns the steps done: fewer when told to stop.
    std::size_t advance(std::size_t steps, const Stop& stop);

    AnnealState last() const { return {terms_.terms(), pi0_, pi1_, objective()}; }
    AnnealState result() const { return settings_.keep_best ? best_ : last(); }
    double log_lambda() const { return log_lambda_; }
    const PerAnnealMove<double>& probabilities() const { return settings_.probabilities; }
    const Philox& rng() const { return rng_; }

  private:
    // The terms without two of them, and with candidate_ unless that is empty: in the place of
    // `without`, or at the end.
    struct Proposal {
        MarkedCounts marked;
        bool shrinks = true;
        std::size_t without = kNone, without_too = kNone;
        double log_factor = 0;
    };

    void step();
    void make_move(AnnealMove move);
    void accumulate();
    void learn();
    void set_rate0();
    void set_rate1();
    void set_rate(double& rate, double prior_a, double prior_b, MarkedCounts rows);
    void drop();
    void add();
    void birth();
    void merge();
    void death();

    void consider(const Proposal& proposal);
    bool accepts(double now, double then, const Proposal& proposal);
    void commit(const Proposal& proposal, double prior);
    bool supported(const Proposal& proposal);
    double prior_of(const Proposal& proposal);
    double likelihood(MarkedCounts m) const;
    double objective() const;
    void note_best();
    void row_term(std::size_t row, Term& out) const;
    void update_logs();
    void update_marked();
    // Marked rows when candidate_, which holds wherever the terms it replaces do, comes in.
    MarkedCounts widened();

    const AnnealProblem* problem_;
    AnnealSettings settings_;
    Philox rng_;
    Turns turns_;
    bool free_;  // nothing is ruled out, as in the paper
    PerAnnealMove<double> cumulative_;
    std::size_t steps_ = 0;  // done so far
    std::size_t move_ = 0;   // the one under way
    PerAnnealMove<std::size_t> tried_{}, improved_{};
    std::vector<double> inverse_;  // 1 / k

    // Not a State: its value would be recomputed at every step, and most steps need the change of a
    // few counts only. What it knows besides the terms is what makes a step cheap.
    MaskedTerms terms_;
    std::vector<MarkedCounts> own_;  // rows that only this term marks; negative: not counted yet
    std::vector<std::int64_t> weights_;  // of each term's literals, as FunctionPrior has them
    std::vector<std::int64_t> of_size_;  // how many terms have k literals
    std::size_t n_literals_ = 0;
    MarkedCounts marked_;
    double pi0_, pi1_, log_lambda_;
    double log_pi0_, log_not_pi0_, log_pi1_, log_not_pi1_;
    double prior_;  // -inf: outside the support
    AnnealState best_;

    Term candidate_;
    std::vector<Word> work_, once_, twice_, unmarked_;
};

}  // namespace bayesdnf
