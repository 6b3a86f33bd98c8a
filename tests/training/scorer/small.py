"""A base with two layers and random weights, and pairs that a small network can learn."""

import gzip
import json
import random
from pathlib import Path

from transformers import BertModel

from tests.evaluation.entailment.tiny_models import bert
from training.scorer.pairs import Contribution, LabelledPair
from training.scorer.recipe import Recipe, Stage

SUBJECTS = ("rain", "snow", "wind", "the river", "the lake", "the old town", "the peak")
PLACES = ("the coast", "the north", "the south", "the town", "mount green", "the lake")


def base(folder: Path) -> Path:
    """An encoder without anything on top."""
    bert(folder, positions=128)
    BertModel.from_pretrained(folder).save_pretrained(folder)
    return folder


def pairs(number: int, source: str, *, seed: int = 1, long: bool = False) -> list[LabelledPair]:
    """“It falls on X” with the same words or others."""
    chance = random.Random(f"{seed} {source}")
    made = []
    for _ in range(number):
        subject, place = chance.choice(SUBJECTS), chance.choice(PLACES)
        other = chance.choice([one for one in SUBJECTS if one != subject])
        label = chance.randint(0, 1)
        premise = f"{subject} was found in {place}."
        if long:
            premise = " ".join([*["people see the cold wind."] * 12, premise])
        said = f"{subject if label else other} was found in {place}."
        made.append(LabelledPair(premise, said, label, source))
    return made


def write(folder: Path, **files: list[LabelledPair]) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, some in files.items():
        with gzip.open(folder / f"{name}.jsonl.gz", "wt", encoding="utf-8") as file:
            for pair in some:
                row = pair._asdict()
                file.write(json.dumps({**row, "id": row.pop("group")}) + "\n")
    return folder


def recipe(
    *,
    passes: float = 1.0,
    dropout: float = 0.1,
    evaluations: int = 2,
    resting: int = 0,
    **more,
) -> Recipe:
    """A stage of a few steps."""
    stage = Stage(
        name="small",
        shares=(Contribution(source="*"),),
        passes=passes,
        rate=1e-3,
        tokens=48,
        dropout=dropout,
        evaluations=evaluations,
        resting=resting,
    )
    return Recipe(stages=(stage,), batch=8, **more)
