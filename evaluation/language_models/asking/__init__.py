"""Prompts, calls and replies of language models, and the adapters of their servers.

Described in docs/model-judges.md.
"""
