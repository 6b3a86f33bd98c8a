"""What of a report is told to those who may not know the raters."""

import json

from evaluation.report_pages.readers import RESEARCHER, VIEWER
from evaluation.reports.sections.every import tables_of
from tests.evaluation.reports.sample import RATERS, sample


def with_raters():
    body = sample()
    rated = {"rita": 40, "rob": 10, "réka": 80, "ruth": 20}
    body["raters"] = [
        {"name": name, "kind": "human", "excluded": False, "ratings": n}
        for name, n in rated.items()
    ]
    return body


def test_raters_are_told_by_number():
    told = VIEWER.visible(with_raters())
    text = json.dumps(told, ensure_ascii=False)
    assert not [name for name in RATERS if f'"{name}"' in text]
    assert [(one["name"], one["ratings"]) for one in told["raters"]] == [
        ("Rater 1", 80),
        ("Rater 2", 40),
        ("Rater 3", 20),
        ("Rater 4", 10),
    ]


def test_the_numbers_stay_with_whom_they_are_about():
    body = with_raters()
    names = {"réka": "Rater 1", "rita": "Rater 2", "ruth": "Rater 3", "rob": "Rater 4"}
    checked = 0
    for before, after in zip(body["people"], VIEWER.visible(body)["people"], strict=True):
        if not before.get("matrix"):
            continue
        raters = before["matrix"]["raters"]
        there = {name: place for place, name in enumerate(after["matrix"]["raters"])}
        assert list(there) == sorted(there)
        for i, one in enumerate(raters):
            for j, other in enumerate(raters):
                for key in ("kappas", "units"):
                    cell = after["matrix"][key][there[names[one]]][there[names[other]]]
                    assert cell == before["matrix"][key][i][j]
                    checked += 1
    assert checked >= 32


def test_a_viewer_gets_every_table_and_nothing_of_other_packages():
    body = with_raters() | {"theirs": {"rita": "said so"}}
    before = json.dumps(body)
    told = VIEWER.visible(body)
    assert "theirs" not in told
    assert [table.key for table in tables_of(told)] == [table.key for table in tables_of(body)]
    assert json.dumps(body) == before
    assert RESEARCHER.visible(body) is body
