"""Small files of the published formats, made on the fly."""

import csv
import io
import json
from typing import Any

from annotate.formats import JUDGMENT_COLUMNS

RATINGS = (
    "system_name", "question", "answer", "attribution", "passage",
    "human_rating", "auto_ais", "nli_score",
)  # fmt: skip


def passage(text: str) -> dict[str, Any]:
    return {"title": text.title(), "text": f"{text} is described here."}


def item(number: int, **changes: Any) -> dict[str, Any]:
    """One ALCE item: two sentences, two citations."""
    return {
        "id": f"q{number}",
        "question": f"What is thing {number}?",
        "output": f"Thing {number} is round [1]. It is also blue [2].",
        "docs": [passage(f"thing {number}"), passage("all things")],
        **changes,
    }


def alce(*items: dict[str, Any], args: Any = None, args_last: bool = False) -> bytes:
    """An ALCE result file; a bare list where there are no args."""
    if args is None:
        return as_json(list(items))
    parts = [("args", args), ("data", list(items))]
    return as_json(dict(reversed(parts) if args_last else parts))


def as_json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def lines(*values: Any) -> bytes:
    return b"".join(as_json(value) + b"\n" for value in values)


def response(number: int, **changes: Any) -> dict[str, Any]:
    """One line of Attest's own format."""
    return {
        "question": {"id": f"q{number}", "text": f"What is thing {number}?"},
        "system": "System A",
        "output": f"Thing {number} is round [1]. It is also blue [2].",
        "passages": [
            {"n": 1, **passage(f"thing {number}")},
            {"n": 2, **passage("all things")},
        ],
        **changes,
    }


def responses(count: int, **changes: Any) -> bytes:
    return lines(*(response(number, **changes) for number in range(1, count + 1)))


def table(columns: tuple[str, ...], rows: list[dict[str, Any]]) -> bytes:
    held = io.StringIO()
    writer = csv.DictWriter(held, columns, restval="")
    writer.writeheader()
    writer.writerows(rows)
    return held.getvalue().encode()


def rating(number: int, system: str = "Reader", **changes: Any) -> dict[str, Any]:
    return {
        "system_name": system,
        "question": f"who made thing {number}",
        "answer": f"Maker {number}",
        "attribution": f"p{number}",
        "passage": f"Maker {number} made thing {number}.",
        "human_rating": "Y",
        "auto_ais": "Y",
        "nli_score": "0.9",
        **changes,
    }


def ratings(*rows: dict[str, Any]) -> bytes:
    return table(RATINGS, list(rows))


def judged(number: int, unit: str, dimension: str, value: str, **changes: Any) -> dict[str, Any]:
    return {
        "study": "things",
        "system": "System A",
        "question_id": f"q{number}",
        "unit": unit,
        "dimension": dimension,
        "judge": "Ada",
        "judge_kind": "human",
        "value": value,
        "created": "2024-05-01T12:30:00+00:00",
        **changes,
    }


def judgments(*rows: dict[str, Any]) -> bytes:
    return table(JUDGMENT_COLUMNS, list(rows))


def sentence(text: str, recall: int, *supports: int) -> dict[str, Any]:
    """A sentence of ALCE's human evaluation, with as many passages as supports."""
    return {
        "text": text,
        "sentence_recall_score": recall,
        "sentence_precision_score": 1.0,
        "citations": [
            {**passage(f"source {place} of {text[:5]}"), "citation_precision_score": support}
            for place, support in enumerate(supports, 1)
        ],
    }


def evaluated(number: int, **changes: Any) -> dict[str, Any]:
    """An item of ALCE's human evaluation of citations."""
    return {
        "id": f"q{number}",
        "question": f"What is thing {number}?",
        "output": f"Thing {number} is round [1][2]. It is also blue [3]. Nobody knows more.",
        "sentences": [
            sentence(f"Thing {number} is round [1][2].", 1, 2, 0),
            sentence("It is also blue [3].", 0, 1),
            sentence("Nobody knows more.", 0),
        ],
        "automatic_recall_scores": [1, 1.0, 0],
        "automatic_citation_precision_scores": [[2, 0], [2], []],
        **changes,
    }


def evaluation(*items: dict[str, Any], model: str = "model-a.json") -> bytes:
    found: dict[str, Any] = {each["id"]: each for each in items}
    return as_json({"asqa": {model: {**found, "overall_results": {"recall": 0.5}}}})
