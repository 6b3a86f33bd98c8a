"""Coordination: conjuncts in a chain, each conjunction on the conjunct at its left."""

from training.parser.clear.tree import TreebankTree


def chain_conjuncts(tree: TreebankTree) -> None:
    for word in tree.words:
        _join_prepositions(tree, word)
    for word in tree.words:
        left = word
        for child in tree.children(word):
            if tree.rels[child] == "conj" and child > word:
                tree.heads[child] = left
                left = child
    for word in tree.words:
        _hang_on_left_conjunct(tree, word)


def _join_prepositions(tree: TreebankTree, word: int) -> None:
    """In `in war and in peace` the second `in` is joined to the first, not to `war`."""
    if tree.rels[word] == "conj" and word in tree.objects:
        first = tree.prepositions.get(tree.heads[word], word)
        if first != word:
            tree.heads[word] = first


def _hang_on_left_conjunct(tree: TreebankTree, word: int) -> None:
    if tree.rels[word] == "cc:preconj":
        tree.rels[word] = "preconj"
        return
    conjunct = tree.heads[word]
    if tree.rels[word] != "cc" or not conjunct:
        return
    if tree.rels[conjunct] != "conj" or word > conjunct:
        conjunct = tree.prepositions.get(conjunct, 0)
    if tree.rels[conjunct] == "conj" and word < conjunct:
        tree.heads[word] = tree.heads[conjunct]
