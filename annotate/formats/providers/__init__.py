"""Saved answers of language model providers: one module per provider."""
