"""Made-up pairs of many lengths, and scorers that give each the same on every machine."""

import random
from typing import Any

from evaluation.judges.entailment import load_scorer
from tests.evaluation.entailment.tiny_models import WORDS


def sentence(draw: random.Random, words: int) -> str:
    return " ".join(draw.choice(WORDS[:32]) for _ in range(words)).capitalize() + "."


def pairs(count: int, *, longest: int = 4, seed: int = 0) -> list[tuple[str, str]]:
    """Premises of one to `longest` sentences, hypotheses of one."""
    draw = random.Random(seed)
    return [
        (
            " ".join(sentence(draw, draw.randint(3, 9)) for _ in range(draw.randint(1, longest))),
            sentence(draw, draw.randint(2, 8)),
        )
        for _ in range(count)
    ]


def load(name: str, **options: Any) -> Any:
    """In float32 unless said otherwise: whether “auto” is more exact depends on the machine."""
    return load_scorer(name, **({"dtype": "float32"} | options))
