from xml.etree import ElementTree

import pytest

from evaluation.reports.exports.images import chart_svg
from evaluation.reports.sections.every import charts_of
from tests.evaluation.reports.sample import sample

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def charts():
    return charts_of(sample())


def test_every_chart_is_drawn_with_its_words(charts):
    for chart in charts.values():
        picture = ElementTree.fromstring(chart_svg(chart.spec))
        assert picture.findtext(f"{SVG}title") == chart.title
        assert picture.findtext(f"{SVG}desc") == chart.description
        assert picture.get("data-table") == chart.table_key
        assert float(picture.attrib["width"]) <= chart.spec["width"] + 1


def test_names_are_drawn_as_text(charts):
    text = "".join(ElementTree.fromstring(chart_svg(charts["systems-utility"].spec)).itertext())
    assert "=closed book" in text
    assert "base_50%" in text


def test_nothing_is_fetched():
    spec = {
        "data": {"url": "https://example.org/data.json"},
        "mark": "point",
        "encoding": {"x": {"field": "x", "type": "quantitative"}},
    }
    with pytest.raises(ValueError, match="External data url not allowed"):
        chart_svg(spec)
