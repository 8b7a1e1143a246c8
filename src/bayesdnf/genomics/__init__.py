"""From PLINK and VCF files to combinations of mutations."""

from .chromosomes import canonical_chromosome, chromosome_order, haploid_calls
from .exact import hardy_weinberg
from .filters import Filters
from .genotypes import Genotypes
from .matching import Matched, match_variants
from .missingness import impute_mode, missingness_by_outcome
from .proxies import find_proxies
from .pruning import prune
from .refit import Refit, odds_ratios, refit_terms
from .structure import (
    PrincipalComponents,
    Relatives,
    close_relatives,
    independent_variants,
    principal_components,
)

__all__ = [
    "Filters",
    "Genotypes",
    "Matched",
    "PrincipalComponents",
    "Refit",
    "Relatives",
    "canonical_chromosome",
    "chromosome_order",
    "close_relatives",
    "find_proxies",
    "haploid_calls",
    "hardy_weinberg",
    "impute_mode",
    "independent_variants",
    "match_variants",
    "missingness_by_outcome",
    "odds_ratios",
    "principal_components",
    "prune",
    "refit_terms",
]
