"""Learn Boolean rules (an OR of ANDs) from data, with honest probabilities."""
