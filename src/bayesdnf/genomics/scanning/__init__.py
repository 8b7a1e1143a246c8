"""The native scans, part by part: on threads, or on a cluster whose workers map the study."""
