"""Fits the network stage by stage; can be stopped at any time and goes on exactly where it was."""

import json
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import torch

from training.scorer import checkpoint
from training.scorer.checkpoint import CheckpointError, TrainingProgress
from training.scorer.gate import mean_auc
from training.scorer.network import Network
from training.scorer.pairs import LabelledPair, among_others, even, mixed, sampled
from training.scorer.recipe import Recipe, Stage
from training.scorer.windows import TrainingRow, examples

CHUNK = 40
"""Batches whose rows are sorted by length among themselves: less is padded, chance stays."""
REMEMBERED = 0.98
SEVERAL = 100


class StepReport(NamedTuple):
    """What a training says while it runs."""

    stage: str
    step: int
    steps: int
    loss: float
    tokens_a_second: float
    evaluation: float | None = None


class Fitting:
    """A training in a folder. `tell` is called with every step's report."""

    def __init__(
        self,
        network: Network,
        recipe: Recipe,
        *,
        train: Sequence[LabelledPair],
        dev: Sequence[LabelledPair],
        folder: Path,
        tell: Callable[[StepReport], None],
        every: float = 180.0,
    ) -> None:
        self.network = network
        self.recipe = recipe
        self.train = train
        self.watched = sampled(dev, recipe.watched, recipe.seed)
        self.folder = folder
        self.tell = tell
        self.every = every
        """Seconds between checkpoints."""
        self.progress = TrainingProgress()
        self._moments: dict[str, torch.Tensor] = {}
        if self._path.exists():
            self._resume()

    @property
    def _path(self) -> Path:
        return self.folder / "checkpoint.safetensors"

    @property
    def best(self) -> Path:
        """The weights that were best on dev, in the last stage."""
        return self.folder / "best.safetensors"

    def run(self) -> TrainingProgress:
        """All stages from where the training stands; then the best weights are in the network."""
        while not self.progress.finished:
            if self.progress.step == 0:
                # A stage begins with what the one before learned last, and only its own best
                # counts: what one sentence says of another is not what is wanted in the end.
                self.progress.best, self.progress.waited = -1.0, 0
            self._stage(self.recipe.stages[self.progress.stage])
            self.progress.stage += 1
            self.progress.step = 0
            self._moments = {}
            self.progress.finished = self.progress.stage == len(self.recipe.stages)
            self._save(None)
        _, _, weights = checkpoint.read(self.best)
        self.network.take(weights)
        return self.progress

    def _resume(self) -> None:
        progress, recipe, tensors = checkpoint.read(self._path)
        begun = progress.stage + (progress.step > 0)
        now = json.loads(json.dumps(self.recipe.described()))
        for name in now:
            old, new = recipe.get(name, now[name]), now[name]
            if name == "stages":
                # What has not begun may still be changed.
                old, new = old[:begun], new[:begun]
            if old != new:
                raise CheckpointError(
                    f"The checkpoint in “{self.folder}” is of a training with another recipe "
                    f"({name}: {old}; now: {new}). Go on with the same options and data, or "
                    "choose an empty folder."
                )
        self.progress = progress
        # A recipe may have become longer.
        progress.finished = progress.stage >= len(self.recipe.stages)
        self.network.take({name[2:]: one for name, one in tensors.items() if name.startswith("w/")})
        self._moments = {name: one for name, one in tensors.items() if not name.startswith("w/")}

    def _save(self, optimizer: torch.optim.AdamW | None) -> None:
        tensors = {f"w/{name}": one for name, one in self.network.copied().items()}
        if optimizer is not None:
            for name, parameter in self.network.moving().items():
                state = optimizer.state[parameter]
                tensors[f"m/{name}"] = state["exp_avg"].cpu()
                tensors[f"v/{name}"] = state["exp_avg_sq"].cpu()
        checkpoint.write(self._path, self.progress, self.recipe.described(), tensors)

    def _optimizer(self, stage: Stage) -> torch.optim.AdamW:
        learned = self.network.moving()
        plain = [one for one in learned.values() if one.ndim < 2]
        matrices = [one for one in learned.values() if one.ndim >= 2]
        made = torch.optim.AdamW(
            [
                {"params": matrices, "weight_decay": self.recipe.decay},
                {"params": plain, "weight_decay": 0.0},
            ],
            lr=stage.rate,
            fused=True,
        )
        if self._moments:
            for name, one in learned.items():
                made.state[one] = {
                    "step": torch.tensor(float(self.progress.step), device=one.device),
                    "exp_avg": self._moments[f"m/{name}"].to(one.device),
                    "exp_avg_sq": self._moments[f"v/{name}"].to(one.device),
                }
        return made

    def _stage(self, stage: Stage) -> None:
        recipe, progress = self.recipe, self.progress
        first = self._rows(stage, 0)
        if not first:
            raise CheckpointError(f"The stage “{stage.name}” finds no pairs in the data.")
        steps = max(1, math.ceil(len(first) * stage.passes / recipe.batch))
        self.network.rest(stage.resting)
        optimizer = self._optimizer(stage)
        self.network.drop(stage.dropout)
        asked = {math.ceil(steps * n / stage.evaluations) for n in range(1, stage.evaluations + 1)}
        began = saved = time.monotonic()
        before, tokens = progress.seconds, 0
        batches = self._batches(stage, first)
        for _ in range(progress.step):
            next(batches)
        while progress.step < steps:
            batch = next(batches)
            rate = stage.rate * climbed(progress.step, steps, recipe.warm_up)
            loss = self._step(optimizer, batch, rate)
            progress.loss += (1 - REMEMBERED if progress.pairs else 1.0) * (loss - progress.loss)
            progress.step += 1
            progress.pairs += len(batch)
            tokens += sum(len(one.tokens) for one in batch)
            now = time.monotonic()
            progress.seconds = before + now - began
            speed = tokens / max(1e-9, now - began)
            evaluation = None
            if progress.step in asked:
                evaluation = self._evaluate(stage)
            if evaluation is not None or progress.step % SEVERAL == 0:
                progress.history.append(
                    {
                        "stage": stage.name,
                        "step": progress.step,
                        "steps": steps,
                        "pairs": progress.pairs,
                        "seconds": round(progress.seconds),
                        "loss": round(progress.loss, 4),
                        "auc": evaluation and round(evaluation, 4),
                    }
                )
            self.tell(
                StepReport(stage.name, progress.step, steps, progress.loss, speed, evaluation)
            )
            if progress.waited >= recipe.patience:
                break
            if now - saved >= self.every:
                self._save(optimizer)
                saved = time.monotonic()

    def _step(
        self, optimizer: torch.optim.AdamW, batch: Sequence[TrainingRow], rate: float
    ) -> float:
        self.network.model.train()
        torch.manual_seed(self._chance("dropout", self.progress.step).getrandbits(32))
        for group in optimizer.param_groups:
            group["lr"] = rate
        loss = self.network.loss(batch)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.moving().values(), self.recipe.longest)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        return float(loss.detach())

    def _evaluate(self, stage: Stage) -> float:
        pairs = [(one.premise, one.hypothesis) for one in self.watched]
        found = mean_auc(self.watched, self.network.scores(pairs, stage.tokens))
        if found > self.progress.best:
            self.progress.best, self.progress.waited = found, 0
            checkpoint.write(
                self.best, self.progress, self.recipe.described(), self.network.copied()
            )
        else:
            self.progress.waited += 1
        return found

    def _chance(self, what: str, number: int) -> random.Random:
        return random.Random(  # noqa: S311 nothing secret
            f"{self.recipe.seed} {self.progress.stage} {what} {number}"
        )

    def _rows(self, stage: Stage, number: int) -> list[TrainingRow]:
        """What a pass reads, drawn anew for each."""
        chance = self._chance("mix", number)
        pairs = [self.train[one] for one in mixed(self.train, stage.shares, chance)]
        pairs = among_others(pairs, self.recipe.short, stage.neighbours, chance)
        return examples(pairs, self.network, stage.tokens, even(pairs) if stage.even else None)

    def _batches(self, stage: Stage, first: Sequence[TrainingRow]) -> Iterator[list[TrainingRow]]:
        """Without end: a pass, shuffled, then the next."""
        rows: Sequence[TrainingRow] = first
        for number in count():
            rows = rows or self._rows(stage, number)
            yield from shuffled_batches(rows, self.recipe.batch, self._chance("order", number))
            rows = ()


def shuffled_batches(
    rows: Sequence[TrainingRow], size: int, chance: random.Random
) -> Iterator[list[TrainingRow]]:
    """Batches of rows that are about as long as one another."""
    order = list(rows)
    chance.shuffle(order)
    for first in range(0, len(order), size * CHUNK):
        chunk = sorted(order[first : first + size * CHUNK], key=lambda row: len(row.tokens))
        batches = [chunk[n : n + size] for n in range(0, len(chunk), size)]
        chance.shuffle(batches)
        yield from batches


def climbed(step: int, steps: int, warm_up: float) -> float:
    """The part of the full rate: up in a line, then down in a line to nothing."""
    warm = max(1, int(warm_up * steps))
    if step < warm:
        return (step + 1) / warm
    return max(0.0, (steps - step) / max(1, steps - warm))


def described(progress: TrainingProgress) -> dict[str, Any]:
    """What of a training is kept with its weights."""
    return {
        "pairs": progress.pairs,
        "minutes": round(progress.seconds / 60, 1),
        "best_auc": round(progress.best, 4),
        "history": [one for one in progress.history if one["auc"] is not None],
    }
