"""Relevance judgments of passages for questions: TREC's qrels, and BEIR's tables."""

from collections.abc import Iterable
from pathlib import Path

from annotate.formats.limits import Limits
from annotate.formats.open_file import OpenFile
from annotate.formats.problems import Unreadable, quoted
from annotate.formats.records import Problem, Where

Qrels = dict[str, dict[str, int]]
"""Relevance by question and passage. Values up to 0 mean not relevant."""

_HEADERS = ("query-id", "query_id", "qid", "topic")


def read_qrels(path: Path, limits: Limits) -> Qrels:
    """Read the qrels of a file."""
    return parse_qrels(OpenFile(path, limits).lines())


def parse_qrels(lines: Iterable[str]) -> Qrels:
    """Parse lines of `question iteration passage grade` or `question passage grade`. White
    space separates the cells. A table's header is skipped."""
    found: Qrels = {}
    for number, text in enumerate(lines, start=1):
        cells = text.split()
        if not cells or (number == 1 and cells[0].lower() in _HEADERS):
            continue
        if len(cells) not in (3, 4) or not _is_whole(cells[-1]):
            expected = (
                "a question, a passage and a whole number (in TREC's files 0 before the passage)"
            )
            raise Unreadable(Problem(Where(line=number), expected, quoted(text.strip()[:80])))
        of_question = found.setdefault(cells[0], {})
        if cells[-2] in of_question:
            said = f"{cells[-2]} of {cells[0]} again"
            raise Unreadable(Problem(Where(line=number), "each passage of a question once", said))
        of_question[cells[-2]] = int(cells[-1])
    return found


def relevant(qrels: Qrels, question: str) -> set[str]:
    """Return the passages that are relevant to a question."""
    return {key for key, grade in qrels.get(question, {}).items() if grade > 0}


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and len(text) < 10
