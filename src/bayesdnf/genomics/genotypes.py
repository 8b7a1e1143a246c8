"""Genotypes: samples by variants as packed bits, with sample and variant tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _native
from ..boolean.literal import CODINGS, Literal, comparison
from ..data.bits import BitMatrix
from ..data.literal_table import LiteralTable
from ..data.planes.plane_layout import Words, allocate_planes, pack_into, segment_offsets
from ..errors import InputError, ParameterError, UnknownColumnError, did_you_mean
from .alleles import other_name

if TYPE_CHECKING:
    import pandas as pd

ALLELES = ("minor", "first", "second")

KNOWN, CARRIER, TWO = range(3)
"""The three planes of a variant: call known, at least one copy, two copies."""

CHUNK_BYTES = 4 << 20
"""What is worked on at a time: little beside any planes that matter."""


@dataclass(frozen=True, eq=False)
class Genotypes:
    """Calls of samples at variants, three bits each.

    Made by :func:`read_plink`, :func:`read_pgen`, :func:`read_vcf` or :meth:`from_copies`.

    Parameters
    ----------
    planes : ndarray of uint64, shape (n_variants, 3, n_words)
        For each variant one bit per sample in each of three planes: the call is known; it has at
        least one copy of the counted allele; it has two.
    samples : DataFrame
        One row per sample: ``FID``, ``IID`` and ``SEX`` (1 male, 2 female, 0 unknown).
    variants : DataFrame
        One row per variant: ``CHR``, ``POS``, ``ID``, ``A1`` (the counted allele), ``A2``.
    history : tuple of str
        What was read and left out, one sentence each.

    Examples
    --------
    >>> import numpy as np
    >>> from bayesdnf.genomics import Genotypes
    >>> calls = Genotypes.from_copies(np.array([[0, 1, 2, -1], [2, 2, 1, 0]]), ids=["rs1", "rs2"])
    >>> calls
    <Genotypes: 4 samples x 2 variants>
    >>> calls.frequency
    array([0.5  , 0.625])
    >>> calls.bits().names[:3]
    ['rs1_B dominant', 'rs1_B recessive', 'rs1_B heterozygous']
    """

    planes: Words
    samples: pd.DataFrame
    variants: pd.DataFrame
    history: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        n_words = segment_offsets([len(self.samples)])[-1]
        expected = (len(self.variants), 3, n_words)
        if self.planes.shape != expected:
            raise InputError(f"planes must have shape {expected}. Got {self.planes.shape} instead.")

    @classmethod
    def from_copies(
        cls,
        copies: Any,
        *,
        ids: Sequence[str] | None = None,
        iids: Sequence[str] | None = None,
    ) -> Genotypes:
        """Pack a matrix of allele copies, variants by samples: 0, 1, 2, anything else missing.

        Parameters
        ----------
        copies : array-like of int, shape (n_variants, n_samples)
            Copies of the counted allele, which is called B; the other is A.
        ids, iids : sequence of str, optional
            Names of variants and samples; by default v1, v2, … and s1, s2, ….

        Examples
        --------
        >>> from bayesdnf.genomics import Genotypes
        >>> Genotypes.from_copies([[0, 1, 2]]).names
        ['v1_B']
        """
        import pandas as pd

        array = np.ascontiguousarray(copies, dtype=np.int8)
        if array.ndim != 2:
            raise InputError(f"copies must be variants by samples. Got {array.ndim} dimensions.")
        n_variants, n_samples = array.shape
        planes = empty_planes(n_variants, n_samples)
        _native.read_copies(array, planes)
        names = [f"s{i + 1}" for i in range(n_samples)] if iids is None else list(iids)
        rs = [f"v{j + 1}" for j in range(n_variants)] if ids is None else list(ids)
        samples = pd.DataFrame({"FID": names, "IID": names, "SEX": 0})
        variants = pd.DataFrame(
            {"CHR": "1", "POS": np.arange(1, n_variants + 1), "ID": rs, "A1": "B", "A2": "A"}
        )
        return cls(planes, samples, variants)

    def __repr__(self) -> str:
        return f"<Genotypes: {self.n_samples:,} samples x {self.n_variants:,} variants>"

    @property
    def n_samples(self) -> int:
        """Number of samples."""
        return len(self.samples)

    @property
    def n_variants(self) -> int:
        """Number of variants."""
        return len(self.variants)

    @cached_property
    def names(self) -> list[str]:
        """A name for each variant with its counted allele, such as rs123_A; all different.

        A variant without an identifier of its own is named by its place and alleles.
        """
        ids = np.array(self.variants["ID"].astype(str), dtype=object)
        anonymous = np.isin(ids, ["", ".", "nan"]) | self.variants["ID"].duplicated(keep=False)
        unnamed = self.variants[np.asarray(anonymous)]
        ids[np.asarray(anonymous)] = (
            unnamed["CHR"].astype(str)
            + ":" + unnamed["POS"].astype(str)
            + ":" + unnamed["A2"].astype(str)
        ).to_numpy()  # fmt: skip
        names = [f"{i}_{allele}" for i, allele in zip(ids, self.variants["A1"], strict=True)]
        # Remaining duplicates: an insertion and a deletion at one place, one of them counting A2.
        return names if len(set(names)) == len(names) else _numbered(names)

    @cached_property
    def place(self) -> dict[str, int]:
        """The number of each variant, by its name."""
        return {name: number for number, name in enumerate(self.names)}

    @cached_property
    def other_names(self) -> dict[str, str]:
        """Names of variants by their other allele, by name, if that is unique."""
        alleles = (self.variants[c].astype(str) for c in ("A1", "A2"))
        others = map(other_name, self.names, *alleles)
        pairs = zip(self.names, others, strict=True)
        return {name: o for name, o in pairs if o is not None and o not in self.place}

    @cached_property
    def _by_other_name(self) -> dict[str, str]:
        return {other: name for name, other in self.other_names.items()}

    def counts(self, samples: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """Count calls of each variant: known calls, carriers (one or two copies), two copies.

        Parameters
        ----------
        samples : ndarray of bool, optional
            Which samples to count; all by default.
        """
        everyone = np.ones(self.n_samples, dtype=np.bool_)
        return np.asarray(self.counts_in([self.mask(everyone if samples is None else samples)])[0])

    def counts_in(self, masks: Sequence[Words]) -> NDArray[np.int64]:
        """Count calls as ``counts`` does in several groups of samples, each packed by ``mask``.

        Returns
        -------
        ndarray of shape (len(masks), n_variants, 3)
        """
        totals = np.empty((len(masks), self.n_variants, 3), dtype=np.int64)
        if len(masks):
            _native.count_calls(self.planes, np.stack(masks), totals)
        return totals

    def between(self, first: int, last: int) -> Genotypes:
        """Return the variants from ``first`` up to ``last``; their planes are not copied."""
        some = slice(first, last)
        variants = self.variants.iloc[some].reset_index(drop=True)
        return replace(self, planes=self.planes[some], variants=variants)

    @cached_property
    def _counts(self) -> NDArray[np.int64]:
        return self.counts()

    @property
    def frequency(self) -> NDArray[np.float64]:
        """Frequency of the counted allele among known calls; NaN where there are none."""
        known, carrier, two = self._counts.T
        with np.errstate(invalid="ignore"):
            return np.asarray((carrier + two) / (2 * known))

    @property
    def call_rate(self) -> NDArray[np.float64]:
        """Share of samples whose call is known, by variant."""
        return np.asarray(self._counts[:, KNOWN] / max(1, self.n_samples))

    def copies(self, variants: Sequence[int] | NDArray[np.intp]) -> NDArray[np.int8]:
        """Unpack the copies of the counted allele: (len(variants), n_samples), -1 missing."""
        planes = np.ascontiguousarray(self.planes[np.asarray(variants, dtype=np.intp)])
        bits = np.unpackbits(
            planes.view(np.uint8), axis=2, count=self.n_samples, bitorder="little"
        ).view(np.int8)
        # Nested planes: known + carrier + two = copies + 1, or 0 for a missing call.
        return np.asarray(bits.sum(axis=1, dtype=np.int8) - 1)

    def take(
        self,
        samples: NDArray[np.bool_] | None = None,
        variants: NDArray[Any] | None = None,
        because: str | None = None,
        *,
        in_place: bool = False,
    ) -> Genotypes:
        """Keep some samples and variants.

        Parameters
        ----------
        samples : ndarray of bool, optional
            Samples to keep, in their order.
        variants : ndarray of bool or int, optional
            Variants to keep.
        because : str, optional
            A sentence for the history.
        in_place : bool, default=False
            Move the planes of the variants kept, which must be marked by bools, together instead
            of copying them, for a caller who has no other use for these.
        """
        kept = self
        if variants is not None:
            where = np.flatnonzero(variants) if variants.dtype == np.bool_ else variants
            kept = replace(
                kept,
                planes=self._together(where) if in_place else kept.planes[where],
                variants=kept.variants.iloc[where].reset_index(drop=True),
            )
        if samples is not None:
            n = int(np.count_nonzero(samples))
            planes = empty_planes(kept.n_variants, n)
            mask = kept.mask(samples)
            for piece in kept.pieces():
                pick_into(planes[piece], kept.planes[piece], mask)
            kept = replace(
                kept, planes=planes, samples=kept.samples[samples].reset_index(drop=True)
            )
        history = self.history if because is None else (*self.history, because)
        return replace(kept, history=history)

    def _together(self, where: NDArray[np.intp]) -> Words:
        """Move rows, in ascending order, to the front, in pieces."""
        for start in range(0, len(where), self._piece):
            some = where[start : start + self._piece]
            # Rows are ascending, so no row is overwritten before it is read.
            self.planes[start : start + len(some)] = self.planes[some]
        return self.planes[: len(where)]

    def renamed(self, names: Sequence[str]) -> Genotypes:
        """Give variants the names that they have in a larger table.

        An identifier may belong to several variants there and to one here, and so name another.

        Parameters
        ----------
        names : sequence of str
            For each variant its name in ``names`` of that table.
        """
        alleles = self.variants["A1"].astype(str)
        stems = [n.removesuffix(f"_{allele}") for n, allele in zip(names, alleles, strict=True)]
        return replace(self, variants=self.variants.assign(ID=stems))

    def counting(self, allele: str, *, in_place: bool = False) -> Genotypes:
        """Recode copies to count the given allele, and record it in the history.

        Parameters
        ----------
        allele : {"minor", "first", "second"}
            The rarer one of the two in these samples (of two equally common ones the first), or
            the file's first or second: A1 or A2 of PLINK 1, ALT or REF elsewhere.
        in_place : bool, default=False
            Change these planes instead of a copy, for a caller who has no other use for them.
        """
        if allele not in ALLELES:
            raise ParameterError.of("allele", "counting", "'minor', 'first' or 'second'", allele)
        if allele == "first":
            swap = np.zeros(self.n_variants, np.bool_)
            said = "The first allele of the file is counted."
        elif allele == "second":
            swap = np.ones(self.n_variants, np.bool_)
            said = "The second allele of the file is counted."
        else:
            swap = self.frequency > 0.5
            n_second = int(np.count_nonzero(swap))
            said = (
                f"The minor allele is counted: the first of the file at "
                f"{self.n_variants - n_second:,} variants, the second at {n_second:,}."
            )
        counted = self.swapped(swap, in_place=in_place) if swap.any() else self
        return replace(counted, history=(*self.history, said))

    def swapped(self, swap: NDArray[np.bool_], *, in_place: bool = False) -> Genotypes:
        """Count the other allele of the variants marked."""
        planes = self.planes if in_place else self.planes.copy()
        where = np.flatnonzero(swap)
        for start in range(0, len(where), self._piece):
            some = where[start : start + self._piece]
            known, carrier, two = (planes[some, i] for i in (KNOWN, CARRIER, TWO))
            # 2 - g copies: at least one unless g is 2, and two if g is 0.
            planes[some, CARRIER] = known & ~two
            planes[some, TWO] = known & ~carrier
        variants = self.variants.copy()
        a1, a2 = variants["A1"].to_numpy(), variants["A2"].to_numpy()
        variants["A1"], variants["A2"] = np.where(swap, a2, a1), np.where(swap, a1, a2)
        return replace(self, planes=planes, variants=variants)

    def bits(
        self,
        codings: Sequence[str] = ("dominant", "recessive", "heterozygous"),
        negations: bool = False,
    ) -> BitMatrix:
        """Return the literals of the calls as bits, for searches and samplers.

        Parameters
        ----------
        codings : sequence of {"dominant", "recessive", "heterozygous"}
            At least one copy of the counted allele, two, exactly one. A missing call satisfies
            neither a literal nor its negation.
        negations : bool, default=False
            Offer NOT of each as well.

        Returns
        -------
        BitMatrix
            Literals such as ``rs123_A dominant``, variant by variant.
        """
        unknown = [c for c in codings if c not in CODINGS]
        if unknown or not codings or len(set(codings)) < len(codings):
            raise ParameterError.of("codings", "bits", f"some of {', '.join(CODINGS)}", codings)
        # Planes are nested, so "exactly one copy" is the complement of TWO within CARRIER.
        # By coding: the plane, the plane of rows for which it can be said (-1: all), and whether
        # its complement is meant. A missing call has no bit in CARRIER and TWO, so that these need
        # no second plane.
        source = {"dominant": (0, -1, False), "recessive": (1, -1, False)}
        source |= {"not dominant": (0, 2, True), "not recessive": (1, 2, True)}
        source |= {"heterozygous": (1, 0, True), "not heterozygous": (3, 2, True)}
        words = [w for c in codings for w in ([c, f"not {c}"] if negations else [c])]
        if negations:
            stored = [CARRIER, TWO, KNOWN]
            extra = "heterozygous" in codings
        else:
            stored, extra = [CARRIER, TWO], False
        width = len(stored) + extra
        planes = allocate_planes(width * self.n_variants, self.planes.shape[2])
        grouped = planes.reshape(self.n_variants, width, planes.shape[1])
        for piece in self.pieces():
            for place, plane in enumerate(stored):
                grouped[piece, place] = self.planes[piece, plane]
            if extra:
                grouped[piece, 3] = self.planes[piece, CARRIER] & ~self.planes[piece, TWO]
        columns = np.array([source[word] for word in words])
        base = width * np.arange(self.n_variants)[:, None]
        valid = np.where(columns[:, 1] < 0, -1, base + columns[:, 1])
        return BitMatrix(
            planes,
            LiteralTable.of_codings(
                self.names,
                words,
                plane=(base + columns[:, 0]).ravel(),
                valid=valid.ravel(),
                complement=np.tile(columns[:, 2] == 1, self.n_variants),
            ),
            [self.n_samples],
        )

    def truth(self, literal: Literal) -> NDArray[np.bool_]:
        """Return the truth of a literal on every sample, as the ``Table`` protocol requires.

        A variant may be named by its other allele: ``rs11_G recessive`` is ``NOT rs11_T dominant``.
        """
        here = literal.attribute in self.place
        name = literal.attribute if here else self._by_other_name.get(literal.attribute)
        if name is None:
            raise UnknownColumnError(
                f"The function names variant {literal.attribute!r}, which is not among the "
                f"{self.n_variants:,} variants.{did_you_mean(literal.attribute, self.names)}"
            )
        [copies] = self.copies([self.place[name]])
        if not here:
            copies = np.where(copies >= 0, 2 - copies, copies)
        operator, value = comparison(literal)
        holds = copies == value if operator in ("=", "!=") else copies >= value
        return np.asarray((~holds if operator in ("!=", "<") else holds) & (copies >= 0))

    @property
    def n_rows(self) -> int:
        """Number of samples, by the name that tables have for it."""
        return self.n_samples

    def mask(self, samples: NDArray[np.bool_]) -> Words:
        """Pack a mask of samples into words with the length of a plane."""
        return pack_mask(samples, self.planes.shape[2])

    @property
    def _piece(self) -> int:
        return max(1, CHUNK_BYTES // max(1, 24 * int(self.planes.shape[2])))

    def pieces(self) -> Iterator[slice]:
        """Yield slices of variants small enough to unpack or copy."""
        for start in range(0, self.n_variants, self._piece):
            yield slice(start, min(start + self._piece, self.n_variants))


def empty_planes(n_variants: int, n_samples: int) -> Words:
    """Allocate zeroed planes, after checking for enough memory."""
    n_words = segment_offsets([n_samples])[-1]
    return allocate_planes(3 * n_variants, n_words).reshape(n_variants, 3, n_words)


def pack_mask(samples: NDArray[np.bool_], n_words: int) -> Words:
    """Pack a mask of samples into ``n_words`` words."""
    words = np.zeros(n_words, dtype=np.uint64)
    pack_into(words, np.asarray(samples, dtype=np.bool_))
    return words


def pick_into(out: Words, planes: Words, mask: Words) -> None:
    """Copy the samples of a mask, in order, from planes to ``out``."""
    n_variants, _, n_words = planes.shape
    source = np.ascontiguousarray(planes).reshape(3 * n_variants, n_words)
    picked = _native.pick_samples(source, mask)
    out[:, :, : picked.shape[1]] = picked.reshape(n_variants, 3, picked.shape[1])


def _numbered(names: list[str]) -> list[str]:
    """Make names unique by numbers: a, a.2, a.3."""
    times: Counter[str] = Counter()
    numbered = []
    for name in names:
        times[name] += 1
        numbered.append(name if times[name] == 1 else f"{name}.{times[name]}")
    return numbered
