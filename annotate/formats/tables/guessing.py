"""A guess at a table's mapping, from the names of its columns and from what they hold."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from annotate.formats.csv_rows import OF_QUESTION
from annotate.formats.judgment_fields import CLAIM, REQUIRED, STANDING_COLUMNS, VERSION
from annotate.formats.tables.cells import (
    are_spans,
    are_statements,
    passage_of,
    several,
    structured,
    truth_of,
    value_of,
)
from annotate.formats.tables.mapping import (
    LEFT_OUT,
    METADATA,
    OF_ONE,
    VALUE,
    ColumnMapping,
    Rows,
)
from annotate.protocol.dimensions import Dimension, UnitKind

NAMES: Mapping[Rows, Mapping[str, tuple[str, ...]]] = {
    "outputs": {
        "question": ("question", "question_text", "query", "prompt", "user_input", "input",
                     "instruction", "user_query", "request"),
        "output": ("output", "response", "prediction", "model_output", "model_response",
                   "model_answer", "generated_answer", "generated_text", "generation",
                   "completion", "system_output", "system_answer", "output_text", "answer",
                   "answer_text"),
        "question_id": ("question_id", "questionid", "qid", "query_id", "prompt_id", "example_id",
                        "sample_id", "topic_id", "item_id", "item", "id", "_id", "idx"),
        "system": ("system", "system_name", "model", "model_name", "system_id", "model_id", "llm",
                   "generator"),
        "run": ("run", "run_id", "seed", "run_name"),
        "reference": ("reference", "reference_answer", "references", "ground_truth",
                      "ground_truths", "gold", "gold_answer", "gold_answers", "expected",
                      "expected_output", "expected_answer", "target", "short_answers", "answers",
                      "answer", "correct_answer"),
        "claims": ("claims", "reference_claims", "key_points", "nuggets"),
        "language": ("language", "lang", "locale"),
        "question_metadata": ("question_metadata",),
        "dataset": ("dataset", "data_set", "dataset_name", "benchmark", "corpus"),
        "passage": ("passages", "contexts", "retrieved_contexts", "context", "passage", "documents",
                    "docs", "retrieved_documents", "retrieved_passages", "sources", "evidence",
                    "chunks", "snippets", "references", "ctxs", "search_results"),
        "passage_title": ("passage_titles", "titles", "document_titles", "doc_titles",
                          "passage_title", "title"),
        "passage_id": ("passage_ids", "document_ids", "doc_ids", "docids", "context_ids",
                       "source_ids", "passage_id", "doc_id", "docid", "segment_ids", "chunk_ids",
                       "attribution"),
        "passage_url": ("passage_urls", "urls", "links", "source_urls", "url", "link"),
    },
    "judgments": {
        "question_id": ("question_id", "qid", "query_id", "example_id", "sample_id", "topic_id",
                        "item_id", "id"),
        "system": ("system", "system_name", "model", "model_name", "run_name"),
        "run": ("run", "run_id", "seed"),
        "unit": ("unit", "unit_key", "statement", "sentence"),
        "dimension": ("dimension", "metric", "criterion", "aspect", "question"),
        "judge": ("judge", "rater", "annotator", "rater_id", "annotator_id", "worker", "worker_id",
                  "assessor", "judge_name"),
        "judge_kind": ("judge_kind", "judge_type", "kind"),
        "value": ("value", "label", "rating", "answer", "judgment", "judgement", "verdict"),
        "score": ("score", "confidence", "probability"),
        "skipped_reason": ("skipped_reason", "skip_reason", "reason"),
        "seconds": ("seconds", "duration", "time_spent"),
        "note": ("note", "notes", "comment", "comments", "explanation", "rationale"),
        "created": ("created", "created_at", "timestamp", "date", "time"),
        "other_system": ("other_system", "other_model"),
        "other_run": ("other_run",),
    },
}  # fmt: skip
"""By which names columns are known, the likeliest first. An earlier field takes a name before a
later one that has it, too."""

BEYOND = (*STANDING_COLUMNS, CLAIM, VERSION)
"""Columns of the long form that mean something else in tables of others."""

_NUMBERED = re.compile(
    r"(?P<what>passage|context|ctx|document|doc|source|evidence|chunk|snippet|reference|title|url"
    r"|link|id)s?[_ .-]?(?P<first>text|title|id|url)?[_ .-]?(?P<number>[0-9]{1,4})"
    r"[_ .-]?(?P<last>text|title|id|docid|url)?"
)
_NUMBERED_AS = {"title": "passage_title", "url": "passage_url", "link": "passage_url",
                "id": "passage_id", "docid": "passage_id"}  # fmt: skip

MEANING = {
    "1": "yes", "true": "yes", "y": "yes", "yes": "yes",
    "0": "no", "false": "no", "n": "no", "no": "no",
}  # fmt: skip
"""What yes and no are written as elsewhere."""

_BY_SHAPE: Mapping[str, Callable[[Any], bool]] = {
    "citations": are_spans,
    "statements": are_statements,
    "is_list": lambda cell: isinstance(truth_of(cell), bool),
}
"""Fields whose names others use for other things: what columns of these names must hold."""

_MARK = re.compile(r"\[[0-9]{1,3}\]")
_USUAL_JUDGE_KIND = "human"


def guess(
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
    kind: Rows | None = None,
    dimensions: Mapping[str, Dimension] = MappingProxyType({}),
) -> ColumnMapping:
    """The likeliest mapping; it may lack fields that are needed, for a person to fill. `kind` is
    what a row is, where somebody has said it; `dimensions` are those that may be judged."""
    plain = {column: _normal(column) for column in columns}
    judged = set(plain.values())
    known = NAMES["judgments"]
    about = sum(bool(judged & set(known[key])) for key in ("judge", "value", "unit", "dimension"))
    is_judged = about >= 3 or {"unit", "dimension"} <= judged
    wide = {} if is_judged else _by_dimensions(columns, dimensions)
    is_judged = is_judged or (bool(wide) and not judged & {*NAMES["outputs"]["output"]})
    if (kind or ("judgments" if is_judged else "outputs")) == "judgments":
        return _of_judgments(plain, rows, wide)
    return _of_outputs(plain, rows)


def _normal(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.strip().lower()).strip("_") if name != "_id" else name


def _by_dimensions(
    columns: Sequence[str], dimensions: Mapping[str, Dimension]
) -> dict[str, dict[str, str]]:
    """Columns that are called as a dimension is, before or after the name of a judge."""
    found = {}
    for column in columns:
        for key in sorted(dimensions, key=len, reverse=True):
            name = r"[\W_]+".join(map(re.escape, key.split("_")))
            match = re.fullmatch(rf"(?:(.+?)[\W_]+)??{name}(?:[\W_]+(.+))?", column, re.IGNORECASE)
            if match:
                judge = " ".join(filter(None, match.groups()))
                unit = "r" if dimensions[key].unit_kind == UnitKind.RESPONSE else ""
                said = {"dimension": key, "judge": judge, "unit": unit}
                found[column] = {name: text for name, text in said.items() if text}
                break
    return found


def _of_judgments(
    plain: Mapping[str, str],
    rows: Sequence[Mapping[str, Any]],
    wide: Mapping[str, Mapping[str, str]],
) -> ColumnMapping:
    found = _by_names("judgments", {c: name for c, name in plain.items() if c not in wide})
    if wide:
        found = {c: target for c, target in found.items() if target not in {VALUE, *OF_ONE}}
    if {*REQUIRED} <= plain.keys():
        found |= {column: column for column in BEYOND if column in plain}
    columns = {column: VALUE if column in wide else found.get(column, LEFT_OUT) for column in plain}
    lacks = "judge_kind" not in found.values()
    valued = [column for column, target in columns.items() if target == VALUE]
    said = {value_of(cell) for column in valued for cell in _cells(column, rows)}
    means = {text: MEANING[text.lower()] for text in said if str(text).lower() in MEANING}
    is_yes_or_no = len(means) == len(said) and {*said} != {*means.values()}
    return ColumnMapping(
        rows="judgments",
        columns=columns,
        given={"judge_kind": _USUAL_JUDGE_KIND} if lacks else {},
        values=dict(sorted(means.items())) if is_yes_or_no else {},
        about={
            column: {key: text for key, text in said.items() if key not in found.values()}
            for column, said in wide.items()
        },
    )


def _of_outputs(plain: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> ColumnMapping:
    found = _numbered(plain)
    left = {column: name for column, name in plain.items() if column not in found}
    found |= _by_names("outputs", left, taken=set(found.values()))
    _by_content(found, plain, rows)
    for target, fits in _BY_SHAPE.items():
        column = next((column for column, name in plain.items() if name == target), None)
        if column is not None and all(map(fits, _cells(column, rows))):
            found[column] = target
    if "passage" not in found.values():
        for column in plain:
            if column not in found and _holds_passages(_cells(column, rows)):
                found[column] = "passage"
                break
    if not {"passage", "passage_id", "passage_url"} & {*found.values()}:
        found = {column: key for column, key in found.items() if key != "passage_title"}
    columns = {}
    for column in plain:
        usual = "question_metadata" if column.startswith(OF_QUESTION) else METADATA
        columns[column] = found.get(column, usual)
    return ColumnMapping(rows="outputs", columns=columns)


def _by_names(rows: Rows, plain: Mapping[str, str], taken: Iterable[str] = ()) -> dict[str, str]:
    """Column -> field, each at most once."""
    found: dict[str, str] = {}
    for target, names in NAMES[rows].items():
        if target in taken:
            continue
        for name in names:
            column = next((c for c, n in plain.items() if n == name and c not in found), None)
            if column is not None:
                found[column] = target
                break
    return found


def _numbered(plain: Mapping[str, str]) -> dict[str, str]:
    """Columns such as passage_1 … passage_5 with title_1 … beside them, from two on."""
    found: dict[str, str] = {}
    for column, name in plain.items():
        if match := _NUMBERED.fullmatch(name):
            part = match["last"] or match["first"] or match["what"]
            found[column] = _NUMBERED_AS.get(part, "passage")
    has_texts = sum(target == "passage" for target in found.values()) > 1
    return found if has_texts else {}


def _by_content(
    found: dict[str, str], plain: Mapping[str, str], rows: Sequence[Mapping[str, Any]]
) -> None:
    """Where no name says it: questions end with question marks, answers have marks or are long."""
    for target, likely in (("question", _asks), ("output", _answers)):
        if target in found.values():
            continue
        scores = {
            column: likely([cell for cell in _cells(column, rows) if isinstance(cell, str)])
            for column in plain
            if column not in found
        }
        best = max(scores, key=lambda column: scores[column], default=None)
        if best is not None and scores[best] > 0.5:
            found[best] = target


def _asks(texts: Sequence[str]) -> float:
    return _share(texts, lambda text: text.rstrip().endswith(("?", "？", "؟")))


def _answers(texts: Sequence[str]) -> float:
    return _share(texts, lambda text: bool(_MARK.search(text)) or text.count(" ") > 15)


def _share(texts: Sequence[str], holds: Any) -> float:
    return sum(map(holds, texts)) / len(texts) if texts else 0.0


def _holds_passages(cells: Sequence[Any]) -> bool:
    """Whether most cells list texts, or objects that have one."""
    lists = [found for cell in cells if (found := several(structured(cell)))]
    fine = [
        found
        for found in lists
        if all(isinstance(each, str) and " " in each for each in found)
        or all(isinstance(each, dict) and passage_of(each) for each in found)
    ]
    return bool(cells) and len(fine) * 2 > len(cells)


def _cells(column: str, rows: Sequence[Mapping[str, Any]]) -> list[Any]:
    return [cell for row in rows[:50] if (cell := row.get(column)) not in (None, "")]
