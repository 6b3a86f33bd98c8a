"""ALiiCE's atomic claims: for each group of marks, the part of the sentence that it supports.

Appendix C of the paper, with the conditions that its own figures need: see `docs/claims.md`. Each
citation node starts from the whole tree and meets the others in the order of their marks. The node
always stays, and with it a path down from the present root. The rules only remove nodes of that
path and subtrees next to it. The state is therefore the path and the removed nodes: no tree is
copied, and meeting a node costs one way up the tree.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

_CLAUSES = ("prep", "advcl")
NOWHERE = -1


class TreeError(ValueError):
    """Heads, labels or marks that do not describe a tree over the words."""


class Tree:
    """A dependency tree over the words of a sentence.

    `parents[word]` is NOWHERE for a root; `children[word]` are in the order of the words. A root is
    given as in spaCy: a word that is its own head. `joins` are the coordinations of the rules
    (`cc`, commas), `clauses` the words that head a `prep` or `advcl`.
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
        """Yield `top` and the words of its subtree, in no particular order."""
        waiting = [top]
        while waiting:
            word = waiting.pop()
            yield word
            waiting += self.children[word]


class _Place(NamedTuple):
    """Where the way up from a word meets the path, and the last word before that (or NOWHERE)."""

    joint: int
    branch: int


class Pruning:
    """The present tree of `node`; `meet` changes it."""

    __slots__ = ("_above", "_alone", "_away", "_below", "_slot", "node", "root", "tree")

    def __init__(self, tree: Tree, node: int) -> None:
        self.tree = tree
        self.node = node
        self.root = node
        # The path: for each of its words the one above and the one below (or NOWHERE).
        self._above: dict[int, int] = {}
        self._below: dict[int, int] = {node: NOWHERE}
        # A word that replaced its parent has the parent's place among its new siblings.
        self._slot: dict[int, int] = {}
        # Words of the path that have lost all children but the one on the path.
        self._alone: set[int] = set()
        self._away: set[int] = set()
        while (parent := tree.parents[self.root]) != NOWHERE:
            self._link(parent, self.root)
            self._slot[self.root] = self.root
            self.root = parent
        self._above[self.root] = NOWHERE

    def meet(self, other: int) -> None:
        """Apply the rules for citation node `other`, unless it is no longer in the tree."""
        place = self._place(other)
        if place is None:
            return
        if place.joint == self.node:
            self._away.add(place.branch)
        elif place.branch == NOWHERE:
            self._leave_out(other)
        else:
            self._part(place.joint, place.branch)

    def words(self) -> list[int]:
        """Return the remaining words, in order."""
        left: list[int] = []
        word = self.root
        while word != NOWHERE:
            left.append(word)
            if word not in self._alone:
                for child in self.tree.children[word]:
                    if child not in self._away and child not in self._below:
                        left += self.tree.below(child)
            word = self._below[word]
        return sorted(left)

    def _link(self, upper: int, lower: int) -> None:
        self._below[upper] = lower
        self._above[lower] = upper

    def _place(self, word: int) -> _Place | None:
        """Return the place of a word, or None if it is no longer in the tree."""
        branch = NOWHERE
        while word not in self._below:
            if word == NOWHERE or word in self._away:
                return None
            branch, word = word, self.tree.parents[word]
        if branch != NOWHERE and word in self._alone:
            return None
        return _Place(word, branch)

    def _leave_out(self, joint: int) -> None:
        """Replace `joint` by its part with our node, unless it is the root."""
        if joint == self.root:
            return
        lower = self._below.pop(joint)
        self._link(self._above[joint], lower)
        self._slot[lower] = self._slot[joint]
        self._away.add(joint)

    def _keep_only(self, part: int) -> None:
        """Remove everything except `part`, which becomes the root."""
        word = self._above[part]
        while word != NOWHERE:
            del self._below[word]
            word = self._above[word]
        self.root = part
        self._above[part] = NOWHERE

    def _part(self, joint: int, branch: int) -> None:
        """Apply the rules if the node and the one it meets are in two parts of `joint`."""
        ours = self._below[joint]
        at_root = joint == self.root
        joins = self._joins_between(joint, self._slot[ours], branch)
        if not joins:
            if at_root:
                self._keep_only(ours)
            else:
                self._away.add(branch)
        elif self._slot[ours] < branch:
            if at_root and self._opens(joint, ours):
                self._keep_only(ours)
            else:
                self._away.update(joins, [branch])
        elif not at_root:
            self._alone.add(joint)
        elif self._opens(joint, branch):
            self._away.update(joins, [branch])
        else:
            self._keep_only(ours)

    def _joins_between(self, joint: int, one: int, other: int) -> list[int]:
        low, high = min(one, other), max(one, other)
        return [
            child
            for child in self.tree.children[joint]
            if low < child < high and self.tree.joins[child] and child not in self._away
        ]

    def _opens(self, root: int, part: int) -> bool:
        """Whether `part` of the root is a clause with the sentence's first word."""
        if not self.tree.clauses[part]:
            return False
        place = self._place(0)
        if place is None:
            return False
        if place.joint == root:
            return place.branch == part
        return part == self._below[root]


MOST_WORDS = 50

Fallback = Literal["", "long", "root", "roots"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A part of a sentence and the passages cited for it, as written, repetitions included.

    `words` are the indices of its words in the sentence, `node` that of the word with its marks.
    `fallback` says why the claim is the whole sentence with the marks of all groups: it has more
    than 50 words (`long`), the root of its tree has marks (`root`), or its tree has several roots
    (`roots`). Then, and in a sentence without citations, `node` is None.
    """

    text: str
    citations: tuple[int, ...]
    words: tuple[int, ...] = field(default=(), compare=False)
    node: int | None = field(default=None, compare=False)
    fallback: Fallback = field(default="", compare=False)


def claims_from_tree(
    words: Sequence[str],
    heads: Sequence[int],
    deps: Sequence[str],
    marks: Mapping[int, Sequence[int]],
) -> list[Claim]:
    """Return the atomic claims of a sentence, one for each word in `marks`, in order.

    `heads[i]` is the index of the head of word i, its own for the root; `deps[i]` the label of that
    edge in the scheme of spaCy's English pipelines; `marks` gives the numbers cited after a word. A
    sentence that cannot be divided, or without citations, is one claim: all its words, all its
    marks.
    """
    nodes = sorted(marks)
    if nodes and not 0 <= nodes[0] <= nodes[-1] < len(words):
        outside = nodes[0] if nodes[0] < 0 else nodes[-1]
        raise TreeError(f"A mark stands after word {outside}; the sentence has {len(words)} words.")
    tree = Tree(words, heads, deps)
    fallback = _fallback(tree, marks)
    if fallback or not nodes:
        numbers = tuple(number for node in nodes for number in marks[node])
        everything = tuple(range(len(words)))
        return [Claim(" ".join(words), numbers, everything, None, fallback)]
    claims = []
    for node in nodes:
        pruning = Pruning(tree, node)
        for other in nodes:
            if other != node:
                pruning.meet(other)
        left = tuple(pruning.words())
        text = " ".join(words[word] for word in left)
        claims.append(Claim(text, tuple(marks[node]), left, node))
    return claims


def _fallback(tree: Tree, marks: Mapping[int, Sequence[int]]) -> Fallback:
    if len(tree.parents) > MOST_WORDS:
        return "long"
    if len(tree.roots) > 1:
        return "roots"
    return "root" if any(root in marks for root in tree.roots) else ""
