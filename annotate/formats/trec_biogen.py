"""Runs of TREC's BioGen of 2024: one document with all answers, each a text with lists of PMIDs in
square brackets.

Within the text a list becomes marks of the sources' numbers, which people and judges read.
"""

import re

from annotate.formats.fields import Fields
from annotate.formats.format import Beginning, Format
from annotate.formats.json_beginning import json_beginning
from annotate.formats.json_records import first_record, json_records
from annotate.formats.open_file import HEAD_BYTES, OpenFile
from annotate.formats.passages_file import Find, with_passages
from annotate.formats.reading import Reading, Records
from annotate.formats.records import QuestionRecord, ResponseRecord
from annotate.formats.trec_runs import References

ANSWERS = "results"
_PMIDS = re.compile(r"\[[ \t]*(\d{1,9}(?:[ \t]*,[ \t]*\d{1,9})*)[ \t]*\]", re.ASCII)


def records(reading: Reading) -> Records:
    """A response for each topic; the abstracts come from the file beside it."""
    yield from with_passages(reading, _responses)


def _responses(reading: Reading, find: Find | None) -> Records:
    run = _run_of(reading.source)
    for line in json_records(reading.source, under=(ANSWERS,)):
        problems = list(line.problems(reading.limits))
        fields = None if line.faults else Fields.of(line.value, line.where, problems)
        record = _response(fields, reading, find, run) if fields is not None else None
        if problems or record is None:
            yield from problems
        else:
            yield record


def _run_of(source: OpenFile) -> str:
    """The run's name, which stands before its answers."""
    with source.path.open("rb") as file:
        head = json_beginning(file.read(HEAD_BYTES).decode("utf-8-sig", "replace"))
    named = head.get("run_name") if isinstance(head, dict) else None
    return named.strip() if isinstance(named, str) else ""


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


EXAMPLE = (
    '{"team_id": "example-team", "run_name": "example-run", "contact_email": "us@example.org", '
    '"results": [{"topic_id": "116", "question": "How high is the Zugspitze?", "answer": "The '
    "Zugspitze is 2,962 metres high [31295471]. It belongs to the Wetterstein mountains "
    '[23209391, 31295471].", "references": ["31295471", "23209391"]}]}\n'
)

FORMAT = Format(
    key="trec-biogen",
    title="TREC run of BioGen, 2024",
    extensions=(".json",),
    kind="outputs",
    description="One document with all answers of a run, each a text with lists of PMIDs in square "
    "brackets; the abstracts stand in a passages file beside it.",
    example=EXAMPLE,
    begins_so=_begins_so,
    records=records,
)
