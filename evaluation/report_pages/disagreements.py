"""Units on which people and judges differ most, with the present texts of question and unit."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Any
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef

from annotate.content.highlights import Highlight, marked
from annotate.models import PEOPLE, Evidence, Judgment, Response, Source, Study, Unit
from annotate.protocol.answers import parse_spans
from evaluation.reports.shape.people import Said
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import item_title, judge_title, system_title, value_label

Row = dict[str, Any]
"""A row of a list, for its template."""

Place = tuple[str, str, str]
"""System, question and run."""

Texts = Mapping[int, str]
"""Texts by passage; 0 is the judged text."""

SHOWN = 3
"""Disagreements shown at once; a fold has the others."""


def counted(study: Study, report: Report) -> list[Row]:
    """Return how often a judge differs from people in each direction, with links to the responses.

    A link is the query of the list of responses. It is empty where judge or system were deleted, or
    where the list has no such item.
    """
    judges = dict(study.judges.values_list("name", "pk"))
    known = {judge["id"]: judges.get(judge["name"]) for judge in report["judges"]}
    systems = dict(study.systems.values_list("name", "pk"))
    listed = {*study.protocol, *study.protocol.derived}
    found = []
    for row in report["disagreement_counts"]:
        judge, system = known.get(row["judge"]), systems.get(row["system"])
        directions = []
        for apart, words, count in (
            ("people-yes", "people yes, judge no", row["people_yes"]),
            ("people-no", "people no, judge yes", row["people_no"]),
        ):
            query = {"system": system, "by": judge, "label": row["item"], "apart": apart}
            is_listed = judge and system and count and row["item"] in listed
            directions.append((words, count, urlencode(query) if is_listed else ""))
        found.append(
            {
                "judge": judge_title(report, row["judge"]),
                "item": item_title(report, row["item"]),
                "system": system_title(report, row["system"]),
                "compared": row["compared"],
                "directions": directions,
            }
        )
    return found


def disagreements(study: Study, report: Report) -> list[Row]:
    """Return units on which people and a judge differ, with the response and raters' marks."""
    rows = report["disagreements"]
    responses = _responses_at(study, rows)
    wanted = [response.pk for response in responses.values()]
    texts = {
        (response, key): text if number is None else f"{text} in: {parent}"
        for response, key, text, number, parent in Unit.objects.filter(
            response__in=wanted, key__in={row["unit"] for row in rows}
        ).values_list("response_id", "key", "text", "number", "parent__text")
    }
    lit = _lit(wanted, {row["item"] for row in rows})
    found = []
    for row in rows:
        response, item = responses.get(_place(row)), row["item"]
        key = None if response is None else response.pk
        votes = [
            f"{count} {value_label(report, item, value).lower()}"
            for value, count in row["votes"].items()
            if count
        ]
        found.append(
            _where(study, report, row, response)
            | {
                "unit": row["unit"] if key is None else texts.get((key, row["unit"]), ""),
                "item": item_title(report, item),
                "judge": judge_title(report, row["judge"]),
                "people": value_label(report, item, row["people"]),
                "votes": ", ".join(votes),
                "judge_value": value_label(report, item, row["judge_value"]),
                "score": "" if row["score"] is None else f"{row['score']:.2f}",
                "lit": () if key is None else lit.get((key, row["unit"], item), ()),
            }
        )
    return found


def apart(study: Study, report: Report) -> list[Row]:
    """Return units on which people differ, by dimension, the most different first."""
    entries = report.get("open_answers", [])
    rows = [(entry, row) for entry in entries for row in entry["apart"]]
    responses = _responses_at(study, [row for _, row in rows])
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
    found: dict[str, list[Row]] = {}
    for entry, row in rows:
        response = responses.get(_place(row))
        text = "" if response is None else units.get((response.pk, row["unit"]), "")
        texts = {0: text} if response is None else {**passages.get(response.pk, {}), 0: text}
        marked_in = texts if entry["answer"] == "spans" else None
        found.setdefault(entry["item"], []).append(
            _where(study, report, row, response)
            | {
                "unit": text or row["unit"],
                "answers": [_answered(said, marked_in) for said in row["answers"]],
            }
        )
    return [
        {"item": item_title(report, key), "first": some[:SHOWN], "rest": some[SHOWN:]}
        for key, some in found.items()
    ]


def _answered(said: Said, marked_in: Texts | None) -> Row:
    """Return an answer in words, its marked texts, and the number of raters who gave it."""
    spans = [] if marked_in is None else parse_spans(said["value"])
    quotes = [(marked_in or {}).get(span.passage, "")[span.start : span.end] for span in spans]
    return {
        "answer": said["answer"],
        "quotes": [quote for quote in quotes if quote],
        "raters": said["count"],
    }


# Responses and marks ------------------------------------------------------------------------------


def _place(row: Any) -> Place:
    return row["system"], row["question"], row["run"]


def _responses_at(study: Study, rows: Iterable[Any]) -> dict[Place, Response]:
    """Return the present responses that rows of a report are about."""
    places = {_place(row) for row in rows}
    found = Response.objects.current().filter(
        study=study,
        system__name__in={system for system, _, _ in places},
        question__external_id__in={question for _, question, _ in places},
    )
    each = {
        (response.system.name, response.question.external_id, response.run): response
        for response in found.select_related("system", "question")
    }
    return {place: each[place] for place in places & each.keys()}


def _where(study: Study, report: Report, row: Any, response: Response | None) -> Row:
    """Return system, question and response of a row of the report."""
    return {
        "system": system_title(report, row["system"]),
        "question": row["question"] if response is None else response.question.text,
        "response": None if response is None else response.pk,
        "language": "" if response is None else response.question.language or study.language,
    }


def _lit(
    responses: Collection[int], dimensions: Collection[str]
) -> Mapping[tuple[int, str, str], tuple[Highlight, ...]]:
    """Return raters' marks for answers that count, by response, unit and dimension."""
    found = defaultdict(list)
    answers = Judgment.objects.counted().filter(
        judge=OuterRef("judge"), unit=OuterRef("unit"), dimension=OuterRef("dimension")
    )
    marks = Evidence.objects.filter(
        Exists(answers),
        unit__response__in=responses,
        dimension__in=dimensions,
        judge__kind__in=PEOPLE,
    )
    for mark in marks.select_related("unit__parent", "source__passage"):
        found[mark.unit.response_id, mark.unit.key, mark.dimension].append(mark)
    return {place: marked(rows) for place, rows in found.items()}
