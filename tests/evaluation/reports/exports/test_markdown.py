from markdown_it import MarkdownIt

from evaluation.reports.exports.markdown import escaped, report_markdown, table_markdown
from evaluation.reports.exports.parts import parts_of
from evaluation.reports.tables.table import Column, Table, Value
from tests.evaluation.reports.sample import empty, sample

NASTY = "a|b *c* _d_ [e](f) <g> `h` #i ~j~ 1. k $l$ &amp; \\"


def read(text):
    return MarkdownIt("commonmark").enable("table").render(text)


def test_a_table_with_its_notes():
    columns = (Column("s", "System"), Column("ais", "AIS", "share", 1, "se", "People"))
    rows = (("one", Value(0.528, se=0.011)), ("two", Value(None, "constant ratings")))
    assert table_markdown(Table("t", "Title", "Caption.", columns, rows, ("A note.",))) == (
        "## Title\n\nCaption.\n\n"
        "| System | People: AIS (%) |\n"
        "| :-- | --: |\n"
        "| one | 52.8 ± 1.1 |\n"
        "| two | undefined (a) |\n\n"
        "- a: constant ratings\n- A note.\n"
    )


def test_text_says_just_that():
    page = read(table_markdown(Table("t", "T", "", (Column("s", "S"),), ((NASTY,),))))
    plain = NASTY.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    assert f'<td style="text-align:left">{plain}</td>' in page


def test_the_beginning_of_a_line_is_no_list_or_heading():
    for text in ("- one", "+ one", "1. one", "2) one", "# one", "> one"):
        plain = text.replace(">", "&gt;")
        assert read(escaped(text)) == f"<p>{plain}</p>\n"
    assert escaped("one\n\ntwo") == "one two"


def test_the_whole_report_has_every_table():
    page = read(report_markdown(sample()))
    parts = parts_of(sample())
    assert page.count("<table>") == len(parts.body) + len(parts.appendix)
    assert "Per answer it agrees moderately: &lt;made up&gt;." in page
    assert "<strong>Ties.</strong>" in page
    assert "<table>" not in read(report_markdown(empty()))
