"""A made-up file in the shape of the published ratings: 23 systems × 3,610 questions."""

import csv
import random
from pathlib import Path

SYSTEMS = 23
QUESTIONS = 3_610
COLUMNS = (
    "system_name", "question", "answer", "attribution", "passage",
    "human_rating", "auto_ais", "nli_score",
)  # fmt: skip
_SYLLABLES = ("ka", "lo", "mi", "ner", "sta", "tu", "re", "vo", "shi", "da", "en", "or")


def _text(rng: random.Random, words: int) -> str:
    return " ".join("".join(rng.choices(_SYLLABLES, k=rng.randint(1, 4))) for _ in range(words))


def write_ratings(
    path: Path, *, systems: int = SYSTEMS, questions: int = QUESTIONS, words: int = 3
) -> int:
    """Write the file, its answers of so many words; about a third of the passages are shared
    between systems."""
    rng = random.Random(7)
    asked = [f"{_text(rng, 9)} {number}" for number in range(questions)]
    shared = [_text(rng, 110) for _ in range(questions)]
    rows = 0
    with path.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle)
        writer.writerow(COLUMNS)
        for system in range(systems):
            for number, question in enumerate(asked):
                own = rng.random() < 0.66
                passage = _text(rng, 110) if own else shared[number]
                score = rng.random()
                writer.writerow(
                    [
                        f"system-{system:02d}",
                        question,
                        _text(rng, words),
                        f"doc-{system}-{number}" if own else f"doc-{number}",
                        passage,
                        rng.choice("YN") if number % 4 == 0 else "",
                        "Y" if score >= 0.5 else "N",
                        f"{score:.6f}",
                    ]
                )
                rows += 1
    return rows
