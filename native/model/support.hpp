// Which literals may join a term, and whether a function is allowed: asked by every search and
// every chain. Counterpart of bayesdnf.model.Support, which explains the answers to people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "data/matrix.hpp"

namespace bayesdnf {

// What a literal says of its attribute, by rank of the value among that attribute's values.
enum class Operator : std::uint8_t { equal, differs, at_least, below };

struct LiteralMeaning {
    std::int32_t attribute;
    std::int32_t rank;
    std::int32_t equal;  // smallest literal whose column is equal on every row; itself if alone
    Operator op;
};

enum class Verdict : std::uint8_t {
    allowed,
    empty_term,
    repeated_literal,
    related_literals,
    too_few_rows,
    repeated_term,
    absorbed_term,
    shared_attribute,
    too_many_terms,
    too_many_literals,
    kept_apart,
    exclusive_group,
    lacks_required,
    idle_term,
    too_many_layers,
    nothing_left,
};

struct Rules {
    bool antichain = true;
    bool related = false;  // may a term hold two literals one of which implies or excludes another
    bool disjoint = false;
    Count min_cover = 1;
    std::int64_t max_terms = INT64_MAX;
    std::int64_t max_literals = INT64_MAX;
    std::int64_t max_layers = 1;
};

// What else is known of the literals. An entry is what one name stands for: a literal, or all
// literals of an attribute.
struct Knowledge {
    using Entry = std::vector<std::int32_t>;
    std::vector<std::vector<Entry>> apart;      // two entries of a group never stand in one term
    std::vector<std::vector<Entry>> exclusive;  // a function uses one entry of a group at most
    std::vector<Entry> required;                // a function uses a literal of each
};

// A function: its terms, each a sorted run of literal ids.
using Terms = std::span<const LiteralIds>;
// Of a list: the layer of each of its terms, from 1, none left out. Higher layers are asked first.
using Layers = std::span<const std::int32_t>;

struct RankTable;

class Support {
  public:
    Support(Rules rules, std::vector<LiteralMeaning> literals, Knowledge knowledge = {});

    // The same with fewer literals to add, offered[l] = 0: not l. Those that are required stay.
    // What is allowed does not change.
    Support offering(std::vector<std::uint8_t> offered) const;

    const Rules& rules() const { return rules_; }
    // Whether literals are ruled out by groups they are in.
    bool has_groups() const { return !apart_.empty() || !exclusive_.empty(); }
    const std::vector<Knowledge::Entry>& required() const { return required_; }
    // Required entries of which the terms use no literal.
    std::vector<const Knowledge::Entry*> lacking(Terms terms) const;
    std::size_t n_literals() const { return literals_.size(); }

    bool implies(std::int32_t a, std::int32_t b) const;
    bool excludes(std::int32_t a, std::int32_t b) const;
    // Whether one term may hold both, as far as these two tell.
    bool together(std::int32_t a, std::int32_t b) const {
        return (rules_.related || !related(a, b)) && (apart_.empty() || !apart_.clash(a, b)) &&
               (exclusive_.empty() || !exclusive_.clash(a, b));
    }
    // All literals of the attribute of one.
    LiteralIds of_its_attribute(std::int32_t l) const {
        return by_attribute_.of(meaning(l).attribute);
    }
    bool same_attribute(std::int32_t a, std::int32_t b) const {
        return meaning(a).attribute == meaning(b).attribute;
    }
    // Does `wide` hold wherever `narrow` does, by the meaning of their literals?
    bool absorbs(LiteralIds wide, LiteralIds narrow) const;

    // What keeps two terms from standing in one layer, or `allowed`.
    Verdict beside(LiteralIds a, LiteralIds b) const;

    // may[l] = 1 when literal l may be added to `term` beside the terms `rest`.
    void addable(LiteralIds term, Terms rest, std::uint8_t* may) const;

    // covers[i]: weighted rows where term i holds and no higher layer does; lowest: those of part
    // 0. The first `known` terms are known to be allowed together; only what the others add to them
    // is looked at.
    Verdict check(Terms terms, Layers layers, std::span<const Count> covers, Count lowest,
                  std::size_t known = 0) const;

  private:
    // Literals grouped by a key: members of group g are items[starts[g]] .. items[starts[g + 1]],
    // in order of their attributes.
    struct Groups {
        std::vector<std::int32_t> starts, items;
        LiteralIds of(std::int32_t g) const {
            return {items.data() + starts[as_index(g)], items.data() + starts[as_index(g) + 1]};
        }
    };
    static Groups group(const std::vector<LiteralMeaning>& literals,
                        std::int32_t LiteralMeaning::* key);

    // Literals by the groups they are in, and by which entry of each.
    class Entries {
      public:
        Entries(const std::vector<std::vector<Knowledge::Entry>>& groups, std::size_t n_literals);
        bool empty() const { return members_.empty(); }
        bool clash(std::int32_t a, std::int32_t b) const;
        // may[l] = 0 for every literal that clashes with one that is held.
        void strike(std::int32_t held, std::uint8_t* may) const;

      private:
        struct Place {
            std::int32_t group, entry;
        };
        struct Member {
            std::int32_t literal, entry;
        };
        std::vector<std::vector<Place>> places_;    // by literal
        std::vector<std::vector<Member>> members_;  // by group
    };

    const LiteralMeaning& meaning(std::int32_t l) const { return literals_[as_index(l)]; }
    bool related(std::int32_t a, std::int32_t b) const;
    // Whether the table says so of a literal equal to a and one equal to b, both of one attribute.
    bool by_meaning(std::int32_t a, std::int32_t b, const RankTable& table) const;
    bool several(std::int32_t l) const { return by_equal_.of(meaning(l).equal).size() > 1; }
    // may[l] = 0 for every literal of which the table says so beside one that is held. A class of
    // equal columns is struck as a whole, so `may` is 1 everywhere before the first is struck.
    void strike(std::int32_t held, const RankTable& table, std::uint8_t* may) const;
    // Whether two terms use entries or attributes of which a function may use only one.
    Verdict clash(LiteralIds a, LiteralIds b) const;

    Rules rules_;
    std::vector<LiteralMeaning> literals_;
    Groups by_attribute_, by_equal_;
    bool any_equal_ = false;  // columns, of several literals
    Entries apart_, exclusive_;
    std::vector<Knowledge::Entry> required_;
    std::vector<std::uint8_t> offered_;  // by literal; empty: all are
};

}  // namespace bayesdnf
