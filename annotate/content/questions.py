"""What is known of a study's questions beside their text: the data set, and other metadata."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.db.models import QuerySet

from annotate.models import Question, Study, User
from annotate.protocol.slices import KEY_CHARS, VALUE_CHARS, is_key, is_value
from annotate.web import audit
from annotate.web.errors import Refused

BATCH = 500


def add_metadata(offered: Mapping[int, Mapping[str, Any]]) -> None:
    """Set what is offered for each question, by its key; what else is known of it stays."""
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
    """Say the same of some questions, or with an empty value that nothing is known there; how many
    were changed. Their answers, and what was judged of these, stay as they are."""
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
    """In one order, so that two who change the same ones wait for one another."""
    return questions.select_for_update(no_key=True).only("metadata").order_by("pk")
