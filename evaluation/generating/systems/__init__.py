"""The papers' ways to answer with citations, and passages to cite. Pure."""
