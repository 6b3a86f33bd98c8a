"""Guess a table's column mapping from the names and contents of its columns."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from annotate.formats.csv_rows import QUESTION_PREFIX
from annotate.formats.judgment_fields import CLAIM, REQUIRED, STANDING_COLUMNS, VERSION
from annotate.formats.tables.cells import (
    are_spans,
    are_statements,
    boolean_of,
    items_in,
    parsed_cell,
    passage_of,
    value_of,
)
from annotate.formats.tables.mapping import (
    LEFT_OUT,
    METADATA,
    SINGLE_VALUE_FIELDS,
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
"""Usual column names of each field, the likeliest first. If two fields list a name, the first one
gets the column."""

LONG_FORM_COLUMNS = (*STANDING_COLUMNS, CLAIM, VERSION)
"""Columns of the long form whose names have another meaning in other tables."""

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
"""Other spellings of yes and no."""

_BY_SHAPE: Mapping[str, Callable[[Any], bool]] = {
    "citations": are_spans,
    "statements": are_statements,
    "is_list": lambda cell: isinstance(boolean_of(cell), bool),
}
"""Fields whose names are ambiguous: the cells that a column of this name must have."""

_MARK = re.compile(r"\[[0-9]{1,3}\]")
_USUAL_JUDGE_KIND = "human"


def guess(
    rows: Sequence[Mapping[str, Any]],
    columns: Sequence[str],
    kind: Rows | None = None,
    dimensions: Mapping[str, Dimension] = MappingProxyType({}),
) -> ColumnMapping:
    """Return the likeliest mapping. Required fields may be missing, for a person to fill.
    `kind` is set if somebody chose what a row is. `dimensions` are the study's."""
    normalized = {column: _normal(column) for column in columns}
    judged = set(normalized.values())
    known = NAMES["judgments"]
    about = sum(bool(judged & set(known[key])) for key in ("judge", "value", "unit", "dimension"))
    is_judged = about >= 3 or {"unit", "dimension"} <= judged
    wide = {} if is_judged else _by_dimensions(columns, dimensions)
    is_judged = is_judged or (bool(wide) and not judged & {*NAMES["outputs"]["output"]})
    if (kind or ("judgments" if is_judged else "outputs")) == "judgments":
        return _of_judgments(normalized, rows, wide)
    return _of_outputs(normalized, rows)


def _normal(name: str) -> str:
    return re.sub(r"[\W_]+", "_", name.strip().lower()).strip("_") if name != "_id" else name


def _by_dimensions(
    columns: Sequence[str], dimensions: Mapping[str, Dimension]
) -> dict[str, dict[str, str]]:
    """Return the columns named after a dimension, before or after a judge's name."""
    found = {}
    for column in columns:
        for key in sorted(dimensions, key=len, reverse=True):
            name = r"[\W_]+".join(map(re.escape, key.split("_")))
            match = re.fullmatch(rf"(?:(.+?)[\W_]+)??{name}(?:[\W_]+(.+))?", column, re.IGNORECASE)
            if match:
                judge = " ".join(filter(None, match.groups()))
                unit = "r" if dimensions[key].unit_kind == UnitKind.RESPONSE else ""
                about = {"dimension": key, "judge": judge, "unit": unit}
                found[column] = {name: text for name, text in about.items() if text}
                break
    return found


def _of_judgments(
    normalized: Mapping[str, str],
    rows: Sequence[Mapping[str, Any]],
    wide: Mapping[str, Mapping[str, str]],
) -> ColumnMapping:
    found = _by_names("judgments", {c: name for c, name in normalized.items() if c not in wide})
    if wide:
        single = {VALUE, *SINGLE_VALUE_FIELDS}
        found = {column: target for column, target in found.items() if target not in single}
    if {*REQUIRED} <= normalized.keys():
        found |= {column: column for column in LONG_FORM_COLUMNS if column in normalized}
    found |= dict.fromkeys(wide, VALUE)
    columns = {column: found.get(column, LEFT_OUT) for column in normalized}
    lacks_kind = "judge_kind" not in found.values()
    valued = [column for column, target in columns.items() if target == VALUE]
    values = {value_of(cell) for column in valued for cell in _cells(column, rows)}
    meant = {text: MEANING[text.lower()] for text in values if str(text).lower() in MEANING}
    is_yes_or_no = len(meant) == len(values) and values != {*meant.values()}
    return ColumnMapping(
        rows="judgments",
        columns=columns,
        given={"judge_kind": _USUAL_JUDGE_KIND} if lacks_kind else {},
        values=dict(sorted(meant.items())) if is_yes_or_no else {},
        about={
            column: {key: text for key, text in about.items() if key not in found.values()}
            for column, about in wide.items()
        },
    )


def _of_outputs(normalized: Mapping[str, str], rows: Sequence[Mapping[str, Any]]) -> ColumnMapping:
    found = _numbered(normalized)
    left = {column: name for column, name in normalized.items() if column not in found}
    found |= _by_names("outputs", left, taken=set(found.values()))
    _by_content(found, normalized, rows)
    for target, fits in _BY_SHAPE.items():
        column = next((column for column, name in normalized.items() if name == target), None)
        if column is not None and all(map(fits, _cells(column, rows))):
            found[column] = target
    if "passage" not in found.values():
        for column in normalized:
            if column not in found and _holds_passages(_cells(column, rows)):
                found[column] = "passage"
                break
    if not {"passage", "passage_id", "passage_url"} & {*found.values()}:
        found = {column: key for column, key in found.items() if key != "passage_title"}
    columns = {}
    for column in normalized:
        usual = "question_metadata" if column.startswith(QUESTION_PREFIX) else METADATA
        columns[column] = found.get(column, usual)
    return ColumnMapping(rows="outputs", columns=columns)


def _by_names(
    rows: Rows, normalized: Mapping[str, str], taken: Iterable[str] = ()
) -> dict[str, str]:
    """Map columns to fields by name, each field at most once."""
    found: dict[str, str] = {}
    for target, names in NAMES[rows].items():
        if target in taken:
            continue
        for name in names:
            column = next((c for c, n in normalized.items() if n == name and c not in found), None)
            if column is not None:
                found[column] = target
                break
    return found


def _numbered(normalized: Mapping[str, str]) -> dict[str, str]:
    """Map numbered columns such as passage_1 and title_1, if there are at least two."""
    found: dict[str, str] = {}
    for column, name in normalized.items():
        if match := _NUMBERED.fullmatch(name):
            part = match["last"] or match["first"] or match["what"]
            found[column] = _NUMBERED_AS.get(part, "passage")
    has_texts = sum(target == "passage" for target in found.values()) > 1
    return found if has_texts else {}


def _by_content(
    found: dict[str, str], normalized: Mapping[str, str], rows: Sequence[Mapping[str, Any]]
) -> None:
    """Find question and output by content, if no column name matches. Questions end with
    question marks; answers are long or have citation marks."""
    for target, likely in (("question", _asks), ("output", _answers)):
        if target in found.values():
            continue
        scores = {
            column: likely([cell for cell in _cells(column, rows) if isinstance(cell, str)])
            for column in normalized
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
    """Return whether most cells list texts, or objects with a text."""
    lists = [found for cell in cells if (found := items_in(parsed_cell(cell)))]
    fine = [
        found
        for found in lists
        if all(isinstance(each, str) and " " in each for each in found)
        or all(isinstance(each, dict) and passage_of(each) for each in found)
    ]
    return bool(cells) and len(fine) * 2 > len(cells)


def _cells(column: str, rows: Sequence[Mapping[str, Any]]) -> list[Any]:
    return [cell for row in rows[:50] if (cell := row.get(column)) not in (None, "")]
