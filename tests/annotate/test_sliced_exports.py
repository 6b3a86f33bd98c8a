"""What is taken out of a study, of some slices of the questions alone."""

import csv
import json
from html import unescape

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotate.models import Evidence, Flag, Inquiry, InquiryMessage, Judge, Unit
from annotate.rating.batches import Selection, create_batch
from tests.annotate.loading import judgment, load, load_judgments, response
from tests.shared_rows import shared_rows

ASQA = "dataset=asqa"
TABLES = {
    "download-outputs": [],
    "download-judgments": ["csv"],
    "download-evidence": [],
    "download-flags": [],
    "download-inquiries": [],
    "download-labels": [],
    "download-exchange": ["aqa-ratings"],
}


@shared_rows
def sliced(study):
    """Two questions, one of a data set, and of each one row in every file."""
    study.dimensions = ["interpretable", "attributable"]
    study.save()
    lines = [response(f"{n} [1].", question=f"What is {n}?", question_id=f"q{n}") for n in (1, 2)]
    lines[1]["question"]["dataset"] = "asqa"
    load(study, lines)
    for n in (1, 2):
        load_judgments(study, [judgment("r", "attributable", "yes", question_id=f"q{n}")])
    judge = Judge.objects.get()
    batch = create_batch(study, name="Round 1", dimensions=None, selection=Selection(), author=None)
    for unit in Unit.objects.filter(key="r"):
        place = {"judge": judge, "unit": unit}
        Flag.objects.create(reason="broken", **place)
        Evidence.objects.create(dimension="attributable", start=0, end=1, **place)
        asked = Inquiry.objects.create(batch=batch, dimension="attributable", **place)
        InquiryMessage.objects.create(inquiry=asked, text="What is meant?")
    return study


def text_at(browser, name, *rest, **query):
    answer = browser.get(reverse(name, args=["peaks", *rest]), query)
    assert answer.status_code == 200
    return answer.getvalue().decode()


def lines_at(browser, name, *rest, **query):
    return [json.loads(line) for line in text_at(browser, name, *rest, **query).splitlines()]


def test_each_table_of_a_slice(subtests, sliced, alice, signed_in):
    browser = signed_in(alice)
    [line] = lines_at(browser, "download-outputs", slice=ASQA)
    assert line["question"]["id"] == "q2"
    assert len(lines_at(browser, "download-outputs")) == 2
    [row] = lines_at(browser, "download-judgments", "jsonl", slice=ASQA)
    assert row["question_id"] == "q2"
    assert lines_at(browser, "download-judgments", "jsonl", slice="dataset=eli5") == []

    def questions(name, **query):
        rows = list(csv.DictReader(text_at(browser, name, *TABLES[name], **query).splitlines()))
        return [row.get("question_id") or row["question"] for row in rows]

    for name in TABLES.keys() - {"download-outputs"}:
        with subtests.test(name=name):
            whole = questions(name)
            assert len(whole) == 2
            assert questions(name, slice=ASQA) == whole[1:]
            assert questions(name, slice="") == whole
            assert questions(name, slice="dataset=eli5") == []


def test_an_address_that_names_no_slice_is_refused_with_words(subtests, sliced, alice, signed_in):
    for name in ["data", "labels", "exchange", *TABLES]:
        with subtests.test(name=name):
            answer = signed_in(alice).get(
                reverse(name, args=["peaks", *TABLES.get(name, [])]), {"slice": "asqa"}
            )
            assert answer.status_code == 400
            assert "A slice is a key and a value, such as dataset=asqa; found “asqa”" in unescape(
                answer.content.decode()
            )


def test_programs_take_out_a_slice(sliced, alice, signed_in):
    browser = signed_in(alice)
    for name in ("api-outputs", "api-judgments"):
        rest = ["csv"] if name == "api-judgments" else []
        whole, part = (text_at(browser, name, *rest, **q) for q in ({}, {"slice": ASQA}))
        assert "q1" in whole
        assert "q1" not in part
        assert "q2" in part
        refused = browser.get(reverse(name, args=["peaks", *rest]), {"slice": "asqa"})
        assert refused.status_code == 400
        assert refused.json()["error"]["message"].startswith("A slice is a key and a value")


def test_labels_of_a_slice_name_it(sliced, alice, signed_in):
    for method in ("majority", "dawid-skene"):
        lines = text_at(signed_in(alice), "download-labels", method=method, slice=ASQA)
        [row] = csv.DictReader(lines.splitlines())
        assert row["judge"].endswith("|v:1|slice:dataset=asqa")


def test_commands_write_a_slice(sliced, capsys):
    call_command("export_outputs", "peaks", "--slice", ASQA)
    assert json.loads(capsys.readouterr().out)["question"]["id"] == "q2"
    call_command("export_judgments", "peaks", "--format", "jsonl", "--slice", ASQA)
    assert json.loads(capsys.readouterr().out)["question_id"] == "q2"
    call_command("aggregate", "peaks", "--slice", ASQA)
    [row] = csv.DictReader(capsys.readouterr().out.splitlines())
    assert row["question_id"] == "q2"
    call_command("export_published", "peaks", "--format", "aqa-ratings", "--slice", ASQA)
    [row] = csv.DictReader(capsys.readouterr().out.splitlines())
    assert row["question"] == "What is 2?"
    for name in ("export_outputs", "aggregate"):
        with pytest.raises(CommandError, match="A slice is a key and a value"):
            call_command(name, "peaks", "--slice", "asqa")
