import json
import re
import struct
from pathlib import Path
from xml.etree import ElementTree

import pytest
import vl_convert

from evaluation.reports.charts.theme import colours
from evaluation.reports.exports.images import SCALE, VEGA_LITE, chart_svg, svg_png
from evaluation.reports.sections.every import charts_of
from tests.evaluation.reports.sample import sample

VENDOR = Path(__file__).resolve().parents[4] / "static" / "vendor"
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


def test_a_picture_has_one_description_and_short_numbers(charts):
    for chart in charts.values():
        _, inside = chart_svg(chart.spec).split("</desc>")
        assert not re.search(r"<[^<>]* (aria-[a-z]+|role)=", inside)
        assert not re.search(r'<[^<>]*="[^"]*\d\.\d{3}', inside)


def test_names_are_drawn_as_text(charts):
    text = "".join(ElementTree.fromstring(chart_svg(charts["systems-utility"].spec)).itertext())
    assert "=closed book" in text
    assert "base_50%" in text


def test_dark_pictures_have_dark_colours(charts):
    spec = charts["systems-utility"].spec
    light, dark = chart_svg(spec), chart_svg(spec, dark=True)
    assert colours()["first"] in light
    assert colours(dark=True)["first"] in dark
    assert colours()["first"] not in dark


def test_the_same_chart_is_the_same_picture(charts):
    spec = charts["systems-attributable"].spec
    assert chart_svg(spec) == chart_svg(json.loads(json.dumps(spec)))


def test_png_is_large_enough_for_paper(charts):
    picture = svg_png(chart_svg(charts["systems-utility"].spec))
    assert picture.startswith(b"\x89PNG")
    width, _ = struct.unpack(">II", picture[16:24])
    assert abs(width - SCALE * charts["systems-utility"].spec["width"]) <= SCALE


def test_nothing_is_fetched():
    spec = {
        "data": {"url": "https://example.org/data.json"},
        "mark": "point",
        "encoding": {"x": {"field": "x", "type": "quantitative"}},
    }
    with pytest.raises(ValueError, match="External data url not allowed"):
        chart_svg(spec)


def test_pages_have_the_same_versions():
    notes = (VENDOR / "README.md").read_text(encoding="utf-8")
    assert f"| `vega` | {vl_convert.get_vega_version()} |" in notes
    assert f"| `vega-lite` | {VEGA_LITE}." in notes
    assert VEGA_LITE in vl_convert.get_vegalite_versions()
    for name in ("vega", "vega-lite", "vega-embed"):
        script = (VENDOR / f"{name}.min.js").read_text(encoding="utf-8")
        assert "sourceMappingURL" not in script
        assert (VENDOR / f"{name}-LICENSE").is_file()
