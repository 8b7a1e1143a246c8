"""From PLINK and VCF files to combinations of mutations."""

from .genotypes import Genotypes
from .opening import read_genotypes
from .permutations import family_wise
from .pgen import read_pgen
from .phenotype import SampleColumns, read_covariates, read_phenotype
from .plink import read_plink
from .plink_writing import write_plink
from .scan import Scan, merge, scan
from .study import Study, read_study
from .vcf import read_vcf

__all__ = [
    "Genotypes",
    "SampleColumns",
    "Scan",
    "Study",
    "family_wise",
    "merge",
    "read_covariates",
    "read_genotypes",
    "read_pgen",
    "read_phenotype",
    "read_plink",
    "read_study",
    "read_vcf",
    "scan",
    "write_plink",
]
