"""From PLINK and VCF files to combinations of mutations."""

from .genotypes import Genotypes
from .permutations import family_wise
from .scan import Scan, merge, scan

__all__ = ["Genotypes", "Scan", "family_wise", "merge", "scan"]
