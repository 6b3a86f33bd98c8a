"""The splits of a data set: which of its rows belong together, told by their questions."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from annotate.models import Question, Response, Study, in_slices
from annotate.protocol.slices import DATASET, facets, is_key
from annotate.web.errors import Refused

ALONE: Final = "test"
"""What is not told apart: it is evaluation data."""

OTHER: Final = "other"
"""Of questions of which nothing is known under the key, where others are told apart by it."""

MOST: Final = 50
MOST_CHARS: Final = 60
_RESERVED: Final = ("all", "")
"""`all` means every split to the library."""


@dataclass(frozen=True, slots=True)
class Splits:
    """Where questions stand, by their ids."""

    key: str
    names: Mapping[str, str]
    """Each value that makes a split, with the split's name; none where there is one split alone."""

    by_question: Mapping[str, str]

    def of(self, question_id: str) -> str:
        return self.by_question.get(question_id, OTHER if self.names else ALONE)


def splits_of(study: Study, key: str, slices: Sequence[str]) -> Splits:
    """A split for each value of a key of what is known of questions, where there are several."""
    asked, key = bool(key), key or DATASET
    if not is_key(key):
        raise Refused(f"Expected a key of metadata, such as dataset; found “{key[:80]}”.")
    answered = Response.objects.current().filter(study=study).values("question")
    found = Question.objects.filter(in_slices(study, slices, "pk"), study=study, pk__in=answered)
    values = {
        question: value
        for question, metadata in found.values_list("external_id", "metadata").iterator(
            chunk_size=5_000
        )
        if (value := facets(metadata).get(key, ""))
    }
    every = sorted(set(values.values()))
    if asked and key != DATASET and not every:
        raise Refused(f"No question has “{key}” in its metadata.")
    if asked and len(every) > MOST:
        raise Refused(f"“{key}” has {len(every):,} values; at most {MOST} splits are made.")
    if not 0 < len(every) <= MOST or (len(every) == 1 and len(values) == found.count()):
        return Splits(key, {}, {})
    names = named(every)
    return Splits(key, names, {question: names[value] for question, value in values.items()})


def named(values: Iterable[str]) -> dict[str, str]:
    """A name for each value that the library and every disk takes, none twice."""
    taken, names = {OTHER}, {}
    for value in values:
        name = re.sub(r"\W+", "_", value).strip("_")[:MOST_CHARS]
        base = f"split_{name}".rstrip("_") if name.lower() in _RESERVED else name
        name, n = base, 2
        while name.lower() in taken:
            name, n = f"{base}_{n}", n + 1
        taken.add(name.lower())
        names[value] = name
    return names
