"""Making the built-in parser: from a treebank to a spaCy pipeline with its card."""
