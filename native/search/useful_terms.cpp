#include "search/useful_terms.hpp"

#include <algorithm>
#include <cmath>

namespace bayesdnf {
namespace {

constexpr std::size_t kTableEntries = std::size_t{1} << 22;
constexpr Count kPieces = 64;  // in which negatives are taken, for what a removal may lose
constexpr Count kMostKeptOff = 20;
constexpr double kJustPays = 1e-9;  // nats that a term may be short of what it costs

// Cells as bits of a mask.
class CellMasks {
  public:
    explicit CellMasks(std::size_t n) : n_words_(n / kWordBits + 1) {}

    std::vector<Word> of(const std::vector<std::int32_t>& cells) const {
        std::vector<Word> mask(n_words_);
        for (const std::int32_t cell : cells) set(mask, as_index(cell));
        return mask;
    }
    // Cells that have rows of a class.
    std::vector<Word> with(const std::vector<Count>& rows) const {
        std::vector<Word> mask(n_words_);
        for (std::size_t i = 0; i < rows.size(); ++i)
            if (rows[i] > 0) set(mask, i);
        return mask;
    }

  private:
    static void set(std::vector<Word>& mask, std::size_t i) {
        mask[i / kWordBits] |= Word{1} << (i % kWordBits);
    }
    std::size_t n_words_;
};

}  // namespace

UsefulTerms::UsefulTerms(const Likelihood& likelihood, const TermSetsWish& wish)
    : likelihood_(likelihood),
      wish_(wish),
      n_negative_rows_(as_index(likelihood.n_negative()) + 1) {
    const std::size_t entries = (as_index(likelihood.n_positive()) + 1) * n_negative_rows_;
    if (entries <= kTableEntries) table_.assign(entries, std::nan(""));
}

double UsefulTerms::log_likelihood(Count a, Count b) {
    if (table_.empty()) return likelihood_(a, b);
    double& value = table_[as_index(a) * n_negative_rows_ + as_index(b)];
    if (std::isnan(value)) value = likelihood_(a, b);
    return value;
}

// A number of a table of marked rows that is worked out when it is first asked for.
template <class Work>
double UsefulTerms::looked_up(std::vector<double>& table, Count i, Count negative,
                              const Work& work) {
    if (table_.empty() || i > likelihood_.n_positive()) return work();
    table.resize(table_.size(), std::nan(""));
    double& value = table[as_index(i) * n_negative_rows_ + as_index(negative)];
    if (std::isnan(value)) value = work();
    return value;
}

// What the likelihood loses at most with `n` positives that one term alone marks, where so many
// negatives are marked or more. At a it loses L(a, b) - L(a - n, b) or less, which rises with
// a, L being convex; between two numbers of negatives it is at most what the first of them
// gives less what the second does.
double UsefulTerms::loss(Count n, Count negative) {
    return looked_up(losses_, n, negative, [&] {
        double most = 0;
        const Count a = wish_.most_positive, high = wish_.most_negative;
        const Count step = (high - negative) / kPieces + 1;
        for (Count b = negative; b <= high; b += step)
            most = std::max(
                most, log_likelihood(a, b) - log_likelihood(a - n, std::min(b + step - 1, high)));
        return most;
    });
}

// What the likelihood loses at most by n more negatives, where so many are marked or more:
// L(a, b) - L(a, b + n), which falls with b, L being convex.
double UsefulTerms::cost(Count n, Count negative) {
    const Count more = std::min(negative + n, likelihood_.n_negative());
    return looked_up(costs_, n, negative, [&] {
        double most = 0;
        const Count high = wish_.most_positive, step = high / kPieces + 1;
        for (Count a = 0; a <= high; a += step)
            most = std::max(most, log_likelihood(std::min(a + step - 1, high), negative) -
                                      log_likelihood(a, more));
        return most;
    });
}

bool UsefulTerms::pays(std::int32_t term, Count unique, Count negative) {
    const std::size_t t = as_index(term);
    negative = std::max(negative, wish_.least_negative);
    if (wish_.removable &&
        loss(unique, negative) + wish_.worth[t] + wish_.constant - wish_.fewer < -kJustPays)
        return false;
    return !wish_.replaceable || wish_.kept_off[t] > kMostKeptOff ||
           cost(wish_.kept_off[t], negative) >= wish_.saved[t] - kJustPays;
}

std::vector<std::int32_t> UsefulTerms::undominated(std::vector<std::int32_t> terms,
                                                   const Stop& stop, bool& halted) const {
    struct Seen {
        std::int32_t term;
        Count positive, negative;
        std::vector<Word> mask;
    };
    const CellMasks masks(wish_.positive.size());
    std::vector<Seen> all;
    for (const std::int32_t term : terms) {
        Seen seen{term, 0, 0, masks.of(wish_.cells[as_index(term)])};
        for (const std::int32_t cell : wish_.cells[as_index(term)]) {
            seen.positive += wish_.positive[as_index(cell)];
            seen.negative += wish_.negative[as_index(cell)];
        }
        all.push_back(std::move(seen));
    }
    const auto worth = [&](const Seen& s) { return wish_.worth[as_index(s.term)]; };
    std::sort(all.begin(), all.end(), [&](const Seen& x, const Seen& y) {
        if (x.positive != y.positive) return x.positive > y.positive;
        if (x.negative != y.negative) return x.negative < y.negative;
        return worth(x) != worth(y) ? worth(x) > worth(y) : x.term < y.term;
    });
    const std::vector<Word> positives = masks.with(wish_.positive),
                            negatives = masks.with(wish_.negative);
    std::vector<const Seen*> kept;
    for (const Seen& s : all) {
        const auto beats = [&](const Seen* other) {
            if (worth(*other) < worth(s) || other->negative > s.negative) return false;
            for (std::size_t w = 0; w < positives.size(); ++w)
                if ((s.mask[w] & ~other->mask[w] & positives[w]) ||
                    (other->mask[w] & ~s.mask[w] & negatives[w]))
                    return false;
            return true;
        };
        if (std::none_of(kept.begin(), kept.end(), beats)) kept.push_back(&s);
        if (stop()) {
            halted = true;
            return {};
        }
    }
    std::vector<std::int32_t> found;
    for (const Seen* s : kept) found.push_back(s->term);
    return found;
}

}  // namespace bayesdnf
