"""Write TREC's judgments: nuggets, their assignments, and qrels."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from annotate.formats.trec_judgments import ASSIGNED, FAILED, NUGGETS

_LABELS = {value: label for label, value in ASSIGNED.items()}
LEVELS = {"full": 2, "partial": 1, "none": 0}


def nuggets_of(references: Mapping[str, Any], claims: Sequence[str]) -> list[dict[str, Any]]:
    """Return a reference's claims as nuggets, with the other fields from their file."""
    given = references.get(NUGGETS)
    objects = [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
    known = {str(one.get("text")).strip(): one for one in objects}
    return [{**known.get(text, {}), "text": text} for text in claims]


def write_nuggets(question: str, qid: str, nuggets: Sequence[Mapping[str, Any]]) -> str:
    """Write one line: a topic with its nuggets."""
    return _line({"query": question, "qid": qid, NUGGETS: nuggets})


def write_assignment(
    run: str,
    question: str,
    qid: str,
    answer: str,
    nuggets: Sequence[Mapping[str, Any]],
    said: Mapping[str, str],
) -> str:
    """Write one line: which nuggets an answer has. Unanswered nuggets failed."""
    assigned = [{**one, "assignment": _LABELS.get(said.get(one["text"], ""), FAILED)}
                for one in nuggets]  # fmt: skip
    about = {"query": question, "qid": qid, "run_id": run, "answer_text": answer}
    return _line({**about, NUGGETS: assigned})


def write_qrel(topic: str, document: str, level: int) -> str:
    """Write one line: topic, iteration (always 0), document and level, without blanks."""
    return f"{_word(topic)} 0 {_word(document)} {level}\n"


def _word(name: str) -> str:
    return re.sub(r"\s", lambda found: quote(found[0]), name)


def _line(value: Mapping[str, Any]) -> str:
    return f"{json.dumps(value, ensure_ascii=False, allow_nan=False)}\n"
