// A function under change: its terms, their row masks, and what they mark.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "model/posterior.hpp"
#include "search/masked_terms.hpp"

namespace bayesdnf {

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
struct Marked : MarkedCounts {
    std::vector<Word> rows;
};

// A state works out values in room of its own, so one state must not be asked by two threads at
// once; copies of it may.
class State {
  public:
    explicit State(const Posterior& posterior) : State(posterior, {}) {}
    State(const Posterior& posterior, std::vector<Term> terms);

    const Posterior& posterior() const { return *posterior_; }
    const std::vector<Term>& terms() const { return terms_.terms(); }
    const std::vector<Word>& mask(std::size_t i) const { return terms_.mask(i); }
    std::size_t size() const { return terms_.size(); }
    double score() const { return value_.total(); }
    const Value& value() const { return value_; }

    // Exact log posterior of these terms with term `without` left out and `added` put in; -inf
    // where the support does not allow it. kNone leaves nothing out; an empty `added` adds nothing.
    Value value_with(std::size_t without, const Term& added) const {
        return value_with(one_or_none(without), one_or_none(added));
    }
    double score_with(std::size_t without, const Term& added) const {
        return value_with(without, added).total();
    }

    // The same for several at once: terms `without`, in rising order, make way for `added`.
    Value value_with(std::span<const std::size_t> without, std::span<const Term> added) const;

    void replace(std::size_t without, const Term& added) {
        replace(one_or_none(without), one_or_none(added));
    }
    void replace(std::span<const std::size_t> without, std::span<const Term> added);

    // What the terms mark, leaving one out.
    Marked marked(std::size_t without = kNone) const;
    // Sum of the terms' log priors, leaving one out.
    double terms_prior(std::size_t without = kNone) const;
    // The terms as the support wants them, leaving one out.
    std::vector<LiteralIds> spans(std::size_t without = kNone) const;

    // Terms sorted: the same function, the same value.
    std::vector<Term> canonical() const;

  private:
    static std::span<const std::size_t> one_or_none(const std::size_t& without) {
        return {&without, without == kNone ? 0u : 1u};
    }
    static std::span<const Term> one_or_none(const Term& added) {
        return {&added, added.empty() ? 0u : 1u};
    }
    void append(Term term);

    // Room for value_with. Nothing in it outlives a call, so a copy begins with none.
    struct Room {
        Room() = default;
        Room(const Room&) {}
        Room(Room&&) noexcept = default;
        Room& operator=(const Room&) { return *this; }
        Room& operator=(Room&&) noexcept = default;
        std::vector<LiteralIds> terms;
        std::vector<Count> covers;
        std::vector<Word> rows, mask;
    };

    const Posterior* posterior_;
    MaskedTerms terms_;
    std::vector<Count> covers_;
    Value value_;
    mutable Room room_;
};

}  // namespace bayesdnf
