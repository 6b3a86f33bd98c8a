"""The papers' ways to answer with citations. Pure."""
