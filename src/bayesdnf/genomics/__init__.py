"""From PLINK and VCF files to combinations of mutations."""

from .genotypes import Genotypes

__all__ = ["Genotypes"]
