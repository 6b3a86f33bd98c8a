"""A study in the formats of published analyses."""
