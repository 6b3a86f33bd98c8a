"""Labelled pairs: read from files, chosen and mixed for a stage of training."""

import gzip
import hashlib
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

MOST_WEIGHT = 3.0
"""Of a label that is rare in its source."""

_ADDRESS = re.compile(r"^(?:\[\d+\]\s*)?https?://\S+\s*")


class PairsError(ValueError):
    """A file of pairs that is missing or wrong; the message says where."""


class LabelledPair(NamedTuple):
    """A pair of which is known whether the premise entails the hypothesis."""

    premise: str
    hypothesis: str
    label: int
    source: str
    """The collection it is from."""
    group: str = ""
    """Pairs of one group and source are parts of one question: their best score counts."""
    partly: bool = False
    """Not entailed, but a part of it is; where the collection tells that from not at all."""


@dataclass(frozen=True, kw_only=True)
class Contribution:
    """What a source contributes to a pass. The name may end in `*`."""

    source: str
    most: int = 0
    """No more pairs than this, drawn anew for each pass; 0 for all."""
    times: int = 1


def read(path: Path) -> Iterator[LabelledPair]:
    """The pairs of a file with one JSON object per line, packed (`.gz`) or not."""
    for found, where in _objects(path):
        yield _pair(found, where)


def _objects(path: Path) -> Iterator[tuple[dict[str, Any], str]]:
    """The objects of a file, and where each stands."""
    try:
        with _opened(path) as lines:
            for number, line in enumerate(lines, start=1):
                if line.strip():
                    where = f"{path.name}, line {number}"
                    yield _object(line, where), where
    except (OSError, EOFError, UnicodeDecodeError) as problem:
        raise PairsError(f"The pairs in “{path}” cannot be read: {problem}.") from problem


def _opened(path: Path) -> IO[str]:
    if path.suffix == ".gz":
        return cast(IO[str], gzip.open(path, "rt", encoding="utf-8"))
    return path.open(encoding="utf-8")


def _object(line: str, where: str) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError as problem:
        raise PairsError(f"{where}: expected a JSON object, found {problem}.") from problem
    if not isinstance(found, dict):
        raise PairsError(f"{where}: expected a JSON object, found {type(found).__name__}.")
    return found


def _pair(found: dict[str, Any], where: str) -> LabelledPair:
    for name in ("premise", "hypothesis", "source"):
        if not isinstance(found.get(name), str) or not found[name].strip():
            raise PairsError(f"{where}, {name}: expected a text, found {found.get(name)!r}.")
    if found.get("label") not in (0, 1):
        raise PairsError(f"{where}, label: expected 0 or 1, found {found.get('label')!r}.")
    return LabelledPair(
        found["premise"],
        found["hypothesis"],
        int(found["label"]),
        found["source"],
        str(found.get("id") or ""),
    )


SUPPORT = ("complete", "partial", "incomplete")
JUDGED = "expertqa"
"""The source of claims with the evidence that experts judged."""


def read_judged(path: Path) -> Iterator[LabelledPair]:
    """Claims with evidence (`claim`, `evidence`: a list of texts, `support`: one of three), a JSON
    object on each line. Evidence begins with its address, which says nothing."""
    for found, where in _objects(path):
        texts, claim = found.get("evidence"), found.get("claim")
        if not isinstance(claim, str) or not claim.strip():
            raise PairsError(f"{where}, claim: expected a text, found {claim!r}.")
        if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
            raise PairsError(f"{where}, evidence: expected a list of texts, found {texts!r}.")
        support = found.get("support")
        if support not in SUPPORT:
            raise PairsError(
                f"{where}, support: expected one of {', '.join(SUPPORT)}, found {support!r}."
            )
        premise = "\n".join(_ADDRESS.sub("", text) for text in texts)
        if premise.strip():
            label, partly = int(support == SUPPORT[0]), support == SUPPORT[1]
            yield LabelledPair(premise, claim, label, JUDGED, partly=partly)


def even(pairs: Iterable[LabelledPair]) -> dict[tuple[str, int], float]:
    """Weights by source and label with which both labels of a source count alike, as far as a rare
    one need not count more than `MOST_WEIGHT` times."""
    counts = Counter((pair.source, pair.label) for pair in pairs)
    found = {}
    for (source, label), count in counts.items():
        other = counts[source, 1 - label]
        found[source, label] = min(MOST_WEIGHT, (count + other) / (2 * count)) if other else 1.0
    return found


def matches(source: str, patterns: Iterable[str]) -> bool:
    """Is a source one of these?"""
    return any(fnmatchcase(source, pattern) for pattern in patterns)


def mixed(
    pairs: Iterable[LabelledPair], shares: Sequence[Contribution], chance: random.Random
) -> list[int]:
    """Numbers of the pairs of one pass. The first share that names a source counts for it."""
    by_source: defaultdict[str, list[int]] = defaultdict(list)
    for number, pair in enumerate(pairs):
        by_source[pair.source].append(number)
    found: list[int] = []
    for source, numbers in sorted(by_source.items()):
        share = next((one for one in shares if fnmatchcase(source, one.source)), None)
        if share is None:
            continue
        for _ in range(share.times):
            some = (
                numbers if not share.most else chance.sample(numbers, min(share.most, len(numbers)))
            )
            found += some
    return found


def among_others(
    pairs: Sequence[LabelledPair], sources: Sequence[str], part: float, chance: random.Random
) -> list[LabelledPair]:
    """`part` of the short pairs of these sources with other premises before and behind.

    What is entailed stays so, and what is not, very likely too: the others are about something
    else. It teaches to find the one sentence that matters in a passage.
    """
    pool = [pair.premise for pair in pairs if matches(pair.source, sources)]
    if not pool:
        return list(pairs)
    found = []
    for pair in pairs:
        if matches(pair.source, sources) and chance.random() < part:
            others = chance.sample(pool, min(len(pool), chance.randint(1, 3)))
            others.insert(chance.randint(0, len(others)), pair.premise)
            pair = pair._replace(premise=" ".join(others))
        found.append(pair)
    return found


def data_digest(pairs: Iterable[LabelledPair]) -> str:
    """A hash of pairs in their order."""
    made = hashlib.sha256()
    for pair in pairs:
        made.update(json.dumps(pair, ensure_ascii=False).encode())
    return made.hexdigest()


def targets(pairs: Iterable[LabelledPair], patterns: Sequence[str]) -> list[LabelledPair]:
    """Those from sources that look like answers that cite passages."""
    return [pair for pair in pairs if matches(pair.source, patterns)]


def sampled(pairs: Sequence[LabelledPair], most: int, seed: int) -> list[LabelledPair]:
    """About `most` pairs, groups whole, every source with the same part of its own."""
    by_source: defaultdict[str, defaultdict[str, list[LabelledPair]]]
    by_source = defaultdict(lambda: defaultdict(list))
    for number, pair in enumerate(pairs):
        by_source[pair.source][pair.group or f"#{number}"].append(pair)
    part = min(1.0, most / max(1, len(pairs)))
    found: list[LabelledPair] = []
    for source, groups in sorted(by_source.items()):
        names = sorted(groups)
        random.Random(f"{seed} {source}").shuffle(names)  # noqa: S311 nothing secret
        for name in names[: max(1, round(part * len(names)))]:
            found += groups[name]
    return found
