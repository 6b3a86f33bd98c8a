"""Judgments as JSON Lines, with answers as JSON says them."""

import json
from typing import Any

import pytest

from annotate import uploads
from annotate.exchange.streams import judgments_jsonl
from annotate.models import Judgment
from tests.annotate.loading import check, judgment, load_judgments
from tests.evaluation.rubric import EVERY, rubric_study
from tests.shared_rows import shared_rows

SAID: dict[tuple[str, str], tuple[str, Any]] = {
    ("r", "sure"): ("12.5", 12.5),
    ("r", "harms"): ("insult|private", ["insult", "private"]),
    ("r", "worst"): ("mild", None),
    ("s1", "errors"): (
        "4-13:made_up:major",
        [{"start": 4, "end": 13, "label": "made_up", "severity": "major", "words": "Zugspitze"}],
    ),
    ("s1", "repair"): ("It is high.", "It is high."),
    ("s1.c1", "proof"): (
        "p1@3-8:against",
        [{"passage": 1, "start": 3, "end": 8, "label": "against", "words": "2,962"}],
    ),
    ("s2", "errors"): ("-", []),
}


@shared_rows
def study(alice):
    study = rubric_study(alice, questions=1, file=EVERY)
    rows = [judgment(unit, key, value, judge="ann") for (unit, key), (value, _) in SAID.items()]
    load_judgments(study, rows)
    return study


def exported(study):
    return [json.loads(line) for line in judgments_jsonl(study)]


def loaded(study, rows):
    text = "".join(json.dumps(row) + "\n" for row in rows)
    upload = check(study, "judgments.jsonl", text)
    assert upload.findings["judgments"] == len(rows), upload.findings
    uploads.accept(upload)
    uploads.work(upload.pk)


def test_each_answer_stands_beside_its_value(study):
    found = {(row["unit"], row["dimension"]): row for row in exported(study)}
    assert {key: (row["value"], row.get("answer")) for key, row in found.items()} == SAID
    assert "answer" not in found["r", "worst"]


@pytest.mark.parametrize("left_out", ["value", "answer", "neither"])
def test_either_is_enough(study, alice, left_out):
    rows = exported(study)
    for row in rows:
        if "answer" in row:
            row.pop(left_out, None)
    other = rubric_study(alice, "other", questions=1, file=EVERY)
    loaded(other, rows)
    own = Judgment.objects.filter(unit__response__study=other)
    assert {(j.unit.key, j.dimension): j.value for j in own} == {
        key: value for key, (value, _) in SAID.items()
    }
    assert [{**row, "study": ""} for row in exported(other)] == [
        {**row, "study": ""} for row in exported(study)
    ]


@pytest.mark.parametrize(
    ("key", "changes", "said"),
    [
        (("r", "sure"), {"answer": 13}, "what value says, “12.5”"),
        (("r", "worst"), {"answer": "mild"}, "a single choice goes in value"),
        (("r", "harms"), {"answer": "insult"}, "a list of choices"),
        (("s1", "errors"), {"answer": [SAID["s1", "errors"][1][0] | {"words": "Zugspitz"}]},
         "“Zugspitze”, the words at these places, counted in code points"),
        (("s1.c1", "proof"), {"answer": [SAID["s1.c1", "proof"][1][0] | {"words": "2.962"}]},
         "“2,962”, the words at these places"),
    ],
)  # fmt: skip
def test_what_does_not_agree_is_refused_with_its_line(study, key, changes, said):
    [row] = [row for row in exported(study) if (row["unit"], row["dimension"]) == key]
    row |= {**changes, "judge": "ben"}
    upload = check(study, "judgments.jsonl", json.dumps(row))
    problem = upload.findings
    assert said in str(problem)
    assert "answer" in str(problem)
