// A function or list under change: its terms, their layers, their row masks, and its score.
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

// Where a term is put: height 2 g - 1 is layer g, height 2 g between layers g and g + 1, where it
// makes a layer of its own. Terms that are taken out first leave the heights of the others as they
// are; layers are numbered anew once all is in place.
using Height = std::int32_t;
constexpr Height kFirstLayer = 1;
constexpr Height height_of(std::int32_t layer) { return 2 * layer - 1; }

// A term of a list. Sorted by layer first.
struct LayeredTerm {
    std::int32_t layer;
    Term literals;
    auto operator<=>(const LayeredTerm&) const = default;
};

// A function or list under change: its terms, their layers and their row masks.
//
// A state works out values in room of its own, so one state must not be asked by two threads at
// once; copies of it may.
class State {
  public:
    explicit State(const Posterior& posterior) : State(posterior, {}) {}
    // layers: of each term; empty: all in one.
    State(const Posterior& posterior, std::vector<Term> terms,
          std::vector<std::int32_t> layers = {});

    const Posterior& posterior() const { return *posterior_; }
    const std::vector<Term>& terms() const { return terms_.terms(); }
    const std::vector<std::int32_t>& layers() const { return layers_; }
    std::int32_t n_layers() const { return n_layers_; }
    Height height(std::size_t i) const { return height_of(layers_[i]); }
    const std::vector<Word>& mask(std::size_t i) const { return terms_.mask(i); }
    std::size_t size() const { return terms_.size(); }
    double score() const { return value_.total(); }
    const Value& value() const { return value_; }

    // Heights at which one more term may be put beside the terms other than `without`, each place
    // once. The layer that `without` leaves empty, if it does, is a place between its neighbours.
    std::vector<Height> places(std::size_t without = kNone) const;

    // Exact log posterior of these terms with term `without` left out and `added` put in; -inf
    // where the support does not allow it. kNone leaves nothing out; an empty `added` adds nothing.
    Value value_with(std::size_t without, const Term& added, Height height) const {
        return value_with(one_or_none(without), one_or_none(added), {&height, 1});
    }
    // The same at the height of the term that is left out, or in the first layer.
    Value value_with(std::size_t without, const Term& added) const {
        return value_with(without, added, height_or_first(without));
    }
    double score_with(std::size_t without, const Term& added) const {
        return value_with(without, added).total();
    }
    double score_with(std::size_t without, const Term& added, Height height) const {
        return value_with(without, added, height).total();
    }

    // The same for several at once: terms `without`, in rising order, make way for `added`, each at
    // its height.
    Value value_with(std::span<const std::size_t> without, std::span<const Term> added,
                     std::span<const Height> heights) const;
    // The same terms in other layers.
    Value value_in(Layers layers) const;

    void replace(std::size_t without, const Term& added, Height height) {
        replace(one_or_none(without), one_or_none(added), {&height, 1});
    }
    void replace(std::size_t without, const Term& added) {
        replace(without, added, height_or_first(without));
    }
    void replace(std::span<const std::size_t> without, std::span<const Term> added,
                 std::span<const Height> heights);
    void relayer(std::vector<std::int32_t> layers);

    // Parts and their rows, leaving one term out; the layer it may leave empty is numbered away.
    // The height at which something is to be put is turned into the layer it would be, and
    // `joins` says whether that layer is there.
    struct Others {
        Parts parts;
        std::int32_t layer;  // of the height
        bool joins;
    };
    void others(std::size_t without, Height height, Others& out) const;
    void parts(Parts& out) const;

    // Sum of the terms' log priors, leaving one out.
    double terms_prior(std::size_t without = kNone) const;
    // The terms as the support wants them, leaving one out.
    std::vector<LiteralIds> spans(std::size_t without = kNone) const;

    // Terms sorted by layer and literals: the same list, the same value.
    std::vector<LayeredTerm> canonical() const;

  private:
    static std::span<const std::size_t> one_or_none(const std::size_t& without) {
        return {&without, without == kNone ? 0u : 1u};
    }
    static std::span<const Term> one_or_none(const Term& added) {
        return {&added, added.empty() ? 0u : 1u};
    }
    Height height_or_first(std::size_t without) const {
        return without == kNone ? kFirstLayer : height(without);
    }
    void append(Term term);
    // Of one layer and one stratum, where sums of terms' rows are all there is to count.
    Value simple_value() const;
    Value layered_value() const;

    // Room for value_with. Nothing in it outlives a call, so a copy begins with none.
    struct Room {
        Room() = default;
        Room(const Room&) {}
        Room(Room&&) noexcept = default;
        Room& operator=(const Room&) { return *this; }
        Room& operator=(Room&&) noexcept = default;
        std::size_t known = 0;  // terms that are known to be allowed together
        std::vector<LiteralIds> terms;
        std::vector<std::int32_t> layers;
        std::vector<const Word*> masks;
        std::vector<Count> covers;
        std::vector<Word> rows, added;
        Parts parts;
    };

    const Posterior* posterior_;
    MaskedTerms terms_;
    std::vector<std::int32_t> layers_;
    std::int32_t n_layers_ = 0;
    std::vector<Count> covers_;  // all rows of each term
    Value value_;
    mutable Room room_;
};

// Numbers that keep the order of some heights and leave none out: 1, 2, …
void number_layers(std::vector<std::int32_t>& heights);

}  // namespace bayesdnf
