"""A sentence's tree while it is converted."""

from collections.abc import Sequence

from training.parser.conllu import Word


class TreebankTree:
    """Words numbered from 1; 0 stands above the root. Rules change heads and relations in place.

    `ud_heads` and `ud_rels` stay as the treebank has them.
    """

    def __init__(self, words: Sequence[Word]) -> None:
        self.size = len(words)
        self.words = range(1, self.size + 1)
        self.forms = ["", *(word.form for word in words)]
        self.low = [form.lower() for form in self.forms]
        self.lemmas = ["", *(word.lemma.lower() for word in words)]
        self.upos = ["", *(word.upos for word in words)]
        self.xpos = ["", *(word.xpos for word in words)]
        self.feats = ["", *(word.feats for word in words)]
        self.heads = [0, *(word.head for word in words)]
        self.rels = ["", *(word.rel for word in words)]
        self.ud_heads = tuple(self.heads)
        self.ud_rels = tuple(self.rels)
        self.predicates: dict[int, int] = {}
        """By copula: its predicate."""
        self.objects: dict[int, int] = {}
        """By preposition, the first where several stand together: their object."""
        self.prepositions: dict[int, int] = {}
        """By object: its preposition, the first where several stand together."""

    def children(self, word: int) -> list[int]:
        return [child for child in self.words if self.heads[child] == word]

    def base(self, word: int) -> str:
        """The relation without what follows its colon."""
        return self.rels[word].partition(":")[0]

    def attach(self, word: int, head: int, rel: str) -> None:
        self.heads[word] = head
        self.rels[word] = rel

    def swap(self, old: int, new: int, rel: str) -> None:
        """`new`, a child of `old`, takes old's place and children; `old` hangs on it by `rel`."""
        for child in self.children(old):
            if child != new:
                self.heads[child] = new
        self.attach(new, self.heads[old], self.rels[old])
        self.attach(old, new, rel)

    def path(self, word: int) -> list[int]:
        """The word, its head, and so on up to the root."""
        found = [word]
        while (word := self.heads[word]) and word not in found:
            found.append(word)
        return found

    def common_ancestor(self, one: int, other: int) -> int:
        """The lowest word above both; where there is none, the first one's root."""
        above = self.path(one)
        return next((word for word in self.path(other) if word in above), above[-1])

    def infinitive_marks(self, word: int, *rels: str) -> list[int]:
        """The words “to” that hang on `word` by one of `rels`."""
        return [
            child
            for child in self.children(word)
            if self.xpos[child] == "TO" and self.rels[child] in rels
        ]

    def is_sound(self) -> bool:
        """Whether there is one root and no cycle."""
        reach_root = all(not self.heads[self.path(word)[-1]] for word in self.words)
        return reach_root and self.heads[1:].count(0) == 1
