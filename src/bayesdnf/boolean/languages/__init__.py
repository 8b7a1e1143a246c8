"""The languages that rules are exported to."""
