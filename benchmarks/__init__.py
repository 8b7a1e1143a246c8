"""Speed and accuracy, as ratios between things measured in one run."""
