"""Explanations of predictions, and the nearest changes that would flip them."""
