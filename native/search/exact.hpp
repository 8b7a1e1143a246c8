// The best single term, with a proof: branch and bound over conjunctions.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "search/state.hpp"
#include "stop.hpp"

namespace bayesdnf {

// Marked positives and negatives that a longer term may end at: two ranges, ends included.
struct CountRange {
    Count fewest_positive, positive;
    Count fewest_negative, negative;
};

// Upper bounds of the likelihood that cost a few look-ups.
//
// For given rates the likelihood is exp(a log(pi1/pi0) + b log((1-pi1)/(1-pi0))) times what does
// not depend on the marked positives a and negatives b. Integrated over any prior of the rates,
// ordered or not, its log is therefore convex in (a, b): over a polygon it is largest at a vertex.
// Where pi0 <= pi1 is known, it rises with a and falls with b besides.
class Ceiling {
  public:
    // least: rows that a term must mark.
    Ceiling(const Likelihood& likelihood, Count least);

    // Not below the likelihood of these counts.
    double at(Count positive, Count negative) const;
    // Not below the likelihood of any counts of the range that mark enough rows; -inf if none do.
    double over(const CountRange& range) const;
    bool ordered() const { return ordered_; }

  private:
    const Likelihood& likelihood_;
    Count least_;
    double largest_order_factor_;
    bool ordered_;
};

// Walks over all terms, each once, leaving out those that cannot be the best. Can be interrupted
// between any two nodes and resumed; the outcome does not depend on when.
class TermSearch {
  public:
    TermSearch(const Posterior& posterior, std::size_t max_size);

    // A beam's best term to start from: a good incumbent is what makes bounds cut.
    void seed(std::size_t width, const Stop& stop);
    // Go on until all is decided (true) or told to stop (false).
    bool advance(const Stop& stop);

    const Term& best() const { return best_; }  // empty: the null function
    double score() const { return score_; }     // -inf: nothing allowed so far
    std::uint64_t nodes() const { return nodes_; }
    std::size_t branches() const { return n_branches_; }  // at the root
    std::size_t branches_done() const;

  private:
    struct Branch {
        std::int32_t literal;
        Count positive, negative;
        double hope;  // no longer term that holds this literal scores higher
    };
    // All extensions of one term that are still open, the most hopeful first. A branch goes on
    // with the literals of the branches before it, so that every set is met once, the hopeless
    // branches have most of the work, and they are the ones cut.
    struct Frame {
        std::vector<Branch> branches;
        std::size_t next = 0;
        std::size_t n_free = 0;  // of free_, when the frame was opened
    };
    // What can still be gained, by the number j of literals added from a pool.
    struct Prospects {
        std::vector<Count> positives, negatives;          // the most that j literals can unmark
        std::vector<Count> each_positive, each_negative;  // largest first
        std::vector<double> prior, later;                 // best prior with j more, with j or more
    };

    void expand(std::span<const Branch> pool, Count positive, Count negative);
    bool shorter_is_better(Count positive, Count negative);
    std::size_t longest_possible(std::size_t max_size) const;
    bool filter(std::vector<Branch>& branches, Count positive, Count negative);
    void set_prospects(std::span<const Branch> pool, Count positive, Count negative);
    double hope(const Branch& branch, Count positive, Count negative) const;
    // Largest log prior of a size from k to k + n_free, and that size.
    double best_size(std::size_t k, std::size_t* size = nullptr) const;
    void consider(std::int32_t added, Count positive, Count negative);
    bool hopeless(double hope) const;

    const Posterior& posterior_;
    Ceiling ceiling_;
    std::size_t longest_ = 0;
    bool weighted_ = false;  // literals have prior weights
    bool count_free_;        // literals that change no cover are counted, not branched on
    double term_prior_;      // of m = 1
    double weight_ = 0;      // log weights of term_
    Term term_, free_;
    std::vector<Frame> frames_;
    bool started_ = false;
    Term best_;
    double score_;
    std::uint64_t nodes_ = 0;
    std::size_t n_branches_ = 0;

    Prospects prospects_;
    std::vector<Word> mask_;
    std::vector<Count> counts_;
    SweepRoom room_;
    std::vector<std::uint8_t> may_;
    std::vector<double> weights_;
    std::vector<double> rise_;  // by k: see shorter_is_better; NaN: not worked out yet
};

}  // namespace bayesdnf
