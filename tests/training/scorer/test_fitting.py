"""Fitting: it learns, it stops and goes on exactly where it was, it refuses what does not fit."""

import json
import random
from dataclasses import replace

import pytest
import torch

from tests.training.scorer.small import base, pairs, recipe
from training.scorer import checkpoint
from training.scorer import fitting as module
from training.scorer.checkpoint import CheckpointError
from training.scorer.fitting import Fitting, StepReport, climbed, shuffled_batches
from training.scorer.network import Network
from training.scorer.windows import TrainingRow


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return base(tmp_path_factory.mktemp("base"))


class StoppedError(Exception):
    pass


def fitting(encoder, folder, *, stop_at=None, heard=None, every=180.0, **options) -> Fitting:
    def tell(report):
        if heard is not None:
            heard.append(report)
        if report.step == stop_at:
            raise StoppedError

    return Fitting(
        Network(encoder, seed=1, device="cpu", dtype="float32"),
        options.pop("recipe", recipe()),
        train=pairs(96, "fever"),
        dev=pairs(40, "fever", seed=2),
        folder=folder,
        tell=tell,
        every=every,
    )


def test_it_learns(encoder, tmp_path):
    heard: list[StepReport] = []
    made = fitting(encoder, tmp_path, heard=heard, recipe=recipe(passes=8, dropout=0.0))
    progress = made.run()
    assert progress.finished
    assert heard[-1].step == heard[-1].steps == 96
    assert heard[-1].loss < heard[0].loss - 0.05
    assert progress.best > 0.8
    assert progress.pairs == 96 * 8


def test_the_word_vectors_rest(encoder, tmp_path):
    made = fitting(encoder, tmp_path)
    before = made.network.model.get_input_embeddings().weight.clone()
    head = made.network.copied()["classifier.weight"]
    made.run()
    assert torch.equal(before, made.network.model.get_input_embeddings().weight)
    assert not torch.equal(head, made.network.copied()["classifier.weight"])
    assert not [name for name in made.network.learned() if "word_embeddings" in name]


def test_lower_layers_rest_and_their_training_goes_on_too(encoder, tmp_path):
    resting = recipe(passes=2, resting=1)
    whole = fitting(encoder, tmp_path / "whole", recipe=resting)
    before = whole.network.copied()
    whole.run()
    after = whole.network.copied()
    still = {name for name, one in before.items() if torch.equal(one, after[name])}
    assert {name for name in before if ".embeddings." in name or ".layer.0." in name} == still
    with pytest.raises(StoppedError):
        fitting(encoder, tmp_path / "broken", stop_at=10, every=0.0, recipe=resting).run()
    again = fitting(encoder, tmp_path / "broken", recipe=resting)
    again.run()
    for name, one in after.items():
        assert torch.equal(one, again.network.copied()[name]), name


def test_what_was_stopped_goes_on_as_if_it_had_not_been(encoder, tmp_path):
    whole = fitting(encoder, tmp_path / "whole", recipe=recipe(passes=2))
    whole.run()
    with pytest.raises(StoppedError):
        # A checkpoint after every step; the one of step 9 is written after that step is told.
        fitting(encoder, tmp_path / "broken", stop_at=10, every=0.0, recipe=recipe(passes=2)).run()
    heard: list[StepReport] = []
    again = fitting(encoder, tmp_path / "broken", heard=heard, recipe=recipe(passes=2))
    assert again.progress.step == 9
    again.run()
    assert heard[0].step == 10
    for name, one in whole.network.copied().items():
        assert torch.equal(one, again.network.copied()[name]), name


def test_what_is_finished_is_not_trained_again(encoder, tmp_path):
    first = fitting(encoder, tmp_path)
    first.run()
    heard: list[StepReport] = []
    again = fitting(encoder, tmp_path, heard=heard)
    again.run()
    assert heard == []
    for name, one in first.network.copied().items():
        assert torch.equal(one, again.network.copied()[name]), name


def test_another_recipe_is_refused(encoder, tmp_path):
    fitting(encoder, tmp_path).run()
    with pytest.raises(CheckpointError, match=r"another recipe \(seed: 1; now: 2"):
        fitting(encoder, tmp_path, recipe=recipe(seed=2))
    with pytest.raises(CheckpointError, match=r"another recipe \(stages"):
        fitting(encoder, tmp_path, recipe=recipe(dropout=0.3))


def test_a_broken_checkpoint_is_named(encoder, tmp_path):
    (tmp_path / "checkpoint.safetensors").write_bytes(b"broken")
    with pytest.raises(CheckpointError, match=r"cannot be read.*Delete it to begin anew"):
        fitting(encoder, tmp_path)


def test_a_training_ends_when_nothing_gets_better(encoder, tmp_path, monkeypatch):
    monkeypatch.setattr(module, "mean_auc", lambda pairs, scores: 0.5)
    made = fitting(encoder, tmp_path, recipe=recipe(passes=4, patience=1, evaluations=4))
    progress = made.run()
    # The first of four is the best so far, the second is no better.
    assert progress.pairs == 96 * 2
    assert [one["auc"] for one in progress.history] == [0.5, 0.5]


def test_a_stage_keeps_its_own_best(encoder, tmp_path, monkeypatch):
    areas = iter([0.9, 0.8, 0.6, 0.7])
    monkeypatch.setattr(module, "mean_auc", lambda pairs, scores: next(areas))
    once = recipe()
    twice = replace(once, stages=once.stages * 2)
    made = fitting(encoder, tmp_path, recipe=twice)
    assert made.run().best == 0.7
    last = checkpoint.read(tmp_path / "checkpoint.safetensors")[2]
    for name, one in made.network.copied().items():
        assert torch.equal(one, last[f"w/{name}"]), name


def test_a_recipe_may_become_longer(encoder, tmp_path):
    once = recipe()
    fitting(encoder, tmp_path, recipe=once).run()
    heard: list[StepReport] = []
    twice = replace(once, stages=once.stages * 2)
    assert fitting(encoder, tmp_path, heard=heard, recipe=twice).run().pairs == 96 * 2
    assert [report.step for report in heard] == list(range(1, 13))


def test_a_stage_without_pairs_is_refused(encoder, tmp_path):
    made = fitting(encoder, tmp_path)
    made.train = []
    with pytest.raises(CheckpointError, match="“small” finds no pairs"):
        made.run()


def test_a_checkpoint_keeps_all(tmp_path):
    progress = checkpoint.TrainingProgress(stage=1, step=7, history=[{"auc": 0.5}])
    path = tmp_path / "one.safetensors"
    checkpoint.write(path, progress, {"seed": 3}, {"w/a": torch.arange(3.0)})
    found, recipe_read, tensors = checkpoint.read(path)
    assert (found, recipe_read) == (progress, {"seed": 3})
    assert torch.equal(tensors["w/a"], torch.arange(3.0))
    assert not list(tmp_path.glob("*.new"))


def test_the_rate_climbs_and_falls():
    assert [climbed(step, 10, 0.2) for step in (0, 1, 2, 6, 10)] == [0.5, 1.0, 1.0, 0.5, 0.0]


def test_batches_hold_every_row_once_and_are_of_a_length():
    rows = [TrainingRow(list(range(1 + n % 30)), None, n % 2) for n in range(200)]
    found = list(shuffled_batches(rows, 10, random.Random(1)))
    assert sorted(len(row.tokens) for batch in found for row in batch) == sorted(
        len(row.tokens) for row in rows
    )
    assert all(len(batch) == 10 for batch in found)
    assert max(len(b[-1].tokens) - len(b[0].tokens) for b in found) <= 3


def test_the_recipe_survives_json():
    made = recipe(seed=5)
    assert json.loads(json.dumps(made.described()))["seed"] == 5
    assert made.lasting(7.0).stages[0].passes == 7.0
    with pytest.raises(ValueError, match="Expected 1 numbers of passes"):
        made.lasting(1.0, 2.0)
