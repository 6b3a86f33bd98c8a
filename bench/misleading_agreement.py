"""Agreement that rests on the data set, and a judge that is one more rater."""

import numpy as np

from bench.made_up import study
from bench.misleading import Case, report_of, sentence

SEED = 41


def simpson() -> tuple[str, bool]:
    """Two data sets; raters and judge know the data set of an answer and nothing else."""
    draw = np.random.default_rng(SEED)
    sets = ["asqa"] * 40 + ["eli5"] * 40
    share = np.where(np.array(sets) == "asqa", 0.9, 0.1)[:, None, None]
    said = (draw.random((80, 6, 4)) < share).astype(float)
    report = report_of(study(said[..., :3], {"judge": said[..., 3]}, data_sets=sets))
    [row] = report["agreement"]
    text = f"{sentence(report, 'kappa')} {sentence(report, 'people')}"
    within = row["kappa_within"]["value"]
    warned = text.count("most of that agreement comes from knowing the data set") == 2
    return text, warned and within is not None and abs(within) < 0.15


def ceiling() -> tuple[str, bool]:
    """Five raters, and a judge that is a sixth one: each errs in one of five answers."""
    draw = np.random.default_rng(SEED)
    truth = draw.random((200, 4, 1)) < 0.6
    said = (truth ^ (draw.random((200, 4, 6)) < 0.2)).astype(float)
    report = report_of(study(said[..., :5], {"judge": said[..., 5]}))
    text = sentence(report, "ceiling")
    return f"{sentence(report, 'kappa')} {text}", "like one more rater would: kappa" in text


def easy_only() -> tuple[str, bool]:
    """The judge answers only where three raters agree, and then is right in .95."""
    draw = np.random.default_rng(SEED)
    truth = draw.random((100, 6, 1)) < 0.55
    said = truth ^ (draw.random((100, 6, 3)) < 0.15)
    judge = (truth ^ (draw.random(truth.shape) < 0.05))[..., 0].astype(float)
    votes = said.sum(axis=2)
    report = report_of(study(said, {"judge": np.where(votes % 3 > 0, np.nan, judge)}))
    text = sentence(report, "kappa")
    return text, f"only {int((votes % 3 == 0).sum())} of 600 answers that people rated" in text


def tied_labels() -> tuple[str, bool]:
    """The judge gives the true answer; each of two raters errs in .3 of the answers."""
    draw = np.random.default_rng(SEED)
    truth = draw.random((100, 4, 1)) < 0.6
    said = truth ^ (draw.random((100, 4, 2)) < 0.3)
    report = report_of(study(said, {"judge": truth[..., 0].astype(float)}))
    text = sentence(report, "kappa")
    return text, "Raters are tied on" in text


CASES = (
    Case(
        5,
        "easy-only",
        "a judge that answers only where the 3 raters agree",
        "almost perfect: kappa 0.88 [0.83, 0.92], 372 answers.",
        "says of how many rated answers",
        easy_only,
    ),
    Case(
        5,
        "tied-labels",
        "2 raters who err in .3 of the answers; the judge is always right",
        "fair to moderate: kappa 0.36 [0.29, 0.43], 400 answers.",
        "says on how many answers a rule decides the label",
        tied_labels,
    ),
    Case(
        4,
        "simpson",
        "2 data sets; 3 raters and a judge say yes in .9 or .1 of the answers by data set, "
        "otherwise at random. Within a data set kappa is 0.",
        "its agreement with people is substantial to almost perfect: kappa 0.78 [0.71, 0.83]",
        "both sentences say why; kappa within data sets below .15",
        simpson,
    ),
    Case(
        5,
        "ceiling",
        "5 raters and a judge that is exactly one more rater.",
        "its agreement with people is moderate to substantial: kappa 0.53 … people with each "
        "other fair to moderate: alpha 0.39",
        "says that the judge agrees like one more rater",
        ceiling,
    ),
)
