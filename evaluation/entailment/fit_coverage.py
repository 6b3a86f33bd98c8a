"""Fits the weights of `coverage`, and says how right it is on pairs that it was not fitted on.

    python -m evaluation.entailment.fit_coverage TRAIN.jsonl.gz DEV.jsonl.gz

The weights of a logistic regression, every source counting the same and both labels too; then
the bias is moved so that a score of 0.5 is the threshold that is right most often on DEV's
target-like part, both labels counting the same. What comes out is written into coverage.py
by hand.
"""

import argparse
import gzip
import json
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score

from evaluation.entailment.coverage import Evidence, evidence

TARGET = ("ab-", "wice", "begin-", "fm2-passage", "climate-fever-passage", "xquad-qa")
"""What looks like answers that cite passages."""

FITTED = (*TARGET, "fever")


def rows(path: Path) -> list[tuple[str, int, Evidence]]:
    """Source, label and evidence of each pair; pictures described are left out."""
    found = []
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            pair = json.loads(line)
            if not pair["source"].startswith(("snli", "litl", "sanli")):
                made = evidence(pair["premise"], pair["hypothesis"])
                found.append((pair["source"], pair["label"], made))
    return found


def balanced(labels: np.ndarray, decided: np.ndarray) -> float:
    """The mean of the shares that are right among the entailed and among the others."""
    return float(np.mean([(decided[labels == one] == one).mean() for one in (0, 1)]))


def main() -> None:
    """Print the weights, and how right they are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("train", type=Path)
    parser.add_argument("dev", type=Path)
    given = parser.parse_args()
    train = [row for row in rows(given.train) if row[0].startswith(FITTED)]
    counts = Counter((source, label) for source, label, _ in train)
    # As the square root: a large source counts more than a small one, but does not drown it.
    weights = [counts[source, label] ** -0.5 for source, label, _ in train]
    model = LogisticRegression(C=10, max_iter=1000)
    model.fit([row[2] for row in train], [row[1] for row in train], sample_weight=weights)
    dev = rows(given.dev)
    labels = np.array([row[1] for row in dev])
    totals = model.decision_function([row[2] for row in dev])
    target = np.array([row[0].startswith(TARGET) for row in dev])
    cuts = np.unique(totals[target])
    right = [balanced(labels[target], totals[target] >= cut) for cut in cuts]
    best = cuts[int(np.argmax(right))]
    print(
        "WEIGHTS",
        dict(zip(Evidence._fields, (round(float(w), 2) for w in model.coef_[0]), strict=True)),
    )
    print("BIAS", round(float(model.intercept_[0] - best), 2))
    parts: defaultdict[str, list[int]] = defaultdict(list)
    for number, (source, _, _) in enumerate(dev):
        parts[source].append(number)
        parts["target-like" if target[number] else "others"].append(number)
    print(f"{'part':24} pairs  accuracy balanced  AUC  majority")
    for part, numbers in sorted(parts.items()):
        some, decided = labels[numbers], totals[numbers] >= best
        if len(set(some)) == 2:
            print(
                f"{part:24} {len(some):5} {np.mean(some == decided):9.3f} "
                f"{balanced(some, decided):8.3f} {roc_auc_score(some, totals[numbers]):.3f} "
                f"{max(some.mean(), 1 - some.mean()):.3f}"
            )


if __name__ == "__main__":
    main()
