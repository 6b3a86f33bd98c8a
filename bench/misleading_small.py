"""Words and numbers of reports that were small, and wrong."""

from dataclasses import replace

import numpy as np

from annotate.protocol.shipped import SHIPPED
from bench.made_up import study
from bench.misleading import Case, report_of, table
from evaluation.judges.figures import share_of_questions
from evaluation.statistics.fleiss import BELOW, kappa
from evaluation.statistics.gwet import contributions

RATED, ANSWERS, SCALE = 100, 200, 5


def fleiss_and_gwet() -> tuple[str, bool]:
    """Three raters of utility, which is ordered."""
    draw = np.random.default_rng(16)
    data = study(np.ones((RATED, 1, 3)))
    degrees = draw.integers(0, SCALE, len(data.judgments.value)).astype(np.int8)
    place = np.full(len(degrees), SHIPPED.order["utility"], dtype=np.int8)
    utility = replace(data.judgments, value=degrees, dimension=place)
    asked = replace(data.study, dimensions=("utility",))
    report = report_of(replace(data, judgments=utility, study=asked))
    [method] = [one["text"] for one in report["method"] if one["key"] == "agreement"]
    said = method.partition(". ")[0]
    titles = [one.title for one in table(report, "coefficients").columns if "Gwet" in one.title]
    is_right = "Fleiss' kappas of any answers, have none" in said and titles == ["Gwet's AC2"]
    return f"{', '.join(titles)}; {said}.", is_right


def rated_responses() -> tuple[str, bool]:
    people = np.where(np.arange(ANSWERS)[:, None, None] < RATED, 1.0, np.nan)
    people = np.where(np.arange(ANSWERS)[:, None, None] % 3, people, 0 * people)
    systems = table(report_of(study(np.repeat(people, 2, axis=1))), "systems")
    row = dict(zip((one.title for one in systems.columns), systems.rows[0], strict=True))
    text = f"Responses {row['Responses']}, Rated {row['Rated']}"
    return text, (row["Responses"], row["Rated"]) == (ANSWERS, RATED)


def retrieval() -> tuple[str, bool]:
    found = share_of_questions([float(n % 10 < 6) for n in range(RATED)], "no question")
    ends = f"{found.low:.2f}, {found.high:.2f}"
    return f"recall {found.value} [{ends}]", found.low is not None and found.low > 0.4


def generalised_fleiss() -> tuple[str, bool]:
    """Two units with two unlike ratings, 2,000 with one."""
    votes = np.array([[1.0, 1.0]] * 2 + [[1.0, 0.0]] * 1900 + [[0.0, 1.0]] * 100)
    found = kappa(contributions(votes, "nominal").sum(axis=0))
    return f"{found.value or 'undefined'}: {found.reason}", found.reason == BELOW


CASES = (
    Case(
        16,
        "fleiss-and-gwet",
        "3 raters, answers from 1 to 5",
        "“Kappas of levels and degrees have quadratic weights”; Gwet's AC1",
        "Fleiss' kappa has no weights; AC2 has its own name",
        fleiss_and_gwet,
    ),
    Case(
        16,
        "rated-responses",
        f"people rated {RATED} of {ANSWERS} responses of a system",
        f"Responses {ANSWERS}",
        "both numbers are in the row",
        rated_responses,
    ),
    Case(
        16,
        "retrieval",
        f"a retriever finds the answers to 60 of {RATED} questions",
        "recall 0.6, without an interval",
        "with an interval",
        retrieval,
    ),
    Case(
        16,
        "generalised-fleiss",
        "2 units with two ratings that differ, 2,000 with one",
        "−1.07 with the interval [−1, 1]",
        "undefined below −1, with the reason",
        generalised_fleiss,
    ),
)
