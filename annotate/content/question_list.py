"""The questions of a study, and the slices that they make."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.db.models import Count, Q, QuerySet

from annotate.models import Question, Study
from annotate.protocol.slices import DATASET, facets

MOST_VALUES = 50
"""Of a key with more, no slices are offered: ids and the like."""

WITHOUT = "without"
"""In place of a slice: no data set."""


def slices(study: Study) -> dict[str, Counter[str]]:
    """Every key with its values and how many questions have each; data sets first."""
    found: dict[str, Counter[str]] = {}
    rows = Question.objects.filter(study=study).exclude(metadata={})
    for metadata in rows.order_by().values_list("metadata", flat=True).iterator(chunk_size=5_000):
        for key, value in facets(metadata).items():
            found.setdefault(key, Counter())[value] += 1
    offered = {key: values for key, values in found.items() if len(values) <= MOST_VALUES}
    return dict(sorted(offered.items(), key=lambda item: (item[0] != DATASET, item[0])))


def slice_choices(study: Study) -> list[tuple[str, str]]:
    """The slices as a form offers them."""
    return [
        (f"{key}={value}", f"{key}: {value} ({count:,})")
        for key, values in slices(study).items()
        for value, count in sorted(values.items())
    ]


def filtered(study: Study, wanted: Mapping[str, Any]) -> QuerySet[Question]:
    """The questions that a filter keeps, in the order of their ids."""
    rows = Question.objects.filter(study=study)
    part = wanted.get("slice") or ""
    if part == WITHOUT:
        rows = rows.exclude(metadata__has_key=DATASET)
    elif part:
        rows = rows.within([part])
    found: QuerySet[Question] = rows
    for word in (wanted.get("q") or "").split()[:8]:
        found = found.filter(Q(text__icontains=word) | Q(external_id__icontains=word))
    return found.order_by("external_id")


def with_answers(rows: QuerySet[Question]) -> Any:
    """The questions with the number of systems that answer each."""
    counting = Q(responses__live=True, responses__upload__published_at__isnull=False)
    return rows.annotate(systems=Count("responses__system", filter=counting, distinct=True))
