"""From a study to its markers: scans, screen, search, chains, refit, and what is told of them."""
