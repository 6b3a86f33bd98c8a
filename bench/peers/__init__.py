"""Attest beside other tools for annotation, by the same client, in turns: `make bench-peers`."""
