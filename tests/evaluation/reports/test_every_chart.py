"""Every chart, of one system and of many, with numbers and without."""

import altair
import pytest

from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from evaluation.reports.sections.every import charts_of, tables_of
from tests.evaluation.reports.crowd import crowd_report
from tests.evaluation.reports.sample import sample
from tests.evaluation.reports.sample_of_systems import number
from tests.evaluation.reports.studies import made_study


@pytest.fixture(scope="module")
def built():
    return build(made_study(), Filters(resamples=50))


def rows(chart):
    """All data of a chart, one list for each layer that has its own."""
    return list(chart.spec["datasets"].values())


def main(chart):
    return max(rows(chart), key=len)


def scatter(report):
    return charts_of(report)["scatter-attributable-j1-attributable"]


def test_every_kind_of_chart():
    assert list(charts_of(sample())) == [
        "systems-utility",
        "systems-attributable",
        "answers-utility",
        "answers-attributable",
        "kappas-utility",
        "kappas-attributable",
        "ceiling-attributable",
        "confusion-j1-attributable",
        "roc-j1-attributable",
        "threshold-j1-attributable",
        "calibration-j1-attributable",
        "scatter-attributable-j1-attributable",
    ]


def test_every_chart_has_words_and_a_table_behind_it(built):
    for report in (sample(1), sample(40), built):
        tables = {table.key for table in tables_of(report)}
        charts = charts_of(report)
        assert len(charts) > 8
        for key, chart in charts.items():
            assert chart.key == key
            assert chart.table_key in tables
            assert chart.title
            assert len(chart.description) > 30
            assert chart.spec["description"] == chart.description


def test_specifications_are_vega_lite(built):
    for chart in charts_of(built).values():
        drawn = altair.LayerChart.from_dict(chart.spec, validate=True)
        assert len(drawn.layer) == len(chart.spec["layer"])


def test_a_point_without_a_number_is_left_out():
    report = sample()
    report["correlations"]["systems"][0]["points"][1]["x"] = number(None)
    names = [point["system"] for point in main(scatter(report))]
    assert "post-hoc" not in names
    assert len(names) == 3


def test_data_of_the_charts_of_judges_and_raters():
    data = {key: main(chart) for key, chart in charts_of(sample()).items()}
    pairs = data["kappas-utility"]
    assert len(pairs) == 4 * 3  # nobody beside themselves
    assert [cell["words"] for cell in pairs if cell["strength"] is None] == ["–", "–"]
    confusion = [cell["words"] for cell in data["confusion-j1-attributable"]]
    assert confusion == ["37 (82 %)", "8 (18 %)", "18 (24 %)", "57 (76 %)"]
    assert len(data["threshold-j1-attributable"]) == 49  # without undefined kappas
    assert len(data["calibration-j1-attributable"]) == 10
    assert {row["by"] for row in data["systems-utility"]} == {"People"}
    assert {row["by"] for row in data["systems-attributable"]} == {"People", "AutoAIS (made up)"}


def test_the_answers_charts_show_the_best_first_the_leading_judge_and_its_ceiling(built):
    crowd = crowd_report()
    assert crowd["leading"]
    item, leading = crowd["leading"]["item"], crowd["leading"]["judge"]
    judge = next(one["title"] for one in crowd["judges"] if one["id"] == leading)
    shown = main(charts_of(crowd)[f"leading-systems-{item}"])
    assert {row["by"] for row in shown} == {"People", judge}
    values = [row["value"] for row in shown if row["by"] == "People"]
    assert values == sorted(values, reverse=True)

    assert not any(key.startswith("leading") for key in charts_of(built))  # it has one judge
    sides = [row["of"] for row in main(charts_of(built)["ceiling-attributable"])]
    assert sides == ["AutoAIS, word coverage", "A left-out rater"]
