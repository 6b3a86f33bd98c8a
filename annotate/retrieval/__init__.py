"""Finding what fits a text, by words: pure, for the desk as for post-editing."""
