#include "search/implicants.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>

namespace bayesdnf {

namespace {

constexpr std::size_t kByte = 8;

bool test(const Word* mask, std::size_t bit) {
    return mask[bit / kWordBits] >> (bit % kWordBits) & 1;
}

bool meet(const Word* a, const Word* b, std::size_t n) {
    for (std::size_t w = 0; w < n; ++w)
        if (a[w] & b[w]) return true;
    return false;
}

}  // namespace

// Sums of row weights by eight rows at a time.
class WeightTable {
  public:
    explicit WeightTable(const std::vector<std::int64_t>& weights)
        : sums_(divide_up(weights.size(), kByte)) {
        for (std::size_t b = 0; b < sums_.size(); ++b)
            for (std::size_t rows = 1; rows < 256; ++rows) {
                const std::size_t row = b * kByte + lowest_bit(rows);
                const std::int64_t own = row < weights.size() ? weights[row] : 0;
                sums_[b][rows] = sums_[b][rows & (rows - 1)] + own;
            }
    }
    std::int64_t operator()(const Word* a, const Word* b) const {
        std::int64_t total = 0;
        for (std::size_t byte = 0; byte < sums_.size(); ++byte) {
            const std::size_t shift = byte % kByte * kByte;
            total += sums_[byte][(a[byte / kByte] & b[byte / kByte]) >> shift & 255];
        }
        return total;
    }

  private:
    std::vector<std::array<std::int64_t, 256>> sums_;
};

Implicants::Implicants(const Word* positives, std::size_t n_positive, const Word* negatives,
                       std::size_t n_negative, std::size_t n_literals)
    : n_positive_(n_positive),
      n_negative_(n_negative),
      n_literals_(n_literals),
      positive_words_(words_for(n_positive)),
      negative_words_(words_for(n_negative)),
      literal_words_(words_for(n_literals)),
      holds_(positives, positives + n_literals * positive_words_),
      excludes_(n_literals * negative_words_),
      excluders_(n_negative * literal_words_) {
    std::vector<Word> all(negative_words_);
    fill_ones(all.data(), n_negative, negative_words_);
    for (std::size_t l = 0; l < n_literals; ++l)
        for (std::size_t w = 0; w < negative_words_; ++w) {
            Word rows = all[w] & ~negatives[l * negative_words_ + w];
            excludes_[l * negative_words_ + w] = rows;
            for (; rows; rows &= rows - 1) {
                const std::size_t row = w * kWordBits + lowest_bit(rows);
                excluders_[row * literal_words_ + l / kWordBits] |= Word{1} << (l % kWordBits);
            }
        }
}

// One search: the weighted rows only, a stack of nodes, and what was found.
class ImplicantWalk {
  public:
    ImplicantWalk(const Implicants& table, const ImplicantWish& wish, const Stop& stop)
        : t_(table), wish_(wish), stop_(stop), floor_(wish.floor), weigh_(choose_rows()) {
        found_.ceiling = INT64_MIN;
    }

    ImplicantsFound run() {
        Node& root = node(0);
        root.cover.assign(rows_words_, 0);
        fill_ones(root.cover.data(), n_rows_, rows_words_);
        root.open.assign(t_.negative_words_, 0);
        fill_ones(root.open.data(), t_.n_negative_, t_.negative_words_);
        root.once.assign(t_.negative_words_, 0);
        for (std::size_t l = 0; l < t_.n_literals_; ++l)
            root.offered.push_back(static_cast<std::int32_t>(l));
        if (t_.n_negative_ == 0) {  // nothing to exclude: the shortest terms that are not empty
            for (const std::int32_t l : root.offered) {
                term_ = {l};
                record(weigh_(root.cover.data(), holds(l)) - wish_.size_cost);
            }
        } else {
            visit(0);
        }
        found_.complete = !halted_;
        for (const std::int64_t worth : found_.worth)
            found_.ceiling = std::max(found_.ceiling, worth);
        if (wish_.best_only || found_.complete)
            found_.ceiling = std::max(found_.ceiling, floor_ - 1);
        return std::move(found_);
    }

  private:
    struct Branch {
        std::int32_t literal;
        std::int64_t worth;
    };
    struct Node {
        std::vector<Word> cover;       // weighted positive rows marked
        std::vector<Word> open, once;  // negative rows excluded by no literal, by exactly one
        std::vector<std::int32_t> offered;
        std::vector<std::int64_t> worth;  // of the term with each literal offered
        std::vector<Branch> branches;
    };

    const Word* holds(std::int32_t l) const { return holds_.data() + as_index(l) * rows_words_; }
    const Word* excludes(std::int32_t l) const {
        return t_.excludes_.data() + as_index(l) * t_.negative_words_;
    }
    Node& node(std::size_t depth) {
        while (nodes_.size() <= depth) nodes_.push_back(std::make_unique<Node>());
        return *nodes_[depth];
    }

    // Rows without weight change no worth and are left out.
    WeightTable choose_rows() {
        std::vector<std::size_t> rows;
        std::vector<std::int64_t> weights;
        for (std::size_t r = 0; r < t_.n_positive_; ++r)
            if (wish_.weights[r] > 0) {
                rows.push_back(r);
                weights.push_back(wish_.weights[r]);
            }
        n_rows_ = rows.size();
        rows_words_ = words_for(n_rows_);
        holds_.assign(t_.n_literals_ * rows_words_, 0);
        for (std::size_t l = 0; l < t_.n_literals_; ++l)
            for (std::size_t r = 0; r < n_rows_; ++r)
                if (test(t_.holds_.data() + l * t_.positive_words_, rows[r]))
                    holds_[l * rows_words_ + r / kWordBits] |= Word{1} << (r % kWordBits);
        return WeightTable(weights);
    }

    void record(std::int64_t worth) {
        if (worth < floor_ || halted_) return;
        if (found_.terms.size() == wish_.most) {
            halted_ = true;
            found_.ceiling = std::max(found_.ceiling, worth);
            return;
        }
        found_.terms.push_back(term_);
        std::sort(found_.terms.back().begin(), found_.terms.back().end());
        found_.worth.push_back(worth);
        if (wish_.best_only) floor_ = worth + 1;
    }

    // Whether every literal of the term still excludes a row that the others and l do not.
    bool stays_minimal(const Node& n, std::int32_t l) const {
        const Word* out = excludes(l);
        for (const std::int32_t s : term_) {
            const Word* own = excludes(s);
            bool needed = false;
            for (std::size_t w = 0; w < t_.negative_words_ && !needed; ++w)
                needed = n.once[w] & own[w] & ~out[w];
            if (!needed) return false;
        }
        return true;
    }

    // The open negative row that the fewest offered literals exclude; n_negative: one has none.
    std::size_t hardest(const Node& n) {
        offered_.assign(t_.literal_words_, 0);
        for (const std::int32_t l : n.offered)
            offered_[as_index(l) / kWordBits] |= Word{1} << (as_index(l) % kWordBits);
        int fewest = INT32_MAX;
        std::size_t row = t_.n_negative_;
        for (std::size_t w = 0; w < t_.negative_words_; ++w)
            for (Word rows = n.open[w]; rows; rows &= rows - 1) {
                const std::size_t r = w * kWordBits + lowest_bit(rows);
                const Word* excluders = t_.excluders_.data() + r * t_.literal_words_;
                int count = 0;
                for (std::size_t i = 0; i < t_.literal_words_; ++i)
                    count += std::popcount(excluders[i] & offered_[i]);
                // Some row can no longer be excluded: nothing below this node is an implicant.
                if (count == 0) return t_.n_negative_;
                if (count < fewest) fewest = count, row = r;
            }
        return row;
    }

    void visit(std::size_t depth) {
        ++found_.nodes;
        if (found_.nodes > wish_.max_nodes || (found_.nodes % 64 == 0 && stop_())) halted_ = true;
        Node& n = node(depth);
        n.worth.clear();
        std::size_t kept = 0;
        const std::int64_t cost = wish_.size_cost * static_cast<std::int64_t>(depth + 1);
        for (const std::int32_t l : n.offered) {
            if (!meet(n.open.data(), excludes(l), t_.negative_words_) || !stays_minimal(n, l))
                continue;
            const std::int64_t worth = weigh_(n.cover.data(), holds(l)) - cost;
            if (worth < floor_) continue;
            n.offered[kept++] = l;
            n.worth.push_back(worth);
        }
        n.offered.resize(kept);
        const std::size_t row = hardest(n);
        if (row == t_.n_negative_) return;
        n.branches.clear();
        for (std::size_t i = 0; i < kept; ++i)
            if (test(t_.excluders_.data() + row * t_.literal_words_, as_index(n.offered[i])))
                n.branches.push_back({n.offered[i], n.worth[i]});
        std::stable_sort(n.branches.begin(), n.branches.end(),
                         [](const Branch& a, const Branch& b) { return a.worth > b.worth; });
        // A branch goes on with the literals of the branches before it, so that every set is met
        // once and the poorest branches, which are cut first, have the most to choose from.
        for (const Branch& b : n.branches) {
            const auto l = std::find(n.offered.begin(), n.offered.end(), b.literal);
            n.offered.erase(l);
        }
        for (std::size_t i = 0; i < n.branches.size(); ++i) {
            const Branch b = n.branches[i];
            if (b.worth < floor_) break;  // sorted: so are all that follow
            if (halted_) {
                found_.ceiling = std::max(found_.ceiling, b.worth);
                break;
            }
            enter(depth, b);
            n.offered.push_back(b.literal);
        }
    }

    void enter(std::size_t depth, const Branch& b) {
        Node& next = node(depth + 1);
        const Node& n = *nodes_[depth];
        const Word* out = excludes(b.literal);
        next.cover.resize(rows_words_);
        for (std::size_t w = 0; w < rows_words_; ++w)
            next.cover[w] = n.cover[w] & holds(b.literal)[w];
        next.open.resize(t_.negative_words_);
        next.once.resize(t_.negative_words_);
        Word left = 0;
        for (std::size_t w = 0; w < t_.negative_words_; ++w) {
            // A term is prime when every literal alone excludes some negative row. Rows excluded
            // exactly once witness that; a literal that would leave another without a witness is
            // not offered.
            next.once[w] = (n.once[w] & ~out[w]) | (n.open[w] & out[w]);
            left |= next.open[w] = n.open[w] & ~out[w];
        }
        term_.push_back(b.literal);
        if (left == 0) {
            record(b.worth);
        } else {
            next.offered = n.offered;
            visit(depth + 1);
        }
        term_.pop_back();
    }

    const Implicants& t_;
    const ImplicantWish& wish_;
    const Stop& stop_;
    std::int64_t floor_;
    std::size_t n_rows_ = 0, rows_words_ = 0;
    std::vector<Word> holds_;  // of the weighted rows
    WeightTable weigh_;
    std::vector<std::unique_ptr<Node>> nodes_;
    std::vector<std::int32_t> term_;
    std::vector<Word> offered_;
    ImplicantsFound found_;
    bool halted_ = false;
};

ImplicantsFound Implicants::search(const ImplicantWish& wish, const Stop& stop) const {
    return ImplicantWalk(*this, wish, stop).run();
}

}  // namespace bayesdnf
