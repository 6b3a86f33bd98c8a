"""`manage.py claims`."""

import json
from xml.etree import ElementTree

import pytest
from django.core.management import CommandError

from tests.evaluation.claims.pipelines import by_hand
from tests.evaluation.claims.trees import CUPS, PACKS


@pytest.fixture
def parser(tmp_path):
    """A folder with a pipeline that knows the published sentences."""
    by_hand().to_disk(tmp_path / "by_hand")
    return tmp_path / "by_hand"


def test_json_lists_claims_with_citations(run, parser):
    said = run("claims", CUPS, "--json", "--parser", parser)
    assert json.loads(said.out) == [
        {"text": "Cups can be made of glass", "citations": [1]},
        {"text": "Cups can be made of plastic", "citations": [2, 3]},
    ]


def test_what_went_wrong_is_said(run, parser):
    said = run("claims", PACKS.replace("come in", "come[7] in"), "--parser", parser)
    assert said.out.startswith("[7][2][4] Some brands , such as Export As , come in packs")
    assert said.out.endswith("(not divided: a mark stands after the root of the tree)\n")
    lost = PACKS.replace("brands,", "brands[1],").replace("[4]", "")
    assert run("claims", lost, "--parser", parser).out.splitlines() == [
        "[1] Some brands , such as Export As , (lost its verb)",
        "[2] in packs of 25 (lost its verb; lost its subject)",
    ]


def test_a_sentence_without_a_word_has_no_claim(run, parser):
    assert run("claims", "[1][2].", "--parser", parser).out == "No claim: there is no word.\n"
    assert run("claims", "[1][2].", "--json", "--parser", parser).out == "[]\n"


def test_drawing_is_written_as_svg(run, parser, tmp_path):
    file = tmp_path / "cups.svg"
    run("claims", CUPS, "--parser", parser, "--drawing", file)
    root = ElementTree.fromstring(file.read_text(encoding="utf-8"))
    assert root.tag == "{http://www.w3.org/2000/svg}svg"


def test_a_drawing_that_cannot_be_written(run, parser, tmp_path):
    with pytest.raises(CommandError, match=r"could not be written to .*: No such file"):
        run("claims", CUPS, "--parser", parser, "--drawing", tmp_path / "no" / "cups.svg")
