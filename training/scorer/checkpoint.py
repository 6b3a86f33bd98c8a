"""Where a training stands, in one file: weights and the optimizer's moments, no code in it."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file


class CheckpointError(ValueError):
    """A checkpoint that cannot be read, or that is of another training."""


@dataclass(kw_only=True)
class TrainingProgress:
    """How far a training is."""

    stage: int = 0
    step: int = 0
    """Steps done in this stage."""
    pairs: int = 0
    seconds: float = 0.0
    loss: float = 0.0
    """A moving mean."""
    best: float = -1.0
    """The best evaluation; -1 before the first."""
    waited: int = 0
    """Evaluations since the best one."""
    finished: bool = False
    history: list[dict[str, Any]] = field(default_factory=list)


def write(
    path: Path,
    progress: TrainingProgress,
    recipe: Mapping[str, Any],
    tensors: Mapping[str, torch.Tensor],
) -> None:
    """Replace the checkpoint; it is either the old or the new one, whatever happens."""
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_suffix(".new")
    notes = {"progress": json.dumps(asdict(progress)), "recipe": json.dumps(recipe)}
    save_file({name: one.contiguous() for name, one in tensors.items()}, new, metadata=notes)
    new.replace(path)


def read(path: Path) -> tuple[TrainingProgress, dict[str, Any], dict[str, torch.Tensor]]:
    """Progress, recipe and tensors."""
    try:
        with safe_open(path, framework="pt") as file:
            notes = file.metadata() or {}
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
        progress = TrainingProgress(**json.loads(notes["progress"]))
        recipe: dict[str, Any] = json.loads(notes["recipe"])
    except (OSError, SafetensorError, KeyError, TypeError, ValueError) as problem:
        raise CheckpointError(
            f"The checkpoint “{path}” cannot be read: {problem}. Delete it to begin anew."
        ) from problem
    return progress, recipe, tensors
