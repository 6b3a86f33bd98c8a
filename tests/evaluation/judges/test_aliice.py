"""ALiiCE on hand-made trees and hand-worked numbers, in both variants."""

from math import sqrt

import pytest

from annotate.formats.records import PassageRecord, QuestionRecord, ResponseRecord, Where
from annotate.text import Division, Span
from evaluation.judges import item_of, summarise
from evaluation.judges.aliice import Aliice
from tests.evaluation.judges.items import HandMadeTrees, containment, item

# Two claims: “Cups can be made of glass or” and “Cups can be made of plastic”.
CUPS = {
    "words": ["Cups", "can", "be", "made", "of", "glass", "or", "plastic"],
    "heads": [3, 3, 3, 3, 3, 4, 5, 5],
    "deps": ["nsubjpass", "aux", "auxpass", "ROOT", "prep", "pobj", "cc", "conj"],
}
RAIN = {"words": ["Rain", "falls"], "heads": [1, 1], "deps": ["nsubj", "ROOT"]}
PARSER = HandMadeTrees([CUPS, RAIN])
PASSAGES = [
    "Cups can be made of glass or clay.",
    "Cups can be made of plastic.",
    "Rain falls in spring.",
]


def judged(*outputs, variant="released", **options):
    items = [item(output, PASSAGES, key=str(n)) for n, output in enumerate(outputs)]
    verdicts = Aliice(containment(), parser=PARSER, variant=variant, **options).judge(items)
    return verdicts, summarise("aliice", items, verdicts, variant=variant)


def values(figures):
    return tuple(figures[key].value for key in ("aliice_recall", "aliice_precision", "aliice_f1"))


def test_each_claim_is_judged_by_its_own_citations():
    verdicts, found = judged("Cups can be made of glass[1] or plastic[2][3].")
    assert {v.unit: v.value for v in verdicts if v.unit != "r"} == {
        "s1.a1": "yes",
        "s1.a1.c1": "needed",
        "s1.a2": "yes",
        "s1.a2.c1": "needed",
        "s1.a2.c2": "not_needed",
    }
    assert {v.dimension for v in verdicts} == {"claim_recall", "claim_support", "cvcp"}
    assert values(found.per_item[0]) == (1.0, pytest.approx(2 / 3), pytest.approx(4 / 5))


def test_a_sentence_without_a_word_has_no_claim(subtests):
    for level in ["claims", "sentences"]:
        with subtests.test(level=level):
            verdicts, found = judged("[1][2]", level=level)
            assert [v.unit for v in verdicts] == ["r"]
            reason = found.per_item[0]["aliice_recall"].reason
            assert reason == "no claim: no word beside the citations"


def test_sentences_as_claims():
    verdicts, found = judged("Cups can be made of glass[1] or plastic[2][3].", level="sentences")
    assert [(v.unit, v.value) for v in verdicts if v.dimension == "claim_recall"] == [
        ("s1.a1", "yes")
    ]
    assert values(found.per_item[0])[:2] == (1.0, pytest.approx(2 / 3))


def cv(*positions):
    mean = sum(positions) / len(positions)
    return sqrt(sum((p - mean) ** 2 for p in positions) / len(positions)) / mean


def test_variation_of_positions_in_words():
    """Nine words and signs and two groups: the marks are the 7th and 10th of eleven places."""
    cups = "Cups can be made of glass[1] or plastic[2][3]."
    _, found = judged(f"{cups} Rain[3] falls.", "Rain falls.", variant="paper")
    assert found.per_item[0]["cvcp"].value == pytest.approx((cv(7 / 11, 10 / 11) + 0.0) / 2)
    assert found.per_item[1]["cvcp"].reason == "no citation"
    assert found.aggregate["cvcp"].value == found.per_item[0]["cvcp"].value


def test_variation_of_positions_in_characters_is_pooled():
    """Marks count one by one, from the start of their sentence, over its length with marks."""
    cups, rain = "Cups can be made of glass[1] or plastic[2][3].", "Rain[3] falls."
    pooled = [25 / 46, 39 / 46, 42 / 46]
    _, found = judged(cups, rain)
    assert found.per_item[0]["cvcp"].value == pytest.approx(cv(*pooled))
    assert found.per_item[1]["cvcp"].value == 0.0
    assert found.aggregate["cvcp"].value == pytest.approx(cv(*pooled, 4 / 14))


def test_claims_may_be_what_the_system_cites_for():
    text = "Cats **sleep** all day and hunt at dawn. Dogs bark. They run [1]."
    spans = (Span(0, 22, (1,)), Span(27, 40, (2, 1), "hunting at dawn"))
    record = ResponseRecord(
        Where(),
        QuestionRecord("?"),
        text,
        passages=(PassageRecord(1, "", "Cats sleep all day."), PassageRecord(2, "", "They run.")),
        citations=spans,
    )
    item = item_of(record, "1", Division("all"))
    judge = Aliice(containment(), level="spans", variant="released")
    assert "level:spans" in judge.signature
    found = [(v.unit, v.dimension) for v in judge.judge([item]) if v.dimension == "claim_recall"]
    assert found == [(key, "claim_recall") for key in ("s1.a1", "s1.a2", "s3.a1")]
    assert item.statements[0].spans == (("Cats sleep all day", (1,)), ("hunt at dawn.", (2, 1)))
