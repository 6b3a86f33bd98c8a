"""The drawing of a sentence: well formed, told in words, without styles of its own."""

import re
from xml.etree import ElementTree

import pytest

from evaluation.claims import Claim, Parse, ParsedSentence, divide
from evaluation.claims.drawing import describe, draw
from tests.evaluation.claims.trees import CRASH, CUPS, PACKS, QUEENS, ByHand

SVG = "{http://www.w3.org/2000/svg}"


def drawn(sentence, **options):
    (division,) = divide([sentence], ByHand())
    return division, ElementTree.fromstring(draw(division, **options))


def groups(root, kind):
    return [g for g in root.iter(f"{SVG}g") if kind in g.get("class").split()]


@pytest.mark.parametrize("sentence", [CUPS, CRASH, PACKS, QUEENS])
def test_every_word_and_every_edge_is_there(sentence):
    division, root = drawn(sentence)
    parse = division.parse
    words = [g.find(f"{SVG}text").text for g in groups(root, "word")]
    assert words == list(parse.words)
    labels = sorted(g.find(f"{SVG}text").text for g in groups(root, "arc"))
    assert labels == sorted(dep for word, dep in enumerate(parse.deps) if parse.heads[word] != word)
    assert [g.find(f"{SVG}text").text for g in groups(root, "root")] == ["ROOT"]


def test_screen_readers_are_told_the_claims():
    _, root = drawn(CUPS, name="s1")
    title, desc = root[0], root[1]
    assert root.get("role") == "img"
    assert root.get("aria-labelledby") == f"{title.get('id')} {desc.get('id')}"
    assert (title.tag, title.get("id")) == (f"{SVG}title", "s1-title")
    assert title.text == "Dependency tree of “Cups can be made of glass or plastic”"
    assert desc.tag == f"{SVG}desc"
    assert desc.text == (
        "Claim 1: “Cups can be made of glass”; it cites 1. "
        "Claim 2: “Cups can be made of plastic”; it cites 2, 3."
    )


def test_fallbacks_and_sentences_without_marks_are_told_as_such():
    assert describe([Claim("a b", (2, 1), fallback="root")]) == (
        "Claim 1: the whole sentence, undivided; it cites 2, 1."
    )
    assert describe([Claim("a b", ())]) == "Claim 1: “a b”; it cites nothing."


def test_each_claim_has_a_row_with_a_bar_for_each_run_of_its_words():
    _, root = drawn(CUPS)
    rows = groups(root, "claim")
    assert [row.find(f"{SVG}text").text for row in rows] == ["Claim 1 [1]", "Claim 2 [2][3]"]
    assert [len(row.findall(f"{SVG}rect")) for row in rows] == [1, 2]
    assert [row.get("class") for row in rows] == ["claim claim-1", "claim claim-2"]


def test_words_have_the_colour_of_their_only_claim():
    _, root = drawn(CUPS)
    kinds = {g.find(f"{SVG}text").text: g.get("class") for g in groups(root, "word")}
    assert kinds["glass"] == "word claim-1"
    assert kinds["plastic"] == "word claim-2"
    assert kinds["Cups"] == "word"
    assert kinds["or"] == "word none"


def test_marks_stand_under_their_words():
    _, root = drawn(CUPS)
    found = {g[0].text: g[1].text for g in groups(root, "word") if len(g) > 1}
    assert found == {"glass": "[1]", "plastic": "[2][3]"}


def test_it_has_no_style_and_no_colour_of_its_own():
    text = draw(divide([CRASH], ByHand())[0])
    assert "style" not in text
    assert set(re.findall(r'(?:fill|stroke)="([^"]*)"', text)) == {"currentColor", "none"}


def test_signs_of_xml_are_escaped():
    parse = Parse(("<b>&\"'",), (0,), (0,), ("R<T",), ("",))
    division = ParsedSentence("", parse, {}, (Claim("<b>&\"'", (), (0,)),))
    root = ElementTree.fromstring(draw(division, name='a"b'))
    assert groups(root, "word")[0][0].text == "<b>&\"'"
    assert root[0].get("id") == 'a"b-title'


def test_nothing_to_draw_is_still_a_picture():
    (division,) = divide([" [1]"], ByHand())
    root = ElementTree.fromstring(draw(division))
    assert root[0].text == "No words"
