"""A tree while it is converted."""

from tests.training.parser.trees import words
from training.parser.clear.tree import TreebankTree

TABLE = """
    Anna PROPN NNP 2 nsubj
    sees VERB VBZ 0 root
    the DET DT 5 det
    old ADJ JJ 5 amod
    town NOUN NN 2 obj
"""


def test_taking_a_place():
    tree = TreebankTree(words(TABLE))
    tree.swap(5, 4, "dep")
    assert tree.heads == [0, 2, 0, 4, 2, 4]
    assert tree.rels[4:] == ["obj", "dep"]


def test_common_ancestors():
    tree = TreebankTree(words(TABLE))
    assert tree.path(3) == [3, 5, 2]
    assert tree.common_ancestor(3, 4) == 5
    assert tree.common_ancestor(1, 4) == 2
    assert tree.common_ancestor(5, 3) == 5


def test_a_sound_tree_has_one_root_and_no_cycle():
    tree = TreebankTree(words(TABLE))
    assert tree.is_sound()
    tree.heads[5] = 3
    assert not tree.is_sound()
    tree.heads[5] = 0
    assert not tree.is_sound()
