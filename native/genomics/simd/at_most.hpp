// What rows of a stratum add to a score at most, for vectors of counts.
#pragma once

#include "genomics/simd/vectors.hpp"

namespace bayesdnf {
namespace {

// What a stratum adds at most, of m rows, `off` more of them cases than by chance: the higher of
// two lines at so far from it, less the logarithm.
inline Floats at_most(const StratumBound& of, Floats off, Floats m) {
    const Floats zero = {};
    Floats q = m * (of.beyond - m);
    q = q > zero + of.least ? q : zero + of.least;
    const Floats log = as_floats(bits_of(q));
    const Integers none = {}, fewer = none + static_cast<std::int32_t>(kBoundRanges);
    Integers line = as_integers((log - of.lowest) * of.ranges);
    line += ((m < zero + 0.5F * of.beyond) ^ (off > zero)) ? fewer : none;
    const Floats square = off * off * rough_reciprocal(q);
    const Floats near = look_up(of.near, line) + look_up(of.near_slope, line) * square;
    const Floats far = look_up(of.far, line) + look_up(of.far_slope, line) * square;
    constexpr float kOneBits = 0x3f800000, kExponent = 1 << 23;
    return (near > far ? near : far) - (log - kOneBits) * (kFall / kExponent);
}

// The same, and exactly where no row is marked, or every row.
inline Floats at_most_exactly(const StratumBound& of, Floats off, Floats m) {
    const Floats zero = {};
    Floats found = at_most(of, off, m);
    found = m > zero + (of.beyond - 1.5F) ? zero + of.all : found;
    return m < zero + 0.5F ? zero + of.none : found;
}

// The same of cases and controls.
inline Floats of_rows(const StratumBound& of, Floats cases, Floats controls) {
    const Floats m = cases + controls;
    return at_most(of, cases - of.share * m, m);
}

}  // namespace
}  // namespace bayesdnf
