"""Divide sentences into atomic claims, each with its own citations, as in ALiiCE."""

from evaluation.claims.atomic import MOST_WORDS, Claim, Fallback, TreeError, claims_from_tree
from evaluation.claims.sentences import (
    Parse,
    ParsedSentence,
    Parser,
    claims_of_sentences,
    claims_signature,
    divide,
)
