"""From a study to its markers: scans, screen, search, chains, refit, and tables of results."""
