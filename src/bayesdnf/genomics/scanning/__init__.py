"""The native scans, divided into parts for threads, a GPU, or workers that map the study."""
