"""Output for terminals and notebooks: escaped texts, progress bars, shared sentences."""
