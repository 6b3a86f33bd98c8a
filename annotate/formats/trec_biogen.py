"""Runs of TREC BioGen 2024: one document of answers, which cite lists of PMIDs.

In the text, a list in square brackets becomes marks with the sources' numbers.
"""

import re

from annotate.formats.fields import Fields
from annotate.formats.json_records import first_record, json_records, records_of
from annotate.formats.json_values import json_beginning, value_problems
from annotate.formats.open_file import HEAD_BYTES
from annotate.formats.passages_file import Find, with_passages
from annotate.formats.reading import Beginning, Format, Reading, Records, example_of
from annotate.formats.records import Problem, QuestionRecord, ResponseRecord, Where
from annotate.formats.trec_runs import References

ANSWERS, RUN = "results", "run_name"
_PMIDS = re.compile(r"\[[ \t]*(\d{1,9}(?:[ \t]*,[ \t]*\d{1,9})*)[ \t]*\]", re.ASCII)


def _responses(reading: Reading, find: Find | None) -> Records:
    """Yield a response for each topic, with abstracts from the passages file."""
    problems: list[Problem] = []
    run = _run_of(reading, problems)
    yield from problems
    lines = json_records(reading.source, under=(ANSWERS,))
    yield from records_of(
        lines, reading.limits, lambda fields: _response(fields, reading, find, run)
    )


def _run_of(reading: Reading, problems: list[Problem]) -> str:
    """Return the run's name, which precedes its answers."""
    with reading.source.path.open("rb") as file:
        head = json_beginning(file.read(HEAD_BYTES).decode("utf-8-sig", "replace"))
    about = {RUN: head.get(RUN)} if isinstance(head, dict) else {}
    problems += value_problems(about, Where(), reading.limits)
    return Fields(about, Where(), problems).name(RUN).strip()


def _response(fields: Fields, reading: Reading, find: Find | None, run: str) -> ResponseRecord:
    topic_id = fields.name("topic_id", required=True)
    passages = References(fields, reading, find)
    answer = fields.text("answer", blank=False)

    def marks(found: re.Match[str]) -> str:
        keys = (key.strip() for key in found[1].split(","))
        return "".join(f"[{n}]" for n in dict.fromkeys(passages.named(key).n for key in keys))

    output = _PMIDS.sub(marks, answer)
    return ResponseRecord(
        where=fields.where,
        question=QuestionRecord(fields.optional_text("question").strip(), topic_id),
        output=output,
        system=run or reading.system,
        run=reading.run,
        passages=passages.in_order(),
        metadata=fields.rest(),
    )


def _begins_so(beginning: Beginning) -> bool:
    first = first_record(beginning, (ANSWERS,)) if ANSWERS in beginning.members else {}
    return "topic_id" in first and isinstance(first.get("answer"), str)


FORMAT = Format(
    key="trec-biogen",
    title="TREC run of BioGen, 2024",
    extensions=(".json",),
    kind="outputs",
    description="One document with all answers of a run, each a text with lists of PMIDs in square "
    "brackets; the abstracts are in a separate passages file.",
    example=example_of("trec-biogen.json"),
    begins_so=_begins_so,
    records=lambda reading: with_passages(reading, _responses),
)
