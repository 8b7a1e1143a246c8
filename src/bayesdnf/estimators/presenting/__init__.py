"""Fitted classifiers as text and as HTML."""
