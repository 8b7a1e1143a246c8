#include "model/support.hpp"

#include <algorithm>

#include "faults.hpp"

namespace bayesdnf {

// Ranks with which one literal stands to another so or so, by their operators: searches ask this of
// every literal of an attribute at every step.
struct RankTable {
    unsigned ranks[4][4];
    bool operator()(const LiteralMeaning& a, const LiteralMeaning& b) const;
};

namespace {

// How the rank of one literal's value may compare with that of another: a set of these.
constexpr unsigned kLess = 1, kSame = 2, kGreater = 4;
unsigned compare(std::int32_t u, std::int32_t v) {
    return 1u << (1 + static_cast<int>(u > v) - static_cast<int>(u < v));
}

// Ranks with which every value that satisfies `a` satisfies `b`, literals of one attribute.
constexpr unsigned subset_ranks(Operator a, Operator b) {
    switch (a) {
        case Operator::equal:
            switch (b) {
                case Operator::equal: return kSame;
                case Operator::differs: return kLess | kGreater;
                case Operator::at_least: return kSame | kGreater;
                default: return kLess;
            }
        // Of all values, not only those in the table: x != u allows less than the lowest there is.
        case Operator::differs: return b == Operator::differs ? kSame : 0;
        case Operator::at_least:
            return b == Operator::differs    ? kGreater
                   : b == Operator::at_least ? kSame | kGreater
                                             : 0;
        default: return b == Operator::differs || b == Operator::below ? kLess | kSame : 0;
    }
}

constexpr Operator negated(Operator op) {
    switch (op) {
        case Operator::equal: return Operator::differs;
        case Operator::differs: return Operator::equal;
        case Operator::at_least: return Operator::below;
        default: return Operator::at_least;
    }
}

// The same by operators.
template <class Ranks>
constexpr RankTable of_operators(Ranks ranks) {
    RankTable table{};
    for (int a = 0; a < 4; ++a)
        for (int b = 0; b < 4; ++b)
            table.ranks[a][b] = ranks(static_cast<Operator>(a), static_cast<Operator>(b));
    return table;
}
constexpr unsigned reversed(unsigned ranks) {
    return (ranks & kSame) | ((ranks & kLess) != 0 ? kGreater : 0) |
           ((ranks & kGreater) != 0 ? kLess : 0);
}
constexpr RankTable subset = of_operators(subset_ranks);
// Literals exclude each other exactly if one implies the negation of the other.
constexpr RankTable disjoint =
    of_operators([](Operator a, Operator b) { return subset_ranks(a, negated(b)); });
// One of the two implies or excludes the other.
constexpr RankTable kin = of_operators([](Operator a, Operator b) {
    return subset_ranks(a, b) | reversed(subset_ranks(b, a)) | subset_ranks(a, negated(b));
});

// Whatever they say.
constexpr RankTable anything =
    of_operators([](Operator, Operator) { return kLess | kSame | kGreater; });

}  // namespace

inline bool RankTable::operator()(const LiteralMeaning& a, const LiteralMeaning& b) const {
    return (ranks[static_cast<int>(a.op)][static_cast<int>(b.op)] & compare(a.rank, b.rank)) != 0;
}

Support::Support(Rules rules, std::vector<LiteralMeaning> literals, Knowledge knowledge)
    : rules_(rules),
      literals_(std::move(literals)),
      by_attribute_(group(literals_, &LiteralMeaning::attribute)),
      by_equal_(group(literals_, &LiteralMeaning::equal)),
      apart_(knowledge.apart, literals_.size()),
      exclusive_(knowledge.exclusive, literals_.size()),
      required_(std::move(knowledge.required)) {
    for (std::size_t l = 0; l < literals_.size() && !any_equal_; ++l)
        any_equal_ = several(static_cast<std::int32_t>(l));
    for (std::size_t g = 0; any_equal_ && g + 1 < by_equal_.starts.size(); ++g)
        std::stable_sort(by_equal_.items.begin() + by_equal_.starts[g],
                         by_equal_.items.begin() + by_equal_.starts[g + 1],
                         [&](std::int32_t a, std::int32_t b) {
                             return meaning(a).attribute < meaning(b).attribute;
                         });
}

Support Support::offering(std::vector<std::uint8_t> offered) const {
    // Required literals stay on offer: without them nothing that is allowed could be reached.
    for (const Knowledge::Entry& entry : required_)
        for (const std::int32_t l : entry) offered[as_index(l)] = 1;
    Support fewer = *this;
    fewer.offered_ = std::move(offered);
    return fewer;
}

Support::Entries::Entries(const std::vector<std::vector<Knowledge::Entry>>& groups,
                          std::size_t n_literals)
    : places_(groups.empty() ? 0 : n_literals), members_(groups.size()) {
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (std::size_t e = 0; e < groups[g].size(); ++e)
            for (const std::int32_t l : groups[g][e]) {
                places_[as_index(l)].push_back(
                    {static_cast<std::int32_t>(g), static_cast<std::int32_t>(e)});
                members_[g].push_back({l, static_cast<std::int32_t>(e)});
            }
}

bool Support::Entries::clash(std::int32_t a, std::int32_t b) const {
    for (const Place& x : places_[as_index(a)])
        for (const Place& y : places_[as_index(b)])
            if (x.group == y.group && x.entry != y.entry) return true;
    return false;
}

void Support::Entries::strike(std::int32_t held, std::uint8_t* may) const {
    for (const Place& place : places_[as_index(held)])
        for (const Member& member : members_[as_index(place.group)])
            if (member.entry != place.entry) may[member.literal] = 0;
}

std::vector<const Knowledge::Entry*> Support::lacking(Terms terms) const {
    std::vector<const Knowledge::Entry*> out;
    for (const Knowledge::Entry& entry : required_) {
        const bool met = std::any_of(terms.begin(), terms.end(), [&](LiteralIds term) {
            return std::any_of(term.begin(), term.end(), [&](std::int32_t l) {
                return std::find(entry.begin(), entry.end(), l) != entry.end();
            });
        });
        if (!met) out.push_back(&entry);
    }
    return out;
}

Support::Groups Support::group(const std::vector<LiteralMeaning>& literals,
                               std::int32_t LiteralMeaning::* key) {
    std::size_t n_groups = 0;
    for (const LiteralMeaning& l : literals) n_groups = std::max(n_groups, as_index(l.*key) + 1);
    Groups g{std::vector<std::int32_t>(n_groups + 1, 0),
             std::vector<std::int32_t>(literals.size())};
    for (const LiteralMeaning& l : literals) ++g.starts[as_index(l.*key) + 1];
    for (std::size_t i = 0; i < n_groups; ++i) g.starts[i + 1] += g.starts[i];
    std::vector<std::int32_t> next(g.starts.begin(), g.starts.end() - 1);
    for (std::size_t l = 0; l < literals.size(); ++l)
        g.items[as_index(next[as_index(literals[l].*key)]++)] = static_cast<std::int32_t>(l);
    return g;
}

// With `age >= 62` and `months >= 744` equal on every row, `months >= 744` implies `age >= 24`:
// what is allowed must not depend on which of several equal columns a literal names.
bool Support::by_meaning(std::int32_t a, std::int32_t b, const RankTable& table) const {
    const LiteralMeaning &x = meaning(a), &y = meaning(b);
    if (x.attribute == y.attribute && table(x, y)) return true;
    if (!any_equal_ || (!several(a) && !several(b))) return false;
    const LiteralIds as = by_equal_.of(x.equal), bs = by_equal_.of(y.equal);
    // Both are in order of attributes: runs of one attribute are compared pair by pair.
    for (auto i = as.begin(), j = bs.begin(); i != as.end() && j != bs.end();) {
        const std::int32_t here = meaning(*i).attribute;
        if (here < meaning(*j).attribute) {
            ++i;
        } else if (here > meaning(*j).attribute) {
            ++j;
        } else {
            for (auto other = j; other != bs.end() && meaning(*other).attribute == here; ++other)
                if (table(meaning(*i), meaning(*other))) return true;
            ++i;
        }
    }
    return false;
}

bool Support::implies(std::int32_t a, std::int32_t b) const {
    return meaning(a).equal == meaning(b).equal || by_meaning(a, b, subset);
}

bool Support::excludes(std::int32_t a, std::int32_t b) const { return by_meaning(a, b, disjoint); }

bool Support::related(std::int32_t a, std::int32_t b) const {
    return meaning(a).equal == meaning(b).equal || by_meaning(a, b, kin);
}

void Support::strike(std::int32_t held, const RankTable& table, std::uint8_t* may) const {
    if (!any_equal_) {
        const LiteralMeaning& own = meaning(held);
        for (const std::int32_t l : by_attribute_.of(own.attribute))
            may[l] &= static_cast<std::uint8_t>(!table(own, meaning(l)));
        return;
    }
    for (const std::int32_t x : by_equal_.of(meaning(held).equal))
        for (const std::int32_t l : by_attribute_.of(meaning(x).attribute))
            if (may[l] != 0 && table(meaning(x), meaning(l)))
                for (const std::int32_t same : by_equal_.of(meaning(l).equal)) may[same] = 0;
}

bool Support::absorbs(LiteralIds wide, LiteralIds narrow) const {
    // `wide` holds wherever `narrow` does exactly when each of its literals is implied by one of
    // `narrow`: literals of different attributes are free of each other, and equal columns count
    // as one.
    return std::all_of(wide.begin(), wide.end(), [&](std::int32_t w) {
        return std::any_of(narrow.begin(), narrow.end(),
                           [&](std::int32_t n) { return implies(n, w); });
    });
}

Verdict Support::clash(LiteralIds a, LiteralIds b) const {
    if (!exclusive_.empty())
        for (const std::int32_t x : a)
            for (const std::int32_t y : b)
                if (exclusive_.clash(x, y)) return Verdict::exclusive_group;
    if (rules_.disjoint)
        for (const std::int32_t x : a)
            for (const std::int32_t y : b)
                if (by_meaning(x, y, anything)) return Verdict::shared_attribute;
    return Verdict::allowed;
}

Verdict Support::beside(LiteralIds a, LiteralIds b) const {
    if (std::ranges::equal(a, b)) return Verdict::repeated_term;
    if (rules_.antichain && (absorbs(a, b) || absorbs(b, a))) return Verdict::absorbed_term;
    return clash(a, b);
}

void Support::addable(LiteralIds term, Terms rest, std::uint8_t* may) const {
    std::size_t used = term.size();
    for (const LiteralIds t : rest) used += t.size();
    if (static_cast<std::int64_t>(used) >= rules_.max_literals) {
        std::fill(may, may + n_literals(), std::uint8_t{0});
        return;
    }
    // Strike out what one of the held literals rules out. Only literals of an attribute that it or
    // a column equal to its own is of can be related to it, so the work does not grow with the
    // table.
    std::fill(may, may + n_literals(), std::uint8_t{1});
    if (!rules_.related)
        for (const std::int32_t held : term) strike(held, kin, may);  // every literal is of its kin
    if (rules_.disjoint)
        for (const LiteralIds other : rest)
            for (const std::int32_t held : other) strike(held, anything, may);
    for (const std::int32_t held : term) may[held] = 0;
    for (std::size_t l = 0; l < offered_.size(); ++l) may[l] &= offered_[l];
    if (!apart_.empty())
        for (const std::int32_t held : term) apart_.strike(held, may);
    if (!exclusive_.empty()) {
        for (const std::int32_t held : term) exclusive_.strike(held, may);
        for (const LiteralIds other : rest)
            for (const std::int32_t held : other) exclusive_.strike(held, may);
    }
}

Verdict Support::check(Terms terms, Layers layers, std::span<const Count> covers, Count lowest,
                       std::size_t known) const {
    const std::int64_t n_layers = terms.empty() ? 0 : *std::ranges::max_element(layers);
    if (n_layers > rules_.max_layers) return Verdict::too_many_layers;
    // Where some layer is asked for part 0 again, a list says what a shorter one says.
    if (n_layers > 1 && lowest == 0 && !planted(Fault::nothing_left_allowed))
        return Verdict::nothing_left;

    if (static_cast<std::int64_t>(terms.size()) > rules_.max_terms) return Verdict::too_many_terms;
    std::int64_t total = 0;
    for (const LiteralIds t : terms) total += static_cast<std::int64_t>(t.size());
    if (total > rules_.max_literals) return Verdict::too_many_literals;
    for (std::size_t i = known; i < terms.size(); ++i) {
        const LiteralIds t = terms[i];
        if (t.empty()) return Verdict::empty_term;
        for (std::size_t x = 0; x < t.size(); ++x)
            for (std::size_t y = x + 1; y < t.size(); ++y) {
                if (t[x] == t[y]) return Verdict::repeated_literal;
                if (!rules_.related && related(t[x], t[y])) return Verdict::related_literals;
                if (!apart_.empty() && apart_.clash(t[x], t[y])) return Verdict::kept_apart;
                if (!exclusive_.empty() && exclusive_.clash(t[x], t[y]))
                    return Verdict::exclusive_group;
            }
    }
    // A new term of a higher layer takes rows from the terms below it.
    for (std::size_t i = n_layers > 1 ? 0 : known; i < terms.size(); ++i)
        if (covers[i] < rules_.min_cover) return Verdict::too_few_rows;
    // Pairs of terms in both orders: absorption has a direction, the other rules do not.
    for (std::size_t i = 0; i < terms.size(); ++i)
        for (std::size_t j = i < known ? known : 0; j < terms.size(); ++j) {
            if (i == j) continue;
            if (i < j && std::ranges::equal(terms[i], terms[j])) return Verdict::repeated_term;
            // A longer term above a shorter one is an exception to it.
            const bool above = planted(Fault::absorption_reversed) ? layers[i] <= layers[j]
                                                                   : layers[i] >= layers[j];
            if (rules_.antichain && above && absorbs(terms[i], terms[j]))
                return layers[i] == layers[j] ? Verdict::absorbed_term : Verdict::idle_term;
            if (const Verdict verdict = i < j ? clash(terms[i], terms[j]) : Verdict::allowed;
                verdict != Verdict::allowed)
                return verdict;
        }
    if (!required_.empty() && !lacking(terms).empty()) return Verdict::lacks_required;
    return Verdict::allowed;
}

}  // namespace bayesdnf
