"""Which of several cannot be told apart: two of them share a letter if and only if no test tells
them apart. A letter is a largest set of such; “a” has the best.

H.-P. Piepho (2004), An algorithm for a letter-based representation of all-pairwise comparisons,
Journal of Computational and Graphical Statistics 13(2), 456-466.
"""

from collections.abc import Iterator, Sequence

Pair = frozenset[int]
Alike = frozenset[int]


def letters(order: Sequence[int], apart: set[Pair]) -> dict[int, str]:
    """The letters of each, from the best to the worst; a test tells those of `apart` apart."""
    alike = {
        one: frozenset(o for o in order if o != one and frozenset((one, o)) not in apart)
        for one in order
    }
    place = {one: n for n, one in enumerate(order)}
    groups = sorted(
        _largest(frozenset(), frozenset(order), frozenset(), alike),
        key=lambda group: sorted(place[one] for one in group),
    )
    return {
        one: "".join(_letter(n) for n, group in enumerate(groups) if one in group) for one in order
    }


def _largest(chosen: Alike, others: Alike, seen: Alike, alike: dict[int, Alike]) -> Iterator[Alike]:
    """All largest sets in which everybody is like everybody (C. Bron and J. Kerbosch 1973)."""
    if not others and not seen and chosen:
        yield chosen
    # Every largest set has the pivot or one unlike it: skip those like it (Tomita et al. 2006).
    pivot = max(sorted(others | seen), key=lambda one: len(alike[one] & others), default=None)
    for one in sorted(others if pivot is None else others - alike[pivot]):
        yield from _largest(chosen | {one}, others & alike[one], seen & alike[one], alike)
        others, seen = others - {one}, seen | {one}


def _letter(n: int) -> str:
    return chr(ord("a") + n) if n < 26 else f"({n + 1})"
