"""What a study goes on with: filters, chromosomes, missing calls, relatives and ancestry."""
