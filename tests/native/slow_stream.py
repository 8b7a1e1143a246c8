"""Random draws spelled out on numpy's Philox: the slow twin of the core's stream."""

import math

import numpy as np


class Stream:
    """Draws on numpy's Philox, each from raw 64-bit numbers."""

    def __init__(self, key, counter=(0, 0, 0, 0)):
        self._bits = np.random.Philox(
            key=np.array(key, dtype=np.uint64), counter=np.array(counter, dtype=np.uint64)
        )

    def raw(self):
        return int(self._bits.random_raw())

    def uniform(self):
        return (self.raw() >> 11) / 2**53

    def uniform_positive(self):
        return ((self.raw() >> 11) + 1) / 2**53

    def below(self, n):
        """Lemire: the high word of raw * n, unless the low word falls in the uneven remainder."""
        while True:
            high, low = divmod(self.raw() * n, 2**64)
            if low >= 2**64 % n:
                return high

    def normal(self):
        """One value of a polar pair."""
        while True:
            u = 2 * self.uniform() - 1
            v = 2 * self.uniform() - 1
            s = u * u + v * v
            if 0 < s < 1:
                return u * math.sqrt(-2 * math.log(s) / s)

    def log_gamma(self, shape):
        """Marsaglia and Tsang (2000), with their boost below 1."""
        if shape < 1:
            boosted = self.log_gamma(shape + 1)
            return boosted + math.log(self.uniform_positive()) / shape
        d = shape - 1 / 3
        c = 1 / math.sqrt(9 * d)
        while True:
            x = self.normal()
            v = (1 + c * x) ** 3
            if v <= 0:
                continue
            if math.log(self.uniform_positive()) < x * x / 2 + d - d * v + d * math.log(v):
                return math.log(d * v)

    def beta(self, a, b):
        x, y = self.log_gamma(a), self.log_gamma(b)
        return 1 / (1 + math.exp(y - x)) if y - x < 700 else math.exp(x - y)
