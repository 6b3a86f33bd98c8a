"""Tables as LaTeX, in the layout of the papers, and a document of all of them.

Needs the packages booktabs and graphicx, and rotating for wide tables, which are in landscape.
Everything is escaped for pdflatex.
"""

import unicodedata
from collections.abc import Iterator

from evaluation.reports.exports.compact import DocumentTable
from evaluation.reports.exports.markdown import reasons
from evaluation.reports.exports.parts import document_parts
from evaluation.reports.numbers import MINUS
from evaluation.reports.shape.report import Report
from evaluation.reports.tables.shown import CellWords, groups, heading, shown
from evaluation.reports.tables.table import Cell, Column, Table

ROWS = 40
"""More rows do not fit on a page: another table continues."""

UPRIGHT = 160
"""Tables with longer rows are in landscape."""

FLOATS = 12
"""The number of tables that may wait for a page of their own at once."""

CLOSE = (r"\setlength{\tabcolsep}{2pt}", r"\renewcommand{\arraystretch}{0.8}")
"""A matrix of sixty raters is as high as a page is wide."""

HEAD = r"""\documentclass[11pt]{article}
\usepackage[T1]{fontenc}
\usepackage[utf8]{inputenc}
\usepackage{textcomp}
\usepackage[margin=2.2cm]{geometry}
\usepackage{booktabs}
\usepackage{graphicx}
\usepackage{rotating}
\setlength{\emergencystretch}{4em}
"""

SIGNS = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    # Signatures have no spaces: a line may break at each of their bars.
    "|": r"\textbar{}\allowbreak{}",
    '"': r"\textquotedbl{}",
    "'": r"\textquotesingle{}",
    "`": r"\textasciigrave{}",
    "\N{NO-BREAK SPACE}": "~",
    "\N{NARROW NO-BREAK SPACE}": r"\,",
    "\N{SOFT HYPHEN}": r"\-",
    "\N{NON-BREAKING HYPHEN}": "{-}",
    "\N{EN DASH}": "{--}",
    "\N{EM DASH}": "{---}",
    "\N{MINUS SIGN}": r"\ensuremath{-}",
    "\N{LEFT SINGLE QUOTATION MARK}": r"\textquoteleft{}",
    "\N{RIGHT SINGLE QUOTATION MARK}": r"\textquoteright{}",
    "\N{LEFT DOUBLE QUOTATION MARK}": r"\textquotedblleft{}",
    "\N{RIGHT DOUBLE QUOTATION MARK}": r"\textquotedblright{}",
    "\N{DOUBLE LOW-9 QUOTATION MARK}": r"\quotedblbase{}",
    "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}",
    "\N{BULLET}": r"\textbullet{}",
    "\N{EURO SIGN}": r"\texteuro{}",
    "\N{PLUS-MINUS SIGN}": r"\ensuremath{\pm}",
    "\N{MULTIPLICATION SIGN}": r"\ensuremath{\times}",
    "\N{LESS-THAN OR EQUAL TO}": r"\ensuremath{\leq}",
    "\N{GREATER-THAN OR EQUAL TO}": r"\ensuremath{\geq}",
    "\N{NOT EQUAL TO}": r"\ensuremath{\neq}",
    "\N{ALMOST EQUAL TO}": r"\ensuremath{\approx}",
    "\N{RIGHTWARDS ARROW}": r"\ensuremath{\rightarrow}",
    "\N{LEFTWARDS ARROW}": r"\ensuremath{\leftarrow}",
    "\N{INFINITY}": r"\ensuremath{\infty}",
}
GREEK = (
    "alpha beta gamma delta epsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau phi chi "
    "psi omega"
)
SIGNS |= {
    unicodedata.lookup(f"GREEK SMALL LETTER {name.replace('lambda', 'lamda').upper()}"): (
        rf"\ensuremath{{\{name}}}"
    )
    for name in GREEK.split()
}

LATIN = frozenset(map(chr, range(0xA1, 0x180))) - set("¦¬¸ĦħĿŀŉŦŧſĸ")
"""Characters that the encodings of `HEAD` can set as they are."""


def report_latex(report: Report) -> str:
    """Return a whole document: headline, tables, method, and the other tables in an appendix."""
    parts = [HEAD, rf"\title{{{escaped(report['study']['name'])}}}", r"\author{}\date{}", ""]
    parts += [r"\begin{document}", r"\maketitle", ""]
    if report["headline"]:
        lines = [rf"\item {escaped(line['text'])}" for line in report["headline"]]
        parts += [r"\begin{itemize}", *lines, r"\end{itemize}", ""]
    tables = document_parts(report)
    parts += _floats(tables.body)
    if report["method"]:
        parts += [r"\clearpage", r"\section*{Method}", ""]
        parts += [
            rf"\paragraph{{{escaped(part['title'])}}} {escaped(part['text'])}" + "\n"
            for part in report["method"]
        ]
    if tables.appendix:
        parts += [r"\clearpage", r"\appendix", r"\section*{Appendix}", ""]
        parts += _floats(tables.appendix)
    return "\n".join([*parts, r"\end{document}", ""])


def _floats(parts: list[DocumentTable]) -> Iterator[str]:
    for position, part in enumerate(parts, start=1):
        yield table_latex(part.table)
        if position % FLOATS == 0:
            yield r"\clearpage"


def table_latex(table: Table) -> str:
    """Return a floating table, or several with one number if it has too many rows for a page."""
    rows = max(1, len(table.rows))
    most = rows if table.shaded else ROWS
    return "\\clearpage\n".join(_part(table, start, most) for start in range(0, rows, most))


def _part(table: Table, start: int, most: int) -> str:
    letters = reasons(table)
    float_ = "sidewaystable" if _signs(table) > UPRIGHT else "table"
    caption = rf"\textbf{{{escaped(table.title)}.}} {escaped(table.caption)}"
    label = rf"\label{{tab:{_label(table.key)}}}"
    if start:
        caption, label = rf"\textbf{{{escaped(table.title)}}}, continued.", ""
    alignment = "".join("l" if column.kind == "text" else "r" for column in table.columns)
    lines = [
        rf"\begin{{{float_}}}[htbp]",
        *((r"\addtocounter{table}{-1}",) if start else ()),
        r"\centering",
        rf"\caption{{{caption}}}{label}",
        r"\smallskip",
        # Never wider than the text.
        r"\resizebox{\ifdim\width>\linewidth\linewidth\else\width\fi}{!}{%",
        *(CLOSE if table.shaded else ()),
        rf"\begin{{tabular}}{{{alignment}}}",
        r"\toprule",
        *_header(table),
        r"\midrule",
    ]
    for row in table.rows[start : start + most]:
        cells = [_cell(c, cell, letters) for c, cell in zip(table.columns, row, strict=True)]
        lines.append(" & ".join(cells) + r" \\")
    lines += [r"\bottomrule", r"\end{tabular}}"]
    if start + most >= len(table.rows):
        lines += _notes(table, letters)
    return "\n".join([*lines, rf"\end{{{float_}}}", ""])


def _signs(table: Table) -> int:
    """Return the width in characters: nothing is broken into lines."""
    return sum(
        2
        + max(
            0 if _upright(table, column) else len(heading(column)),
            *(_length(column, row[n]) for row in table.rows),
            0,
        )
        for n, column in enumerate(table.columns)
    )


def _length(column: Column, cell: Cell) -> int:
    found = shown(column, cell)
    return len(found.text if found.reason else found.plain)


def _header(table: Table) -> list[str]:
    """Return the line of groups with a rule under each, if any, and the line of titles."""
    titles = " & ".join(_title(table, column) for column in table.columns) + r" \\"
    above, rules, first = [], [], 1
    for group, width in groups(table):
        above.append(rf"\multicolumn{{{width}}}{{c}}{{{escaped(group)}}}")
        if group:
            rules.append(rf"\cmidrule(lr){{{first}-{first + width - 1}}}")
        first += width
    return [" & ".join(above) + r" \\", " ".join(rules), titles] if above else [titles]


def _upright(table: Table, column: Column) -> bool:
    return table.shaded and column.kind != "text"


def _title(table: Table, column: Column) -> str:
    title = escaped(column.title) + (r" (\%)" if column.kind == "share" else "")
    if _upright(table, column):
        return rf"\rotatebox{{90}}{{{title}}}"
    return title if column.kind == "text" else rf"\multicolumn{{1}}{{c}}{{{title}}}"


def _notes(table: Table, letters: dict[str, str]) -> list[str]:
    notes = [rf"\textsuperscript{{{letter}}} {escaped(why)}" for why, letter in letters.items()]
    notes += [escaped(note) for note in (*table.cautions, *table.notes)]
    if not notes:
        return []
    text = r" \par ".join(notes)
    return [r"\par\smallskip", rf"\parbox{{\linewidth}}{{\footnotesize {text}}}"]


def _cell(column: Column, cell: Cell, letters: dict[str, str]) -> str:
    found = shown(column, cell)
    if found.reason:
        return rf"{found.text}\textsuperscript{{{letters[found.reason]}}}"
    if not found.number or cell is None:
        return escaped(found.text)
    return f"${_mathematics(found)}$"


def _mathematics(found: CellWords) -> str:
    text = found.text
    if found.error:
        text = rf"{text} \pm {found.error}"
    elif found.low:
        text = rf"{text}\ [{found.low},\, {found.high}]"
    text = text.replace(MINUS, "-")
    return text if found.low else text.replace(",", "{,}")


def _label(key: str) -> str:
    return "".join(
        sign if sign.isascii() and (sign.isalnum() or sign == "-") else "-" for sign in key
    )


def escaped(text: str) -> str:
    """Return the text as LaTeX in one line.

    A character that pdflatex cannot set is named by its code point, as in [U+4E2D].
    """
    signs = []
    before = ""
    for sign in unicodedata.normalize("NFC", " ".join(text.split())):
        # Two hyphens would become a dash.
        signs.append("{}-" if sign == before == "-" else _sign(sign))
        before = sign
    return "".join(signs)


def _sign(sign: str) -> str:
    if sign in SIGNS:
        return SIGNS[sign]
    if sign in LATIN or (sign.isascii() and sign.isprintable()):
        return sign
    category = unicodedata.category(sign)
    if category in ("Cc", "Cf", "Mn"):
        return ""
    return f"[U+{ord(sign):04X}]"
