"""Arcs that cross are lifted, where the conversion made them."""

from tests.training.parser.trees import words
from training.parser.clear.crossings import crossings, lift_crossings
from training.parser.clear.tree import TreebankTree

FLAT = """
    a X X 0 root
    b X X 1 dep
    c X X 1 dep
    d X X 3 dep
"""


def test_which_pairs_cross():
    heads = [0, 0, 4, 1, 1]  # 2 on 4 and 3 on 1
    assert crossings(heads, [1, 2, 3, 4]) == [(3, 2)]
    assert crossings([0, 0, 1, 1, 3], [1, 2, 3, 4]) == []


def test_the_lift_that_leaves_the_fewest():
    tree = TreebankTree(words(FLAT))
    tree.heads = [0, 0, 4, 1, 1]
    lift_crossings(tree)
    assert tree.heads == [0, 0, 1, 1, 1]


def test_among_equal_lifts_objects_stay_where_they_are_longest():
    table = """
        a X X 2 dep
        b X X 0 root
        c X X 2 dep
        d X X 2 dep
        e X X 2 dep
    """
    tree = TreebankTree(words(table))
    tree.heads = [0, 3, 0, 2, 1, 2]
    lift_crossings(tree)
    assert tree.heads == [0, 2, 0, 2, 2, 2]
    tree.heads = [0, 3, 0, 2, 1, 2]
    tree.rels[1] = "pobj"
    lift_crossings(tree)
    assert tree.heads == [0, 2, 0, 2, 3, 2]


def test_nothing_is_lifted_where_that_helps_nothing():
    table = """
        a X X 0 root
        b X X 1 dep
        c X X 1 dep
        d X X 1 dep
        e X X 1 dep
    """
    tree = TreebankTree(words(table))
    tree.heads = [0, 0, 1, 5, 2, 1]
    lift_crossings(tree)
    assert tree.heads == [0, 0, 1, 5, 2, 1]


def test_a_tree_that_crosses_in_the_treebank_stays():
    tree = TreebankTree(words("a X X 0 root\nb X X 4 dep\nc X X 1 dep\nd X X 1 dep"))
    heads = list(tree.heads)
    lift_crossings(tree)
    assert tree.heads == heads


def test_punctuation_is_not_looked_at():
    tree = TreebankTree(words(FLAT.replace("b X X 1 dep", ", PUNCT , 1 punct")))
    tree.heads = [0, 0, 4, 1, 1]
    lift_crossings(tree)
    assert tree.heads == [0, 0, 4, 1, 1]
