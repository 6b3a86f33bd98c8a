"""The filters of a report as options of a command."""

from argparse import ArgumentParser
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from evaluation.reports.filters import LABEL_METHODS, Filters


def add_filters(parser: ArgumentParser) -> None:
    some = parser.add_argument_group("filters", "what of the study the report is about, and how")
    some.add_argument("--systems", nargs="+", metavar="NAME", help="default: all of them")
    some.add_argument("--slices", nargs="+", metavar="KEY=VALUE", help="of questions; default: all")
    some.add_argument("--split", metavar="KEY", help="whose slices are set side by side: dataset")
    some.add_argument("--compare", nargs=2, metavar="KEY=VALUE", help="two slices")
    some.add_argument("--batch", type=int, metavar="NUMBER", help="only the votes of this batch")
    some.add_argument("--dimensions", nargs="+", metavar="KEY", help="default: all of them")
    some.add_argument("--judges", nargs="+", metavar="NAME", help="signatures of automatic judges")
    some.add_argument("--primary", metavar="NAME", help="the judge to speak of; default: the best")
    some.add_argument("--labels", choices=LABEL_METHODS, help="default: majority")
    some.add_argument("--resamples", type=int, metavar="N", help="for error bars; default: 2000")
    some.add_argument("--seed", type=int, metavar="N", help="default: the study's")
    for name, about in (
        ("--fine-grained", "only responses that cite within a sentence"),
        ("--excluded-in", "also count excluded raters"),
        ("--outliers", "show automatic scores of systems that use AutoAIS"),
    ):
        some.add_argument(name, action="store_true", default=None, help=about)


def filters_of(options: Mapping[str, Any]) -> Filters:
    """Return the filters of a command; raise FilterError for invalid ones."""
    names = [field.name for field in fields(Filters)]
    return Filters.from_json({name: options[name] for name in names if options[name] is not None})
