"""A column of any table library, read once as plain arrays."""
