"""Table files: names of rows in errors, and writing."""
