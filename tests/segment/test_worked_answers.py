"""Worked answers: those of the design, where they lie beside the project, and more of their kinds,
written from the same rules."""

import json
from pathlib import Path

from annotate.text.worked import as_worked, divide_worked
from tests.cases import each

DESIGN = Path(__file__).resolve().parents[3] / "shared" / "cases" / "answers.jsonl"
OWN = Path(__file__).with_name("answers.jsonl")


def records(file):
    if not file.exists():
        return []
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


@each("record", [*records(DESIGN), *records(OWN)], ids=lambda record: record["id"])
def test_worked_answer(record):
    assert as_worked(record, divide_worked(record)) == record["expected"]
