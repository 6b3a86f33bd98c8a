"""`manage.py report STUDY [--json | --html | …] [filters]`: built here, without a worker."""

import json
import os
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from annotate.management.lookup import study_to_export
from annotate.management.printing import cannot_write, write_lines
from evaluation.management.filter_options import add_filters, filters_of
from evaluation.reports.build import build
from evaluation.reports.bundle import BundleError, read_bundle
from evaluation.reports.data import ReportData
from evaluation.reports.exports.csv_tables import file_name, table_csv
from evaluation.reports.exports.html import report_html
from evaluation.reports.exports.latex import report_latex
from evaluation.reports.exports.markdown import report_markdown, table_text
from evaluation.reports.exports.pdf import PdfError, report_pdf
from evaluation.reports.filters import FilterError, Filters
from evaluation.reports.numbers import dumps
from evaluation.reports.sections.every import panels, sections_in, tables_of
from evaluation.reports.shape.report import Report


class Command(BaseCommand):
    help = "Report how good systems are and how far judges agree: from a study or from a bundle."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", nargs="?", help="its short name; none with --from-bundle")
        parser.add_argument(
            "--from-bundle", type=Path, metavar="FILE", help="instead of a study: needs no database"
        )
        form = parser.add_mutually_exclusive_group()
        form.add_argument(
            "--schema", action="store_true", help="the JSON Schema of every report; needs no study"
        )
        for name in ("json", "html", "latex", "markdown"):
            form.add_argument(f"--{name}", action="store_true", help=f"the whole report as {name}")
        form.add_argument(
            "--pdf", type=Path, metavar="FILE", help="the whole report on paper, by Chromium"
        )
        form.add_argument("--csv", type=Path, metavar="DIR", help="each table as a file")
        form.add_argument("--charts", type=Path, metavar="DIR", help="each chart as SVG and PNG")
        parser.add_argument("--out", type=Path, metavar="FILE", help="default: the terminal")
        add_filters(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if options["schema"]:
            write_lines(self, [_schema()], options["out"])
            return
        if (options["study"] is None) == (options["from_bundle"] is None):
            raise CommandError("Name either a study or a bundle (--from-bundle FILE).")
        try:
            data, filters = _data(options)
            report = build(data, filters)
        except (BundleError, FilterError) as problem:
            raise CommandError(str(problem)) from None
        try:
            self._write(report, options)
        except PdfError as problem:
            raise CommandError(str(problem)) from None
        except OSError as problem:
            raise cannot_write(Path(problem.filename or ""), problem) from None

    def _write(self, report: Report, options: dict[str, Any]) -> None:
        if options["pdf"]:
            pdf = report_pdf(report_html(report), settings.ATTEST_CHROMIUM)
            options["pdf"].write_bytes(pdf)
            self.stdout.write(f"{options['pdf']}: {len(pdf):,} bytes.")
        elif options["csv"]:
            self._into(options["csv"], _csv_files(report))
        elif options["charts"]:
            self._into(options["charts"], _chart_files(report))
        else:
            made = next((make for name, make in FORMS.items() if options[name]), as_text)
            write_lines(self, [made(report)], options["out"])

    def _into(self, folder: Path, files: Iterator[tuple[str, bytes]]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        count = 0
        for name, content in files:
            (folder / name).write_bytes(content)
            count += 1
        self.stdout.write(f"{count} file{'' if count == 1 else 's'} in {folder}.")


def _data(options: dict[str, Any]) -> tuple[ReportData, Filters]:
    """Return data and filters; filters on the command line replace those of a bundle."""
    asked, bundle = filters_of(options), options["from_bundle"]
    if bundle is None:
        from evaluation.report_pages.gathering import gather

        return gather(study_to_export(options["study"], "report")), asked
    try:
        data, filters = read_bundle(bundle)
    except OSError as problem:
        raise CommandError(f"{bundle} cannot be read: {os.strerror(problem.errno or 0)}.") from None
    given = {name: each for name, each in asked.as_json().items() if options[name] is not None}
    return data, Filters.from_json({**filters.as_json(), **given})


def _schema() -> str:
    from evaluation.reports.schema import report_schema

    return json.dumps(report_schema(), ensure_ascii=False, indent=1) + "\n"


# Forms --------------------------------------------------------------------------------------------

FORMS: dict[str, Callable[[Report], str]] = {
    "json": dumps,
    "html": report_html,
    "latex": report_latex,
    "markdown": report_markdown,
}


def _csv_files(report: Report) -> Iterator[tuple[str, bytes]]:
    for table in tables_of(report):
        yield f"{file_name(table.key)}.csv", table_csv(table).encode()


def _chart_files(report: Report) -> Iterator[tuple[str, bytes]]:
    from evaluation.reports.exports.images import chart_svg, svg_png
    from evaluation.reports.sections.every import charts_of

    for key, chart in charts_of(report).items():
        svg = chart_svg(chart.spec)
        yield f"{file_name(key)}.svg", svg.encode()
        yield f"{file_name(key)}.png", svg_png(svg)


def as_text(report: Report) -> str:
    """Return the headline and the first tables, for a terminal."""
    parts = [f"{report['study']['name']}\n"]
    parts += [f"{line['text']}\n" for line in report["headline"]]
    first = {section.kinds[0].key for panel in panels() for section in sections_in(panel)[:1]}
    parts += [table_text(table) for table in tables_of(report) if table.key in first]
    return "\n".join(parts)
