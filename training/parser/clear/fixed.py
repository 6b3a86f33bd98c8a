"""Fixed expressions. The treebank hangs their words on the first; here most get their own place."""

from training.parser.clear.tree import TreebankTree

_PAIRS = frozenset(("each other", "one another"))
_HEADED_BY_LAST = frozenset(("such as", "rather than", "as well as"))
_AROUND_NUMBERS = frozenset(
    (
        "more than",
        "less than",
        "fewer than",
        "up to",
        "as many as",
        "as much as",
        "at least",
        "at most",
    )
)
_ADVERBS = frozenset(("as well", "of course", "kind of", "sort of", "that is"))
_COMPARATIVES = frozenset(("more", "less", "fewer"))


def convert_fixed(tree: TreebankTree) -> None:
    for word in tree.words:
        rest = [child for child in tree.children(word) if tree.rels[child] == "fixed"]
        if rest:
            _convert(tree, word, rest)
    for word in tree.words:
        if tree.rels[word] == "fixed":
            tree.rels[word] = "dep"


def _convert(tree: TreebankTree, first: int, rest: list[int]) -> None:
    phrase = " ".join(tree.low[word] for word in (first, *rest))
    rel, head = tree.rels[first], tree.heads[first]
    if phrase in _PAIRS:
        tree.swap(first, rest[-1], "det")
    elif phrase in _HEADED_BY_LAST:
        tree.swap(first, rest[-1], "amod" if phrase == "such as" else "advmod")
        for word in rest[:-1]:
            tree.rels[word] = "advmod"
    elif rel == "advmod" and phrase in _AROUND_NUMBERS and head:
        _spread(tree, rest, head, "quantmod")
        if tree.upos[head] in ("NUM", "SYM"):
            tree.rels[first] = "amod" if tree.low[first] in _COMPARATIVES else "quantmod"
    elif phrase in _ADVERBS:
        tree.swap(first, rest[-1], "nsubj" if phrase == "that is" else "advmod")
    elif rel in ("mark", "case"):  # `because of`: each word marks the object by itself
        _spread(tree, rest, head, rel)
    else:
        for word in rest:
            tree.rels[word] = _inside(tree, word)


def _spread(tree: TreebankTree, words: list[int], head: int, rel: str) -> None:
    for word in words:
        tree.attach(word, head, rel)


def _inside(tree: TreebankTree, word: int) -> str:
    """The relation of a word that stays inside its expression."""
    if tree.upos[word] == "CCONJ":
        return "cc"
    return "neg" if tree.low[word] == "not" else "dep"
