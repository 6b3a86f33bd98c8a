"""The answer first: what a study can find, and for what its rated part speaks."""

import pytest

from tests.evaluation.reports.sections.test_headline import report, said, with_systems


@pytest.mark.parametrize(
    ("p", "detectable", "words"),
    [
        (0.01, 0.06, "clearly better than {c}."),
        (0.3, 0.06, "but not clearly better than {c}. This study can find differences of about 6 "
         "points."),
        (0.3, 1.2, "but not clearly better than {c}. This study is too small to find a "
         "difference."),
        (None, None, "how clearly cannot be told (the same), before {c}."),
    ],
)  # fmt: skip
def test_what_a_study_can_find_is_said_where_it_found_nothing(p, detectable, words):
    begins = "“B” is the best of 3 systems by people on “Attributable” (70.0 % [60.0 %, 80.0 %]), "
    assert said(with_systems(p, detectable))["systems"] == begins + words.format(
        c="“C” (65.0 % [55.0 %, 75.0 %])"
    )


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
