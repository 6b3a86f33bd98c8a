"""Sequence classifiers: a two-layer BERT and RoBERTa, made and saved by the tests."""

import shutil

import pytest
import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from evaluation.judges.entailment import ScorerError
from tests.evaluation.entailment import tiny_models
from tests.evaluation.entailment.texts import load, pairs

LONG = ("Rain falls on the coast. Snow is on the mount. " * 12, "Snow is on the mount.")


def by_hand(folder, pair, label):
    """The probability, straight from the library, one pair at a time."""
    tokenizer = AutoTokenizer.from_pretrained(folder)
    model = AutoModelForSequenceClassification.from_pretrained(folder).eval()
    with torch.inference_mode():
        # In lists, as a single empty hypothesis would be taken for none.
        logits = model(**tokenizer([pair[0]], [pair[1]], return_tensors="pt")).logits
    return logits.softmax(-1)[0, label].item()


@pytest.mark.parametrize("make", [tiny_models.bert, tiny_models.roberta])
def test_batched_equals_one_by_one(make, tmp_path):
    scorer = load("classifier", model=str(make(tmp_path)))
    some = pairs(60, longest=9)
    apart = [scorer.probabilities([pair])[0] for pair in some]
    assert scorer.probabilities(some) == pytest.approx(apart, abs=1e-5)
    assert scorer.probabilities(some[::-1]) == pytest.approx(apart[::-1], abs=1e-5)
    assert max(apart) - min(apart) > 0.1
    assert scorer.lengths.windowed > 0


@pytest.mark.parametrize(
    ("labels", "number"),
    [
        (("entailment", "neutral", "contradiction"), 0),
        (("contradiction", "ENTAILMENT", "neutral"), 1),
        (("not_entailment", "entailment"), 1),
        (("entailment", "not_entailment"), 0),
        (("refuted", "supported"), 1),
    ],
)
def test_the_label_is_found_by_its_name(labels, number, tmp_path):
    folder = tiny_models.bert(tmp_path, labels)
    (pair,) = pairs(1)
    scorer = load("classifier", model=str(folder))
    assert scorer.probabilities([pair])[0] == pytest.approx(by_hand(folder, pair, number), abs=1e-5)


def test_the_label_can_be_said(tmp_path):
    folder = tiny_models.bert(tmp_path, ("LABEL_0", "LABEL_1"))
    with pytest.raises(ScorerError, match=r"\(0 = LABEL_0, 1 = LABEL_1\).*option label"):
        load("classifier", model=str(folder))
    with pytest.raises(ScorerError, match="no label “yes”"):
        load("classifier", model=str(folder), label="yes")
    (pair,) = pairs(1)
    for label in (1, "1", "label_1"):
        scorer = load("classifier", model=str(folder), label=label)
        assert scorer.probabilities([pair])[0] == pytest.approx(by_hand(folder, pair, 1), abs=1e-5)


def test_a_long_premise_counts_as_its_best_window(bert):
    scorer = load("classifier", model=str(bert))
    cut = load("classifier", model=str(bert), long="truncate")
    windowed, short = scorer.probabilities([LONG])[0], cut.probabilities([LONG])[0]
    assert (scorer.lengths.windowed, scorer.lengths.truncated) == (1, 0)
    assert scorer.lengths.windows > 2
    assert (cut.lengths.windowed, cut.lengths.truncated) == (0, 1)
    assert windowed != short


def test_the_fingerprint_changes_with_whatever_changes_the_numbers(bert, tmp_path):
    copy = tmp_path / bert.name
    shutil.copytree(bert, copy)
    made = {
        name: load("classifier", model=str(folder), **options).fingerprint
        for name, folder, options in (
            ("as it is", bert, {}),
            ("label", bert, {"label": 0}),
            ("policy", bert, {"long": "truncate"}),
            ("window", bert, {"window": 40}),
            ("limit", bert, {"max_tokens": 40}),
            ("precision", bert, {"dtype": "bfloat16"}),
        )
    }
    assert len(set(made.values())) == len(made)
    for part in ("classifier:1", "rev:sha256-", "dtype:float32", "transformers:", "long:window"):
        assert part in made["as it is"]
    same = load("classifier", model=str(copy), batch_tokens=64, threads=1, threshold=0.9)
    assert same.fingerprint == made["as it is"]
    tokenizer = copy / "tokenizer_config.json"
    tokenizer.write_text(tokenizer.read_text().replace("512", "500"))
    assert load("classifier", model=str(copy)).fingerprint != made["as it is"]


def test_the_weights_are_read_only_when_needed(bert, monkeypatch):
    scorer = load("classifier", model=str(bert))
    monkeypatch.setattr(
        AutoModelForSequenceClassification,
        "from_pretrained",
        lambda *given, **options: pytest.fail("the weights were read"),
    )
    assert scorer.fingerprint
    assert scorer.probabilities([]) == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"device": "warp"}, "no device “warp”"),
        ({"device": "cpu", "eight_bit": True}, "8-bit weights need a GPU"),
        ({"max_tokens": 65}, "expected at most 64, .* found 65"),
    ],
)
def test_what_cannot_be_is_said(bert, options, said):
    with pytest.raises(ScorerError, match=said):
        load("classifier", model=str(bert), **options)
