"""From logits to a folder: what is fitted, what is chosen, what is written down."""

import json
import random

import pytest
import torch

from evaluation.entailment.coverage import Features
from evaluation.entailment.weights import Details, open_folder, write_folder
from training.scorer.making import COMBINATION, NETWORK, calibrate
from training.scorer.pairs import LabelledPair

SOURCES = ("ab-lfqa", "wice", "fever", "fm2")
NUMBER = 60


def dev() -> list[LabelledPair]:
    """Premise and hypothesis never share a word, so that `coverage` says the same of all."""
    return [
        LabelledPair(f"Rain falls, {source} {n}.", "Snow melts.", n % 2, source)
        for source in SOURCES
        for n in range(NUMBER)
    ]


def logits(pairs, *, sure: float) -> list[float]:
    chance = random.Random(1)
    return [sure * (1 if pair.label else -1) + chance.gauss(0, 1) for pair in pairs]


@pytest.fixture
def folder(tmp_path):
    write_folder(tmp_path, Details(base="base", window=48), {"a": torch.zeros(1)})
    return tmp_path


def made(folder, *, sure: float):
    pairs = dev()
    details = Details(base="base", window=48)
    return calibrate(
        folder, details, dev=pairs, logits=logits(pairs, sure=sure), training={"seed": 7}, seed=1
    )


def test_a_network_that_knows_passes_the_gate(folder):
    found = made(folder, sure=3.0)
    assert found.default == "trained"
    assert found.chosen.passes
    coverage, network, _ = found.ways
    assert {row.auc.value for row in coverage.rows} == {0.5}
    assert min(row.auc.value for row in network.rows) > 0.95
    assert "It is; it is the default." in (folder / "card.md").read_text()


def test_a_network_that_guesses_does_not(folder):
    found = made(folder, sure=0.0)
    assert found.default == "coverage"
    card = (folder / "card.md").read_text()
    assert card.count("**not met**") == 5
    assert "`coverage` stays the default" in card


def test_what_was_fitted_is_written_and_read_again(folder):
    found = made(folder, sure=2.0)
    details = open_folder(folder).details
    assert details.threshold == found.chosen.threshold
    assert details.training["seed"] == 7
    assert details.training["chosen"] == found.chosen.name
    if found.chosen.name == COMBINATION:
        assert set(details.combination or ()) == {"logit", *Features._fields, "bias"}
    else:
        assert found.chosen.name == NETWORK
        assert details.combination is None
    by_name = {way["name"]: way for way in details.training["dev"]}
    assert set(by_name) == {"coverage", "network", "combination"}
    assert json.loads((folder / "scorer.json").read_text())["format"] == 1


def test_the_better_of_both_is_chosen(folder):
    found = made(folder, sure=1.0)
    assert found.chosen.mean == max(way.mean for way in found.ways if way.name != "coverage")
