"""Studies that people rated in part: which judge helps, and what the rated part can say."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from bench.made_up import study
from bench.misleading import Case, report_of, table
from evaluation.reports.shape.report import Report
from evaluation.reports.shape.systems import PoweredRow
from evaluation.reports.tables.names import judge_title
from evaluation.statistics.prediction_powered import prediction_powered, ratings_wanted

Floats = NDArray[np.float64]


def scored(people: NDArray[np.bool_], right: float, draw: np.random.Generator) -> Floats:
    """The scores of a judge that is right this often."""
    yes = np.where(draw.random(people.shape) < right, people, ~people)
    return np.clip(np.where(yes, 0.75, 0.25) + draw.normal(0, 0.08, people.shape), 0, 1)


def rated_first(people: NDArray[np.bool_], rated: int) -> Floats:
    """People's answers to the first questions, by one rater."""
    found = np.where(np.arange(len(people))[:, None] < rated, people, np.nan)
    return found[:, :, None]


def rows(report: Report) -> Iterator[PoweredRow]:
    return (row for entry in report["powered"] for row in entry["rows"])


def constant_judge() -> tuple[str, bool]:
    draw = np.random.default_rng(1)
    people = draw.random((200, 4)) < 0.6
    judges = {"constant": np.ones(people.shape), "good": scored(people, 0.9, draw)}
    report = report_of(study(rated_first(people, 100), judges))
    systems = table(report, "systems")
    [helped] = [column.group for column in systems.columns if column.key.startswith("powered/")]
    names = {judge_title(report, one["id"]): one["name"] for one in report["judges"]}
    name = names[helped.removeprefix("People, with ")]
    return f"People, with {name}", "good" in name


def easy_first() -> tuple[str, bool]:
    draw = np.random.default_rng(5)
    easy = -np.sort(-draw.beta(4, 8 / 3, 400))
    people = draw.random((400, 3)) < easy[:, None]
    report = report_of(study(rated_first(people, 40), {"judge": scored(people, 0.85, draw)}))
    columns = {column.key for column in table(report, "systems").columns}
    notes = [note for note in table(report, "systems").notes if "differ from the rest" in note]
    corrected = [row for row in rows(report) if row["corrected"]["value"] is not None]
    said = [one["text"] for one in report["headline"] if "differ from the rest" in one["text"]]
    is_right = "powered/attributable" not in columns and not corrected
    return " ".join(notes), is_right and bool(notes and said)


def one_data_set() -> tuple[str, bool]:
    """No judge judged: only the data set tells that people rated an unlike part."""
    draw = np.random.default_rng(5)
    chance = np.where(np.arange(400) < 200, 0.95, 0.25)
    people = draw.random((400, 3)) < chance[:, None]
    sets = ["asqa"] * 200 + ["eli5"] * 200
    report = report_of(study(rated_first(people, 40), data_sets=sets))
    text = " ".join(one["text"] for one in report["headline"] if one["key"] == "sample")
    notes = " ".join(table(report, "systems").notes)
    return text, bool(text) and text in notes


def off_the_scale() -> tuple[str, bool]:
    draw = np.random.default_rng(36)
    people = draw.random((220, 40)) < 0.95
    report = report_of(study(rated_first(people, 20), {"judge": scored(people, 0.9, draw)}))
    known = [row for row in rows(report) if row["powered"]["value"] is not None]
    most = max(row["powered"]["value"] or 0 for row in known)
    least = min((row["effective"]["value"] or 0) - row["rated"] for row in known)
    text = f"at most {100 * most:.1f}; worth {least:+.1f} of the ratings there are at least"
    return text, most <= 1 and least >= 0


def more_ratings() -> tuple[str, bool]:
    """Of 100 studies: those in which as many more as it says are enough."""
    wanted = [one for seed in range(100) for one in _reached(np.random.default_rng([7, seed]))]
    wrong = sum(more == 0 and not reached for more, reached in wanted)
    share = float(np.mean([reached for more, reached in wanted if more]))
    return f"0 with a wider interval: {wrong}; reached in {share:.2f}", not wrong and share >= 0.8


def _reached(draw: np.random.Generator) -> Iterator[tuple[float, bool]]:
    """How many more are wanted with a judge and without, and whether they are enough."""
    people = draw.random(1_000) < 0.9
    judge = (scored(people, 0.9, draw) >= 0.5).astype(float)
    y, ends = people.astype(float), (0.0, 1.0)
    parts = y[:40], judge[:40], judge[40:]
    now = prediction_powered(*parts, ends=ends)
    with_judge, people_alone = ratings_wanted(*parts, 0.05, now, ends=ends)
    for more, alone in ((with_judge, False), (people_alone, True)):
        if more.number.value is not None:
            many = 40 + int(more.number.value)
            then = prediction_powered(y[:many], judge[:many], judge[many:], ends=ends)
            width = (then.people if alone else then.powered).half_width
            yield more.number.value, width <= 0.05


CASES = (
    Case(
        6,
        "constant-judge",
        "People rated 100 of 200 questions; one judge always says yes, one is right in 90 %",
        "People, with a judge: helped by the constant judge, worth 100 ratings",
        "the good judge helps",
        constant_judge,
    ),
    Case(
        7,
        "easy-first",
        "People rated the 40 easiest of 400 questions; the true share is 60 %",
        "96.9 [86.3, 99.4]",
        "headline and table say so; no number with a judge",
        easy_first,
    ),
    Case(
        7,
        "one-data-set",
        "People rated 40 of 400 questions, all of one data set; no judge; the true share is 60 %",
        "95 %, without a word",
        "headline and table say so",
        one_data_set,
    ),
    Case(
        8,
        "off-the-scale",
        "People rated 20 of 220 questions; the true share is 95 %",
        "105.6 [0.0, 100.0], worth 13 ratings",
        "at most 100; worth no less than the ratings there are",
        off_the_scale,
    ),
    Case(
        9,
        "more-ratings",
        "People rated 40 of 1,000 questions; the true share is 90 %",
        "0 more ratings for ± 5 points with 97.5 [83.0, 99.7]; reached in .30 to .57 of studies",
        "never 0 with a wider interval; reached in at least .8",
        more_ratings,
    ),
)
