"""Outputs and judgments of some slices of the questions alone."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from tests.annotate.loading import judgment, load, load_judgments, response


@pytest.fixture
def sliced(study):
    lines = [response(f"{n} [1].", question=f"What is {n}?", question_id=f"q{n}") for n in (1, 2)]
    lines[1]["question"]["dataset"] = "asqa"
    load(study, lines)
    rows = [judgment("s1", "citation_recall", "yes", question_id=f"q{n}") for n in (1, 2)]
    load_judgments(study, rows)
    return study


def lines_at(browser, name, *rest, **query):
    answer = browser.get(reverse(name, args=["peaks", *rest]), query)
    return [json.loads(line) for line in answer.getvalue().decode().splitlines()]


def test_downloads_of_a_slice(sliced, alice, signed_in):
    browser = signed_in(alice)
    [line] = lines_at(browser, "download-outputs", slice="dataset=asqa")
    assert line["question"]["id"] == "q2"
    assert len(lines_at(browser, "download-outputs")) == 2
    [row] = lines_at(browser, "download-judgments", "jsonl", slice="dataset=asqa")
    assert row["question_id"] == "q2"
    assert lines_at(browser, "download-judgments", "jsonl", slice="dataset=eli5") == []


def test_an_address_that_names_no_slice_is_not_found(sliced, alice, signed_in):
    address = reverse("download-outputs", args=["peaks"])
    assert signed_in(alice).get(address, {"slice": "asqa"}).status_code == 404


def test_commands_write_a_slice(sliced, capsys):
    call_command("export_outputs", "peaks", "--slice", "dataset=asqa")
    assert json.loads(capsys.readouterr().out)["question"]["id"] == "q2"
    call_command("export_judgments", "peaks", "--format", "jsonl", "--slice", "dataset=asqa")
    assert json.loads(capsys.readouterr().out)["question_id"] == "q2"
    with pytest.raises(CommandError, match="A slice is a key and a value"):
        call_command("export_outputs", "peaks", "--slice", "asqa")
