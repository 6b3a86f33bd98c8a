"""The worked cases of the published scripts: every figure, per response and of all, to 1e-9."""

from statistics import pstdev

import pytest

from evaluation.judges import summarise
from evaluation.judges.alce import Alce
from evaluation.judges.aliice import Aliice
from evaluation.judges.correctness import Correctness
from tests.evaluation.judges.items import HandMadeTrees, cases, containment, needs, parity_item

ALCE = {
    "citation_rec": "citation_recall",
    "citation_prec": "citation_precision",
    "str_em": "em_recall",
    "str_hit": "em_hit",
    "claims_nli": "claim_recall",
    "length": "length",
}
LISTS = {
    "qampari_prec": "qampari_precision",
    "qampari_rec": "qampari_recall",
    "qampari_rec_top5": "qampari_recall_5",
    "qampari_f1": "qampari_f1",
    "qampari_f1_top5": "qampari_f1_5",
}


def exactly(value):
    return pytest.approx(value, abs=1e-9, rel=0)


def percent(figures, key):
    return figures[key].value * (1 if key == "length" else 100)


def agree(figures, expected, names):
    compared = [(names[name], value) for name, value in expected.items() if name in names]
    assert compared
    for key, value in compared:
        assert percent(figures, key) == exactly(value), key


@needs("alce.json")
@pytest.mark.parametrize(("name", "cap"), [("at_most_3", 3), ("no_cap", None)])
def test_alce(name, cap):
    worked = cases("alce.json")
    items = [parity_item(case, n) for n, case in enumerate(worked["items"])]
    assert len(items) == 59
    citations = Alce(containment(), cap=cap)
    correctness = Correctness(containment(), splitter="full-stop")
    cited = summarise("alce", items, citations.judge(items), variant="released")
    right = summarise("correctness", items, correctness.judge(items), variant="released")
    agree(cited.aggregate | right.aggregate, worked[f"aggregate_{name}"], ALCE)
    if cap is None:
        return
    for own, other, expected in zip(
        cited.per_item, right.per_item, worked["per_item_at_most_3"], strict=True
    ):
        agree(own | other, expected, ALCE)


@needs("qampari.json")
def test_qampari():
    worked = cases("qampari.json")
    items = [parity_item(case, n) for n, case in enumerate(worked["items"])]
    assert len(items) == 20
    verdicts = Correctness(containment()).judge(items)
    found = summarise("correctness", items, verdicts, variant="released")
    agree(found.aggregate, worked["aggregate"], LISTS)
    for own, expected in zip(found.per_item, worked["per_item"], strict=True):
        agree(own, expected, LISTS)


@needs("aliice_responses.json")
def test_aliice_claims():
    worked = cases("aliice_responses.json")
    items = [parity_item(case, n) for n, case in enumerate(worked["items"])]
    assert len(items) == 60
    trees = [tree for case in worked["items"] for tree in case["sentences"]]
    judge = Aliice(containment(), parser=HandMadeTrees(trees))
    found = summarise("aliice", items, judge.judge(items), variant="released")
    expected = worked["aggregate_atomic_claims"]
    assert percent(found.aggregate, "aliice_recall") == exactly(expected["citation_recall"])
    assert percent(found.aggregate, "aliice_precision") == exactly(expected["citation_precision"])
    assert found.aggregate["cvcp"].value == exactly(worked["pooled_cv_characters"])
    recalls = [percent(own, "aliice_recall") / 100 for own in found.per_item]
    precisions = [percent(own, "aliice_precision") / 100 for own in found.per_item]
    assert pstdev(recalls) == exactly(expected["recall_std"])
    assert pstdev(precisions) == exactly(expected["precision_std"])
    for own, response in zip(found.per_item, worked["per_item"], strict=True):
        assert percent(own, "aliice_recall") == exactly(response["recall"])
        assert percent(own, "aliice_precision") == exactly(response["precision"])
        assert own["cvcp"].value == exactly(response["cv_pooled"])


@needs("aliice_responses.json")
def test_aliice_sentences():
    worked = cases("aliice_responses.json")
    items = [parity_item(case, n) for n, case in enumerate(worked["items"])]
    judge = Aliice(containment(), level="sentences")
    found = summarise("aliice", items, judge.judge(items), variant="released").aggregate
    expected = worked["aggregate_sentence_level"]
    assert percent(found, "aliice_recall") == exactly(expected["citation_recall"])
    assert percent(found, "aliice_precision") == exactly(expected["citation_precision"])
