"""Studies of the shape of published files, with the published numbers in them."""

from random import Random

from evaluation.reports.data import ReportData
from tests.evaluation.reports.studies import study

AIS_SYSTEMS = {
    "RTR-2": (20.2, 23.7, 28.1), "RTR-4": (45.6, 43.0, 52.8), "RTR-6": (38.9, 53.1, 56.8),
    "RTR-8": (52.9, 59.3, 63.9), "RTR-9": (46.0, 58.8, 65.0), "RTR-10": (41.1, 66.3, 70.2),
    "RTR-11": (53.3, 50.1, 58.8), "RTR-12": (53.3, 64.2, 69.2), "Post-1": (39.5, 39.9, 50.4),
    "Post-2": (39.5, 41.9, 53.9), "Post-3": (49.5, 42.8, 50.7), "Post-4": (49.5, 45.3, 53.9),
    "Post-5": (39.5, 44.2, 50.4), "Post-6": (39.5, 50.1, 55.6), "Post-7": (49.5, 48.5, 54.2),
    "Post-8": (49.5, 53.9, 57.5),
}  # fmt: skip
"""EM, AutoAIS and AIS in percent: Bohnet et al. (2022), tables 2 and 3."""

QUESTIONS = 1_000
MAJORITY, AUTOAIS = "majority of 5 (published)", "AutoAIS (published)"
HUMAN, AUTOMATIC = "published human evaluation", "ALCE automatic (published)"
CORRECTNESS = "correctness|v:1"

RECALL = ((181, 39), (34, 235))
PRECISION = ((152, 49), (78, 287))
"""People's no and yes in rows, the metric's in columns: the smallest round tables with all rates of
Gao et al. (2023), section 6, to the published digit."""


def attributed_qa() -> ReportData:
    """Ratings as in format 5: a majority without its votes, AutoAIS with scores, exact match."""
    labels: dict[str, dict[str, str]] = {}
    automatic: dict[str, dict[str, tuple[str, float]]] = {}
    matched: dict[str, float] = {}
    for number, (system, shares) in enumerate(AIS_SYSTEMS.items()):
        em, autoais, ais = (round(QUESTIONS * share / 100) for share in shares)
        draw = Random(number)
        hard = [draw.random() for _ in range(QUESTIONS)]
        unlike = [one + draw.gauss(0, 0.15) for one in hard]
        for chosen, scale, into in ((ais, hard, labels), (autoais, unlike, automatic)):
            easiest = set(sorted(range(QUESTIONS), key=scale.__getitem__)[:chosen])
            for question in range(QUESTIONS):
                unit = f"{system}/q{question:04}:r"
                yes = question in easiest
                if into is labels:
                    labels[unit] = {MAJORITY: "yes" if yes else "no"}
                else:
                    score = 0.5 + draw.random() / 2 if yes else draw.random() * 0.4999
                    automatic[unit] = {AUTOAIS: ("yes" if yes else "no", round(score, 4))}
        for question in range(QUESTIONS):
            matched[f"{system}/q{question:04}"] = float((question * 7 + number) % QUESTIONS < em)
    return study(
        votes={"attributable": labels},
        automatic={"attributable": automatic},
        measures={CORRECTNESS: {"exact_match": matched}},
        kinds={MAJORITY: "majority"},
        name="Attributed QA",
    )


def alce() -> ReportData:
    """Judgments as in format 2: one rater and the metric, on statements and their citations."""
    recall: dict[str, dict[str, str]] = {}
    recalled: dict[str, dict[str, str]] = {}
    support: dict[str, dict[str, str]] = {}
    supported: dict[str, dict[str, str]] = {}
    number = 0
    for row, by_people in enumerate(("no", "yes")):
        for column, by_metric in enumerate(("no", "yes")):
            statements = []
            for _ in range(RECALL[row][column]):
                response, place = number % 200, number // 200 + 1
                unit = f"model-{response % 4}/asqa-{response // 4}:s{place}"
                recall[unit], recalled[unit] = {HUMAN: by_people}, {AUTOMATIC: by_metric}
                statements.append(unit)
                number += 1
            # A citation is precise where its statement is supported and it supports.
            for cited in range(PRECISION[row][column]):
                citation = f"{statements[cited % len(statements)]}.c{cited // len(statements) + 1}"
                support[citation] = {HUMAN: "partial" if cited % 3 else "full"}
                supported[citation] = {AUTOMATIC: "full"}
    return study(
        votes={"citation_recall": recall, "citation_support": support},
        automatic={"citation_recall": recalled, "citation_support": supported},
        name="ALCE's human evaluation",
    )
