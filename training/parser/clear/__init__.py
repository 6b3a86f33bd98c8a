"""From Universal Dependencies to the labels that spaCy's English pipelines use (“CLEAR style”).

The two differ in what heads what. Here a preposition heads its object, a copula its predicate, a
name its last word; conjuncts form a chain, and what joins them hangs on the left one. Claims are
cut from such trees (see `evaluation.claims`), so the parser has to give them.
"""

from training.parser.clear.conversion import convert
from training.parser.clear.tree import TreebankTree

__all__ = ["TreebankTree", "convert"]
