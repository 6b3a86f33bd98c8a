"""The worked answers of the design, where they lie beside the project."""

import json
from pathlib import Path

import pytest

from annotate.segment.worked import as_worked, divide_worked

CASES = Path(__file__).resolve().parents[3] / "shared" / "cases" / "answers.jsonl"


def records():
    if not CASES.exists():
        return []
    return [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


@pytest.mark.skipif(not CASES.exists(), reason="the worked answers are not beside the project")
def test_there_are_sixty():
    assert len(records()) == 60


@pytest.mark.parametrize("record", records(), ids=lambda record: record["id"])
def test_worked_answer(record):
    assert as_worked(record, divide_worked(record)) == record["expected"]
