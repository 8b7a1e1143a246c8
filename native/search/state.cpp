#include "search/state.hpp"

#include <algorithm>
#include <cmath>

namespace bayesdnf {

void number_layers(std::vector<std::int32_t>& heights) {
    // There are a handful of layers, so looking for each is as good as sorting.
    std::int32_t highest = 0;
    for (std::int32_t layer = 1;; ++layer) {
        std::int32_t next = INT32_MAX;
        for (const std::int32_t h : heights)
            if (h >= 0 && h < next) next = h;
        if (next == INT32_MAX) break;
        highest = layer;
        for (std::int32_t& h : heights)
            if (h == next) h = -layer;  // done with
    }
    if (highest > 0)
        for (std::int32_t& h : heights) h = -h;
}

State::State(const Posterior& posterior, std::vector<Term> terms, std::vector<std::int32_t> layers)
    : posterior_(&posterior), layers_(std::move(layers)) {
    if (layers_.empty()) layers_.assign(terms.size(), 1);
    number_layers(layers_);
    for (const std::int32_t g : layers_) n_layers_ = std::max(n_layers_, g);
    for (Term& t : terms) append(std::move(t));
    value_ = value_in(layers_);
}

void State::append(Term term) {
    const BitView& view = posterior_->view();
    std::sort(term.begin(), term.end());
    terms_.put(view, terms_.size(), term);
    covers_.push_back(view.count_all(terms_.mask(terms_.size() - 1).data()));
}

std::vector<LiteralIds> State::spans(std::size_t without) const {
    std::vector<LiteralIds> out;
    out.reserve(terms_.size() + 1);
    for (std::size_t i = 0; i < terms_.size(); ++i)
        if (i != without) out.emplace_back(terms_[i]);
    return out;
}

std::vector<Height> State::places(std::size_t without) const {
    const bool alone = without != kNone && std::ranges::count(layers_, layers_[without]) == 1;
    const std::int32_t n_others = n_layers_ - (alone ? 1 : 0);
    const bool one_more = n_others < static_cast<std::int32_t>(posterior_->prior().layers());
    std::vector<Height> out;
    for (Height h = 0; h <= 2 * n_layers_; ++h) {
        // A layer that is left empty and the places beside it are one place: its own.
        if (alone && std::abs(h - height(without)) == 1) continue;
        const bool between = h % 2 == 0 || (alone && h == height(without));
        if (!between || one_more) out.push_back(h);
    }
    return out;
}

Value State::value_with(std::span<const std::size_t> without, std::span<const Term> added,
                        std::span<const Height> heights) const {
    const BitView& view = posterior_->view();
    const std::size_t n_words = view.n_words();
    Room& room = room_;
    room.terms.clear();
    room.layers.clear();
    room.masks.clear();
    room.covers.clear();
    for (std::size_t i = 0; i < terms_.size(); ++i) {
        if (std::find(without.begin(), without.end(), i) != without.end()) continue;
        room.terms.emplace_back(terms_[i]);
        room.layers.push_back(height(i));
        room.masks.push_back(terms_.mask(i).data());
        room.covers.push_back(covers_[i]);
    }
    // Terms that were allowed together stay so when some leave, so only added terms and pairs with
    // them are checked.
    room.known = value_.allowed() ? room.terms.size() : 0;
    room.added.resize(added.size() * n_words);
    for (std::size_t j = 0; j < added.size(); ++j) {
        Word* mask = room.added.data() + j * n_words;
        view.term_mask(mask, added[j]);
        room.terms.emplace_back(added[j]);
        room.layers.push_back(heights[j]);
        room.masks.push_back(mask);
        room.covers.push_back(view.count_all(mask));
    }
    if (posterior_->simple()) return simple_value();
    number_layers(room.layers);
    return layered_value();
}

Value State::value_in(Layers layers) const {
    Room& room = room_;
    room.terms.assign(terms_.terms().begin(), terms_.terms().end());
    room.layers.assign(layers.begin(), layers.end());
    room.covers = covers_;
    room.masks.clear();
    for (std::size_t i = 0; i < terms_.size(); ++i) room.masks.push_back(terms_.mask(i).data());
    room.known = 0;
    return posterior_->simple() ? simple_value() : layered_value();
}

Value State::simple_value() const {
    const BitView& view = posterior_->view();
    Room& room = room_;
    room.layers.assign(room.terms.size(), 1);
    if (posterior_->support().check(room.terms, room.layers, room.covers, 0, room.known) !=
        Verdict::allowed)
        return {};
    room.rows.assign(view.n_words(), 0);
    for (const Word* mask : room.masks)
        view.simd().or_into(room.rows.data(), room.rows.data(), mask, view.n_words());
    const Likelihood& likelihood = posterior_->likelihood();
    const MarkedCounts m = posterior_->count(room.rows.data());
    return {posterior_->prior()(room.terms, room.terms.empty() ? 0 : 1),
            room.terms.empty() ? likelihood.null() : likelihood(m.positive, m.negative)};
}

Value State::layered_value() const {
    Room& room = room_;
    // Without higher layers a term's cover is all its rows.
    const bool flat = std::ranges::all_of(room.layers, [](std::int32_t g) { return g == 1; });
    const bool covers = !flat && posterior_->support().rules().min_cover > 0;
    room.parts.assign(posterior_->view(), room.masks, room.layers,
                      covers ? Parts::Covers::counted : Parts::Covers::left_out);
    if (posterior_->support().check(room.terms, room.layers,
                                    covers ? room.parts.covers() : room.covers, room.parts.lowest(),
                                    room.known) != Verdict::allowed)
        return {};
    return {posterior_->prior()(room.terms, room.parts.n_layers()),
            posterior_->log_likelihood(room.parts)};
}

void State::replace(std::span<const std::size_t> without, std::span<const Term> added,
                    std::span<const Height> heights) {
    const Value next = value_with(without, added, heights);
    for (std::int32_t& layer : layers_) layer = height_of(layer);
    // From the last to the first, so that the numbers of those still to go stay right.
    for (std::size_t n = without.size(); n-- > 0;) {
        const auto place = static_cast<std::ptrdiff_t>(without[n]);
        terms_.erase(without[n]);
        covers_.erase(covers_.begin() + place);
        layers_.erase(layers_.begin() + place);
    }
    for (const Term& t : added) append(t);
    layers_.insert(layers_.end(), heights.begin(),
                   heights.begin() + static_cast<std::ptrdiff_t>(added.size()));
    number_layers(layers_);
    n_layers_ = layers_.empty() ? 0 : *std::ranges::max_element(layers_);
    value_ = next;
}

void State::relayer(std::vector<std::int32_t> layers) {
    number_layers(layers);
    value_ = value_in(layers);
    layers_ = std::move(layers);
    n_layers_ = layers_.empty() ? 0 : *std::ranges::max_element(layers_);
}

void State::others(std::size_t without, Height height, Others& out) const {
    Room& room = room_;
    room.layers.clear();
    room.masks.clear();
    for (std::size_t i = 0; i < terms_.size(); ++i) {
        if (i == without) continue;
        room.layers.push_back(this->height(i));
        room.masks.push_back(terms_.mask(i).data());
    }
    room.layers.push_back(height);
    const std::size_t last = room.layers.size() - 1;
    out.joins =
        std::find(room.layers.begin(), room.layers.end() - 1, height) != room.layers.end() - 1;
    // Numbered with the height among them, then without it.
    number_layers(room.layers);
    out.layer = room.layers[last];
    room.layers.pop_back();
    if (!out.joins)
        for (std::int32_t& g : room.layers)
            if (g > out.layer) --g;
    out.parts.assign(posterior_->view(), room.masks, room.layers, Parts::Covers::left_out);
}

void State::parts(Parts& out) const {
    Room& room = room_;
    room.masks.clear();
    for (std::size_t i = 0; i < terms_.size(); ++i) room.masks.push_back(terms_.mask(i).data());
    out.assign(posterior_->view(), room.masks, layers_, Parts::Covers::left_out);
}

double State::terms_prior(std::size_t without) const {
    double sum = 0;
    for (std::size_t i = 0; i < terms_.size(); ++i)
        if (i != without) sum += posterior_->prior().of_term(terms_[i]);
    return sum;
}

std::vector<LayeredTerm> State::canonical() const {
    std::vector<LayeredTerm> sorted;
    sorted.reserve(terms_.size());
    for (std::size_t i = 0; i < terms_.size(); ++i) sorted.push_back({layers_[i], terms_[i]});
    std::sort(sorted.begin(), sorted.end());
    return sorted;
}

}  // namespace bayesdnf
