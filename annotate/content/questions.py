"""A study's questions: filters, slices, and metadata such as the data set."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import Count, Q, QuerySet

from annotate.models import Question, Study, User
from annotate.protocol.slices import DATASET, KEY_CHARS, VALUE_CHARS, facets, is_key, is_value
from annotate.web import audit
from annotate.web.errors import Refused

BATCH = 500


def add_metadata(offered: Mapping[int, Mapping[str, Any]]) -> None:
    """Add metadata to questions, by their ids. Other keys stay."""
    pks = sorted(offered)
    for first in range(0, len(pks), BATCH):
        some = Question.objects.filter(pk__in=pks[first : first + BATCH])
        rows = list(_locked(some))
        for row in rows:
            row.metadata = {**row.metadata, **offered[row.pk]}
        Question.objects.bulk_update(rows, ["metadata"])


def describe(
    study: Study, questions: QuerySet[Question], *, key: str, value: str, by: User | None
) -> int:
    """Set or (with an empty value) remove one key of some questions. Return how many changed."""
    key, value = key.strip(), value.strip()
    if not is_key(key):
        raise Refused(
            f"The key is a word such as dataset: at most {KEY_CHARS} characters, not digits alone, "
            "without “=”."
        )
    if value and not is_value(value):
        raise Refused(f"The value is one line of at most {VALUE_CHARS} characters.")
    pks = list(questions.filter(study=study).order_by("pk").values_list("pk", flat=True))
    changed = 0
    with transaction.atomic():
        for first in range(0, len(pks), BATCH):
            some = Question.objects.filter(pk__in=pks[first : first + BATCH])
            rows = list(_locked(some))
            rows = [row for row in rows if row.metadata.get(key, "") != value]
            for row in rows:
                rest = {name: known for name, known in row.metadata.items() if name != key}
                row.metadata = {**rest, key: value} if value else rest
            Question.objects.bulk_update(rows, ["metadata"])
            changed += len(rows)
        if changed:
            audit.note("questions-described", study, by=by, key=key, value=value, questions=changed)
    return changed


def _locked(questions: QuerySet[Question]) -> QuerySet[Question]:
    """Lock in one order, so that concurrent changes wait and do not deadlock."""
    return questions.select_for_update(no_key=True).only("metadata").order_by("pk")


MOST_VALUES = 50
"""A key with more values, such as an id, makes no slices."""

WITHOUT = "without"
"""The filter for questions without a data set."""


def slices(study: Study) -> dict[str, Counter[str]]:
    """Return each key with its values and their number of questions; data sets first."""
    found: dict[str, Counter[str]] = {}
    rows = Question.objects.filter(study=study).exclude(metadata={})
    for metadata in rows.order_by().values_list("metadata", flat=True).iterator(chunk_size=5_000):
        for key, value in facets(metadata).items():
            found.setdefault(key, Counter())[value] += 1
    offered = {key: values for key, values in found.items() if len(values) <= MOST_VALUES}
    return dict(sorted(offered.items(), key=lambda item: (item[0] != DATASET, item[0])))


def slice_choices(study: Study) -> list[tuple[str, str]]:
    """Return the slices as choices of a form."""
    return [
        (f"{key}={value}", f"{key}: {value} ({count:,})")
        for key, values in slices(study).items()
        for value, count in sorted(values.items())
    ]


def filtered(study: Study, wanted: Mapping[str, Any]) -> QuerySet[Question]:
    """Return the questions that match a filter, ordered by their external ids."""
    rows = Question.objects.filter(study=study)
    part = wanted.get("slice") or ""
    if part == WITHOUT:
        rows = rows.exclude(metadata__has_key=DATASET)
    elif part:
        rows = rows.within([part])
    for word in (wanted.get("q") or "").split()[:8]:
        rows = rows.filter(Q(text__icontains=word) | Q(external_id__icontains=word))
    return rows.order_by("external_id")


def with_answers(rows: QuerySet[Question]) -> Any:
    """Annotate questions with the number of systems that answer them."""
    counting = Q(responses__live=True, responses__upload__published_at__isnull=False)
    return rows.annotate(systems=Count("responses__system", filter=counting, distinct=True))
