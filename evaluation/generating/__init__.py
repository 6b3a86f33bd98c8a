"""The papers' systems: a question goes in, and an answer with its passages comes out.

Pure: each system is a talk with a language model, a generator of what it asks. Nobody is asked from
here but through what is handed in, and nothing is written. See `docs/generating.md`.
"""
