import shutil
import subprocess

import pytest

from evaluation.reports.build import build
from evaluation.reports.exports.latex import escaped, report_latex, table_latex
from evaluation.reports.filters import Filters
from evaluation.reports.tables.table import Cell, Column, Table, Value
from tests.evaluation.reports.crowd import crowd_report
from tests.evaluation.reports.sample import empty, sample
from tests.evaluation.reports.studies import made_study


def test_a_table_in_the_layout_of_the_papers():
    columns = (
        Column("system", "System"),
        Column("ais", "AIS", "share", 1, "sd", "People"),
        Column("kappa", "Kappa", "number", 2, "interval", "Judge"),
        Column("n", "n", "count"),
    )
    rows = (
        ("RTR_2", Value(0.528, sd=0.011), Value(-0.5, low=-0.6, high=-0.4), 12_000),
        ("Post", Value(None, "constant ratings"), None, 3),
    )
    text = table_latex(Table("my key", "Title", "Caption.", columns, rows, ("100 % & more",)))
    assert r"\caption{\textbf{Title.} Caption.}\label{tab:my-key}" in text
    lines = text.splitlines()
    assert lines[lines.index(r"\toprule") + 1 :][:4] == [
        r"\multicolumn{1}{c}{} & \multicolumn{1}{c}{People} & \multicolumn{1}{c}{Judge} & "
        r"\multicolumn{1}{c}{} \\",
        r"\cmidrule(lr){2-2} \cmidrule(lr){3-3}",
        r"System & \multicolumn{1}{c}{AIS (\%)} & \multicolumn{1}{c}{Kappa} & "
        r"\multicolumn{1}{c}{n} \\",
        r"\midrule",
    ]
    assert r"RTR\_2 & $52.8 \pm 1.1$ & $-0.50\ [-0.60,\, -0.40]$ & $12{,}000$ \\" in lines
    assert r"Post & undefined\textsuperscript{a} & -- & $3$ \\" in text.replace("{--}", "--")
    assert r"\textsuperscript{a} constant ratings \par 100 \% \& more" in text


def test_text_says_just_that(subtests):
    for text, latex in [
        ("50 % of a_b & c#d", r"50 \% of a\_b \& c\#d"),
        ("${x}^2~\\", r"\$\{x\}\textasciicircum{}2\textasciitilde{}\textbackslash{}"),
        ("a|b <c>", r"a\textbar{}\allowbreak{}b \textless{}c\textgreater{}"),
        ("--no-sandbox", "-{}-no-sandbox"),
        ("κ ≥ 0.5 − x", r"\ensuremath{\kappa} \ensuremath{\geq} 0.5 \ensuremath{-} x"),
        ("réka e\u0301", "réka é"),
        ("中 😀", "[U+4E2D] [U+1F600]"),
        ("a\x00\u200bb\nc", "ab c"),
    ]:
        with subtests.test(text=text, latex=latex):
            assert escaped(text) == latex


def test_a_matrix_stays_on_one_page_with_its_headings_upright():
    names = [f"rater {n}" for n in range(1, 61)]
    columns = (Column("rater", "Rater"), *(Column(name, name, "bare") for name in names[:-1]))
    cells: list[Cell] = [*[Value(0.5)] * 59, *[""] * 59]
    rows = tuple((names[n], *cells[59 - n : 118 - n]) for n in range(1, 60))
    text = table_latex(Table("m", "Matrix", "", columns, rows, shaded=True))
    assert text.count(r"\begin{sidewaystable}") == 1
    assert r"& \rotatebox{90}{rater 59} \\" in text
    assert "rater 3 & $.50$ & $.50$ &" in text


@pytest.mark.skipif(shutil.which("pdflatex") is None, reason="no pdflatex on this machine")
@pytest.mark.parametrize("name", ["sample", "many systems", "empty", "built", "crowd", "letters"])
def test_pdflatex_takes_it(name, tmp_path):
    report = {
        "sample": sample,
        "many systems": lambda: sample(60),
        "empty": empty,
        "built": lambda: build(made_study(), Filters(resamples=20)),
        "crowd": lambda: crowd_report(),
        "letters": lambda: (
            empty() | {"headline": [{"key": "", "text": "".join(map(chr, range(1, 0x500)))}]}
        ),
    }[name]()
    (tmp_path / "report.tex").write_text(report_latex(report), encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "report.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:].decode(errors="replace")
    if name != "letters":
        assert b"Overfull" not in done.stdout, "something runs off the page"
    assert (tmp_path / "report.pdf").stat().st_size > 1000
