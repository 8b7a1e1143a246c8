"""Files of genotypes, outcomes and genes: PLINK 1 and 2, VCF, and whitespace-separated text."""
