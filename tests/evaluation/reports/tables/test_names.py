"""What judges are called beside a table."""

from typing import Any

from evaluation.reports.tables.names import judge_note


def test_a_judge_whose_name_says_all_needs_no_note():
    judges = [
        {"id": "j1", "title": "llm-7", "name": "llm-7"},
        {"id": "j2", "title": "AutoAIS (word coverage)", "name": "autoais|scorer:coverage"},
    ]
    report: Any = {"judges": judges}
    assert judge_note(report, ["j1", "j2", "j2"]) == (
        "AutoAIS (word coverage): autoais|scorer:coverage",
    )
