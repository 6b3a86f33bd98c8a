"""Punctuation: a comma hangs on what contains the unit that it delimits, not inside the unit.

That is how claims keep their commas: what is dropped takes its own commas along and no others.
"""

from training.parser.clear.tree import TreebankTree

_BRACKETS_AND_QUOTES = frozenset(("``", "''", "-LRB-", "-RRB-"))
_QUOTE_SIGNS = frozenset("\"“”‘’'()[]{}")
_STOPS = frozenset((".", ",", ":", "NFP"))
_INSIDE_PREPOSITION = frozenset(("pobj", "pcomp", "prep"))


def place_punctuation(tree: TreebankTree) -> None:
    """Hang each sign where it crosses no arc; brackets and quotation marks after all others."""
    signs = [
        word for word in tree.words if tree.ud_rels[word] == "punct" and not tree.children(word)
    ]
    words = [word for word in tree.words if word not in signs]
    root = next((word for word in words if not tree.heads[word]), 0)
    if not root:
        return
    placing = _Placing(tree, words, root, _is_ended(tree, signs, words[-1]))
    for sign in sorted(signs, key=lambda sign: (_is_quote(tree, sign), sign)):
        placing.place(sign)


def _is_ended(tree: TreebankTree, signs: list[int], last: int) -> bool:
    """Whether a full stop, or the like, stands after the last word."""
    return any(sign > last and tree.xpos[sign] == "." for sign in signs)


def _is_quote(tree: TreebankTree, sign: int) -> bool:
    return tree.xpos[sign] in _BRACKETS_AND_QUOTES or tree.forms[sign] in _QUOTE_SIGNS


class _Placing:
    """The tree of the words, and the signs that were placed so far."""

    def __init__(self, tree: TreebankTree, words: list[int], root: int, ended: bool) -> None:
        self.tree, self.words, self.root, self.ended = tree, words, root, ended
        self.placed = list(words)
        self.first = {word: word for word in words}
        self.last = {word: word for word in words}
        for word in words:
            for above in tree.path(word):
                self.first[above] = min(self.first[above], word)
                self.last[above] = max(self.last[above], word)

    def place(self, sign: int) -> None:
        head = self._wished(sign)
        if self._crosses(sign, head):
            head = self._between_neighbours(sign)
            while self._crosses(sign, head) and self.tree.heads[head]:
                head = self.tree.heads[head]
        self.tree.attach(sign, head, "punct")
        self.placed.append(sign)

    def _neighbours(self, sign: int) -> tuple[int, int]:
        """The nearest words at the left and right; 0 where there is none."""
        left = max((word for word in self.words if word < sign), default=0)
        return left, min((word for word in self.words if word > sign), default=0)

    def _between_neighbours(self, sign: int) -> int:
        left, right = self._neighbours(sign)
        return self.tree.common_ancestor(left, right) if left and right else self.root

    def _wished(self, sign: int) -> int:
        """The head that the sign should have, crossings apart."""
        tree, head = self.tree, self.tree.ud_heads[sign]
        left, right = self._neighbours(sign)
        if not right and self.ended:
            return self.root
        on_a_word = head in self.first
        if not left or not right:
            return self.root if tree.xpos[sign] in _STOPS or not on_a_word else head
        if not on_a_word:
            return self._between_neighbours(sign)
        return self._around(sign, head) if tree.xpos[sign] in (",", ":") else head

    def _around(self, comma: int, word: int) -> int:
        """The head of the unit that `word` is the core of; a comma inside a unit stays there."""
        tree = self.tree
        while tree.heads[word] and self._is_core(word, tree.heads[word]):
            word = tree.heads[word]
        if self.first[word] <= comma <= self.last[word]:
            return self._between_neighbours(comma)
        return tree.heads[word] or word

    def _is_core(self, word: int, head: int) -> bool:
        """Whether `word` is what the unit is about, with a preposition or a copula above it."""
        tree = self.tree
        if tree.prepositions.get(word) == head or tree.predicates.get(head) == word:
            return True
        return head in tree.objects and tree.rels[word] in _INSIDE_PREPOSITION

    def _crosses(self, sign: int, head: int) -> bool:
        a, b = sorted((sign, head))
        for word in self.placed:
            above = self.tree.heads[word]
            if not above:
                if a < word < b:
                    return True
                continue
            c, d = sorted((word, above))
            if a < c < b < d or c < a < d < b:
                return True
        return False
