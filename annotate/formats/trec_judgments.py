"""TREC's judgments of runs: support of citations, and nuggets in answers.

The file's name is the judge's name.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from annotate.formats.fields import Fields
from annotate.formats.json_records import first_record, json_records, records_of
from annotate.formats.judgment_fields import TEXTS, judgment_row
from annotate.formats.limits import LONG_NAME_CHARS
from annotate.formats.problems import shown
from annotate.formats.reading import Beginning, Format, Reading, Records, example_of
from annotate.formats.records import JudgmentRow, ReferenceRow
from annotate.formats.repeats import SeenKeys
from annotate.formats.trec_runs import SENTENCES

SUPPORTED = "support_eval"
SUPPORT = {"FS": "full", "PS": "partial", "NS": "none"}
ASSIGNED = {"support": "yes", "partial_support": "partial", "not_support": "none"}
FAILED = "failed"
NUGGETS = "nuggets"

UnitValue = tuple[str, str, str]
"""Unit, dimension and value."""


def nuggets(reading: Reading) -> Records:
    """Yield the nuggets of each topic, as claims of its reference."""
    repeats = SeenKeys()

    def row(fields: Fields) -> ReferenceRow:
        question = fields.name("qid", required=True)
        given = [nugget.text("text", blank=False) for nugget in fields.objects(NUGGETS)]
        if not given and not fields.problems:
            fields.complain(NUGGETS, "at least one nugget", "none")
        earlier = repeats.first(fields.where, question) if not fields.problems else None
        if earlier:
            fields.complain("qid", "each topic once", f"it again, as at {earlier}")
        return ReferenceRow(
            fields.where, question, {"claims": given, NUGGETS: fields.take(NUGGETS)}
        )

    return records_of(json_records(reading.source), reading.limits, row)


def _judgments(reading: Reading, read: Callable[[Fields], Iterator[UnitValue]]) -> Records:
    """Yield one row for each value that `read` finds in a record."""
    repeats = SeenKeys()
    judge = reading.system or PurePath(reading.name).stem[:LONG_NAME_CHARS]
    for line in json_records(reading.source):
        problems = list(line.problems(reading.limits))
        fields = Fields.of(line.value, line.where, problems) if not problems else None
        rows: list[JudgmentRow | None] = []
        if fields is not None:
            about = {
                "system": fields.name("run_id", required=True),
                "run": reading.run,
                "question_id": fields.name(
                    "qid" if fields.has("qid") else "topic_id", required=True
                ),
                "judge": judge,
                "judge_kind": "automatic" if _is_of_a_model(line.value) else "reference",
            }
            for unit, dimension, value in list(read(fields)):
                texts = dict.fromkeys(TEXTS, "") | about | {"unit": unit, "dimension": dimension}
                texts["skipped_reason" if value == FAILED else "value"] = value
                known = reading.limits.dimensions
                rows.append(judgment_row(texts, None, None, line.where, repeats, problems, known))
        if problems:
            yield from problems
        else:
            yield from (row for row in rows if row is not None)


def _labels(fields: Fields) -> Iterator[UnitValue]:
    """Yield the label of each judged citation, and of its sentence by the first one."""
    name = next((name for name in SENTENCES if fields.has(name)), "")
    given = [sentence.text("text") for sentence in fields.objects(name)] if name else None
    reached = 0
    for place, entry in enumerate(fields.objects(SUPPORTED)):
        text = entry.optional_text("answer")
        if given is not None:
            if text not in given[reached:]:
                expected = "a sentence of the answer after those before it"
                entry.complain("answer", expected, shown(entry.take("answer")))
                return
            place = given.index(text, reached)
        reached = place + 1
        yield from _of_sentence(entry, f"s{place + 1}")


def _of_sentence(entry: Fields, unit: str) -> Iterator[UnitValue]:
    """Yield the labels of one sentence. A citation's number is its place among the distinct
    citations of the sentence."""
    cited = entry.items("citations")
    numbers: dict[str, int] = {}
    for key in map(str, cited):
        numbers.setdefault(key, len(numbers) + 1)
    labels = entry.items("eval_scores")
    if len(labels) > len(cited):
        entry.complain("eval_scores", f"at most {len(cited)} labels", str(len(labels)))
        return
    seen: set[int] = set()
    for index, (key, label) in enumerate(zip(map(str, cited), labels, strict=False)):
        value = SUPPORT.get(label) if isinstance(label, str) else None
        if label is not None and value is None:
            name = f"eval_scores[{index}]"
            entry.complain(name, f"{', '.join(SUPPORT)} or null", shown(label))
        if value is not None and numbers[key] not in seen:
            seen.add(numbers[key])
            yield f"{unit}.c{numbers[key]}", "citation_support", value
            if numbers[key] == 1:
                yield unit, "trec_support", value


def _assigned(fields: Fields) -> Iterator[UnitValue]:
    """Yield for each nugget whether the answer has it. A nugget's number is its place among
    the distinct nuggets."""
    values = ASSIGNED | {FAILED: FAILED}
    numbers: dict[str, int] = {}
    seen: set[int] = set()
    for nugget in fields.objects(NUGGETS):
        text = nugget.text("text", blank=False).strip()
        number = numbers.setdefault(text, len(numbers) + 1)
        label = nugget.take("assignment")
        value = values.get(label, "") if isinstance(label, str) else ""
        if not value:
            nugget.complain("assignment", f"one of {', '.join(values)}", shown(label))
        elif number not in seen:
            seen.add(number)
            yield f"k{number}", "reference_said", value


def _is_of_a_model(value: Mapping[str, Any]) -> bool:
    """Return whether the labels include responses of a language model."""
    entries = value.get(SUPPORTED)
    return isinstance(entries, list) and any(
        isinstance(entry, dict) and any(name.endswith("_responses") for name in entry)
        for entry in entries
    )


def _has_assignments(beginning: Beginning) -> bool:
    record = first_record(beginning)
    given = record.get(NUGGETS)
    first = given[0] if isinstance(given, list) and given else None
    return isinstance(first, dict) and "run_id" in record and "assignment" in first


SUPPORT_FORMAT = Format(
    key="trec-support",
    title="TREC support labels",
    extensions=(".jsonl",),
    kind="judgments",
    description="A run with a label for each citation: full, partial or no support.",
    example=example_of("trec-support.jsonl"),
    begins_so=lambda beginning: SUPPORTED in first_record(beginning),
    records=lambda reading: _judgments(reading, _labels),
)

ASSIGNMENTS = Format(
    key="trec-assignments",
    title="TREC nuggets assigned to answers",
    extensions=(".jsonl",),
    kind="judgments",
    description="Which nuggets of its topic an answer has, as AutoNuggetizer writes it.",
    example=example_of("trec-assignments.jsonl"),
    begins_so=_has_assignments,
    records=lambda reading: _judgments(reading, _assigned),
)

NUGGETS_FORMAT = Format(
    key="trec-nuggets",
    title="TREC nuggets of topics",
    extensions=(".jsonl",),
    kind="references",
    description="The nuggets of one topic a line, which become the claims of its reference.",
    example=example_of("trec-nuggets.jsonl"),
    begins_so=lambda beginning: isinstance(first_record(beginning).get(NUGGETS), list),
    records=nuggets,
)
