"""Why a row gets its answer, and what would change it."""
