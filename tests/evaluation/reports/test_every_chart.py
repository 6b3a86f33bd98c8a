"""Every chart, of one system and of many, with numbers and without."""

import json
import re
from itertools import pairwise

import altair
import jsonschema
import pytest

from evaluation.reports.build import build
from evaluation.reports.charts.chart import lines_of, shared_beginning
from evaluation.reports.charts.theme import colours, theme, themed
from evaluation.reports.filters import Filters
from evaluation.reports.sections.every import charts_of, tables_of
from evaluation.reports.tables.names import judge_title
from tests.evaluation.reports.crowd import SYSTEMS, crowd_report
from tests.evaluation.reports.sample import empty, sample
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


def test_nothing_judged_has_no_charts():
    assert charts_of(empty()) == {}


def test_specifications_have_no_colour_of_their_own(built):
    for chart in charts_of(built).values():
        bare = {name: part for name, part in chart.spec.items() if name != "usermeta"}
        assert "config" not in bare
        assert not re.search(r'"#[0-9a-f]{3,8}"', json.dumps(bare))
        assert chart.spec["usermeta"]["theme"] == theme()


def test_specifications_are_vega_lite(built):
    for chart in charts_of(built).values():
        drawn = altair.LayerChart.from_dict(chart.spec, validate=True)
        assert len(drawn.layer) == len(chart.spec["layer"])


def test_specifications_are_told_from_others():
    with pytest.raises(jsonschema.ValidationError):
        altair.LayerChart.from_dict({"layer": [{"mark": "nothing"}]}, validate=True)


def test_the_same_report_has_the_same_charts(built):
    assert charts_of(built) == charts_of(json.loads(json.dumps(built)))


def test_points_of_the_scatter_are_in_percent_with_both_intervals():
    point = main(scatter(sample()))[1]
    assert point["system"] == "post-hoc"
    assert point["y"] == pytest.approx(83.9067)
    assert (point["y_low"], point["y_high"]) == pytest.approx((74.9067, 92.9067))
    assert point["people_say"] == "83.9 ± 4.5"


def test_a_point_without_a_number_is_left_out():
    report = sample()
    report["correlations"]["systems"][0]["points"][1]["x"] = number(None)
    names = [point["system"] for point in main(scatter(report))]
    assert "post-hoc" not in names
    assert len(names) == 3


def test_a_point_without_an_interval_is_drawn():
    report = sample()
    report["correlations"]["systems"][0]["points"][1]["x"] |= {"low": None, "high": None}
    point = main(scatter(report))[1]
    assert point["x_low"] == point["x"] == point["x_high"]


def test_data_of_the_charts_of_judges_and_raters():
    data = {key: main(chart) for key, chart in charts_of(sample()).items()}
    pairs = data["kappas-utility"]
    assert len(pairs) == 4 * 3  # nobody beside themselves
    assert [cell["words"] for cell in pairs if cell["strength"] is None] == ["–", "–"]
    confusion = [cell["words"] for cell in data["confusion-j1-attributable"]]
    assert confusion == ["37 (82 %)", "8 (18 %)", "18 (24 %)", "57 (76 %)"]
    assert len(data["threshold-j1-attributable"]) == 49  # without undefined kappas
    assert len(data["calibration-j1-attributable"]) == 9  # without empty ranges
    assert {row["by"] for row in data["systems-utility"]} == {"People"}
    assert {row["by"] for row in data["systems-attributable"]} == {"People", "AutoAIS (made up)"}


def test_the_line_of_fit_goes_from_the_first_to_the_last_point_that_counts():
    chart = scatter(sample())
    ends = next(data for data in rows(chart) if len(data) == 2)
    counted = [point["x"] for point in main(chart) if not point["outlier"]]
    assert [end["x"] for end in ends] == [min(counted), max(counted)]
    assert ends[0]["y"] == pytest.approx(4 + 0.95 * ends[0]["x"])
    assert len(rows(scatter(sample(3)))) == 1


def test_systems_stand_in_the_order_of_the_tables():
    report = sample()
    order = [row["title"] for row in report["systems"]["rows"]]
    for chart in (charts_of(report)["systems-attributable"], charts_of(report)["systems-utility"]):
        axis = chart.spec["layer"][1]["encoding"]["y"]
        assert [name.replace("\n", " ") for name in axis["sort"]] == order
    chart = charts_of(report)["systems-attributable"]
    by = {row["by"] for row in main(chart) if row["system"] == "=closed book"}
    assert by == {"People"}


def scales(part, key=""):
    """The domain of each scale of colours in a specification."""
    if isinstance(part, list):
        for each in part:
            yield from scales(each, key)
    elif isinstance(part, dict):
        if key in ("color", "stroke", "fill") and "scale" in part:
            yield part["scale"]["domain"]
        for name, each in part.items():
            yield from scales(each, name)


def test_a_judge_keeps_its_colour_in_all_charts():
    report = sample()
    charts = charts_of(report)
    of_judges = ("systems", "confusion", "roc", "threshold", "calibration", "scatter")
    voices = ["People", *(judge_title(report, judge["id"]) for judge in report["judges"])]
    assert len(voices) > 3
    for key, chart in charts.items():
        if key.startswith(of_judges):
            found = list(scales(chart.spec["layer"]))
            assert found, key
            assert all(domain == voices for domain in found), key


LONG = [f"asqa-gpt-35-turbo-gtr-shot2-ndoc5-{kind}" for kind in ("default", "rerank", "summary")]


def test_names_are_whole_in_lines_without_what_all_share():
    report = sample(3)
    for row, title in zip(report["systems"]["rows"], LONG, strict=True):
        row["title"] = title
    axis = charts_of(report)["systems-attributable"].spec["layer"][1]["encoding"]["y"]
    assert axis["title"] == "asqa-gpt-35-turbo-gtr-shot2-ndoc5-…"
    assert axis["sort"] == ["…default", "…rerank", "…summary"]
    assert shared_beginning(["one", "one-two"]) == ""
    assert shared_beginning(["short-a", "long-b"]) == ""
    assert "".join(lines_of(LONG[0])) == LONG[0]
    assert all(len(line) <= 20 for line in lines_of("x" * 200))


def test_points_that_names_would_cover_have_numbers_and_a_key():
    report = sample(16)
    for place, row in enumerate(report["systems"]["rows"]):
        row["title"] = f"asqa-{place} is a name that goes on and on and on"
    chart = scatter(report)
    assert {row["label"] for row in main(chart)} == {str(n) for n in range(1, 17)}
    key = chart.spec["title"]["text"]
    assert key[0] == "Names begin with “asqa-”."
    assert key[3] == "3  …2 is a name that goes on and on and on"


def test_the_key_of_a_crowd_stands_on_a_phone():
    """At 390 pixels a chart has 290 for it, at 5 for a sign; no name is cut for that."""
    chart = next(c for key, c in charts_of(crowd_report()).items() if key.startswith("scatter"))
    lines = chart.spec["title"]["text"]
    assert max(map(len, lines)) * 5 <= 290
    key = re.sub(r"\s", "", "".join(lines))
    assert all(system.removeprefix("asqa-") in key for system in SYSTEMS)


def test_the_fixed_threshold_is_marked_where_it_is():
    charts = charts_of(sample())
    mark = next(data for data in rows(charts["roc-j1-attributable"]) if "words" in data[0])
    assert mark == [{"x": 0.5, "y": pytest.approx(0.5**0.3, abs=1e-6), "words": "threshold 0.5"}]
    marks = [data[0] for data in rows(charts["threshold-j1-attributable"]) if "words" in data[0]]
    assert {mark["words"] for mark in marks} == {"fixed: 0.5", "best: 0.4"}


def test_bars_of_answers_are_whole():
    parts = main(charts_of(sample())["answers-utility"])
    assert parts[0]["start"] == 0
    assert parts[-1]["end"] == 100
    assert [part["count"] for part in parts] == [12, 30, 41, 80, 37]
    for one, other in pairwise(parts):
        assert one["end"] == other["start"]


def test_themes_give_every_role_a_colour_in_light_and_dark():
    light, dark = colours(), colours(dark=True)
    assert light.keys() == dark.keys()
    used = set(re.findall(r'"@([\w]+)"', json.dumps(theme()["config"])))
    assert used <= light.keys()
    # The page of one file tells the colours of a picture apart by their value.
    assert len(set(light.values())) == len(light)
    assert "@" not in json.dumps(themed({}, dark=True)["config"])


def luminance(colour):
    parts = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_words_and_marks_can_be_told_from_the_ground(dark):
    named = colours(dark=dark)
    for role in ("ink", "soft"):
        assert contrast(named[role], named["ground"]) >= 4.5
    for role in ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"):
        assert contrast(named[role], named["ground"]) >= 3, role
    for role in ("disagree2", "agree2"):
        assert contrast(named["ground"], named[role]) >= 4.5, role
    for role in ("disagree1", "middle", "agree1"):
        assert contrast(named["ink"], named[role]) >= 3.5, role


def test_a_measure_with_the_name_of_an_item_is_not_drawn_as_one():
    """Correctness finds the reference's claims; ALiiCE judges those of the answer."""
    report = sample()
    report["items"].append(report["items"][-1] | {"key": "claim_recall", "title": "Claim recall"})
    report["systems"]["automatic"] += [
        {"judge": "j3", "key": "claim_recall", "title": "Claim recall"},
        {"judge": "j4", "key": "claim_recall", "title": "Claim recall"},
    ]
    for row in report["systems"]["rows"]:
        row["automatic"] |= {"j3/claim_recall": number(0.8), "j4/claim_recall": number(0.2)}
    drawn = main(charts_of(report)["systems-claim_recall"])
    assert {row["by"] for row in drawn} == {"ALiiCE (made up)"}


def test_a_scatter_of_a_measure_names_the_measure():
    report = sample()
    row = report["correlations"]["systems"][0] | {"judge": "j4", "key": "exact_match"}
    report["correlations"]["systems"] = [row]
    report["systems"]["automatic"].append(
        {"judge": "j4", "key": "exact_match", "title": "Exact match"}
    )
    chart = charts_of(report)["scatter-attributable-j4-exact_match"]
    titles = {
        layer["encoding"]["x"].get("title")
        for layer in chart.spec["layer"]
        if "x" in layer["encoding"]
    }
    assert "Exact match (%)" in titles
