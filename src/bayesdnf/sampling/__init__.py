"""Chains over Boolean functions whose draws come from the posterior."""
