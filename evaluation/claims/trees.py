"""A dependency tree over the words of a sentence."""

from collections.abc import Iterator, Sequence

_CLAUSES = ("prep", "advcl")
NOWHERE = -1


class TreeError(ValueError):
    """Heads, labels or marks that do not describe a tree over the words."""


class Tree:
    """`parents[word]` is NOWHERE for a root; `children[word]` are in the order of the words.

    A root is given as in spaCy: a word that is its own head. `joins` are the coordinations that
    the rules speak of (`cc`, commas), `clauses` the words that head a `prep` or `advcl`.
    """

    __slots__ = ("children", "clauses", "joins", "parents", "roots")

    def __init__(self, words: Sequence[str], heads: Sequence[int], deps: Sequence[str]) -> None:
        count = len(words)
        if len(heads) != count or len(deps) != count:
            raise TreeError(
                f"Expected a head and a label for each of the {count} words, "
                f"found {len(heads)} heads and {len(deps)} labels."
            )
        self.parents: list[int] = []
        self.children: list[list[int]] = [[] for _ in words]
        self.roots: list[int] = []
        for word, head in enumerate(heads):
            if not 0 <= head < count:
                raise TreeError(
                    f"The head of word {word} is {head}; expected a word from 0 to {count - 1}."
                )
            self.parents.append(NOWHERE if head == word else head)
            (self.roots if head == word else self.children[head]).append(word)
        self.joins = [word == "," or label == "cc" for word, label in zip(words, deps, strict=True)]
        self.clauses = [label in _CLAUSES for label in deps]
        if sum(1 for root in self.roots for _ in self.below(root)) != count:
            raise TreeError("The heads go round in a circle, so that some words have no root.")

    def below(self, top: int) -> Iterator[int]:
        """`top` and the words of its subtree, in no particular order."""
        waiting = [top]
        while waiting:
            word = waiting.pop()
            yield word
            waiting += self.children[word]
