"""Notes beside tables whose intervals are of too few questions."""

from evaluation.reports.tables.judges import thresholds
from evaluation.reports.tables.systems import comparisons, systems
from tests.evaluation.reports.sample import sample


def notes(made, report):
    return " ".join(made(report)[0].notes)


def test_scores():
    report = sample()
    report["thresholds"][0]["questions"] = 50
    assert "rough" not in notes(thresholds, report)
    report["thresholds"][0]["questions"] = 49
    assert "Intervals of fewer than 50 questions are rough" in notes(thresholds, report)


def test_differences():
    report, pair = (
        sample(),
        {"questions": 49, "one": "a", "other": "b", "difference": {"value": None}},
    )
    column = {"kind": "people", "judge": None, "key": "utility", "title": "Utility"}
    rest = dict.fromkeys(("t", "t_p", "t_p_holm", "bootstrap_p", "bootstrap_p_holm"))
    pair |= {**rest, "reason": "few"}
    report["comparisons"] = [{"column": column, "pairs": [pair]}]
    assert "differences on fewer than 50 questions are rough" in notes(comparisons, report)
    pair["questions"] = 50
    assert "rough" not in notes(comparisons, report)


def test_numbers_without_an_upper_end():
    report = sample()
    number = next(iter(report["systems"]["rows"][0]["people"].values()))
    number |= {"n": 99, "signature": "mean of raters|interval:log"}
    assert "Of fewer than 100 questions" in notes(systems, report)
    number["n"] = report["counts"]["questions"] = 100
    assert "Of fewer than 100" not in notes(systems, report)
    number |= {"n": 99, "signature": "majority|interval:z"}
    assert "Of fewer than 100" not in notes(systems, report)
