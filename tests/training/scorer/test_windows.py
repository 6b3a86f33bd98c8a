"""Long premises: which windows are learned from, and that a label is true of its window."""

import pytest
import torch

from tests.training.scorer.small import base, pairs
from training.scorer.network import Network
from training.scorer.pairs import LabelledPair
from training.scorer.windows import PARTLY, examples, kept_windows

PARTS = ["Wind blows.", "The Zugspitze is a peak in Bavaria.", "The Zugspitze has 2,962 metres."]


def test_entailed_keeps_only_windows_with_the_evidence():
    pair = LabelledPair(" ".join(PARTS), "The Zugspitze is a peak.", 1, "wice")
    assert kept_windows(PARTS, pair) == [PARTS[1]]


def test_not_entailed_keeps_the_two_nearest():
    pair = LabelledPair(" ".join(PARTS), "The Zugspitze is a lake.", 0, "wice")
    assert set(kept_windows(PARTS, pair)) == {PARTS[1], PARTS[2]}


def test_entailed_by_two_windows_together_keeps_none():
    pair = LabelledPair(" ".join(PARTS), "The peak in Bavaria has 2,962 metres.", 1, "wice")
    assert kept_windows(PARTS, pair) == []


def test_rows_are_short_and_labelled(tmp_path):
    network = Network(base(tmp_path), seed=1, device="cpu", dtype="float32")
    short, long = pairs(5, "snli"), pairs(8, "wice", long=True)
    rows = examples([*short, *long], network, limit=48)
    assert [row.label for row in rows[:5]] == [pair.label for pair in short]
    assert len(rows) > len(short) + sum(not pair.label for pair in long)
    assert max(len(row.tokens) for row in rows) <= 48
    assert examples([LabelledPair("rain " * 60, "snow " * 60, 1, "x")], network, limit=48) == []


def test_labels_and_weights_of_rows(tmp_path):
    network = Network(base(tmp_path), seed=1, device="cpu", dtype="float32")
    some = [
        LabelledPair("rain", "rain", 1, "a"),
        LabelledPair("rain", "snow", 0, "a", partly=True),
        LabelledPair("rain", "wind", 0, "b"),
    ]
    rows = examples(some, network, 48, {("a", 1): 0.5, ("a", 0): 2.0, ("b", 0): 1.0})
    assert [(row.label, row.weight) for row in rows] == [(1, 0.5), (PARTLY, 2.0), (0, 1.0)]
    assert {row.weight for row in examples(some, network, 48)} == {1.0}
    # A weight counts: without the second row the loss is the mean of the others' two.
    with torch.no_grad():
        one, other = (float(network.loss([row._replace(weight=1.0)])) for row in rows[::2])
        both = float(network.loss([rows[0]._replace(weight=1.0), rows[1]._replace(weight=0.0)]))
    assert both == pytest.approx(one / 2, abs=1e-5)
    assert other > 0
