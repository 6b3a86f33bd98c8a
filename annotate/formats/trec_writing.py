"""Writers of TREC's judgments: nuggets, which answers have them, and qrels."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from annotate.formats.trec_judgments import FAILED, NUGGETS, SAID

_ASSIGNED = {value: label for label, value in SAID.items()}
LEVELS = {"full": 2, "partial": 1, "none": 0}


def nuggets_of(references: Mapping[str, Any], claims: Sequence[str]) -> list[dict[str, Any]]:
    """The claims of a reference as nuggets, with what a file of nuggets said beside them."""
    given = references.get(NUGGETS)
    told = [one for one in given if isinstance(one, dict)] if isinstance(given, list) else []
    known = {str(one.get("text")).strip(): one for one in told}
    return [{**known.get(text, {}), "text": text} for text in claims]


def write_nuggets(question: str, qid: str, nuggets: Sequence[Mapping[str, Any]]) -> str:
    """One line: a topic with its nuggets."""
    return _line({"query": question, "qid": qid, NUGGETS: nuggets})


def write_assignment(
    run: str,
    question: str,
    qid: str,
    answer: str,
    nuggets: Sequence[Mapping[str, Any]],
    said: Mapping[str, str],
) -> str:
    """One line: which nuggets an answer has; of what nobody said anything, that it failed."""
    assigned = [{**one, "assignment": _ASSIGNED.get(said.get(one["text"], ""), FAILED)}
                for one in nuggets]  # fmt: skip
    about = {"query": question, "qid": qid, "run_id": run, "answer_text": answer}
    return _line({**about, NUGGETS: assigned})


def write_qrel(topic: str, document: str, level: int) -> str:
    """One line: topic, iteration (always 0), document and level, with no blank in any of them."""
    return f"{_word(topic)} 0 {_word(document)} {level}\n"


def _word(name: str) -> str:
    return re.sub(r"\s", lambda found: quote(found[0]), name)


def _line(value: Mapping[str, Any]) -> str:
    return f"{json.dumps(value, ensure_ascii=False, allow_nan=False)}\n"
