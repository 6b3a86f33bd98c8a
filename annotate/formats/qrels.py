"""Which passages are relevant to which questions: TREC's qrels, and BEIR's tables of them."""

from collections.abc import Iterable
from pathlib import Path

from annotate.formats.limits import Limits
from annotate.formats.open_file import OpenFile
from annotate.formats.problems import Unreadable, quoted
from annotate.formats.records import Problem, Where

Qrels = dict[str, dict[str, int]]
"""By question and passage how relevant it is; 0 and less is not."""

_HEADERS = ("query-id", "query_id", "qid", "topic")


def read_qrels(path: Path, limits: Limits) -> Qrels:
    """Those of a file."""
    return qrels_in(OpenFile(path, limits).lines())


def qrels_in(lines: Iterable[str]) -> Qrels:
    """`question iteration passage grade` or `question passage grade` a line, with white space
    between them; a table's header is passed over."""
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
    """The passages that are relevant to a question."""
    return {key for key, grade in qrels.get(question, {}).items() if grade > 0}


def _is_whole(text: str) -> bool:
    return text.removeprefix("-").isdecimal() and len(text) < 10
