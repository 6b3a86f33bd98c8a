"""Labels made of votes: by which rule, of whose votes, and what they look like outside."""

import csv
from collections.abc import Iterable

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client
from django.urls import reverse
from django.utils.html import escape

from annotate.authentication import new_token
from annotate.models import AuditEntry, Judge, Judgment
from annotate.studies.lifecycle import create_study
from evaluation.labels.study_labels import Method, judge_name, labels, labels_csv, left_out
from evaluation.statistics.majority import rule_of
from tests.annotate.loading import load, load_judgments, load_peaks, response
from tests.evaluation.desk import batch, exclude, gives, rater, says, task, unit
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db


def short(found: Iterable) -> dict:
    return {(label.key, label.dimension): (label.value, label.score) for label in found}


def vote(judges, where, dimension, *values):
    for judge, value in zip(judges, values, strict=False):
        says(judge, where, dimension, value)


def rows(study, method, within=None):
    return list(csv.DictReader("".join(labels_csv(study, method, within)).splitlines()))


def test_majority_with_its_ties(peaks, three, quiet):
    quiet()
    vote(three, unit(peaks, "s1"), "citation_recall", "yes", "yes", "no")
    vote(three, unit(peaks, "s2"), "citation_recall", "yes", "no")
    vote(three, unit(peaks, "s2.c1"), "citation_support", "full", "none", "partial")
    vote(three, unit(peaks, "r"), "utility", "5", "2", "3")
    assert short(labels(peaks, Method.MAJORITY)) == {
        ("r", "utility"): ("3", 0.3333),
        ("s1", "citation_recall"): ("yes", 0.6667),
        ("s2", "citation_recall"): ("no", 0.5),
        ("s2.c1", "citation_support"): ("none", 0.3333),
    }


def test_excluded_raters_have_no_vote_and_are_counted(peaks, three, quiet):
    quiet()
    vote(three, unit(peaks, "s1"), "citation_recall", "yes", "no", "no")
    says(three[1], unit(peaks, "s2"), "citation_recall", reason="cannot tell")
    assert short(labels(peaks, Method.MAJORITY))["s1", "citation_recall"] == ("no", 0.6667)
    assert left_out(peaks) == 0
    exclude(three[1])
    exclude(three[2])
    assert short(labels(peaks, Method.MAJORITY)) == {("s1", "citation_recall"): ("yes", 1.0)}
    assert left_out(peaks) == 2
    assert Judgment.objects.filter(judge__in=three).count() == 4


@shared_rows
def ais(alice):
    made = create_study(name="Sources", slug="sources", preset="ais", owner=alice)
    load(made, [response("2,962 metres."), response("About 3 km.", system="Quokka-9B")])
    return made


def test_uninterpretable_response_counts_as_not_attributable(ais):
    # Two of five find it interpretable and attributable; three were never asked the second.
    judges = [rater(ais, f"rater-{n}") for n in range(5)]
    where = unit(ais, "r")
    vote(judges, where, "interpretable", "yes", "yes", "no", "no", "no")
    vote(judges[:2], where, "attributable", "yes", "yes")
    assert short(labels(ais, Method.MAJORITY)) == {
        ("r", "interpretable"): ("no", 0.6),
        ("r", "attributable"): ("no", 0.6),
    }


def test_only_what_was_rated_in_a_batch(peaks, three, quiet):
    quiet()
    made = batch(peaks, "citation_recall")
    gives(made, three[0])
    task(made.items.get(response=unit(peaks, "s1", question="q2").response), three[1])
    vote(three, unit(peaks, "s1"), "citation_recall", "yes", "no", "no")
    vote(three, unit(peaks, "s1", question="q2"), "citation_recall", "yes", "no", "yes")
    vote(three, unit(peaks, "s2.c1"), "citation_support", "full")
    # The first response was given to the first rater only, the second one to the second too.
    found = list(labels(peaks, Method.MAJORITY, made))
    assert [(label.value, label.note) for label in found] == [
        ("yes", "1 of 1 votes"),
        ("no", "1 of 2 votes"),
    ]
    exclude(three[1])
    assert (left_out(peaks, made), left_out(peaks)) == (1, 2)


def test_the_adjudicator_has_the_last_word(peaks, three, quiet):
    quiet()
    adjudicator = rater(peaks, "adjudicated", kind=Judge.Kind.ADJUDICATED)
    vote(three, unit(peaks, "s1"), "citation_recall", "no", "no", "no")
    vote(three, unit(peaks, "s2"), "citation_recall", "yes", "yes", "no")
    says(adjudicator, unit(peaks, "s1"), "citation_recall", "yes")
    says(adjudicator, unit(peaks, "s2"), "citation_recall", reason="cannot tell")
    says(adjudicator, unit(peaks, "s2.c1"), "citation_support", "partial")
    found = {label.key: label for label in labels(peaks, Method.ADJUDICATED)}
    assert {key: (x.value, x.score, x.note) for key, x in found.items()} == {
        "s1": ("yes", None, "adjudicated"),
        "s2": ("yes", 0.6667, "majority: 2 of 3 votes"),
        "s2.c1": ("partial", None, "adjudicated"),
    }
    assert short(labels(peaks, Method.MAJORITY))["s1", "citation_recall"] == ("no", 1.0)


@pytest.mark.parametrize("method", Method)
def test_the_long_form(peaks, three, quiet, method):
    quiet()
    vote(three, unit(peaks, "s1"), "citation_recall", "yes", "yes", "yes")
    [row] = rows(peaks, method)
    assert {key: value for key, value in row.items() if key not in {"judge", "note"}} == {
        "study": "peaks",
        "system": "Vermilion",
        "run": "",
        "question_id": "q1",
        "unit": "s1",
        "dimension": "citation_recall",
        "judge_kind": "adjudicated" if method == "adjudicated" else "majority",
        "value": "yes",
        "score": "1.0",
        "skipped_reason": "",
        "seconds": "",
        "created": "",
    }
    assert row["judge"] == judge_name(method)


def test_labels_come_back_as_a_judge_of_their_own(peaks, three, quiet, alice):
    """The file that goes out loads again into a study with the same outputs."""
    quiet()
    vote(three, unit(peaks, "s1"), "citation_recall", "yes", "yes", "no")
    other = create_study(name="Copy", slug="copy", preset="alce", owner=alice)
    load_peaks(other)
    load_judgments(other, [row | {"study": ""} for row in rows(peaks, Method.MAJORITY)])
    again = Judgment.objects.get(judge__study=other, judge__kind=Judge.Kind.MAJORITY)
    assert (again.value, again.score, again.unit.key) == ("yes", 0.6667, "s1")
    # They are no votes there.
    assert short(labels(other, Method.MAJORITY))["s1", "citation_recall"] == ("yes", 1.0)


# Pages and the command ---------------------------------------------------------------------------


def test_the_page_prints_the_rule_and_what_is_left_out(peaks, three, quiet, bob, signed_in):
    quiet()
    vote(three, unit(peaks, "s1"), "citation_recall", "yes", "no")
    exclude(three[1])
    page = signed_in(bob).get(reverse("labels", args=["peaks"])).content.decode()
    assert escape(rule_of(peaks.protocol[key] for key in peaks.dimensions)) in page
    assert "nterpretable" not in page
    assert "1 answer of excluded raters or in unfinished tasks is left out." in page
    for method in Method:
        assert judge_name(method) in page
        assert f"{reverse('download-labels', args=['peaks'])}?method={method}" in page


@pytest.mark.parametrize(
    ("page", "address", "args", "query"),
    [
        ("download-labels", "api-labels", [], {"method": "majority"}),
        ("download-exchange", "api-exchange", ["alce-citations"], {"labels": "majority"}),
    ],
)
def test_a_program_gets_what_the_page_gives(
    peaks, three, bob, signed_in, page, address, args, query
):
    program = Client(headers={"authorization": f"Bearer {new_token(bob, 'script')}"})
    taken = [
        client.get(reverse(name, args=["peaks", *args]), query)
        for client, name in ((signed_in(bob), page), (program, address))
    ]
    assert [answer.status_code for answer in taken] == [200, 200]
    of_page, of_address = (b"".join(answer) for answer in taken)
    assert of_address == of_page
    told = AuditEntry.objects.filter(act="exported").order_by("id")
    assert [entry.details["what"] for entry in told] == [page, address]
    assert program.get(reverse("api-scorers-list", args=["peaks"])).json()["scorers"] == []


def test_the_download_of_one_batch(peaks, three, bob, signed_in):
    made = batch(peaks, "citation_recall")
    answer = signed_in(bob).get(reverse("download-labels", args=["peaks"]), {"batch": made.pk})
    assert b"".join(answer.streaming_content).decode().count("\n") == 1


def test_unknown_methods_and_batches_are_not_found(peaks, elsewhere, bob, signed_in):
    theirs = {"batch": batch(elsewhere).pk}
    for name, query in (
        ("download-labels", {"method": "guess"}),
        *(("download-labels", {"batch": key}) for key in ("x", "9" * 30, "²")),
        ("download-labels", theirs),
        ("labels", theirs),
    ):
        answer = signed_in(bob).get(reverse(name, args=["peaks"]), query)
        assert answer.status_code == 404, (name, query)


def test_the_command_writes_the_same(peaks, three, capsys, tmp_path):
    says(three[0], unit(peaks, "s2"), "citation_recall", "yes")
    exclude(three[0])
    call_command("aggregate", "peaks", "--method", "majority")
    said = capsys.readouterr()
    assert said.out == "".join(labels_csv(peaks, Method.MAJORITY))
    assert "Left out, of excluded raters or unfinished tasks: 1 answer." in said.err
    call_command("aggregate", "peaks", "--output", str(tmp_path / "labels.csv"))
    assert (tmp_path / "labels.csv").read_bytes().decode() == said.out


def test_the_command_takes_one_batch(peaks, three, capsys):
    made = batch(peaks, "citation_recall")
    gives(made, three[0])
    says(three[0], unit(peaks, "s2"), "citation_recall", "yes")
    call_command("aggregate", "peaks", "--batch", "First")
    assert capsys.readouterr().out == "".join(labels_csv(peaks, Method.MAJORITY, made))
    with pytest.raises(CommandError, match=r"no batch “Second”\. Known: “First”"):
        call_command("aggregate", "peaks", "--batch", "Second")
