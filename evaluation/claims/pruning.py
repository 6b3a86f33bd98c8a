"""What is left of a tree for one citation node, once it has met the others.

Whatever the rules do, the node stays, and with it a path down from what is then the root. All that
they take away are nodes of that path and subtrees that hang off it. So the state is the path and
what is away: no tree is ever copied, and meeting a node costs one way up the tree.
"""

from typing import NamedTuple

from evaluation.claims.trees import NOWHERE, Tree


class _Place(NamedTuple):
    """Where the way up from a word meets the path, and the last word before that (or NOWHERE)."""

    joint: int
    branch: int


class Pruning:
    """The tree as it stands for `node`; `meet` changes it."""

    __slots__ = ("_above", "_alone", "_away", "_below", "_slot", "node", "root", "tree")

    def __init__(self, tree: Tree, node: int) -> None:
        self.tree = tree
        self.node = node
        self.root = node
        # The path: for each of its words the one above and the one below (or NOWHERE).
        self._above: dict[int, int] = {}
        self._below: dict[int, int] = {node: NOWHERE}
        # A word that took its parent's place stands among its new siblings where that one stood.
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
        """The words that are left, in order."""
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
        """None where `word` is no longer in the tree."""
        branch = NOWHERE
        while word not in self._below:
            if word == NOWHERE or word in self._away:
                return None
            branch, word = word, self.tree.parents[word]
        if branch != NOWHERE and word in self._alone:
            return None
        return _Place(word, branch)

    def _leave_out(self, joint: int) -> None:
        """The part of `joint` with our node takes the place of `joint`, unless that is the root."""
        if joint == self.root:
            return
        lower = self._below.pop(joint)
        self._link(self._above[joint], lower)
        self._slot[lower] = self._slot[joint]
        self._away.add(joint)

    def _keep_only(self, part: int) -> None:
        """Nothing remains but `part`, which becomes the root."""
        word = self._above[part]
        while word != NOWHERE:
            del self._below[word]
            word = self._above[word]
        self.root = part
        self._above[part] = NOWHERE

    def _part(self, joint: int, branch: int) -> None:
        """The node and the one met hang in two parts of `joint`."""
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
        """Whether `part` of the root is a clause that holds the sentence's first word, still."""
        if not self.tree.clauses[part]:
            return False
        place = self._place(0)
        if place is None:
            return False
        if place.joint == root:
            return place.branch == part
        return part == self._below[root]
