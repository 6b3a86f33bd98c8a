"""Charts as pictures. Nothing is fetched: data are in the specification, fonts are built in."""

import re
from html import escape

from evaluation.reports.charts.chart import Spec, themed
from evaluation.reports.sections.every import charts_of
from evaluation.reports.shape.report import Report

VEGA_LITE = "6.4"
"""The version in `static/vendor/`, so pages and pictures look the same."""

PAPER = "#ffffff"
ELEMENT = re.compile(r"<[a-z][^<>]*>")
PART_WORDS = re.compile(r' (?:aria-[a-z]+|role)="[^"]*"')
LONG_NUMBER = re.compile(r"(\d\.\d\d)\d+")

SCALE = 3
"""PNG pixels per screen pixel."""


def chart_svg(spec: Spec, *, dark: bool = False) -> str:
    """Return the chart as SVG, without background.

    It has its title, its description, and the key of its table, by which `report_html` places it.
    """
    import vl_convert

    drawn: str = vl_convert.vegalite_to_svg(
        themed(spec, dark=dark), vl_version=VEGA_LITE, allowed_base_urls=[]
    )
    besides = spec.get("usermeta", {})
    head, inside = drawn.split(">", 1)
    inside = ELEMENT.sub(_bare, inside)
    table, title = escape(besides.get("table", "")), escape(besides.get("title", ""))
    description = escape(spec.get("description", ""))
    return (
        f'{head} role="img" data-table="{table}"><title>{title}</title>'
        f"<desc>{description}</desc>{inside}"
    )


def _bare(element: re.Match[str]) -> str:
    """Remove descriptions of parts, and digits beyond hundredths of a pixel."""
    return LONG_NUMBER.sub(r"\1", PART_WORDS.sub("", element[0]))


def svg_png(picture: str) -> bytes:
    """Return a picture of `chart_svg` as PNG on white, in three times the size of the screen."""
    import vl_convert

    end = picture.index("</desc>") + len("</desc>")
    ground = f'<rect width="100%" height="100%" fill="{PAPER}"/>'
    drawn: bytes = vl_convert.svg_to_png(f"{picture[:end]}{ground}{picture[end:]}", scale=SCALE)
    return drawn


def pictures(report: Report) -> dict[str, str]:
    """Return every chart of the report as SVG, by key."""
    return {key: chart_svg(chart.spec) for key, chart in charts_of(report).items()}
