"""The answer first: a few plain sentences made of the report's own numbers."""

from collections.abc import Collection
from typing import Literal, get_args

from evaluation.reports.sections.headline_on_judge import main_agreement, on_judge
from evaluation.reports.sections.headline_on_systems import (
    on_few,
    on_groups,
    on_open_answers,
    on_pairs,
    on_people,
    on_systems,
    rated_pairs,
)
from evaluation.reports.sections.headline_words import KNOWN, first, said
from evaluation.reports.sections.section import Section
from evaluation.reports.shape.report import Report
from evaluation.reports.shape.study import Headline, Sentence

Narrowing = Literal["systems", "slices", "batch", "dimensions", "judges", "fine_grained"]
NARROWING: tuple[Narrowing, ...] = get_args(Narrowing)
"""Filters that leave only a part of the study."""


def headline(report: Report) -> list[Sentence]:
    """Up to seven sentences about a report whose other sections are made; more where systems fall
    into groups."""
    found: list[Sentence] = []
    pairs = rated_pairs(report)
    rated = bool(report["systems"]["people"] or report.get("open_answers") or pairs)
    judged = bool(report["counts"]["judges"])
    agreement = main_agreement(report)
    if agreement is not None:
        found += on_judge(report, agreement)
    else:
        found.append(said("nothing", _on_nothing(report, rated=rated, judged=judged)))
    item = (
        agreement["item"] if agreement is not None else first(report, report["systems"]["people"])
    )
    if item:
        found += on_people(report, item)
    elif not pairs:
        found += on_open_answers(report)
    if item or report["systems"]["automatic"] or pairs:
        found += on_groups(report)
    found += on_systems(report, item) + on_pairs(report, pairs, item)
    return found + on_few(report) if rated or judged else found


def _are_for_judges(items: Collection[str]) -> bool:
    """Whether metrics answer any of the shipped questions among these as people do."""
    return any(KNOWN[key].of_metrics for key in items if key in KNOWN)


def _on_nothing(report: Report, *, rated: bool, judged: bool) -> str:
    """Why people and judges cannot be compared. Answers may be there and not be counted."""
    filters, people = report["filters"], report["systems"]["people"]
    chosen = any(filters[name] for name in NARROWING)
    nobody = "nobody has rated" if chosen else "nobody has rated yet"
    if not chosen and any(rater["excluded"] for rater in report["raters"]):
        nobody = "only excluded raters have rated"
    no_judge = "no automatic judge has judged this study" + ("" if chosen else " yet")
    uses = [row["uses_autoais"] for row in report["systems"]["rows"]]
    hidden = bool(uses) and all(uses) and not report["filters"]["outliers"]
    if hidden:
        no_judge = (
            "all systems use AutoAIS themselves, so that no automatic score of their citations is "
            "shown"
        )
    if rated and judged and hidden and _are_for_judges(people):
        text = f"{no_judge}: how far people and automatic judges agree cannot be told."
    elif rated and judged:
        text = (
            "people and automatic judges have not judged the same things yet: how far they agree "
            "cannot be told."
        )
    elif rated:
        text = (
            f"{no_judge}: the report says what people said, and how far they agree with each other."
        )
    elif judged:
        text = f"{nobody}: how far the automatic numbers can be trusted cannot be told."
    else:
        text = f"{nobody}, and {no_judge.removesuffix(' yet')}."
    return f"under these filters {text}" if chosen else text


SECTION = Section(key="headline", shape=Headline, panel=None, sum_up=headline)
