"""A protocol is one file: reports, raters, labels and the desk are made of it.

The file is that of docs/extending.md."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def found():
    done = subprocess.run(
        [sys.executable, "-m", "tests.evaluation.another_dimension"],
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-3_000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_a_rater_answers_it_in_the_form(found):
    walk = found["walk"]
    assert walk["asks"]
    assert walk["offers"] == ["Fitting", "Odd", "Wrong"]
    assert walk["saved"] == [200, 422, 200]
    assert walk["finished"] == 200
    assert walk["refused by the database"] == "IntegrityError"


def test_a_program_is_asked_it_and_reads_it(found):
    program = found["program"]
    assert program["listed"] == ["usable", "tone"]
    assert program["saved"] == [200, 409, 200]
    assert program["finished"] == 200
    assert program["answers"] == [1]


def test_the_answer_is_exported_and_reported(found):
    walk = found["walk"]
    [row] = walk["exported"]
    assert ",odd," in row
    assert walk["reported"] == ["usable", "tone"]
    assert "Tone" in walk["headings"]
    assert walk["tables"]


def test_the_report_of_a_study_without_it_is_built(found):
    assert found["other report"] == ["utility"]


def test_a_report_has_it_with_its_facts(found):
    # Six votes: one of them of who was not asked, with the lowest choice.
    assert found["distribution"] == {"wrong": 1, "odd": 2, "fitting": 3}
    # Odd and odd, fitting and fitting, fitting and wrong: a tie falls to the lower one, and is half
    # a vote for the system.
    assert found["labels"] == ["odd", "fitting", "wrong"]
    assert found["share"] == pytest.approx((0 + 1 + 0.5) / 3, abs=1e-6)


def test_the_pages_of_the_batch_and_of_raters_have_it(found):
    assert found["monitor"] == {"usable": 3, "tone": 3}
    assert found["raters"] == [6, 6]
    assert "tone" in found["rater"]


def test_the_desk_asks_it_in_its_place(found):
    assert found["steps"][0] == "r:usable"
    assert found["steps"][-1] == "r:tone"
    assert found["in sight"] == 0
