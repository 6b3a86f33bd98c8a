"""The rules in their order."""

from collections.abc import Callable, Sequence
from typing import Final

from training.parser.clear.coordination import chain_conjuncts
from training.parser.clear.copulas import lift_left_of_linking_verb, raise_copulas
from training.parser.clear.crossings import lift_crossings
from training.parser.clear.fixed import convert_fixed
from training.parser.clear.labels import name_relations
from training.parser.clear.names import convert_names
from training.parser.clear.prepositions import mark_gerunds, raise_prepositions
from training.parser.clear.punctuation import place_punctuation
from training.parser.clear.tree import TreebankTree
from training.parser.conllu import Word

CONVERSION_VERSION: Final = "clear:1"

RULES: Final[tuple[Callable[[TreebankTree], None], ...]] = (
    convert_names,
    convert_fixed,
    raise_copulas,
    mark_gerunds,
    lift_left_of_linking_verb,
    raise_prepositions,
    chain_conjuncts,
    name_relations,
    lift_crossings,
    place_punctuation,
)


def convert(words: Sequence[Word]) -> TreebankTree:
    """The converted tree of a sentence; `is_sound` says whether it is still a tree."""
    tree = TreebankTree(words)
    for rule in RULES:
        rule(tree)
    return tree
