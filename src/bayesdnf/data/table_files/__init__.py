"""Tables in files: what errors call their rows, and how tables are written."""
