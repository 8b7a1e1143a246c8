#include "sampling/chain.hpp"

#include <algorithm>
#include <stdexcept>

#include "faults.hpp"
#include "search/choice.hpp"

namespace bayesdnf {
namespace {

// Functions that mark the same rows have the same hash; so have lists that part the rows alike,
// whatever the numbers of their parts.
Record::Function describe(const State& state) {
    const BitView& view = state.posterior().view();
    Parts parts;
    state.parts(parts);
    Hash rows{};  // of a table without rows
    if (state.posterior().prior().layers() == 1) {
        const std::vector<Word> none(view.n_words(), 0);
        rows = hash_words(state.size() == 0 ? none.data() : parts.rows(1), view.n_words());
    } else {
        std::vector<Hash> of_parts;
        for (std::size_t h = 0; h <= parts.n_layers(); ++h)
            if (view.count_all(parts.rows(h)) > 0)
                // Sorted hashes of non-empty parts: the numbers of the parts, and empty ones,
                // leave no trace.
                of_parts.push_back(hash_words(parts.rows(h), view.n_words()));
        std::sort(of_parts.begin(), of_parts.end());
        if (!of_parts.empty()) rows = hash_words(of_parts.front().data(), 2 * of_parts.size());
    }
    return {state.value(), parts.counts(), rows};
}

}  // namespace

Chain::Chain(const ChainProblem& problem, ChainSettings settings,
             const std::vector<std::vector<Term>>& starts,
             const std::vector<std::vector<std::int32_t>>& layers, Philox rng, std::uint64_t step)
    : settings_(std::move(settings)),
      mover_(problem.row_terms, settings_.moves),
      rng_(rng),
      step_(step) {
    if (starts.size() != settings_.betas.size() || layers.size() != starts.size())
        throw std::invalid_argument("one start per temperature is needed");
    for (std::size_t r = 0; r < starts.size(); ++r) {
        states_.emplace_back(problem.posterior, starts[r], layers[r]);
        if (!states_.back().value().allowed())
            throw std::invalid_argument("a start is outside the support");
    }
}

Record Chain::advance(std::uint64_t steps, std::uint64_t every, const Stop& stop) {
    Record record;
    record.exchanges_tried.assign(states_.size() - 1, 0);
    record.exchanged.assign(states_.size() - 1, 0);
    for (std::uint64_t done = 0; done < steps && !stop(); ++done) {
        take_step(record);
        if (step_ % every != 0) continue;
        const auto [number, is_new] = record.catalogue.number(states_[0].canonical());
        if (is_new) record.functions.push_back(describe(states_[0]));
        record.draws.push_back(number);
        for (const State& s : states_) record.likelihoods.push_back(s.value().likelihood);
    }
    return record;
}

std::vector<std::int64_t> Chain::single_steps(std::uint64_t n, Catalogue& catalogue) {
    const std::vector<State> here = states_;
    const std::uint64_t step = step_;
    Record record;
    record.exchanges_tried.assign(states_.size() - 1, 0);
    record.exchanged.assign(states_.size() - 1, 0);
    std::vector<std::int64_t> numbers;
    numbers.reserve(n * states_.size());
    for (; n > 0; --n) {
        take_step(record);
        // Whether this step exchanges depends on its number, so each try has the same one.
        step_ = step;
        for (std::size_t r = 0; r < states_.size(); ++r) {
            numbers.push_back(catalogue.number(states_[r].canonical()).first);
            if (states_[r].terms() != here[r].terms() || states_[r].layers() != here[r].layers())
                states_[r] = here[r];
        }
    }
    return numbers;
}

void Chain::take_step(Record& record) {
    for (std::size_t r = 0; r < states_.size(); ++r) {
        double u = rng_.uniform();
        std::size_t kind = 0;
        // The last kind takes what rounding leaves over.
        while (kind + 1 < kMoves && u >= settings_.mix[kind]) u -= settings_.mix[kind++];
        const bool moved =
            mover_(static_cast<Move>(kind), states_[r], {1, settings_.betas[r]}, rng_);
        if (r > 0) continue;  // acceptance is told of the draws' own temperature
        ++record.tried[kind];
        record.changed[kind] += moved;
    }
    ++step_;
    if (states_.size() > 1 && step_ % settings_.exchange_every == 0) exchange(record);
}

// Neighbouring temperatures offer each other their states: pairs (0, 1), (2, 3), … and (1, 2),
// (3, 4), … in turn.
void Chain::exchange(Record& record) {
    const std::size_t first = step_ / settings_.exchange_every % 2;
    for (std::size_t r = first; r + 1 < states_.size(); r += 2) {
        // Priors are not tempered and cancel: only the likelihoods exchange temperatures (Geyer
        // 1991).
        double log_ratio = (settings_.betas[r] - settings_.betas[r + 1]) *
                           (states_[r + 1].value().likelihood - states_[r].value().likelihood);
        if (planted(Fault::exchange_reversed)) log_ratio = -log_ratio;
        ++record.exchanges_tried[r];
        if (!accept(log_ratio, rng_)) continue;
        std::swap(states_[r], states_[r + 1]);
        ++record.exchanged[r];
    }
}

}  // namespace bayesdnf
