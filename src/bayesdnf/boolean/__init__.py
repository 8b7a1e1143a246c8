"""Boolean functions as people write them: literals, terms, an OR of ANDs."""
