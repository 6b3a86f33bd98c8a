"""Automatic judges, and the numbers made from all judgments. May import annotate, never config."""
