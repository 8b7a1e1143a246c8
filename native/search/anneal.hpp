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

// What the chains of one run share.
struct AnnealProblem {
    const Posterior& posterior;
    Effect effect;
    const Individuals& individuals;
};

struct AnnealSettings {
    std::size_t start_terms = 1;
    bool draw_rates = false;  // else the conditional mean
    // set pi0, set pi1, drop, add, birth, merge, death
    std::array<double, 7> probabilities{0.05, 0.05, 0.4, 0.4, 0.05, 0.04, 0.01};
    double log_lambda = 1000, cooling = 0.9;
    bool keep_best = false;  // else the last state, as in the paper
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

    AnnealState last() const { return {terms_, pi0_, pi1_, objective()}; }
    AnnealState result() const { return settings_.keep_best ? best_ : last(); }
    double log_lambda() const { return log_lambda_; }
    const std::array<double, 7>& probabilities() const { return settings_.probabilities; }
    const Philox& rng() const { return rng_; }

  private:
    struct Marked {
        Count positive = 0, negative = 0;
    };
    static constexpr std::size_t kNone = SIZE_MAX;
    // The terms without two of them, and with candidate_ unless that is empty: in the place of
    // `without`, or at the end.
    struct Proposal {
        Marked marked;
        bool shrinks = true;
        std::size_t without = kNone, without_too = kNone;
        double log_factor = 0;
    };

    void step();
    void make_move();
    void accumulate();
    void learn();
    void set_rate0();
    void set_rate1();
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
    double likelihood(Marked m) const;
    double objective() const;
    void note_best();
    void row_term(std::size_t row, Term& out) const;
    void update_logs();
    void update_marked();
    Marked count(const Word* mask) const;
    // Marked rows when candidate_, which holds wherever the terms it replaces do, comes in.
    Marked widened();

    const AnnealProblem* problem_;
    AnnealSettings settings_;
    Philox rng_;
    Turns turns_;
    bool free_;  // nothing is ruled out, as in the paper
    std::array<double, 7> cumulative_;
    std::size_t steps_ = 0, move_ = 0;  // done so far; the one under way
    std::array<std::size_t, 7> tried_{}, improved_{};  // by move
    std::vector<double> inverse_;  // 1 / k

    std::vector<Term> terms_;
    std::vector<std::vector<Word>> masks_;
    std::vector<Marked> own_;  // rows that only this term marks; negative: not counted yet
    std::vector<double> weights_;  // of each term's literals
    std::vector<std::int64_t> of_size_;  // how many terms have k literals
    std::size_t n_literals_ = 0;
    Marked marked_;
    double pi0_, pi1_, log_lambda_;
    double log_pi0_, log_not_pi0_, log_pi1_, log_not_pi1_;
    double prior_;  // -inf: outside the support
    AnnealState best_;

    Term candidate_;
    std::vector<Word> work_, once_, twice_, unmarked_;
};

}  // namespace bayesdnf
