"""How often the gate of `train_scorer --from-study` lets a scorer through, by what it is worth.

Made-up studies: of each question some statements, of which people call three fifths supported; what
is said of one question hangs together (half of the studies' questions are easy, half are hard). The
scorer that training begins with and the trained one are right with given chances, so that the
truth is known: how much kappa was gained. A gate that is sound lets through no more than one in
forty that gained nothing, and few that lost; how many judged questions it takes until it lets
through what gained something, the table says.
"""

import argparse

import numpy as np

from bench.figures import keep
from evaluation.numbers.improving import SaidOfUnits, compare

STATEMENTS = 6
SUPPORTED = 0.6
EASIER = 0.1
START = 0.66
"""How often the scorer that training begins with is right."""

GAINS = (-0.05, 0.0, 0.05, 0.1)
QUESTIONS = (12, 25, 50, 100, 200)


def passes(questions: int, gain: float, seed: int) -> tuple[bool, float]:
    """Whether the gate lets it through, and by how much kappa went up."""
    random = np.random.default_rng([seed, questions, int(100 * gain) + 100])
    n = questions * STATEMENTS
    places = np.repeat(np.arange(questions), STATEMENTS)
    easier = np.where(random.random(questions) < 0.5, EASIER, -EASIER)[places]
    labels = random.random(n) < SUPPORTED
    # What both scorers find hard is the same: they share the chance of each statement.
    chance = random.random(n)
    changed = random.random(n) < 0.3
    other = np.where(changed, random.random(n), chance)
    before = np.where(chance < START + easier, labels, ~labels)
    after = np.where(other < START + gain + easier, labels, ~labels)
    found = compare(
        "trained", labels.astype(float), SaidOfUnits(before), SaidOfUnits(after), places
    )
    more = found.more["kappa"]
    return more.low is not None and more.low > 0, more.value or 0.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=200)
    studies = parser.parse_args().studies
    print(f"{studies} made-up studies each, {STATEMENTS} statements a question")
    print("| right more often by | kappa gained | " + " | ".join(f"{q}" for q in QUESTIONS) + " |")
    print("|---" * (2 + len(QUESTIONS)) + "|")
    for gain in GAINS:
        shares, gained = [], []
        for questions in QUESTIONS:
            found = [passes(questions, gain, seed) for seed in range(studies)]
            shares.append(sum(passed for passed, _ in found) / studies)
            named = f"{questions} questions, right more often by {gain:.0%}"
            keep(named, shares[-1], "passed" if gain > 0 else "passed by chance")
            gained.append(np.mean([more for _, more in found]))
        cells = " | ".join(f"{share:.0%}" for share in shares)
        print(f"| {gain:+.0%} | {np.mean(gained):+.2f} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
