"""Fits the weights of `coverage`, and says how right it is on pairs that it was not fitted on.

    python -m evaluation.entailment.fit_coverage TRAIN.jsonl.gz DEV.jsonl.gz

The weights of a logistic regression on TRAIN's target-like part, large sources counting more but
not drowning small ones; then the bias is moved so that a score of 0.5 is the threshold that is
right most often on DEV's target-like part, both labels counting the same. The penalties are held
to a minimum that the data alone would not ask for, since contradictions in the same words are rare
in them: a statement that the premise covers word for word falls below the threshold where only one
of the two denies it (`LEAST`), and a short one where a number or a name is missing, which lowers
its coverage too. What comes out is written into coverage.py by hand.
"""

import argparse
import gzip
import json
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from sklearn.metrics import roc_auc_score

from evaluation.entailment.coverage import Features, evidence

TARGET = ("ab-", "wice", "begin-", "fm2-passage", "climate-fever-passage", "xquad-qa")
"""What looks like answers that cite passages. Only these are fitted on: in FEVER, the largest other
source, many premises leave out the name of their page, so that a missing name says nothing."""

LEAST = {"numbers": -0.2, "names": -0.2, "negation": 0.1}
"""How far a penalty alone must bring a statement that is covered wholly below the threshold."""

ROUNDS = 20
"""After how many it ends if penalties and threshold still move each other."""


def rows(path: Path) -> list[tuple[str, int, Features]]:
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


def fitted(
    found: np.ndarray, labels: np.ndarray, weights: np.ndarray, least: dict[str, float]
) -> np.ndarray:
    """Weights and bias of a logistic regression in which penalties are at least as `least` says."""
    made = np.hstack([found, np.ones((len(found), 1))])
    signs = np.where(labels == 1, 1.0, -1.0)

    def loss(tried: np.ndarray) -> tuple[float, np.ndarray]:
        margins = signs * (made @ tried)
        slopes = -signs * weights / (1 + np.exp(margins))
        regular = 1e-5 * np.append(tried[:-1], 0.0)
        total = weights @ np.logaddexp(0, -margins) + regular @ tried
        return float(total), made.T @ slopes + 2 * regular

    bounds = [(None, -least[name] if name in least else None) for name in (*Features._fields, "")]
    done = minimize(loss, np.zeros(made.shape[1]), jac=True, method="L-BFGS-B", bounds=bounds)
    return np.asarray(done.x)


def threshold(totals: np.ndarray, labels: np.ndarray) -> float:
    """The total from which on deciding “entailed” is right most often."""
    cuts = np.unique(totals)
    return float(cuts[int(np.argmax([balanced(labels, totals >= cut) for cut in cuts]))])


def main() -> None:
    """Print the weights, and how right they are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("train", type=Path)
    parser.add_argument("dev", type=Path)
    given = parser.parse_args()
    train = [row for row in rows(given.train) if row[0].startswith(TARGET)]
    counts = Counter((source, label) for source, label, _ in train)
    # As the square root: a large source counts more than a small one, but does not drown it.
    shares = np.array([counts[source, label] ** -0.5 for source, label, _ in train])
    shares /= shares.sum()
    learned = np.array([row[2] for row in train]), np.array([row[1] for row in train])
    dev = rows(given.dev)
    labels = np.array([row[1] for row in dev])
    evident = np.array([row[2] for row in dev])
    target = np.array([row[0].startswith(TARGET) for row in dev])
    least: dict[str, float] = {}
    for _ in range(ROUNDS):
        weights = fitted(*learned, shares, least)[:-1]
        totals = evident @ weights
        best = threshold(totals[target], labels[target])
        above = float(weights[weights > 0].sum()) - best
        penalties = dict(zip(Features._fields, -weights, strict=True))
        if all(penalties[name] >= above + more - 0.001 for name, more in LEAST.items()):
            break
        # The threshold moves with the penalties: until both fit each other.
        least = {name: above + more for name, more in LEAST.items()}
    print("WEIGHTS", {name: round(-float(weight), 2) for name, weight in penalties.items()})
    print("BIAS", round(-best, 2))
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
