"""Files of many records in each format, made of its example."""

import copy
import csv
import io
import json
from typing import Any

from annotate.formats import FORMATS

Path = tuple[str | int, ...]

LINES = {
    "judgments-jsonl": (("question_id",), ("note",)),
    "references-jsonl": (("question_id",), ("references", "claims", 0)),
    "trec-support": (("topic_id",), ("more",)),
    "trec-assignments": (("qid",), ("answer_text",)),
    "trec-nuggets": (("qid",), ("nuggets", 0, "text")),
    "captures": (("url",), ("text",)),
    "questions": (("question", "id"), ("passages", 0, "text")),
    "attest": (("question", "id"), ("passages", 0, "text")),
    "trec-rag": (("topic_id",), ("answer", 1, "text")),
    "ragas": (("user_input",), ("response",)),
}
LISTS = {
    "alce-questions": (("sample_id",), ("docs", 0, "text")),
    "answers": (("question", "id"), ("question", "text")),
    "deepeval": (("input",), ("actual_output",)),
    "trulens": (("input",), ("output",)),
    "llamaindex": (("query",), ("response",)),
    "trec-biogen": (("topic_id",), ("answer",)),
    "alce": (("id",), ("output",)),
    "alce-citations": (("id",), ("sentences", 0, "citations", 0, "text")),
    "alce-utility": (("id",), ("output",)),
}
UNDER: dict[str, Path] = {
    "trec-biogen": ("results",),
    "alce": ("data",),
    "alce-citations": ("asqa", "example-7b.json"),
    "alce-utility": ("eli5", "example-7b.json"),
}
ROWS = {
    "judgments": ("question_id", "note"),
    "references": ("question_id", "answer"),
    "aqa-ratings": ("question", "passage"),
    "aqa-predictions": ("question", "passage"),
    "table": ("id", "context_1"),
    "table-judgments": ("qid", "annotator"),
}
"""What is another one in each record, and what is made long."""

PAGE = ("response", "output", 0, "content", 0, "annotations", 0, "url")
"""The address that an answer cites: another one in each, as among the captured pages."""


def many(key: str, count: int, *, long: int = 0, fault: bool = False) -> str:
    """So many records, each longer by `long` characters; with a fault, the last has a NUL."""
    if key in ROWS:
        return _rows(key, count, long, fault)
    by_lines = key in LINES
    differing, filled = LINES[key] if by_lines else LISTS[key]
    example = FORMATS[key].example
    whole = json.loads(example.splitlines()[0] if by_lines else example)
    within = whole
    for part in UNDER.get(key, ()):
        within = within[part]
    first = whole if by_lines else next(iter(within.values() if _is_object(within) else within))
    records = [
        _changed(
            first,
            {differing: f"-{n}", filled: "\0" if fault and n == count else "x" * long}
            | ({PAGE: f"-{n}"} if key == "answers" else {}),
        )
        for n in range(1, count + 1)
    ]
    if by_lines:
        return "".join(json.dumps(record) + "\n" for record in records)
    if not UNDER.get(key):
        return json.dumps(records)
    within.clear()
    if _is_object(within):
        within.update({record["id"]: record for record in records})
    else:
        within.extend(records)
    return json.dumps(whole)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict)


def _changed(record: dict, more: dict[Path, str]) -> dict:
    made = copy.deepcopy(record)
    for path, text in more.items():
        held: Any = made
        for part in path[:-1]:
            held = held[part]
        held[path[-1]] = (held.get(path[-1], "") if _is_object(held) else held[path[-1]]) + text
    return made


def _rows(key: str, count: int, long: int, fault: bool) -> str:
    separator = ";" if key == "table" else ","
    header, row, *_ = csv.reader(io.StringIO(FORMATS[key].example), delimiter=separator)
    differing, filled = (header.index(name) for name in ROWS[key])
    held = io.StringIO()
    writer = csv.writer(held, delimiter=separator)
    writer.writerow(header)
    for n in range(1, count + 1):
        cells = list(row)
        cells[differing] += f"-{n}"
        cells[filled] += (
            "\0"
            if fault and n == count
            else "x" * (min(long, 400) if key == "table-judgments" else long)
        )
        writer.writerow(cells)
    return held.getvalue()
