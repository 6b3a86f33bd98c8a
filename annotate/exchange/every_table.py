"""The tables of people, and of responses and their judgments."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Q

from annotate.exchange import marks_csv, streams
from annotate.exchange.streams import OF_PASSAGE, OF_RESPONSE, passage_row, response_rows
from annotate.exchange.tables import counted_filter, place_columns, rows, table
from annotate.formats.writing import csv_line
from annotate.models import (
    Assignment,
    Batch,
    Example,
    GuidelinesVersion,
    Judge,
    Judgment,
    PastJudgment,
    PracticeRound,
    Question,
    ResponseNote,
    StandingChange,
    Study,
    System,
    Wording,
)
from annotate.models.wording import wording_id

OF_UNIT = (
    "unit", "kind", "parent", "start", "end", "text", "number", "passage", "quote", "url",
    "other_system", "other_run",
)  # fmt: skip

OF_STUDY = (
    "slug", "name", "description", "preset", "dimensions", "derived", "raters_per_unit", "lines",
    "reading", "language", "splitter", "citation_cap", "seed", "primary_judge", "tags",
    "created_at",
)  # fmt: skip

OF_BATCH = (
    "id", "name", "purpose", "state", "selection", "dimensions", "raters_per_item", "granularity",
    "order", "seed", "claims_from", "lease_minutes", "tasks_per_rater", "fixes_first",
    "proposes_support", "audience", "consent", "pay_per_hour", "pay_currency", "gold_percent",
    "gold_mark", "gold_least", "shows_gold_share", "pass_mark", "max_rounds", "created_at",
    "opened_at", "closed_at",
)  # fmt: skip
"""Excluded are the codes and addresses that pay people, which give access."""


# What is judged ----------------------------------------------------------------------------------


@table("responses")
def responses(study: Study, slices: Sequence[str]) -> Iterator[str]:
    of_question = ("question", "language", "references", "question_metadata")
    columns = (*OF_RESPONSE, *of_question, "output", "is_list", "citations", "metadata")
    yield csv_line(columns)
    for row in response_rows(study, slices):
        spans = row["citations"]
        row["citations"] = json.dumps(spans, ensure_ascii=False) if spans else ""
        yield csv_line([row[name] for name in columns])


@table("passages")
def passages(study: Study, slices: Sequence[str]) -> Iterator[str]:
    yield csv_line((*OF_RESPONSE, *OF_PASSAGE))
    for row in response_rows(study, slices):
        about = [row[name] for name in OF_RESPONSE]
        for passage in row["passages"]:
            yield csv_line([*about, *(passage[name] for name in OF_PASSAGE)])


@table("ranked_passages")
def ranked_passages(study: Study, slices: Sequence[str]) -> Iterator[str] | None:
    """Return the passages of questions that a file has without answers."""
    if not Question.objects.listed().filter(study=study).exists():
        return None
    return _ranked(study, slices)


def _ranked(study: Study, slices: Sequence[str]) -> Iterator[str]:
    yield csv_line(("question_id", "question", *OF_PASSAGE))
    for row in streams.question_rows(study, slices=slices):
        about = (row.question.external_id, row.question.text)
        for passage in map(passage_row, row.passages):
            yield csv_line([*about, *(passage[name] for name in OF_PASSAGE)])


@table("units")
def units(study: Study, slices: Sequence[str]) -> Iterator[str]:
    """Return the units of judgments, by the same keys, with their texts."""
    yield csv_line((*OF_RESPONSE, *OF_UNIT))
    for response, question, unit in streams.units(study, slices=slices):
        other = unit.other
        yield csv_line([
            response.system.name, response.run, question, unit.key, unit.kind,
            unit.parent.key if unit.parent is not None else "", unit.start, unit.end, unit.text,
            unit.number, unit.source.n if unit.source is not None else "", unit.quote, unit.url,
            other.system.name if other is not None else "", other.run if other is not None else "",
        ])  # fmt: skip


@table("systems")
def systems(study: Study, slices: Sequence[str]) -> Iterator[str]:
    names = ("display_name", "description", "uses_autoais")
    found = System.objects.loaded().filter(study=study).order_by("name")
    return rows({"system": "name", **{name: name for name in names}}, found)


# Judgments and notes -----------------------------------------------------------------------------


@table("judgments")
def judgments(study: Study, slices: Sequence[str]) -> Iterator[str]:
    return streams.judgments_csv(study, slices=slices)


@table("earlier_judgments")
def earlier_judgments(study: Study, slices: Sequence[str]) -> Iterator[str]:
    """Return every answer that was replaced."""
    same = ("value", "score", "skipped_reason", "seconds", "note", "given_by", "wording")
    columns = {
        **place_columns("judgment__unit__response", "judgment__unit"),
        "dimension": "judgment__dimension",
        "judge": "judgment__judge__name",
        **{name: name for name in same},
        "claim": "claim",
        "guidelines": "guidelines__number",
        "created": "created_at",
        "replaced": "replaced_at",
    }
    found = PastJudgment.objects.filter(counted_filter(study, slices, "judgment__unit__response"))
    return rows(columns, found.filter(judgment__unit__retired_at__isnull=True).order_by("pk"))


@table("evidence")
def evidence(study: Study, slices: Sequence[str]) -> Iterator[str]:
    return marks_csv.evidence_csv(study, slices=slices)


@table("flags")
def flags(study: Study, slices: Sequence[str]) -> Iterator[str]:
    return marks_csv.flags_csv(study, slices=slices)


@table("claims")
def claims(study: Study, slices: Sequence[str]) -> Iterator[str] | None:
    return marks_csv.claims_csv(study, slices=slices) if study.writes_claims else None


@table("notes")
def notes(study: Study, slices: Sequence[str]) -> Iterator[str] | None:
    written = ResponseNote.objects.filter(response__study=study).exists()
    return marks_csv.notes_csv(study, slices=slices) if written else None


@table("inquiries", is_escaped=True)
def inquiries(study: Study, slices: Sequence[str]) -> Iterator[str]:
    return marks_csv.inquiries_csv(study, slices=slices)


# Judges, batches and tasks ------------------------------------------------------------------------


@table("study")
def settings(study: Study, slices: Sequence[str]) -> Iterator[str]:
    """Return the settings of the study, one per row."""
    yield csv_line(("setting", "value"))
    for name in OF_STUDY:
        value: Any = getattr(study, name)
        if isinstance(value, list):
            value = json.dumps(value, ensure_ascii=False)
        yield csv_line((name, value.isoformat() if isinstance(value, datetime) else value))


@table("wordings")
def wordings(study: Study, slices: Sequence[str]) -> Iterator[str]:
    """Return each version of the dimensions and of other texts of the study."""
    known = {wording_id(study.protocol[key]) for key in study.dimensions}
    known |= {
        *Judgment.objects.filter(judge__study=study).values_list("wording", flat=True).distinct()
    }
    same = ("dimension", "version", "unit_kind", "answer", "definition")
    columns = {"wording": "id", **{name: name for name in same}, "created": "created_at"}
    found = Wording.objects.filter(Q(study=study) | Q(study__isnull=True, pk__in=known))
    return rows(columns, found.order_by("dimension", "version", "pk"))


@table("guidelines")
def guidelines(study: Study, slices: Sequence[str]) -> Iterator[str]:
    columns = {"number": "number", "text": "text", "created": "created_at"}
    return rows(columns, GuidelinesVersion.objects.filter(study=study).order_by("number"))


@table("examples")
def examples(study: Study, slices: Sequence[str]) -> Iterator[str]:
    same = ("dimension", "value", "explanation")
    columns = {
        **place_columns("unit__response", "unit"),
        **{name: name for name in same},
        "created": "created_at",
    }
    found = Example.objects.filter(counted_filter(study, slices, "unit__response"))
    return rows(columns, found.order_by("pk"))


@table("judges")
def judges(study: Study, slices: Sequence[str]) -> Iterator[str]:
    columns = {"judge": "name", "kind": "kind", "standing": "standing"}
    return rows(columns, Judge.objects.filter(study=study).order_by("pk"))


@table("standing")
def standing(study: Study, slices: Sequence[str]) -> Iterator[str]:
    """Return who was paused, excluded or readmitted, and why."""
    columns = {
        "judge": "judge__name",
        "standing": "standing",
        "reason": "reason",
        "by": "by__name",
        "created": "created_at",
    }
    return rows(columns, StandingChange.objects.filter(judge__study=study).order_by("pk"))


@table("batches")
def batches(study: Study, slices: Sequence[str]) -> Iterator[str]:
    named = {"gold": "gold__name", "qualification": "qualification__name"}
    columns = {**{name: name for name in OF_BATCH}, **named}
    return rows(columns, Batch.objects.filter(study=study).order_by("pk"))


@table("tasks")
def tasks(study: Study, slices: Sequence[str]) -> Iterator[str]:
    """Return who had which task of a batch, and when."""
    columns = {
        "batch": "batch",
        **place_columns("item__response", "item__unit"),
        "is_gold": "item__is_gold",
        "judge": "judge__name",
        "state": "state",
        "mirrored": "mirrored",
        "guidelines": "guidelines__number",
        "begun": "created_at",
        "seen": "seen_at",
        "passages_opened": "passages_at",
        "done": "done_at",
    }
    found = Assignment.objects.filter(counted_filter(study, slices, "item__response"))
    return rows(columns, found.filter(batch__deleted_at__isnull=True).order_by("pk"))


@table("practice")
def practice(study: Study, slices: Sequence[str]) -> Iterator[str]:
    """Rounds of practice."""
    same = ("number", "asked", "right", "passed")
    columns = {
        "batch": "batch",
        "judge": "judge__name",
        **{name: name for name in same},
        "begun": "started_at",
        "finished": "finished_at",
    }
    found = PracticeRound.objects.filter(batch__study=study, batch__deleted_at__isnull=True)
    return rows(columns, found.order_by("pk"))
