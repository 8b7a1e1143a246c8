// A function under change: its terms, their row masks, and what they mark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "posterior.hpp"

namespace bayesdnf {

using Term = std::vector<std::int32_t>;

// Inverse temperatures of the two parts of a log posterior.
struct Heat {
    double prior, likelihood;
};

// A log posterior in its two parts; both -inf outside the support.
struct Value {
    double prior = -INFINITY, likelihood = -INFINITY;
    double total() const { return prior + likelihood; }
    bool allowed() const { return prior > -INFINITY; }
    double tempered(const Heat& h) const { return h.prior * prior + h.likelihood * likelihood; }
};

// Rows and counts of a function without one of its terms, or of all its terms.
struct Marked {
    std::vector<Word> rows;
    Count positive = 0, negative = 0;
};

class State {
  public:
    explicit State(const Posterior& posterior) : posterior_(&posterior) { rescore(); }
    State(const Posterior& posterior, std::vector<Term> terms);

    const Posterior& posterior() const { return *posterior_; }
    const std::vector<Term>& terms() const { return terms_; }
    const std::vector<Word>& mask(std::size_t i) const { return masks_[i]; }
    std::size_t size() const { return terms_.size(); }
    double score() const { return value_.total(); }
    const Value& value() const { return value_; }

    // Exact log posterior of these terms with term `without` left out and `added` put in; -inf
    // where the support does not allow it. kNone leaves nothing out; an empty `added` adds nothing.
    static constexpr std::size_t kNone = SIZE_MAX;
    Value value_with(std::size_t without, const Term& added) const;
    double score_with(std::size_t without, const Term& added) const {
        return value_with(without, added).total();
    }

    void replace(std::size_t without, const Term& added);

    // What the terms mark, leaving one out.
    Marked marked(std::size_t without = kNone) const;
    // Sum of the terms' log priors, leaving one out.
    double terms_prior(std::size_t without = kNone) const;
    // The terms as the support wants them, leaving one out.
    std::vector<LiteralIds> spans(std::size_t without = kNone) const;

    // Terms sorted: the same function, the same value.
    std::vector<Term> canonical() const;

  private:
    void rescore();

    const Posterior* posterior_;
    std::vector<Term> terms_;
    std::vector<std::vector<Word>> masks_;
    Value value_;
};

}  // namespace bayesdnf
