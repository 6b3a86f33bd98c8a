"""Where people and judges differ most, with the words of question and unit as they are now."""

from collections import defaultdict
from collections.abc import Collection, Mapping
from typing import NamedTuple
from urllib.parse import urlencode

from django.db.models import Exists, OuterRef

from annotate.models import PEOPLE, Evidence, Judgment, Response, Source, Study, Unit
from annotate.protocol.answers import spans_of
from annotate.reading.lit import Lit, marked
from evaluation.reports.shape.people import DisagreementRow, Said
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.names import item_title, judge_title, system_title, value_label

Place = tuple[str, str, str]
"""System, question and run."""


class Disagreement(NamedTuple):
    """A unit about which people and a judge say different things, and where to read it."""

    system: str
    question: str
    unit: str
    item: str
    judge: str
    people: str
    votes: str
    judge_value: str
    score: str
    response: int | None
    language: str
    lit: tuple[Lit, ...]
    """What raters marked in the text and its passages when they answered."""


class Counted(NamedTuple):
    """How often a judge differs from people, and what lists the responses: the filters of the list
    of responses, empty where judge or system is gone, or where it knows no such item."""

    judge: str
    item: str
    system: str
    compared: int
    directions: tuple[tuple[str, int, str], ...]
    """In which direction, how often, and the filters."""


def counted(study: Study, report: Report) -> list[Counted]:
    """Those of the report."""
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
            asked = {"system": system, "by": judge, "label": row["item"], "apart": apart}
            is_listed = judge and system and count and row["item"] in listed
            query = urlencode(asked) if is_listed else ""
            directions.append((words, count, query))
        titles = (
            judge_title(report, row["judge"]),
            item_title(report, row["item"]),
            system_title(report, row["system"]),
        )
        found.append(Counted(*titles, row["compared"], tuple(directions)))
    return found


def disagreements(study: Study, report: Report) -> list[Disagreement]:
    """Those of the report."""
    rows = report["disagreements"]
    responses = responses_at(study, {(row["system"], row["question"], row["run"]) for row in rows})
    wanted = [response.pk for response in responses.values()]
    texts = {
        (response, key): text if number is None else f"{text} in: {parent}"
        for response, key, text, number, parent in Unit.objects.filter(
            response__in=wanted, key__in={row["unit"] for row in rows}
        ).values_list("response_id", "key", "text", "number", "parent__text")
    }
    lit = _lit(wanted, {row["item"] for row in rows})
    return [_disagreement(study, report, row, responses, texts, lit) for row in rows]


def responses_at(study: Study, places: Collection[Place]) -> dict[Place, Response]:
    """The present responses of some systems to some questions, with both."""
    found = Response.objects.current().filter(
        study=study,
        system__name__in={system for system, _, _ in places},
        question__external_id__in={question for _, question, _ in places},
    )
    each = {
        (response.system.name, response.question.external_id, response.run): response
        for response in found.select_related("system", "question")
    }
    return {place: each[place] for place in places if place in each}


def _lit(
    responses: Collection[int], dimensions: Collection[str]
) -> Mapping[tuple[int, str, str], tuple[Lit, ...]]:
    """What raters marked for answers that count, by response, unit and dimension."""
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


def _disagreement(
    study: Study,
    report: Report,
    row: DisagreementRow,
    responses: Mapping[Place, Response],
    texts: Mapping[tuple[int, str], str],
    lit: Mapping[tuple[int, str, str], tuple[Lit, ...]],
) -> Disagreement:
    response = responses.get((row["system"], row["question"], row["run"]))
    item = row["item"]
    votes = [f"{n} {value_label(report, item, v).lower()}" for v, n in row["votes"].items() if n]
    return Disagreement(
        system=system_title(report, row["system"]),
        question=row["question"] if response is None else response.question.text,
        unit=row["unit"] if response is None else texts.get((response.pk, row["unit"]), ""),
        item=item_title(report, item),
        judge=judge_title(report, row["judge"]),
        people=value_label(report, item, row["people"]),
        votes=", ".join(votes),
        judge_value=value_label(report, item, row["judge_value"]),
        score="" if row["score"] is None else f"{row['score']:.2f}",
        response=None if response is None else response.pk,
        language="" if response is None else response.question.language or study.language,
        lit=() if response is None else lit.get((response.pk, row["unit"], item), ()),
    )


# Answers that are not one choice ------------------------------------------------------------------

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
