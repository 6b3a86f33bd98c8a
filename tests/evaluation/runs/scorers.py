"""Scorers that fail in some way."""
