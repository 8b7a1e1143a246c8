// Random words for tests, and the slow obvious counts to compare with.
#pragma once

#include <vector>

#include "data/bits.hpp"
#include "rng.hpp"

inline std::vector<bayesdnf::Word> random_words(bayesdnf::Philox& rng, std::size_t n) {
    std::vector<bayesdnf::Word> words(n);
    for (auto& w : words) w = rng.next() & rng.next();
    return words;
}

inline bool bit(const bayesdnf::Word* words, std::size_t i) {
    return words[i / 64] >> (i % 64) & 1;
}

inline bayesdnf::Count slow_and_popcount(const bayesdnf::Word* a, const bayesdnf::Word* b,
                                         std::size_t first, std::size_t last) {
    bayesdnf::Count n = 0;
    for (std::size_t i = first * 64; i < last * 64; ++i) n += bit(a, i) && bit(b, i);
    return n;
}
