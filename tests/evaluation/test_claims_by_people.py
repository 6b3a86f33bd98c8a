"""Claims that people wrote, beside one another and the parser's: agreement, pages, files."""

import csv
import io
import json
import zipfile
from fractions import Fraction

import pyarrow.parquet as pq
import pytest
from django.urls import reverse

from annotate.exchange import parquet, streams
from annotate.models import Assignment, Unit
from annotate.rating.answering import finish
from annotate.rating.task_steps import steps_of
from annotate.studies.lifecycle import create_study
from evaluation.labels.claim_agreement import claim_agreement
from evaluation.report_pages.bundle import write_bundle
from evaluation.report_pages.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.bundle import read_bundle
from evaluation.reports.filters import Filters
from tests.annotate.cups import CUPS, GLASS, PARSED, PLASTIC, cups_of, parsers_claims, says, task_of
from tests.annotate.loading import judgment, load, response
from tests.annotate.pages import visible
from tests.annotate.rating import open_work
from tests.evaluation.reports.studies import differences
from tests.shared_rows import shared_rows
from tests.uploads.steps import check, loaded, problems

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("counts_hold")]
REST = {"utility": "4", "claim_recall": "yes", "claim_support": "full", "pf_utility": "useful"}


def seen(client, address):
    return " ".join(visible(client.get(address).content.decode()).split())


@shared_rows
def cups(alice):
    return cups_of(alice)


@shared_rows
def written(cups):
    """Two raters: of plastic they wrote the same, of glass the second leaves a word out."""
    batch = open_work(cups, raters_per_item=2)
    for name, words in (("anna", (GLASS, PLASTIC)), ("ben", ("0-16 20-25", PLASTIC))):
        task = task_of(batch, name)
        for key, chosen in zip(("s1.g1", "s1.g2"), words, strict=True):
            says(task, f"{key}:claim_words", words=chosen)
        says(task, "s2.g1:claim_words", "no")
        for step in steps_of(batch, task.item):
            if not step.dimension.writes and not step.key.startswith("s2.g1"):
                value = REST[step.dimension.key]
                is_ben = name == "ben" and step.key == "s1.g1:claim_recall"
                says(task, step.key, "no" if is_ben else value)
        finish(task)
    return batch


def test_agreement_of_people(written):
    people, parser = claim_agreement(written)
    # Cups can be made of glass | Cups can be made glass: 5 shared of 6 and of 5
    glass = 2 * Fraction(5, 6) * 1 / (Fraction(5, 6) + 1)
    assert (people.groups, people.pairs) == (2, 2)
    assert people.f1.value == pytest.approx(float((glass + 1) / 2))
    assert people.exact.value == 1 / 2
    assert (parser.groups, parser.f1.reason) == (0, "no group has two claims")


def test_agreement_with_the_parser(cups, written):
    parsers_claims(cups, *PARSED)
    _, parser = claim_agreement(written)
    glass = (1 + 2 * Fraction(5, 6) / (Fraction(5, 6) + 1)) / 2
    assert (parser.groups, parser.pairs) == (2, 4)
    assert parser.f1.value == pytest.approx(float((glass + 1) / 2))
    assert parser.exact.value == 3 / 4


def test_recall_of_people_is_compared_at_the_group_of_marks(written, alice, signed_in):
    unit = Unit.objects.get(key="s1.g1")
    text = seen(signed_in(alice), reverse("dispute", args=["cups", unit.pk, "claim_recall"]))
    assert "1 × Yes 1 × No" in text
    assert "Claim: Cups can be made of glass" in text
    assert "Claim: Cups can be made glass" in text


def test_the_page_of_the_response_names_the_writers(written, alice, signed_in):
    response = written.items.get().response_id
    text = seen(signed_in(alice), reverse("response", args=["cups", response]))
    assert "2 × These words Cups can be made of glass — rater-1 Cups can be made glass" in text


def test_programs_are_told_claims_with_their_writers(written, alice, signed_in):
    response = written.items.get().response_id
    found = signed_in(alice).get(f"/api/studies/cups/responses/{response}/").json()["claims"]
    assert found[0] == {
        "unit": "s1.g1",
        "judge": "rater-1",
        "text": "Cups can be made of glass",
        "spans": [[0, 25]],
        "proposal": "",
        "counted": "yes",
    }
    assert len(found) == 4


def test_the_file_of_claims(written, alice, signed_in):
    answer = signed_in(alice).get(reverse("download-claims", args=["cups"]))
    rows = list(csv.DictReader(b"".join(answer).decode().splitlines()))
    assert len(rows) == 4
    found = {name: rows[2][name] for name in ("unit", "sentence", "judge", "text", "spans")}
    assert found == {
        "unit": "s1.g2",
        "sentence": "Cups can be made of glass or plastic.",
        "judge": "rater-1",
        "text": "Cups can be made of plastic.",
        "spans": PLASTIC,
    }
    assert "claims.csv" in signed_in(alice).get("/studies/cups/data/").content.decode()


def long_form(study, form):
    return "".join(getattr(streams, f"judgments_{form}")(study))


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_claims_come_back_in_the_long_form(written, alice, form):
    content = long_form(written.study, form)
    elsewhere = create_study(name="Again", slug="again", preset="aliice", owner=alice)
    load(elsewhere, [response(CUPS)])
    loaded(elsewhere, content.encode(), f"judgments.{form}")
    again = long_form(elsewhere, form)
    assert "[[0, 19], [29, 37]]" in again
    assert again == content.replace("cups,", "again,").replace(': "cups"', ': "again"')


def test_claims_in_parquet(written, tmp_path):
    parquet.write_judgments(written.study, tmp_path / "judgments.parquet")
    found = pq.read_table(tmp_path / "judgments.parquet").to_pylist()
    claims = [json.loads(row["claim"]) for row in found if row["dimension"] == "claim_words"]
    assert claims[0]["spans"] == [[0, 25]]


@pytest.mark.parametrize(
    ("dimension", "claim", "message"),
    [
        ("claim_words", '{"text": "Cups"}', "expected an object such as"),
        ("claim_words", '{"text": "", "spans": [[4, 0]], "proposal": ""}', "an object such as"),
        ("claim_words", "Cups", "an object such as"),
        ("claim_recall", '{"text": "", "spans": [[0, 4]], "proposal": ""}', "only yes to"),
    ],
)
def test_a_claim_in_a_file_that_is_none(cups, dimension, claim, message):
    lines = io.StringIO()
    row = judgment("s1.g1", dimension, "yes", claim=claim)
    writer = csv.DictWriter(lines, row)
    writer.writeheader()
    writer.writerow(row)
    [problem] = problems(check(cups, lines.getvalue().encode(), "judgments.csv"))
    assert message in problem
    assert "claim" in problem


def bundled(study, *names):
    """A study's bundle as data, and the rows of these files of it, which its README names."""
    out = io.BytesIO()
    write_bundle(study, Filters(), out)
    with zipfile.ZipFile(out) as bundle:
        files = {name: bundle.read(name).decode() for name in (*names, "README.md")}
    assert all(name in files["README.md"] for name in names)
    data, _ = read_bundle(out)
    assert not differences(gather(study), data)
    return data, *(list(csv.DictReader(files[name].splitlines())) for name in names)


def test_a_bundle_brings_the_claims(written):
    data, rows = bundled(written.study, "claims.csv")
    assert [(row["unit"], row["judge"], row["spans"]) for row in rows] == [
        ("s1.g1", "rater-1", GLASS),
        ("s1.g1", "rater-2", "0-16 20-25"),
        ("s1.g2", "rater-1", PLASTIC),
        ("s1.g2", "rater-2", PLASTIC),
    ]
    assert "s1.g1.c1" in data.units.key
    assert {row["counted"] for row in rows} == {"yes"}


def test_a_bundle_has_no_claim_of_an_unfinished_rating(written):
    again = Assignment.objects.get(judge__name="rater-1")
    says(again, "s1.g1:claim_words", words="0-4")  # what was said of it is to be said again
    data, rows, kept = bundled(written.study, "claims.csv", "unfinished.csv")
    assert {row["judge"] for row in rows} == {"rater-2"}
    assert {row["judge"] for row in kept} == {"rater-1"}
    report = build(data, Filters(resamples=20))
    assert report["counts"]["unfinished_answers"] == len(kept) > 0
