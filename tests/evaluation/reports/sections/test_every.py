"""Every section is registered once, with all that it needs; what has no place is an error."""

from dataclasses import replace
from typing import TypedDict

import pytest

from evaluation.reports.charts.chart import Chart
from evaluation.reports.sections.every import SHIPPED, validated
from evaluation.reports.sections.section import Charts, Panel, Section, SectionError, Tables
from evaluation.reports.tables.table import Column, Table


class Toy(TypedDict):
    answer: int


def a_table(key="toy"):
    return Table(key, "Toys", "", (Column("n", "Number", "count"),), ((42,),))


def toy(**more):
    usual = {
        "key": "toy",
        "shape": Toy,
        "build": lambda selected: {"answer": 42},
        "panel": Panel("toys", "Toys", 60, "No toys."),
        "tables": lambda report: [a_table()],
        "kinds": (Tables("toy"),),
    }
    return Section(**{**usual, **more})


def with_(*more):
    return validated([*SHIPPED, *more])


def test_a_section_without_a_place_is_an_error(subtests):
    for section, said in [
        (toy(key="systems"), "“systems” cannot be the name of a section"),
        (toy(key="version"), "“version” cannot be the name of a section"),
        (toy(panel=Panel("systems", "More", 60, "None.")), "“systems” cannot be the name of a p"),
        (toy(panel=Panel("method", "More", 60, "None.")), "“method” cannot be the name of a panel"),
        (toy(panel="toys"), "is in the panel “toys”, which does not exist"),
        (toy(panel=Panel("toys", "Toys", 60, "")), "without words where it is empty"),
        (toy(kinds=()), "needs both `tables` and their `kinds`"),
        (toy(tables=None), "needs both `tables` and their `kinds`"),
        (toy(build=None), "needs either `build` or `sum_up`"),
        (toy(kinds=(Tables("pairs-of-toys"),)), "“pairs” and “pairs-of-toys” begin alike"),
        (
            toy(tables=None, kinds=(), charts=(Charts(("toy",), lambda report: []),)),
            "has charts without a table",
        ),
    ]:
        with subtests.test(section=section, said=said), pytest.raises(SectionError, match=said):
            with_(section)


def test_a_table_without_a_place_is_an_error():
    section = toy(tables=lambda report: [a_table("trains")])
    with pytest.raises(SectionError, match="“toy” has a table “trains” without a place"):
        section.tables_of({"toy": {}})


@pytest.mark.parametrize(("key", "table"), [("trains", "toy"), ("toy-1", "trains")])
def test_a_chart_without_a_place_is_an_error(key, table):
    drawn = Charts(("toy",), lambda report: [Chart(key, "Toys", "", {}, table)])
    section = replace(toy(), charts=(drawn,))
    with pytest.raises(SectionError, match=f"has a chart “{key}” of the table “{table}”"):
        section.charts_of({"toy": {}})
