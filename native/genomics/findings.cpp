#include "genomics/findings.hpp"

#include <algorithm>

namespace bayesdnf {

bool operator<(const Finding& a, const Finding& b) {
    return a.key != b.key ? a.key > b.key : a.variants < b.variants;
}

void Findings::offer(const Finding& finding) {
    if (heap_.size() < most_) {
        heap_.push_back(finding);
        std::push_heap(heap_.begin(), heap_.end());
    } else if (most_ > 0 && finding < heap_.front()) {
        std::pop_heap(heap_.begin(), heap_.end());
        heap_.back() = finding;
        std::push_heap(heap_.begin(), heap_.end());
    }
}

std::vector<Finding> Findings::sorted() const {
    std::vector<Finding> out = heap_;
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace bayesdnf
