"""Each sentence of the headline in three readings: good, bad, and where we cannot tell."""

from typing import Any, get_args

import pytest

from evaluation.reports.shape.study import SentenceKey
from tests.evaluation.reports.sections import test_headline as judged
from tests.evaluation.reports.sections import test_headline_on_pairs as paired
from tests.evaluation.reports.sections import test_headline_on_samples as samples
from tests.evaluation.reports.sections.test_headline import known, report, said, unknown

UNIT = {"n": 941, "of": "responses"}


def of_agreement(**parts):
    one = report()
    one["agreement"][0] |= parts
    return one


def of_people(alpha, *counts):
    return report(people=[judged.of_people(alpha, *counts)])


def of_detection(recall, precision):
    return of_agreement(detects={"recall": recall, "precision": precision})


def reliability(one=(0.5, 0.4, 0.6), needed=(4, 3, 6), reason="", excess=None):
    row = {
        "item": "attributable",
        "one_rater": known(*one) if one else unknown("fewer than 2 raters"),
        "own": known(0.75, 0.67, 0.82),
        "own_raters": 3.0,
        "needed": unknown(reason) if reason else known(*needed),
        "of_noise": known(0.2, 0.1, 0.3),
    }
    found = report(variance=[row])
    if excess is not None:
        found["people"][0]["alpha_excess"] = known(excess)
    return found


def sliced(*cells):
    rows = [
        {"system": name, "cells": [known(value) for value in values]}
        for name, values in zip("AB", cells, strict=True)
    ]
    column = {"kind": "people", "judge": None, "key": "attributable", "title": "Attributable"}
    one = report(slices={"split": "dataset", "values": [], "columns": [column | {"rows": rows}]})
    one["systems"]["rows"] = [{"system": name, "title": name, "people": {}} for name in "AB"]
    return one


def disagreements(*counts):
    place = {"judge": "j1", "item": "attributable"}
    rows = [
        place | {"compared": compared, "people_yes": yes, "people_no": no}
        for compared, yes, no in counts
    ]
    return report(disagreement_counts=rows)


def threshold(recommended, gain):
    held = {"gain": gain, "recommended": recommended}
    row = {"judge": "j1", "item": "attributable", "held_out": held, "fixed": {"threshold": 0.5}}
    return report(thresholds=[row])


def groups(*names):
    one = report()
    one["systems"] |= {"groups": [*map(list, names)]}
    one["systems"]["rows"] = [
        {"system": name, "title": name, "people": {}} for group in names for name in group
    ]
    return one


def cautious(caution):
    return report(judges=[{"id": "j1", "title": "AutoAIS", "caution": caution}])


def questions(rated, every):
    return report(counts={"judges": 1, "questions": every, "rated_questions": rated})


READINGS: dict[str, list[tuple[Any, str | None]]] = {
    "kappa": [
        (
            report(),
            "On each answer the agreement of AutoAIS with people's labels is moderate: kappa 0.52 "
            "[0.47, 0.57], 941 answers.",
        ),
        (
            of_agreement(kappa=known(-0.2, -0.3, -0.1, **UNIT)),
            "On each answer the agreement of AutoAIS with people's labels is worse than chance: "
            "kappa −0.20 [−0.30, −0.10], 941 answers.",
        ),
        (
            of_agreement(kappa=unknown("constant ratings", **UNIT)),
            "We cannot tell how well AutoAIS agrees with people on each answer: kappa is "
            "undefined, constant ratings (941 answers).",
        ),
        (
            of_people(known(0.55), 1200, 240),
            "On each answer the agreement of AutoAIS with people's labels is moderate: kappa 0.52 "
            "[0.47, 0.57], only 941 of 1,200 answers that people rated. Raters are tied on 20 % of "
            "the answers, where a rule decides the label.",
        ),
    ],
    "misses": [
        (
            of_detection(known(1.0, 0.99, 1.0), known(1.0, 0.99, 1.0)),
            "It misses 0 % [0 %, 1 %] of the answers that are not attributable. People consider "
            "0 % [0 %, 1 %] of the units that it calls not attributable to be attributable.",
        ),
        (
            of_detection(known(0.0, 0.0, 0.1), unknown("no such answers")),
            "It misses 100 % [90 %, 100 %] of the answers that are not attributable and calls "
            "nothing not attributable.",
        ),
        (
            of_detection(unknown("people found all attributable"), known(0.0, 0.0, 0.1)),
            "We cannot tell how many answers that are not attributable it misses: people found "
            "all attributable.",
        ),
    ],
    "people": [
        (
            of_people(known(0.9, 0.85, 0.95)),
            "People's agreement with each other on “Attributable” is almost perfect: "
            "Krippendorff's alpha 0.90 [0.85, 0.95], 5 raters.",
        ),
        (
            of_people(known(-0.1, -0.3, 0.1)),
            "People's agreement with each other on “Attributable” is worse than chance to slight: "
            "Krippendorff's alpha −0.10 [−0.30, 0.10], 5 raters.",
        ),
        (
            of_people(unknown("nothing has two ratings")),
            "We cannot tell how well people agree on “Attributable”: nothing has two ratings.",
        ),
        (
            report(people=[]),
            "We cannot tell how well people agree on “Attributable”: only their labels are known, "
            "not who gave which answer.",
        ),
    ],
    "reliability": [
        (
            reliability(),
            "One rater's reliability on “Attributable” is 0.50 [0.40, 0.60], that of the 3.0 "
            "ratings per unit here 0.75 [0.67, 0.82]; 4 [3, 6] raters would reach 0.8. Of the "
            "noise, 20.0 % [10.0 %, 30.0 %] is due to strict and lenient raters.",
        ),
        (
            reliability((0.1, 0.0, 0.2), (36, 16, 400)),
            "One rater's reliability on “Attributable” is 0.10 [0.00, 0.20], that of the 3.0 "
            "ratings per unit here 0.75 [0.67, 0.82]; 36 [16, 400] raters would reach 0.8. Of the "
            "noise, 20.0 % [10.0 %, 30.0 %] is due to strict and lenient raters.",
        ),
        (
            reliability((0.0, 0.0, 0.1), reason="perhaps no number of raters is enough"),
            "One rater's reliability on “Attributable” is 0.00 [0.00, 0.10], that of the 3.0 "
            "ratings per unit here 0.75 [0.67, 0.82]. We cannot tell how many raters would reach "
            "0.8: perhaps no number of raters is enough. Of the noise, 20.0 % [10.0 %, 30.0 %] is "
            "due to strict and lenient raters.",
        ),
        (
            reliability(excess=0.3) | {"slices": sliced((0.5,), (0.4,))["slices"]},
            "We cannot tell how many raters would reach a reliability of 0.8 on “Attributable” "
            "within one data set: it is known only over all data sets.",
        ),
    ],
    "slices": [
        (
            sliced((0.9, 0.8), (0.5, 0.4)),
            "By people on “Attributable”, “A” has the highest number in 2 of 2 data sets (not "
            "tested).",
        ),
        (
            sliced((0.9, 0.3), (0.5, 0.4)),
            "By people on “Attributable”, “A” and “B” each have the highest number in 1 of 2 data "
            "sets (not tested).",
        ),
        (report(slices={"split": "dataset", "values": [], "columns": []}), None),
    ],
    "disagreements": [
        (
            disagreements((1000, 1, 0)),
            "People and AutoAIS differ on 1 of 1,000 units on “Attributable”: on 1, people say yes "
            "and the judge no; on 0, the reverse.",
        ),
        (
            disagreements((500, 300, 100), (500, 100, 200)),
            "People and AutoAIS differ on 700 of 1,000 units on “Attributable”: on 400, people say "
            "yes and the judge no; on 300, the reverse.",
        ),
        (disagreements(), None),
    ],
    "thresholds": [
        (
            threshold(0.11, known(0.5, 0.23, 0.77)),
            "AutoAIS agrees more with people on “Attributable” at a threshold of 0.11 than at 0.5: "
            "held-out kappa is higher by 0.50 [0.23, 0.77].",
        ),
        (
            threshold(0.5, known(-0.02, -0.1, 0.05)),
            "AutoAIS keeps its threshold of 0.5 for “Attributable”: learning from labels changes "
            "held-out kappa by −0.02 [−0.10, 0.05], which is no clear gain.",
        ),
        (
            threshold(0.5, unknown("fewer than 10 questions")),
            "AutoAIS keeps its threshold of 0.5 for “Attributable”: the gain of another threshold "
            "is unknown, fewer than 10 questions.",
        ),
    ],
    "few": [
        (questions(200, 200), None),
        (
            questions(15, 15),
            "All of this rests on 15 questions. With so few, intervals of yes-or-no answers are "
            "rough and somewhat too wide.",
        ),
        (
            questions(5, 400),
            "All of this rests on only 5 questions that people rated, of 400. With so few, "
            "intervals are too narrow.",
        ),
        (
            questions(1, 1),
            "All of this rests on one question, so the numbers have no intervals.",
        ),
    ],
    "groups": [
        (groups("AB"), None),
        (
            groups("AB", "C"),
            "The systems form 2 groups without shared questions. They are ranked only within "
            "groups. Group 1: “A”, “B”; group 2: “C”.",
        ),
        (
            groups(*"ABCDEFG"),
            "The systems form 7 groups without shared questions. They are ranked only within "
            "groups. Group 1: “A”; group 2: “B”; group 3: “C”; group 4: “D”; group 5: “E”; and 2 "
            "more groups.",
        ),
    ],
    "caution": [
        (cautious(""), None),
        (cautious("It was trained on these answers."), "It was trained on these answers."),
        (cautious("only one run"), "Only one run"),
    ],
}

ELSEWHERE = {
    "correlation": judged.test_how_systems_are_ranked,
    "ceiling": judged.test_a_judge_is_compared_with_a_left_out_rater_and_not_only_with_a_majority,
    "judges": judged.test_the_leading_judge_is_spoken_of_and_how_it_stands_beside_the_next,
    "nothing": judged.test_what_is_there_but_does_not_count_is_not_said_to_be_missing,
    "systems": samples.test_what_a_study_can_find_is_said_where_it_found_nothing,
    "sample": samples.test_a_rated_part_unlike_the_rest_is_said_for_the_leading_judge,
    "raters": samples.test_systems_with_unlike_raters_are_not_told_apart_by_who_rated,
    "pairs": paired.test_what_is_said,
    "order": paired.test_an_effect_of_the_order_is_said,
}
"""Tests of other files that have the three readings."""


def test_every_sentence_has_three_readings():
    assert READINGS.keys() | ELSEWHERE.keys() == set(get_args(SentenceKey))
    assert [key for key, readings in READINGS.items() if len(readings) < 3] == []


@pytest.mark.parametrize(
    ("key", "one", "text"),
    [(key, one, text) for key, readings in READINGS.items() for one, text in readings],
)
def test_headline_reads(key, one, text):
    assert said(one).get(key) == text
