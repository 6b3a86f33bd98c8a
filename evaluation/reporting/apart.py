"""Where people's answers that are not one choice differ most, with the words of question and unit
as they are now, and those that were marked."""

from collections.abc import Mapping
from typing import NamedTuple

from annotate.models import Source, Study, Unit
from annotate.protocol.answers import spans_of
from evaluation.reporting.disagreements import responses_at
from evaluation.reports.shape.people import Said
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import item_title, system_title

SHOWN = 5
"""Of each question, at once."""

Texts = Mapping[int, str]
"""By passage; the text that is judged under 0."""


class GivenAnswer(NamedTuple):
    """An answer in words, what was marked with it, and how many raters gave it."""

    answer: str
    quotes: tuple[str, ...]
    raters: int


class ApartOn(NamedTuple):
    """Those of one question."""

    item: str
    first: list["ApartUnit"]
    rest: list["ApartUnit"]


class ApartUnit(NamedTuple):
    """A unit of which people said different things, and where to read it."""

    system: str
    question: str
    unit: str
    answers: tuple[GivenAnswer, ...]
    response: int | None
    language: str


def apart(study: Study, report: Report) -> list[ApartOn]:
    """Those of the report, by question, the furthest apart first."""
    entries = report.get("open_answers", [])
    rows = [(entry, row) for entry in entries for row in entry["apart"]]
    places = {(row["system"], row["question"], row["run"]) for _, row in rows}
    responses = responses_at(study, places)
    keys = [response.pk for response in responses.values()]
    units = {
        (unit.response_id, unit.key): unit.judged_text
        for unit in Unit.objects.filter(
            response__in=keys, key__in={row["unit"] for _, row in rows}
        ).select_related("parent")
    }
    passages: dict[int, dict[int, str]] = {}
    sources = Source.objects.filter(response__in=keys).values_list(
        "response_id", "n", "passage__text"
    )
    for key, n, text in sources if any(entry["answer"] == "spans" for entry, _ in rows) else ():
        passages.setdefault(key, {})[n] = text
    found: dict[str, list[ApartUnit]] = {}
    for entry, row in rows:
        response = responses.get((row["system"], row["question"], row["run"]))
        text = "" if response is None else units.get((response.pk, row["unit"]), "")
        texts = {0: text} if response is None else {**passages.get(response.pk, {}), 0: text}
        marked = texts if entry["answer"] == "spans" else None
        found.setdefault(entry["item"], []).append(
            ApartUnit(
                system=system_title(report, row["system"]),
                question=row["question"] if response is None else response.question.text,
                unit=text or row["unit"],
                answers=tuple(_answered(said, marked) for said in row["answers"]),
                response=None if response is None else response.pk,
                language="" if response is None else response.question.language or study.language,
            )
        )
    return [
        ApartOn(item_title(report, key), some[:SHOWN], some[SHOWN:]) for key, some in found.items()
    ]


def _answered(said: Said, marked: Texts | None) -> GivenAnswer:
    quotes = [
        marked.get(span.passage, "")[span.start : span.end] for span in spans_of(said["value"])
    ] if marked is not None else []  # fmt: skip
    return GivenAnswer(said["answer"], tuple(filter(None, quotes)), said["count"])
