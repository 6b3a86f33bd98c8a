"""A study as projects of Label Studio, one for each kind of unit.

A project has the same questions for all tasks. People's answers become annotations, those of
automatic judges become predictions.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree
from zipfile import ZipFile

from annotate.exchange import streams
from annotate.exchange.zip_export import write_member
from annotate.formats.records import ResponseRecord
from annotate.models import Judge, Judgment, Response, Study, Unit
from annotate.protocol.answers import parse_spans
from annotate.protocol.dimensions import Dimension, UnitKind
from annotate.protocol.natural import natural
from annotate.web.errors import Refused

CITATIONS = (UnitKind.CITATION, UnitKind.CLAIM_CITATION)

TEXT: Final = "text"
"""The name of the judged text in tasks and configurations."""

SHOWN: Final = ("question", "answer", "passages", "cited")
"""Other data of a task that is shown."""


def write_label_studio(study: Study, path: Path, *, slices: Sequence[str] = ()) -> None:
    """Write `KIND/tasks.json` and `KIND/config.xml` for each kind of unit."""
    kinds = active_dimensions(study)
    if not kinds:
        raise Refused("Nothing is asked here but which of two responses is better.")
    with ZipFile(path, "w") as archive:
        for kind, dimensions in kinds.items():
            write_member(archive, f"{kind}/config.xml", iter([config(kind, dimensions)]))
            tasks = _tasks(study, kind, dimensions, slices)
            write_member(archive, f"{kind}/tasks.json", _json_list(tasks))


def active_dimensions(study: Study) -> dict[UnitKind, list[Dimension]]:
    """Return the study's active or answered dimensions by kind of unit, without pairs."""
    answered = Judgment.objects.counted().filter(judge__study=study).exclude(value="").order_by()
    keys = {*study.dimensions, *answered.values_list("dimension", flat=True).distinct()}
    found: dict[UnitKind, list[Dimension]] = defaultdict(list)
    for dimension in study.protocol.of(keys):
        if dimension.unit_kind is not UnitKind.PAIR:
            found[dimension.unit_kind].append(dimension)
    return found


# What is asked -----------------------------------------------------------------------------------


def config(kind: UnitKind, dimensions: Sequence[Dimension]) -> str:
    """Return the labelling configuration of a project."""
    view = ElementTree.Element("View")
    for name in SHOWN if kind in CITATIONS else SHOWN[:-1]:
        ElementTree.SubElement(view, "Header", value=name.capitalize(), size="5")
        ElementTree.SubElement(view, "Text", name=name, value=f"${name}")
    ElementTree.SubElement(view, "Header", value=kind.value.replace("_", " ").capitalize())
    ElementTree.SubElement(view, "Text", name=TEXT, value=f"${TEXT}")
    keys = {one.key for one in dimensions if one.answer in {"choice", "several"}}
    for dimension in dimensions:
        _ask(ElementTree.SubElement(view, "View", _when(dimension, keys)), dimension)
    ElementTree.indent(view)
    return f"{ElementTree.tostring(view, encoding='unicode')}\n"


def _when(dimension: Dimension, keys: set[str]) -> dict[str, str]:
    """Return the condition of a question that follows an answer about the same unit. Label
    Studio supports one such condition."""
    for condition in dimension.shown_when:
        if condition.of == "unit" and condition.dimension in keys:
            return {
                "visibleWhen": "choice-selected",
                "whenTagName": condition.dimension,
                "whenChoiceValue": ",".join(condition.values),
            }
    return {}


def _ask(view: ElementTree.Element, dimension: Dimension) -> None:
    ElementTree.SubElement(view, "Header", value=dimension.question, size="4")
    about = {"name": dimension.key, "toName": TEXT}
    if dimension.answer == "number":
        bounds = {"min": f"{dimension.low:g}", "max": f"{dimension.high:g}"}
        step = f"{10.0**-dimension.decimals:g}"
        ElementTree.SubElement(view, "Number", {**about, **bounds, "step": step})
    elif dimension.answer == "text":
        ElementTree.SubElement(view, "TextArea", {**about, "rows": "3", "maxSubmissions": "1"})
    else:
        is_marked = dimension.answer == "spans"
        several = "multiple" if dimension.answer == "several" else "single"
        more = {} if is_marked else {"choice": several}
        tag, one = ("Labels", "Label") if is_marked else ("Choices", "Choice")
        asked = ElementTree.SubElement(view, tag, {**about, **more})
        for choice in (*dimension.choices, *dimension.automatic_choices):
            shown = {"html": escape(choice.label), **({"hint": choice.help} if choice.help else {})}
            ElementTree.SubElement(asked, one, {"value": choice.value, **shown})


# Tasks -------------------------------------------------------------------------------------------


def _json_list(tasks: Iterator[dict[str, Any]]) -> Iterator[str]:
    before = "["
    for task in tasks:
        yield f"{before}\n{json.dumps(task, ensure_ascii=False, allow_nan=False)}"
        before = ","
    yield "[]\n" if before == "[" else "\n]\n"


def _tasks(
    study: Study, kind: UnitKind, dimensions: Sequence[Dimension], slices: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Yield one task for each unit, judged or not, in the order of loading."""
    known = {dimension.key: dimension for dimension in dimensions}
    for some in streams.response_records(study, slices=slices):
        responses = [response for response, _ in some]
        judged = _judged(study, responses, known)
        units: dict[int, list[Unit]] = defaultdict(list)
        rows = Unit.objects.standing().filter(response__in=responses, kind=kind)
        for unit in rows.select_related("parent", "source__passage").order_by("pk"):
            units[unit.response_id].append(unit)
        for response, record in some:
            for unit in units[response.pk]:
                yield {"data": _data(unit, record), **_answers(judged[unit.pk], known, unit)}


def _judged(
    study: Study, responses: Sequence[Response], known: Mapping[str, Dimension]
) -> dict[int, list[Judgment]]:
    """Return the answers that count by unit, grouped by judge."""
    rows = Judgment.objects.counted().filter(
        judge__study=study, unit__response__in=responses, dimension__in=list(known)
    )
    found: dict[int, list[Judgment]] = defaultdict(list)
    for row in rows.exclude(value="").select_related("judge").order_by("judge__name", "dimension"):
        found[row.unit_id].append(row)
    return found


def _data(unit: Unit, record: ResponseRecord) -> dict[str, Any]:
    found = {
        "system": record.system,
        "run": record.run,
        "question_id": record.question.external_id,
        "unit": unit.key,
        "question": record.question.text,
        "answer": record.output,
        "passages": "\n\n".join(f"[{p.n}] {p.title}\n{p.text}" for p in record.passages),
        TEXT: unit.judged_text,
    }
    if unit.kind in CITATIONS:
        cited = unit.source
        found["cited"] = "" if cited is None else f"[{cited.n}] {cited.passage.text}"
    return found


def _answers(
    rows: Sequence[Judgment], known: Mapping[str, Dimension], unit: Unit
) -> dict[str, list[dict[str, Any]]]:
    """Return the judges' answers about a unit, one entry per judge."""
    found: dict[str, list[dict[str, Any]]] = {"annotations": [], "predictions": []}
    for _, given in groupby(rows, key=lambda row: row.judge_id):
        own = list(given)
        judge = own[0].judge
        result = [one for row in own for one in _results(row, known[row.dimension], unit)]
        if judge.kind == Judge.Kind.AUTOMATIC:
            scores = [row.score for row in own if row.score is not None]
            score = {"score": scores[0]} if len(own) == len(scores) == 1 else {}
            found["predictions"].append({"model_version": judge.name, **score, "result": result})
        else:
            is_known = judge.kind in {Judge.Kind.REFERENCE, Judge.Kind.ADJUDICATED}
            seconds = [row.seconds for row in own if row.seconds is not None]
            lead = {"lead_time": sum(seconds)} if seconds else {}
            found["annotations"].append({"ground_truth": is_known, **lead, "result": result})
    return found


def _results(row: Judgment, dimension: Dimension, unit: Unit) -> Iterator[dict[str, Any]]:
    """Yield an answer in Label Studio's form. Its judge is metadata: people are accounts
    there."""
    about: dict[str, Any] = {
        "from_name": dimension.key,
        "to_name": TEXT,
        "meta": {TEXT: [row.judge.name]},
    }
    if dimension.answer == "spans":
        text = unit.judged_text
        for number, span in enumerate(parse_spans(row.value)):
            if not span.passage:  # Label Studio labels only the judged text, not passages
                place = {"start": _units(text, span.start), "end": _units(text, span.end)}
                value = {**place, TEXT: text[span.start : span.end], "labels": [span.label]}
                key = f"{row.pk}-{number}"
                yield {**about, "id": key, "type": "labels", "value": value}
        return
    said = natural(dimension, row.value, {})
    kind, value = {
        "number": ("number", {"number": said}),
        "text": ("textarea", {TEXT: [said]}),
        "several": ("choices", {"choices": said}),
    }.get(dimension.answer, ("choices", {"choices": [said]}))
    yield {**about, "id": str(row.pk), "type": kind, "value": value}


def _units(text: str, place: int) -> int:
    """Return a place in UTF-16 code units, as browsers count."""
    return len(text[:place].encode("utf-16-le")) // 2
