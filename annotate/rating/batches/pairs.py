"""The pairs of responses that a batch compares."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations

from annotate.models import Batch, BatchItem
from annotate.rating.batches.selection import Selection, draw

Pair = tuple[int, int]
"""Two response ids, in the order of their systems' names."""


def pairs_by_question(named: Mapping[int, tuple[str, str, str]]) -> dict[str, list[Pair]]:
    """Return the pairs of every two systems by question.

    Runs are paired in order: first with first, and so on.
    """
    runs: dict[str, dict[str, list[tuple[str, int]]]] = defaultdict(lambda: defaultdict(list))
    for response, (question, system, run) in named.items():
        runs[question][system].append((run, response))
    return {
        question: [
            (first, other)
            for one, two in combinations(sorted(of_system), 2)
            for (_, first), (_, other) in zip(
                sorted(of_system[one]), sorted(of_system[two]), strict=False
            )
        ]
        for question, of_system in sorted(runs.items())
    }


def draw_pairs(
    found: Mapping[str, Sequence[Pair]],
    named: Mapping[int, tuple[str, str, str]],
    selection: Selection,
) -> Iterator[tuple[str, Pair]]:
    """Yield the wanted number of pairs of each question, or all.

    Pairs of systems that met least come first, and then systems drawn least. Ties and the order of
    questions are drawn.
    """
    met: Counter[tuple[str, str]] = Counter()
    took_part: Counter[str] = Counter()
    seed = selection.seed
    for question in sorted(found, key=lambda key: (draw(seed, "pairs", key), key)):
        left = list(found[question])
        wanted = selection.pairs or len(left)
        for _ in range(min(wanted, len(left))):
            systems = {pair: (named[pair[0]][1], named[pair[1]][1]) for pair in left}
            best = min(
                left,
                key=lambda pair: (
                    met[systems[pair]],
                    sum(took_part[name] for name in systems[pair]),
                    draw(seed, "pair", question, *named[pair[0]][1:], *named[pair[1]][1:]),
                ),
            )
            left.remove(best)
            met[systems[best]] += 1
            took_part.update(systems[best])
            yield question, best


def held_pairs(others: Collection[Batch]) -> dict[Pair, str]:
    """Return the pairs in other batches, with the batch's name."""
    rows = BatchItem.objects.filter(batch__in=others, unit__other__isnull=False).order_by()
    found = rows.values_list("unit__response", "unit__other", "batch__name")
    return {(first, other): name for first, other, name in found}
