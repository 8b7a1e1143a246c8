"""From PLINK and VCF files to combinations of mutations."""

from .chromosomes import canonical_chromosome, chromosome_order, haploid_calls
from .exact import hardy_weinberg
from .filters import Filters
from .genes import Genes
from .genotypes import Genotypes
from .marker_model import MarkerModel
from .markers import Markers, find_markers
from .matching import Matched, match_variants
from .missingness import impute_mode, missingness_by_outcome
from .opening import read_genotypes
from .permutations import family_wise
from .pgen import read_pgen
from .phenotype import SampleColumns, read_covariates, read_phenotype
from .plink import read_plink
from .plink_writing import write_plink
from .proxies import find_proxies
from .pruning import prune
from .refit import Refit, odds_ratios, refit_terms
from .scan import Scan, merge, scan
from .structure import (
    PrincipalComponents,
    Relatives,
    close_relatives,
    independent_variants,
    principal_components,
)
from .study import Study, read_study
from .vcf import read_vcf

__all__ = [
    "Filters",
    "Genes",
    "Genotypes",
    "MarkerModel",
    "Markers",
    "Matched",
    "PrincipalComponents",
    "Refit",
    "Relatives",
    "SampleColumns",
    "Scan",
    "Study",
    "canonical_chromosome",
    "chromosome_order",
    "close_relatives",
    "family_wise",
    "find_markers",
    "find_proxies",
    "haploid_calls",
    "hardy_weinberg",
    "impute_mode",
    "independent_variants",
    "match_variants",
    "merge",
    "missingness_by_outcome",
    "odds_ratios",
    "principal_components",
    "prune",
    "read_covariates",
    "read_genotypes",
    "read_pgen",
    "read_phenotype",
    "read_plink",
    "read_study",
    "read_vcf",
    "refit_terms",
    "scan",
    "write_plink",
]
