"""From PLINK and VCF files to combinations of mutations."""

from .association.confounding import RiskStrata, risk_strata
from .association.refit import Refit, odds_ratios, refit_terms
from .association.single_tests import Inflation
from .chromosomes import canonical_chromosome, chromosome_order
from .files.genes import Genes
from .files.opening import read_genotypes
from .files.pgen import read_pgen
from .files.phenotype import SampleColumns, read_covariates, read_phenotype
from .files.plink import read_plink
from .files.vcf import read_vcf
from .files.writing import write_plink
from .genotypes import Genotypes
from .markers.finding import Markers, find_markers
from .markers.permutations import family_wise
from .markers.scan import scan
from .prediction.marker_model import MarkerModel
from .prediction.matching import Matched, match_variants
from .quality.exact_tests import hardy_weinberg
from .quality.filters import Filters
from .quality.linkage import clump_leads, find_proxies, prune
from .quality.missingness import impute_mode, missingness_by_outcome
from .quality.ploidy import haploid_calls
from .quality.structure import (
    PrincipalComponents,
    Relatives,
    close_relatives,
    independent_variants,
    principal_components,
)
from .scanning.scan_result import Scan, merge
from .study import Study, read_study

__all__ = [
    "Filters",
    "Genes",
    "Genotypes",
    "Inflation",
    "MarkerModel",
    "Markers",
    "Matched",
    "PrincipalComponents",
    "Refit",
    "Relatives",
    "RiskStrata",
    "SampleColumns",
    "Scan",
    "Study",
    "canonical_chromosome",
    "chromosome_order",
    "close_relatives",
    "clump_leads",
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
    "risk_strata",
    "scan",
    "write_plink",
]
