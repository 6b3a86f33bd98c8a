"""Answers of every type go out as files and come in again, whatever they are."""

import json
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotate.content.judgments import record_judgment
from annotate.exchange import streams
from annotate.models import Judgment, Unit
from annotate.studies.wordings import import_file, protocol_file_of, save_dimension
from tests.annotate.loading import check
from tests.evaluation.rubric import EVERY, rubric_study
from tests.shared_rows import shared_rows
from tests.uploads.steps import loaded


def some_of(values):
    return st.lists(st.sampled_from(values), max_size=4).map(lambda some: "|".join(some) or "-")


def spans(passage, labels):
    """Marked words within the first words of a text."""
    one = st.tuples(st.integers(0, 9), st.integers(1, 9), st.sampled_from(labels)).map(
        lambda span: f"{passage}{span[0]}-{span[0] + span[1]}:{span[2]}"
    )
    return st.lists(one, max_size=4).map(lambda some: "|".join(some) or "-")


texts = st.text(st.characters(exclude_categories=("Cs", "Cc")), min_size=1, max_size=60)
ANSWERS = {
    ("r", "sure"): st.integers(0, 1000).map(lambda n: str(n / 10)),
    ("r", "harms"): some_of(["insult", "advice", "private"]),
    ("r", "worst"): st.sampled_from(["mild", "grave"]),
    ("s1", "errors"): spans("", ["made_up:minor", "left_out:major"]),
    ("s1", "repair"): st.one_of(texts, st.just('a, "b"\nc\t=1')).filter(str.strip),
    ("s1.c1", "proof"): spans("p1@", ["speaks_for", "against"]),
}


def of_vermilion(study):
    found = Unit.objects.filter(response__study=study, response__system__name="Vermilion")
    return {unit.key: unit for unit in found}


@pytest.mark.django_db
@settings(
    max_examples=8,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(given=st.fixed_dictionaries(ANSWERS))
def test_export_can_be_imported_unchanged(trips, given):
    here, there = trips
    Judgment.objects.all().delete()
    judge = here.judges.get_or_create(name="ann", kind="simulated")[0]
    units = of_vermilion(here)
    for (unit, key), value in given.items():
        record_judgment(judge=judge, unit=units[unit], dimension=key, value=value)
    rows = "".join(streams.judgments_csv(here)), "".join(streams.judgments_jsonl(here))
    for name, content in zip(("j.csv", "j.jsonl"), rows, strict=True):
        Judgment.objects.filter(judge__study=there).delete()
        upload = loaded(there, content.encode(), name)
        assert upload.result["judgments"] == len(ANSWERS), upload.findings
        again = "".join(streams.judgments_csv(there)), "".join(streams.judgments_jsonl(there))
        assert [bare(text) for text in again] == [bare(text) for text in rows]


def bare(text):
    """Without the study's name."""
    return text.replace("rubric", "there")


@shared_rows
def trips(alice):
    return (
        rubric_study(alice, questions=1, file=EVERY),
        rubric_study(alice, "there", questions=1, file=EVERY),
    )


@shared_rows
def study(alice):
    return rubric_study(alice, questions=1, file=EVERY)


def line(unit, key, value, **more):
    row = {
        "system": "Vermilion", "question_id": "q1", "unit": unit, "dimension": key,
        "judge": "ann", "judge_kind": "human", "value": value,
    }  # fmt: skip
    return json.dumps(row | more) + "\n"


def told(study, *lines):
    """The places and words of what a check says of judgments."""
    return str(check(study, "j.jsonl", "".join(lines)).findings)


def test_marked_words_that_are_not_there_are_refused_with_line_and_field(study):
    found = told(
        study,
        line("s1", "errors", "0-4:made_up:major"),
        line("s2", "errors", "0-99:made_up:major"),
        line("s1.c1", "proof", "p1@0-4:against|p9@0-4:against"),
    )
    for words in (
        "line 2, field value",
        "line 3, field value",
        "“0-99:made_up:major”",
        "“p9@0-4:against”",
        "places of words that are there",
    ):
        assert words in found
    assert "“0-4:made_up:major”" not in found


def test_a_version_that_the_study_never_had_is_refused(study, elsewhere):
    save_dimension(study, replace(study.protocol["sure"], question="?"), replaces="sure")
    import_file(
        elsewhere, replace(protocol_file_of(study), earlier=())
    )  # as files were written before
    assert elsewhere.protocol["sure"].version == 2
    rows = line("r", "sure", "5", version="2", judge="ben") + line("r", "sure", "5")
    loaded(elsewhere, rows.encode(), "j.jsonl")
    found = Judgment.objects.filter(judge__study=elsewhere, dimension="sure")
    assert [*found.values_list("wording", flat=True)] == [f"{elsewhere.pk}/sure:2"] * 2
    assert "version 2, which this study has" in told(
        elsewhere, line("r", "sure", "5", version="1", judge="cas")
    )
