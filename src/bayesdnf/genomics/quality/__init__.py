"""Quality control: filters, chromosomes, missing calls, relatives and ancestry."""
