"""What raters marked and flagged, as files."""

import csv
from datetime import UTC, datetime

import pytest
from django.urls import reverse

from annotate.models import Evidence, Flag, Judge, Judgment, Source
from tests.evaluation.desk import exclude, rater, unit
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 3, 2, 12, tzinfo=UTC)


def rows(client, name):
    answer = client.get(reverse(name, args=["peaks"]))
    assert answer["Content-Type"].startswith("text/csv")
    assert answer.streaming
    return list(csv.DictReader(b"".join(answer).decode().splitlines()))


@shared_rows
def marked(peaks):
    judge = rater(peaks, "rater-1")
    source = Source.objects.filter(response=unit(peaks, "r").response).order_by("n")[0]
    Evidence.objects.create(
        judge=judge, unit=unit(peaks, "s1"), dimension="citation_recall",
        source=source, start=2, end=9, created_at=NOON,
    )  # fmt: skip
    return source


def test_evidence_has_the_text_of_the_stretch(marked, bob, signed_in):
    [row] = rows(signed_in(bob), "download-evidence")
    assert row == {
        "study": "peaks",
        "system": "Vermilion",
        "run": row["run"],
        "question_id": "q1",
        "unit": "s1",
        "dimension": "citation_recall",
        "judge": "rater-1",
        "standing": "active",
        "kind": "evidence",
        "n": str(marked.n),
        "start": "2",
        "end": "9",
        "text": marked.passage.text[2:9],
        "created": NOON.isoformat(),
        "counted": "unfinished",
    }


def test_flags_stand_or_were_withdrawn(peaks, bob, signed_in):
    judge = rater(peaks, "rater-1")
    Flag.objects.create(
        judge=judge, unit=unit(peaks, "s1"), reason="broken", note='cut, "off"', created_at=NOON
    )
    Flag.objects.create(judge=judge, unit=unit(peaks, "s2"), reason="other", withdrawn_at=NOON)
    first, second = rows(signed_in(bob), "download-flags")
    assert (first["unit"], first["judge"], first["reason"]) == ("s1", "rater-1", "broken")
    assert (first["note"], first["created"]) == ('cut, "off"', NOON.isoformat())
    assert (first["withdrawn"], second["withdrawn"]) == ("", NOON.isoformat())


def test_replaced_responses_are_left_out(marked, peaks, bob, signed_in):
    response = unit(peaks, "r").response
    Flag.objects.create(
        judge=Judge.objects.get(name="rater-1"), unit=unit(peaks, "s1"), reason="other"
    )
    response.live = None
    response.save()
    assert rows(signed_in(bob), "download-evidence") == []
    assert rows(signed_in(bob), "download-flags") == []


@shared_rows
def counting(peaks, alice):
    """Raters who each marked and flagged the same: in a finished rating, in an unfinished one, in a
    finished one of a rater who is excluded, before any answer; and known answers."""
    source = Source.objects.filter(response=unit(peaks, "r").response).order_by("n")[0]
    for name, unfinished in (("done", False), ("going on", True), ("out", False), ("begun", None)):
        judge = rater(peaks, name)
        about = {"judge": judge, "unit": unit(peaks, "s1")}
        Evidence.objects.create(**about, dimension="citation_recall", source=source, start=2, end=9)
        Flag.objects.create(**about, reason="broken")
        if unfinished is not None:
            Judgment.objects.create(
                **about, dimension="citation_recall", value="yes", unfinished=unfinished
            )
    exclude(Judge.objects.get(name="out"))
    known = Judge.objects.create(study=peaks, name="Known", kind=Judge.Kind.REFERENCE)
    Evidence.objects.create(
        judge=known, unit=unit(peaks, "s1"), dimension="citation_recall", source=source,
        start=0, end=4,
    )  # fmt: skip


@pytest.mark.parametrize("name", ["download-evidence", "download-flags"])
def test_each_row_says_whether_the_rating_that_it_is_part_of_counts(counting, bob, signed_in, name):
    found = {row["judge"]: row["counted"] for row in rows(signed_in(bob), name)}
    known = {"Known": ""} if name == "download-evidence" else {}
    assert found == known | {
        "done": "yes",
        "going on": "unfinished",
        "out": "excluded",
        "begun": "unfinished",
    }
    wanted = signed_in(bob).get(reverse(name, args=["peaks"]), {"counted": "1"})
    assert "-counted.csv" in wanted["Content-Disposition"]
    lines = csv.DictReader(b"".join(wanted).decode().splitlines())
    assert {row["judge"] for row in lines} == {"done", *known}
