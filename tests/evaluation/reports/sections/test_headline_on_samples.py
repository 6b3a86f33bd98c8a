"""The answer first: ranks, what a study can find, and for what its rated part speaks."""

from math import nan

import numpy as np
import pytest

from bench.made_up import study
from bench.misleading import report_of, sentence
from bench.misleading_votes import unlike_raters
from evaluation.reports.tables import judges, people
from tests.evaluation.reports.sections.test_headline import known, report, said, with_systems

NOT_APART = "We cannot tell “B” and “C” apart at the top: each may be 1st to 2nd of 3 systems"
BEST = "“B” is the best of 3 systems"
BY = "by people on “Attributable”"
NUMBER = "70.0 % [60.0 %, 80.0 %]"
HIGHEST = f"“B” is highest ({NUMBER})."


@pytest.mark.parametrize(
    ("p", "detectable", "begins", "ends"),
    [
        (0.01, 0.06, f"{BEST} {BY} ({NUMBER}), clearly better than ", "“C” (65.0 % [55.0 %, "
         "75.0 %])."),
        (0.3, 0.06, f"{NOT_APART} {BY}. {HIGHEST}", " A study like "
         "this finds a difference of 6 points in 80 % of cases."),
        (0.3, 0.004, f"{NOT_APART} {BY}. {HIGHEST}", " A study like this finds a difference of "
         "0.4 points in 80 % of cases."),
        (0.3, 1.2, f"{NOT_APART} {BY}. {HIGHEST}", " No difference can be found with the 20 "
         "questions that both answered."),
        (None, None, f"“B” is highest of 3 systems {BY} ({NUMBER}), ahead of “C” "
         "(65.0 % [55.0 %, 75.0 %]). ", "We cannot tell whether it is better: the same."),
    ],
)  # fmt: skip
def test_what_a_study_can_find_is_said_where_it_found_nothing(p, detectable, begins, ends):
    assert said(with_systems(p, detectable))["systems"] == begins + ends


@pytest.mark.parametrize(
    ("ranks", "words"),
    [
        (((1, 2), (1, 2), (3, 3)), "We cannot tell “B” and “C” apart at the top: each may be 1st "
         "to 2nd of 3 systems by people"),
        (((1, 2), (1, 3), (2, 3)), "We cannot tell “B” and “C” apart at the top: each may be 1st "
         "of 3 systems by people on “Attributable”. “B” is highest (70.0 % "
         "[60.0 %, 80.0 %]) and is at worst 2nd."),
        (((1, 3), (1, 3), (1, 3)), "We cannot tell “B”, “C” and “A” apart: each may be 1st to 3rd "
         "of 3 systems by people"),
        (((1, 1), (2, 3), (2, 3)), "“B” is the best of 3 systems by people"),
    ],
)  # fmt: skip
def test_systems_that_may_be_first_are_named_together(ranks, words):
    one = with_systems(0.3)
    for row, (first, last) in zip(one["comparisons"][0]["ranks"], ranks, strict=True):
        row |= {"first": first, "last": last}
    assert said(one)["systems"].startswith(words)


def test_a_system_of_easy_questions_is_not_best_for_its_higher_number():
    """On the questions that both answered, C is clearly better than B."""
    one = with_systems(0.001)
    compared = one["comparisons"][0]
    compared["pairs"][1]["difference"] = known(-0.2)
    for row, place in zip(compared["ranks"], (2, 1, 3), strict=True):
        row |= {"first": place, "last": place}
    assert said(one)["systems"] == (
        f"“C” is the best of 3 systems {BY} (65.0 % [55.0 %, 75.0 %]), clearly better than “B” "
        f"({NUMBER}) on the questions that both answered."
    )


def test_a_difference_that_was_not_tested_makes_no_system_the_best():
    one = with_systems(0.001)
    one["comparisons"] = []
    assert said(one)["systems"].endswith("We cannot tell whether it is better: it was not tested.")


def test_a_rated_part_unlike_the_rest_is_said_for_the_leading_judge():
    entry = {
        "item": "attributable",
        "judge": "j1",
        "differs": "They differ.",
        "rows": [{"weight": 0.5}],
    }
    other = entry | {"judge": "j2", "differs": ""}
    assert said(report(powered=[other, entry]))["sample"] == "They differ."
    assert "sample" not in said(report(powered=[entry | {"judge": "j2"}, other | {"judge": "j1"}]))


# Of real reports ----------------------------------------------------------------------------------

YES, HALF = np.ones(100), np.arange(100) % 2
FIRST = np.where(np.arange(100) % 50 == 1, 1, np.nan)


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ((HALF, HALF, HALF * (np.arange(100) > 5)), "We cannot tell “System 01”, “System 02” and "
         "“System 03” apart: each may be 1st to 3rd of 3 systems by people on “Attributable”. "
         "“System 01” and “System 02” are highest (50.0 % each)."),
        ((YES[:2], YES[:2]), "We cannot tell “System 01” and “System 02” apart: each may be"),
        ((YES, 0 * YES), "“System 01” is the best of 2 systems by people on “Attributable” (100.0 "
         "% [no interval]), clearly better than “System 02”"),
        ((YES[:4], 0 * YES[:4]), "We cannot tell “System 01” and “System 02” apart: each may be"),
        ((HALF, FIRST, nan * YES), "“System 02” is highest of 2 systems by people on "
         "“Attributable” (100.0 % [no interval]), ahead of “System 01” (50.0 % [40.3 %, 59.7 %]). "
         "We cannot tell whether it is better: the difference is the same on every question. "
         "Few responses are rated: 2 of “System 02”, 0 of “System 03”; up to 100 of others."),
        ((HALF, 1 - HALF, FIRST), "We cannot tell “System 03”, “System 01” and “System 02” apart: "
         "each may be 1st to 3rd of 3 systems by people on “Attributable”. “System 03” is "
         "highest (100.0 % [no interval]). Few responses are rated: 2 of "
         "“System 03”; up to 100 of others."),
    ],
)  # fmt: skip
def test_equal_and_constant_answers_are_spoken_of_as_their_ranks(answers, words):
    found = report_of(study(np.stack(answers, axis=1)[..., None]))
    assert sentence(found, "systems").startswith(words)


@pytest.mark.parametrize(
    ("shared", "words"),
    [
        (0.2, "Adjusted for strict and lenient raters, the difference is 0.9 [−7.5, 9.2] points "
         "instead of 21.0 [13.8, 28.2] points."),
        (0.0, "Strict or lenient raters may explain the difference of 27.2 [20.0, 34.3] points: "
         "raters of the two systems rated too little in common."),
    ],
)  # fmt: skip
def test_systems_with_unlike_raters_are_not_told_apart_by_who_rated(shared, words):
    said, is_right = unlike_raters(shared)
    assert is_right
    assert said.endswith(f"Different raters rated “System 01” and “System 02”. {words}")
    assert "Different raters" not in unlike_raters(1.0)[0]


def test_few_rated_questions_among_many_are_warned_of():
    rated = np.full((400, 2, 2), np.nan)
    rated[:5] = np.random.default_rng(1).random((5, 2, 2)) < 0.6
    assert sentence(report_of(study(rated)), "few").startswith(
        "All of this rests on only 5 questions that people rated, of 400."
    )


@pytest.mark.parametrize(
    ("questions", "cited", "of_judge", "is_checked"),
    [
        (9, "Krippendorff's alpha, to cite", "Cohen's kappa, to cite", False),
        (10, "Alpha within slices, to cite", "Kappa within slices, to cite", True),
    ],
)
def test_agreement_within_data_sets_is_cited_or_said_not_to_be_checked(
    questions, cited, of_judge, is_checked
):
    sets = ["asqa"] * questions + ["eli5"] * questions
    share = np.where(np.array(sets) == "asqa", 0.8, 0.2)[:, None, None]
    said = (np.random.default_rng(1).random((2 * questions, 6, 4)) < share).astype(float)
    found = report_of(study(said[..., :3], {"judge": said[..., 3]}, data_sets=sets))
    for key in ("kappa", "people"):
        not_checked = (
            "It was not checked within one data set: fewer than two data sets have 10 questions."
        )
        assert (not_checked in sentence(found, key)) != is_checked
    for tables, marked in ((people.people, cited), (judges.agreement, of_judge)):
        titles = [column.title for column in tables(found)[0].columns]
        assert [title for title in titles if "to cite" in title] == [marked]
