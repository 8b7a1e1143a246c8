// A place for one more term beside others: the rows that are open to it, part by part, and what the
// function or list scores once it has taken some of them.
//
// A term in layer g takes rows of the parts below g only, so what it would take is one count for
// each part below, stratum and class.
#pragma once

#include <cstddef>
#include <vector>

#include "search/state.hpp"

namespace bayesdnf {

// Where the counts of the rows that one candidate takes lie: of part h and segment s at
// first[h * part_step + s * segment_step].
struct Taken {
    const Count* first;
    std::size_t part_step, segment_step;
};

class Opening {
  public:
    // Beside the terms of `state` other than `without`, at a height. Memory is kept between calls.
    void look(const State& state, std::size_t without, Height height);

    // Parts below the place: how many masks of open rows there are.
    std::size_t n_parts() const { return n_parts_; }
    // Rows that `rows` could take, a mask for each part below.
    void open_rows(const Word* rows, Word* masks) const;

    // Log prior of the other terms, of there being one more, and of the layers there then are.
    double others_prior() const { return others_prior_; }
    const Likelihood& likelihood() const { return posterior_->likelihood(); }

    // Upper bound on the log likelihood once these rows are taken; exact unless rates are ordered.
    double bound(const Taken& t) const {
        if (simple_)
            return posterior_->likelihood().bound(marked_.positive + t.first[0],
                                                  marked_.negative + t.first[t.segment_step]);
        return bound_of_parts(t);
    }
    // How well the taken rows are separated from the other open ones, which is what beams and
    // chains rank partial terms by. It is the log probability of the open rows' outcomes, up to a
    // constant, when the taken rows have class shares in each stratum and so have the rows that
    // stay in each part, all uniform a priori. The posterior itself would not do: it also asks what
    // the term is worth as it stands, and a term that is to become good may have to pass through
    // parts that are worth nothing.
    double separation(const Taken& t) const {
        if (simple_) {
            const LookUp& f = *log_factorials_;
            const Count a = t.first[0], b = t.first[t.segment_step];
            return f[a] + f[b] - f[a + b + 1] + f[open_.positive - a] + f[open_.negative - b] -
                   f[open_.positive + open_.negative - a - b + 1];
        }
        return separation_of_parts(t);
    }
    // The same for n candidates side by side, those of the first and what follows it: all of one
    // count before the next, which is what makes it fast. totals: rows that each takes, or nullptr.
    void bounds(const Taken& first, std::size_t n, double* out, Count* totals) const;
    void separations(const Taken& first, std::size_t n, double* out) const;
    // The highest likelihood that a longer term may still come to, which takes some of these rows:
    // a bound with one layer and at most three classes, a guess with more.
    double hope(const Taken& t) const;

    bool simple() const { return simple_; }
    // Of a simple one: rows that the others mark, and rows that they leave open.
    const MarkedCounts& marked() const { return marked_; }
    const MarkedCounts& open() const { return open_; }

  private:
    double bound_of_parts(const Taken& t) const;
    // One stratum's share of it, with the taken rows of the classes that `takes(c)` names.
    template <class Takes>
    double in_stratum(const Taken& t, std::size_t s, const Takes& takes) const;
    double separation_of_parts(const Taken& t) const;
    // The highest of in_stratum over terms that keep all or nothing of a class.
    double best_corner(const Taken& t, std::size_t s) const;
    // log of the integral of class shares, uniform a priori, up to a constant; rows(c) of class c.
    template <class Rows>
    double shares(const Rows& rows) const;

    // Adds up, over strata and parts, `stays` of the rows that stay in a part and `goes` of those
    // that are taken.
    template <class Stays, class Goes>
    void add_up(const Taken& first, std::size_t n, Stays stays, Goes goes, double* out,
                Count* totals) const;

    // Of one stratum, with one part below the place and two classes.
    template <class LogFactorials>
    void add_separations(const Taken& first, std::size_t n, std::size_t s, const LogFactorials& f,
                         double* out) const;

    const Posterior* posterior_ = nullptr;
    bool simple_ = true;
    std::size_t n_parts_ = 0, n_strata_ = 1, n_classes_ = 2;
    State::Others others_;
    double others_prior_ = 0;
    MarkedCounts marked_, open_;
    // Likelihood of the parts above the place; rows of the layer that is there, by segment.
    double above_ = 0;
    std::vector<Count> own_;
    mutable std::vector<Count> taken_;        // room for add_up: of each class, then of the next
    const LookUp* log_factorials_ = nullptr;  // the posterior's: complete before it is handed out
};

}  // namespace bayesdnf
