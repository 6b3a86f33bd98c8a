"""What the check counts, warns of and suggests, without writing anything."""

import pytest

from tests.cases import each
from tests.uploads.files import alce, item, response
from tests.uploads.files import lines as as_lines
from tests.uploads.steps import State, check, loaded, warnings


def test_check_counts_what_would_be_loaded(study):
    found = check(study, alce(item(1), item(2), args={"model": "m"})).findings
    counts = {key: found[key] for key in ("records", "new", "unchanged", "changed", "questions")}
    assert counts == {"records": 2, "new": 2, "unchanged": 0, "changed": 0, "questions": 2}
    assert (found["statements"], found["citations"], found["passages"]) == (4, 4, 4)
    assert found["systems"] == {"m": 2}
    assert found["warnings"] == []
    assert found["problem_count"] == 0


WARNED = [
    ("out_of_range", item(2, output="Round [1][7]. Blue [9].")),
    ("uncited", item(2, output="It is round. It is blue.")),
    ("empty", item(2, output="")),
    ("empty", item(2, output=" \n ")),
    ("cut", item(2, output="Round [1].\nAnd blue [2].")),
    ("no_passage", item(2, output="It is round. It is blue.", docs=[])),
    ("same_question", item(2, question="What is thing 1?")),
    ("samples", item(2, output=["Round [1].", "Blue [2]."])),
]


@each(("kind", "bad"), WARNED)
def test_a_warning_names_its_place(study, kind, bad):
    study.lines = "first" if kind == "cut" else "all"
    study.save()
    upload = check(study, alce(item(1), bad, item(3)))
    assert upload.state == State.READY
    assert set(warnings(upload)) - {"uncited"} == {kind} - {"uncited"}
    (warning,) = [w for w in upload.findings["warnings"] if w["kind"] == kind]
    assert warning["count"] == (2 if kind == "out_of_range" else 1)
    assert warning["places"] == ["item data[1]" if "data" in warning["places"][0] else "item [1]"]
    assert warning["message"]


def test_spans_that_a_reading_does_not_take_are_counted(study):
    cited = {"citations": [{"start": 0, "end": 7, "passages": [1]}] * 2}
    line = as_lines(response(1, output="Thing 1 is round [1].", **cited))
    assert warnings(check(study, line, "r.jsonl")) == {}
    study.lines = "first"
    study.save()
    assert warnings(check(study, line, "r.jsonl")) == {"spans": 2}


def test_citations_of_given_statements_without_their_marks_are_counted(study):
    given = {
        "output": "Thing 1 is round [1]. It is blue. It is old [1][2].",
        "statements": [
            {"text": "Thing 1 is round.", "passages": [1, 2]},
            {"text": "It is blue.", "passages": [2]},
            {"text": "It is old.", "passages": [2]},
        ],
    }
    upload = check(study, as_lines(response(1, **given)), "r.jsonl")
    assert warnings(upload)["unmarked"] == 2
    marked = {"output": "Round [1][2]. Blue [2].", "statements": [
        {"text": "Round.", "passages": [1, 2]}, {"text": "Blue.", "passages": [2]}]}  # fmt: skip
    assert warnings(check(study, as_lines(response(1, **marked)), "m.jsonl")) == {}


def in_language(language, system="System A"):
    row = response(1, system=system)
    row["question"]["language"] = language
    return as_lines(row)


def test_the_language_that_a_question_had_first_stays(study):
    assert warnings(loaded(study, in_language("zh", "A"), "a.jsonl")) == {}
    assert warnings(loaded(study, in_language("ja", "B"), "b.jsonl")) == {"language": 1}
    assert warnings(loaded(study, in_language("", "C"), "c.jsonl")) == {}
    assert list(study.questions.values_list("language", flat=True)) == ["zh"]


def test_a_question_that_the_study_has_under_another_id(study):
    loaded(study, alce(item(1)), "a.json", system="A")
    upload = check(study, alce(item(8, question="What is thing 1?")), "b.json", system="B")
    assert warnings(upload) == {"same_question": 1}


ARGS = {"model": "meta/Example-7b", "shot": 2, "ndoc": 5, "seed": 42}
NAMED = "Example-7b, 2-shot, 5 passages"


@pytest.mark.usefixtures("small_chunks")
@each("args_last", [False, True])
def test_suggestions_hold_for_all_of_a_long_file(study, args_last):
    content = alce(*(item(n) for n in range(10)), args=ARGS, args_last=args_last)
    found = loaded(study, content, "long.json").findings
    assert (found["suggested_system"], found["suggested_run"]) == (NAMED, "42")
    assert list(study.systems.values_list("name", flat=True)) == [NAMED]
    assert set(study.responses.values_list("run", flat=True)) == {"42"}


def test_given_names_have_priority_over_args(study):
    content = alce(item(1), args=ARGS)
    upload = loaded(study, content, system=" Mine ", run="7")
    assert upload.findings["systems"] == {"Mine": 1}
    assert study.responses.get().run == "7"
