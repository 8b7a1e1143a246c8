"""The native scans in parts, on threads or on a cluster whose workers map the study."""
