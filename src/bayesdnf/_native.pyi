"""
The C++ core of bayesdnf: packed bits, random streams, scores, searches, chains.
"""

from collections.abc import Mapping, Sequence
import enum
from typing import Annotated, Any

import numpy
from numpy.typing import NDArray


CUDA_OPERANDS: str = ...

CUDA_PAIRS: str = ...

CUDA_PRODUCTS: str = ...

CUDA_SCREENS: str = ...

CUDA_SEGMENTS: str = ...

CUDA_SWEEP: str = ...

class MapGuard:
    """Lets a mapped file shrink without ending the process."""

    def __init__(self, bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> None: ...

    @property
    def broken(self) -> bool:
        """Whether bytes were read that are gone."""

def simd() -> str:
    """Name of the instruction set in use; BAYESDNF_SIMD forces another."""

def available_simd() -> list[str]:
    """Names of the instruction sets this processor can run."""

def bits_and(a: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], simd: str | None = None) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]: ...

def bits_or(a: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], simd: str | None = None) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]: ...

def bits_and_not(a: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], simd: str | None = None) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]:
    """a AND NOT b."""

def popcount(a: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], simd: str | None = None) -> int: ...

def and_popcount(a: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], b: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], repeats: int = 1, simd: str | None = None) -> int:
    """
    Rows in a and in b, b read in pieces as long as a: the bare loop that sweeps are measured against.
    """

def hash_rows(planes: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_rows: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C')]:
    """128 bits per row that depend on the row's bits only."""

def gather_rows(planes: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_rows: int, sources: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows_per_segment: Sequence[int], offsets: Sequence[int], out: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu')]) -> None: ...

def append_rows(out: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu')], first: int, planes: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_rows: int) -> None: ...

class BitView:
    """Planes, literal table, segments and weights as one view."""

    def __init__(self, planes: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], rows_per_segment: Sequence[int], offsets: Sequence[int], weights: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, plane: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], complement: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], valid: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], simd: str | None = None) -> None: ...

    @property
    def n_words(self) -> int: ...

    @property
    def n_literals(self) -> int: ...

    @property
    def totals(self) -> list[int]:
        """Weighted rows per segment."""

    @property
    def simd(self) -> str: ...

    def all_rows(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]:
        """The mask with every row in it."""

    def sweep(self, masks: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int = 1) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None, None), order='C')]:
        """counts[segment, mask, plane]."""

    def use(self, device: object | None) -> None:
        """
        Let a device's sweep(masks, counts) fill counts[segment, mask, plane] and its select(masks, of_masks, ruled_out, selected) fill selected[:, mask literal first second] and return how many there are, in place of the processor, or None: the processor again. Not while anything uses the view.
        """

    def select(self, masks: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], ruled_out: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')]:
        """
        selected[:, mask literal first second] by the device, save for rows of the second segment from ruled_out[first, 0] to ruled_out[first, 1].
        """

    def literal_counts(self, masks: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None, None), order='C')]:
        """counts[segment, mask, literal]."""

    def count(self, masks: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')]:
        """counts[mask, segment]."""

    def term_masks(self, literal_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], literals: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C')]: ...

    def hash_literals(self) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C')]:
        """128 bits per literal: equal columns, equal bits."""

class Philox:
    """Philox4x64-10: the numbers of numpy's Philox(key, counter)."""

    def __init__(self, key: Sequence[int], counter: Sequence[int] = [0, 0, 0, 0]) -> None: ...

    @staticmethod
    def resume(key: Sequence[int], counter: Sequence[int], used: int) -> Philox: ...

    @property
    def state(self) -> tuple[list[int], list[int], int]:
        """(key, counter, used): what resume() takes."""

    def raw(self, n: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]: ...

    def uniform(self, n: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    def below(self, bound: int, n: int) -> Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')]: ...

    def normal(self, n: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

    def beta(self, a: float, b: float, n: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]: ...

def draw_beta_pairs(alpha0: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], beta0: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], alpha1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], beta1: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], ordered: bool, rng: Philox) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    Pairs of Beta draws, in order where asked for; NaN where 1000 pairs were not in order.
    """

class Effect:
    def __init__(self, a0: float, b0: float, a1: float, b1: float, a: float, b: float, ordered: bool, pi0: float | None = None, pi1: float | None = None) -> None: ...

class Likelihood:
    def __init__(self, effect: Effect, n_positive: int, n_negative: int) -> None: ...

    def __call__(self, marked_positive: int, marked_negative: int) -> float: ...

    def order_factor(self, marked_positive: int, marked_negative: int) -> float: ...

    @property
    def null(self) -> float: ...

def log_order_probability(alpha0: float, beta0: float, alpha1: float, beta1: float) -> float:
    """log P(X <= Y) for two independent Beta variables."""

def log_beta_cdf(logit_x: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], a: float, b: float) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    log of the Beta(a, b) distribution function at x, given as log(x / (1 - x)).
    """

def log_elementary_symmetric(log_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], largest: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """log e_k of the weights for k in 0..largest."""

class Verdict(enum.IntEnum):
    """Whether a function is inside the support, or why it is not."""

    ALLOWED = 0

    EMPTY_TERM = 1

    REPEATED_LITERAL = 2

    RELATED_LITERALS = 3

    TOO_FEW_ROWS = 4

    REPEATED_TERM = 5

    ABSORBED_TERM = 6

    SHARED_ATTRIBUTE = 7

    TOO_MANY_TERMS = 8

    TOO_MANY_LITERALS = 9

    KEPT_APART = 10

    EXCLUSIVE_GROUP = 11

    LACKS_REQUIRED = 12

    IDLE_TERM = 13

    TOO_MANY_LAYERS = 14

    NOTHING_LEFT = 15

class Support:
    def __init__(self, attribute: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], rank: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], op: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], equal: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], antichain: bool, related: bool, disjoint: bool, min_cover: int, max_terms: int | None, max_literals: int | None, max_layers: int = 1, apart: Sequence[Sequence[Sequence[int]]] = [], at_most_one: Sequence[Sequence[Sequence[int]]] = [], required: Sequence[Sequence[int]] = []) -> None: ...

    def implies(self, a: int, b: int) -> bool: ...

    def excludes(self, a: int, b: int) -> bool: ...

    def addable(self, term: Sequence[int], rest: Sequence[Sequence[int]]) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]: ...

    def check(self, terms: Sequence[Sequence[int]], layers: Sequence[int], covers: Sequence[int], lowest: int) -> Verdict: ...

class Individuals:
    """The table row by row."""

    def __init__(self, view: object, rows_per_segment: Sequence[int], offsets: Sequence[int], counts: Sequence[int], n_positive: int) -> None: ...

class Posterior:
    def __init__(self, view: object, support: object, count: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], size: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], effect: Effect, layers: int = 1, n_classes: int = 2) -> None: ...

    def score(self, term_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], literal_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], literals: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], layers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> tuple[Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None, None, None, None), order='C')]]:
        """
        (verdict, log_prior, log_likelihood, cells[function, stratum, part, class]).
        """

def part_of_rows(view: BitView, term_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], literal_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], literals: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], layers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C')]:
    """
    part[list, place]: of each row the highest layer that holds, 0 where none does; rows have the places of their bits.
    """

def part_counts(view: BitView, term_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], literal_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], literals: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], layers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_parts: int) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None, None), order='C')]:
    """counts[list, segment, part]: weighted rows."""

def part_sums(view: BitView, term_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], literal_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], literals: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], layers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], values: Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    sums[place]: over lists, of values[list, segment, part] of the row's part.
    """

class StopFlag:
    """Tells running searches to stop, now or at a moment."""

    def __init__(self) -> None: ...

    def stop(self) -> None: ...

    def set_deadline(self, seconds_from_now: float) -> None: ...

    def __call__(self) -> bool: ...

def beam_search(posterior: Posterior, start: Sequence[Sequence[int]], width: int, stop: StopFlag, layers: Sequence[int] = []) -> tuple[list[list[int]], list[int], float]:
    """
    Large-neighbourhood search from a function or list: (terms, layers, log posterior).
    """

def add_terms(posterior: Posterior, start: Sequence[Sequence[int]], width: int, stop: StopFlag, layers: Sequence[int] = []) -> tuple[list[list[int]], list[int], float]:
    """
    Add terms, grown by beam, while that helps: (terms, layers, log posterior).
    """

def add_terms_together(posterior: Posterior, start: Sequence[Sequence[int]], width: int, depth: int, kept: int, loss: float, stop: StopFlag, layers: Sequence[int] = []) -> tuple[list[list[int]], list[int], float]:
    """
    Add several terms, none of which needs to help by itself: (terms, layers, log posterior).
    """

def beam_search_among(posterior: Posterior, offered: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], width: int, stop: StopFlag) -> tuple[list[list[int]], list[int], float]:
    """
    Beam search from the beginning with some literals only: (terms, layers, log posterior).
    """

def recombine(posterior: Posterior, start: Sequence[Sequence[int]], pool: Sequence[Sequence[int]], stop: StopFlag) -> tuple[list[list[int]], list[int], float]:
    """
    Exchange terms of a function for terms of a pool while that helps: (terms, layers, log posterior).
    """

def restart(posterior: Posterior, start: Sequence[Sequence[int]], rng: Philox, steps: int, hottest: float, prior_power: float, pi0: float, pi1: float, width: int, stop: StopFlag, layers: Sequence[int] = []) -> tuple[tuple[list[list[int]], list[int], float], list[list[int]]]:
    """
    One restart of informed annealing and polish, at known rates first unless they are NaN: ((terms, layers, log posterior), terms at the known rates).
    """

class AnnealProblem:
    """What the chains of one annealing run share."""

    def __init__(self, posterior: object, effect: Effect, individuals: object) -> None: ...

class AnnealChain:
    """One chain of the paper's simulated annealing."""

    def __init__(self, problem: object, rng: Philox, start_terms: int, draw_rates: bool, probabilities: Sequence[float], log_lambda: float, cooling: float, keep_best: bool, learning_steps: int = 0) -> None: ...

    def advance(self, steps: int, stop: StopFlag) -> int:
        """Take steps; returns how many were taken before being told to stop."""

    @property
    def last(self) -> tuple[list[list[int]], float, float, float]:
        """(terms, pi0, pi1, objective) now."""

    @property
    def result(self) -> tuple[list[list[int]], float, float, float]:
        """The same of the state to keep, the last or the best."""

    @property
    def probabilities(self) -> list[float]:
        """Of the seven moves now: as given, or learned."""

    @property
    def log_lambda(self) -> float: ...

    @property
    def rng_state(self) -> tuple[list[int], list[int], int]:
        """(key, counter, used) of the stream."""

class TermSearch:
    """Branch and bound for the best single term."""

    def __init__(self, posterior: object, max_size: int) -> None: ...

    def seed(self, width: int, stop: StopFlag) -> None:
        """Start from the best term of a beam."""

    def advance(self, stop: StopFlag) -> bool:
        """Search on; True when the best term is proved."""

    @property
    def term(self) -> list[int]: ...

    @property
    def score(self) -> float: ...

    @property
    def nodes(self) -> int: ...

    @property
    def branches(self) -> int: ...

    @property
    def branches_done(self) -> int: ...

class PricedTerms:
    @property
    def terms(self) -> list[list[int]]: ...

    @property
    def worth(self) -> list[int]: ...

    @property
    def complete(self) -> bool: ...

    @property
    def ceiling(self) -> int: ...

    @property
    def nodes(self) -> int: ...

def priced_terms(posterior: object, space: Sequence[int], shorter_is_better: bool, more_positives: bool, sizes: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], literals: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], prices: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], negative_cost: int, rows: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], floor: int, most: int, every: bool, most_positive: int, most_negative: int, max_nodes: int, stop: StopFlag) -> PricedTerms:
    """
    Terms worth at least floor: their size, literals and the prices of the rows they mark.
    """

NO_SIZE: int = -2305843009213693952

class TermSets:
    @property
    def sets(self) -> list[list[int]]: ...

    @property
    def complete(self) -> bool: ...

    @property
    def nodes(self) -> int: ...

def better_sets(posterior: object, worth: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], marked: Annotated[NDArray[numpy.bool_], dict(shape=(None, None), order='C', device='cpu', writable=False)], kept_off: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], saved: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], cells: Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_terms: int, constant: float, fewer: float, positive: tuple[int, int], negative: tuple[int, int], target: float, removable: bool, replaceable: bool, most: int, stop: StopFlag) -> TermSets:
    """Sets of so many terms that score more than a target."""

class ImplicantsFound:
    @property
    def terms(self) -> list[list[int]]: ...

    @property
    def worth(self) -> list[int]: ...

    @property
    def complete(self) -> bool: ...

    @property
    def ceiling(self) -> int: ...

    @property
    def nodes(self) -> int: ...

class Implicants:
    """Minimal sets of literals that hold on no negative row."""

    def __init__(self, positives: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_positive: int, negatives: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_negative: int) -> None: ...

    def search(self, weights: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], size_cost: int, floor: int, best_only: bool, most: int, max_nodes: int, stop: StopFlag) -> ImplicantsFound:
        """
        Implicants worth at least floor: weights of rows less size_cost a literal.
        """

def move_names() -> list[str]:
    """Kinds of move, in the order in which they are counted."""

class Catalogue:
    """Distinct functions, numbered as they come."""

    def __init__(self) -> None: ...

    def __len__(self) -> int: ...

    def number(self, term_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], literal_starts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], literals: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], layers: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')]:
        """Numbers of these functions."""

    @property
    def flat(self) -> tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]]:
        """(term_starts, literal_starts, literals, layers) of all of them."""

class ChainProblem:
    """What the chains of one run share."""

    def __init__(self, posterior: object, individuals: object) -> None: ...

class Chain:
    """A chain over functions."""

    def __init__(self, problem: object, mix: Mapping[str, float], empty_base: float, whole_base: float, growth: Sequence[float], listed: Sequence[Sequence[int]], weights: Sequence[float], betas: Sequence[float], exchange_every: int, starts: Sequence[Sequence[Sequence[int]]], layers: Sequence[Sequence[int]], rng: Philox, step: int, known: Sequence[Sequence[Sequence[int]]] = [], known_layers: Sequence[Sequence[int]] = []) -> None: ...

    def advance(self, steps: int, every: int, stop: StopFlag) -> dict[str, Any]:
        """Take steps and record draws, until told to stop."""

    def single_steps(self, n: int) -> tuple[tuple[Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')]], Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')]]:
        """
        Take the next step n times over, each time from here: (functions, numbers of those it led to, by try and temperature). For tests of the moves.
        """

    @property
    def terms(self) -> list[list[list[int]]]:
        """Terms at each temperature, in the chain's own order."""

    @property
    def layers(self) -> list[list[int]]:
        """Layers of these terms."""

    @property
    def stream(self) -> tuple[list[int], list[int], int]:
        """(key, counter, used) of the random stream."""

    @property
    def step(self) -> int: ...

def read_bed(bytes: Annotated[NDArray[numpy.uint8], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_samples: int, planes: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
    """
    Variants of a PLINK 1 .bed file into planes[variant, (known, carrier, two)], counting the first allele.
    """

def count_calls(planes: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], masks: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], counts: Annotated[NDArray[numpy.int64], dict(shape=(None, None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
    """Samples of every mask in each plane of each variant."""

def read_copies(copies: Annotated[NDArray[numpy.int8], dict(shape=(None, None), order='C', device='cpu', writable=False)], planes: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu')], n_threads: int = 1) -> None:
    """
    Copies of the counted allele, 0, 1 or 2 and anything else missing, into planes.
    """

def pick_samples(planes: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], mask: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C')]:
    """The samples of a mask, in their order, of every plane."""

def r_squared(planes: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], first: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], second: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """Squared correlation of the copies, on samples known in both."""

def prune(planes: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], chromosome: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], position: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], window: int, r_squared: float) -> Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')]:
    """
    1 for each variant to keep; variants must be sorted by chromosome and position.
    """

def relatives(planes: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], n_samples: int, least: float, n_threads: int = 1) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
    """
    Pairs of samples with at least that KING-robust kinship, and their kinship.
    """

class Findings:
    """The best findings of a scan so far."""

    def __init__(self, most: int) -> None: ...

    @property
    def least(self) -> float:
        """The key that a finding must reach to stand a chance."""

    def arrays(self) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
        """
        variants, what, rows (positive, negative), log Bayes factor, gain; best first.
        """

class ScanTable:
    """Genotypes of cases and controls, for scans of pairs."""

    def __init__(self, planes: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], segments: Annotated[NDArray[numpy.uint64], dict(shape=(None, None), order='C', device='cpu', writable=False)], effect: Effect, codings: Sequence[int], cells: bool, by_gain: bool, top: int, gap: int, chromosome: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], position: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> None: ...

    @property
    def cuts(self) -> list[float]:
        """Where the ranges of numbers of rows end that have a level each."""

    @property
    def both_directions(self) -> bool: ...

    def stratum_bounds(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')]:
        """By stratum, what rows of it can add to a score; none without strata."""

    @property
    def complements(self) -> bool: ...

    @property
    def needs_known(self) -> bool: ...

    @property
    def all_known(self) -> bool: ...

    @property
    def n_tasks(self) -> int: ...

    def singles(self) -> tuple[Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]: ...

    def size_of(self, first: int, last: int, step: int = 1) -> int:
        """How many pairs tasks first, first + step, … hold."""

    def scan(self, first: int, last: int, step: int, n_threads: int, stop: StopFlag, best: Findings) -> int: ...

    def places(self, tasks: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')]:
        """
        First variants of the rows (256 at most) and columns (128 at most) of tasks.
        """

    def blocks(self, tasks: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], rows: int) -> Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C')]:
        """
        First variants of the rows and columns of blocks of so many rows that tasks are made of, without blocks that hold no pair.
        """

    def pairs_in(self, tasks: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> int:
        """How many pairs tasks hold."""

    def score(self, pairs: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int, best: Findings) -> None:
        """
        Score pairs that were counted: variants, then for the cases of each stratum and the controls of each those who are carriers of both, have two copies of one or the other, and of both, or nine counts, of known calls too; and keep what is best.
        """

    def levels(self, least: float, n_threads: int = 1) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')]:
        """
        By variant, what the screen holds sets of rows against, and the least of it; within strata, what these must add up to.
        """

    def margins(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None, None), order='C')]:
        """
        By variant, cases then controls of all strata: known calls, carriers, two copies.
        """

    def margins_by_segment(self) -> Annotated[NDArray[numpy.int64], dict(shape=(None, None, None), order='C')]:
        """By variant, cases of each stratum, then controls of each."""

class TripleTable:
    """Some variants of a table, for scans of triples."""

    def __init__(self, table: object, chosen: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_threads: int = 1) -> None: ...

    @property
    def cuts(self) -> list[float]:
        """Where the ranges of numbers of rows end that have a level each."""

    @property
    def both_directions(self) -> bool: ...

    def stratum_bounds(self) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None), order='C')]:
        """By stratum, what rows of it can add to a score; none without strata."""

    @property
    def complements(self) -> bool: ...

    @property
    def needs_known(self) -> bool: ...

    @property
    def all_known(self) -> bool: ...

    @property
    def n_tasks(self) -> int: ...

    def size_of(self, first: int, last: int, step: int = 1) -> int:
        """How many triples tasks first, first + step, … hold."""

    def scan(self, first: int, last: int, step: int, n_threads: int, stop: StopFlag, best: Findings) -> int: ...

    def levels(self, firsts: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], least: float, n_threads: int = 1) -> Annotated[NDArray[numpy.float32], dict(shape=(None, None, None), order='C')]:
        """
        The same by first variant of a triple and by the other one, both among the chosen ones.
        """

    def score(self, triples: Annotated[NDArray[numpy.int32], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int, best: Findings) -> None:
        """
        Score triples that were counted: places among the chosen ones, then for the cases of each stratum and the controls of each the four counts of pairs of the last two variants among carriers of the first one, and among its two copies.
        """
