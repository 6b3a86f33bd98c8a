"""Arcs that cross. The parser cannot draw them, so those that the conversion made are lifted."""

from collections.abc import Sequence

from training.parser.clear.tree import TreebankTree

MOST_LIFTS = 12

_KEPT_LONGEST = frozenset(("pobj", "pcomp", "conj", "attr", "acomp", "nsubj", "dobj"))


def crossings(heads: Sequence[int], words: Sequence[int]) -> list[tuple[int, int]]:
    """The pairs of `words` whose arcs to their heads cross."""
    arcs = [(min(word, heads[word]), max(word, heads[word]), word) for word in words if heads[word]]
    return [(one, other) for a, b, one in arcs for c, d, other in arcs if a < c < b < d]


def lift_crossings(tree: TreebankTree) -> None:
    """Hang words one step higher, the best lift first, as long as that lessens the crossings.

    A tree that the treebank itself has with crossings is left as it is. Punctuation is not looked
    at: it finds its place afterwards.
    """
    words = [word for word in tree.words if tree.ud_rels[word] != "punct"]
    if crossings(tree.ud_heads, words):
        return
    for _ in range(MOST_LIFTS):
        crossing = crossings(tree.heads, words)
        movable = {word for pair in crossing for word in pair if tree.heads[tree.heads[word]]}
        if not movable:
            return
        left, _, word = min(
            (_after_lift(tree, word, words), tree.rels[word] in _KEPT_LONGEST, word)
            for word in movable
        )
        if left >= len(crossing):
            return
        tree.heads[word] = tree.heads[tree.heads[word]]


def _after_lift(tree: TreebankTree, word: int, words: Sequence[int]) -> int:
    """How many crossings there would be if `word` hung one step higher."""
    heads = list(tree.heads)
    heads[word] = heads[heads[word]]
    return len(crossings(heads, words))
