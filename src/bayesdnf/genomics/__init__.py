"""From PLINK and VCF files to combinations of mutations."""

from .chromosomes import canonical_chromosome, chromosome_order, haploid_calls
from .exact import hardy_weinberg
from .filters import Filters
from .genotypes import Genotypes
from .missingness import impute_mode, missingness_by_outcome
from .proxies import find_proxies
from .pruning import prune

__all__ = [
    "Filters",
    "Genotypes",
    "canonical_chromosome",
    "chromosome_order",
    "find_proxies",
    "haploid_calls",
    "hardy_weinberg",
    "impute_mode",
    "missingness_by_outcome",
    "prune",
]
