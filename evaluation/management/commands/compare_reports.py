"""`manage.py compare_reports ONE OTHER`: two studies, bundles or reports side by side."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.management.lookup import study_to_export
from annotate.management.printing import cannot_write, write_lines
from evaluation.reports.bundle import BundleError
from evaluation.reports.comparing.comparison import Side, compare
from evaluation.reports.comparing.sides import BUNDLE, REPORT, changed, side_of, side_of_file
from evaluation.reports.comparing.tables import NOTHING_SHARED, comparison_json, tables_of
from evaluation.reports.exports.csv_tables import file_name, table_csv
from evaluation.reports.exports.latex import table_latex
from evaluation.reports.exports.markdown import table_markdown, table_text
from evaluation.reports.filters import FilterError, Filters
from evaluation.reports.numbers import dumps
from evaluation.reports.shape.report import ReportError
from evaluation.reports.tables.table import Table

FORMS = {"latex": table_latex, "markdown": table_markdown}


class Command(BaseCommand):
    help = "Set two reports side by side: of two filters, two dates, or two studies."

    def add_arguments(self, parser: ArgumentParser) -> None:
        what = "a bundle (.zip), a report (.json), or a study's short name"
        parser.add_argument("one", help=what)
        parser.add_argument("other", help=what)
        for name in ("one", "other"):
            parser.add_argument(
                f"--filters-{name}",
                default="",
                metavar="QUERY",
                help="as in the address of a report's page: batch=3&labels=adjudicated",
            )
        parser.add_argument(
            "--unpaired", action="store_true", help="questions called alike are not the same ones"
        )
        form = parser.add_mutually_exclusive_group()
        for name in FORMS:
            form.add_argument(f"--{name}", action="store_true", help=f"all tables as {name}")
        form.add_argument("--json", action="store_true", help="every number, as JSON")
        form.add_argument("--csv", type=Path, metavar="DIR", help="each table as a file")
        parser.add_argument("--out", type=Path, metavar="FILE", help="default: the terminal")

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            one, other = (
                _side(options[name], options[f"filters_{name}"]) for name in ("one", "other")
            )
        except (BundleError, FilterError, ReportError) as problem:
            raise CommandError(str(problem)) from None
        found = compare(one, other, paired=not options["unpaired"])
        tables = tables_of(found)
        if not tables:
            raise CommandError(NOTHING_SHARED)
        if options["csv"]:
            self._write_csv(options["csv"], tables)
            return
        if options["json"]:
            write_lines(self, [dumps(comparison_json(found))], options["out"])
            return
        made = next((make for name, make in FORMS.items() if options[name]), _text)
        write_lines(self, ["\n".join(made(table) for table in tables)], options["out"])

    def _write_csv(self, folder: Path, tables: list[Table]) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for table in tables:
                (folder / f"{file_name(table.key)}.csv").write_text(table_csv(table), newline="")
        except OSError as problem:
            raise cannot_write(folder, problem) from None
        self.stdout.write(f"{len(tables)} file{'' if len(tables) == 1 else 's'} in {folder}.")


def _text(table: Table) -> str:
    return table_text(table) + "".join(f"{note}\n" for note in (*table.cautions, *table.notes))


def _side(named: str, query: str) -> Side:
    """Return a side from a study's short name, or from a file."""
    title = f"{named} ({query})" if query else named
    path = Path(named)
    if path.suffix in (BUNDLE, REPORT):
        return side_of_file(path, title, query)
    from evaluation.report_pages.gathering import gather

    return side_of(title, gather(study_to_export(named, "report")), changed(Filters(), query))
