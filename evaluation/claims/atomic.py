"""ALiiCE's atomic claims: for each group of marks, the part of the sentence that it vouches for.

Appendix C of the paper, with the conditions that its own figures need: see
`docs/claims.md`. Each citation node starts from the whole tree and meets the others in the order of
their marks (`evaluation/claims/pruning.py`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from evaluation.claims.pruning import Pruning
from evaluation.claims.trees import Tree, TreeError

MOST_WORDS = 50

Fallback = Literal["", "long", "root", "roots"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A part of a sentence and the passages cited for it, as written, repetitions included.

    `words` are the indices of its words in the sentence, `node` that of the word with its marks.
    `fallback` says why the claim is the whole sentence with the marks of all groups: it has more
    than 50 words (`long`), the root of its tree carries marks (`root`), or its tree has several
    roots (`roots`). Then, and in a sentence that cites nothing, `node` is None.
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
    """The atomic claims of a sentence, one for each word in `marks`, in the order of the words.

    `heads[i]` is the index of the head of word i, its own for the root; `deps[i]` the label of that
    edge in the scheme of spaCy's English pipelines; `marks` gives the numbers cited after a word.
    A sentence that cannot be divided, or that cites nothing, is one claim: all its words, all its
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
