// Arithmetic on sizes and counts that come from outside. A sum that overflows would become a small
// number and pass the check that it is made for; these stay at the largest number instead, which
// nothing can hold.
#pragma once

#include <concepts>
#include <cstddef>
#include <limits>

namespace bayesdnf {

// Of numbers that are not negative.
template <std::integral T>
constexpr T saturating_add(T a, T b) {
    constexpr T most = std::numeric_limits<T>::max();
    return a > most - b ? most : static_cast<T>(a + b);
}

template <std::integral T>
constexpr T saturating_multiply(T a, T b) {
    constexpr T most = std::numeric_limits<T>::max();
    return a != 0 && b > most / a ? most : static_cast<T>(a * b);
}

// a / b rounded up. Not (a + b - 1) / b, which may overflow.
template <std::integral T>
constexpr T divide_up(T a, T b) {
    return static_cast<T>(a / b + (a % b != 0));
}

// Ids and counts are signed, so that -1 can mean none and differences can be negative; places in
// memory are not. This is where one becomes the other; the caller knows that it is not negative.
template <std::integral T>
constexpr std::size_t as_index(T i) {
    return static_cast<std::size_t>(i);
}

}  // namespace bayesdnf
