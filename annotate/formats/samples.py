"""Samples of evaluation tools: a question, an answer, retrieved texts and a reference.

RAGAS, DeepEval, LlamaIndex and TruLens differ in their names of these fields.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotate.formats.fields import Fields, merged
from annotate.formats.json_records import first_record, json_records, records_of
from annotate.formats.json_values import value_problems
from annotate.formats.limits import LONG_NAME_CHARS, NAME_CHARS, RUN_CHARS, Limits
from annotate.formats.passages_file import is_address
from annotate.formats.problems import shown
from annotate.formats.reading import Beginning, Format, Reading, Records, example_of
from annotate.formats.records import (
    PassageRecord,
    QuestionRecord,
    ResponseRecord,
)

Names = tuple[str, ...]

TEXTS: Names = ("text", "page_content", "content", "context")
IDS: Names = ("id", "id_", "doc_id", "node_id")
ADDRESSES: Names = ("url", "source", "link")
TITLES: Names = ("title", "file_name", "document_title")


@dataclass(frozen=True, kw_only=True, slots=True)
class FieldNames:
    """A tool's names for the parts of its samples. Of several names, the first that is present
    counts. If none is, the problem names the first one."""

    question: Names
    output: Names
    passages: Names
    reference: Names = ()
    passage_ids: str = ""
    id: Names = ()
    system: Names = ("system", "model")
    run: Names = ()
    under: Collection[str] = field(default_factory=tuple)
    """Keys that may hold the list of samples."""


Prepare = Callable[[Fields, Limits], Fields]
"""Moves nested parts of a record to its top level."""


def samples(reading: Reading, names: FieldNames, *, prepare: Prepare | None = None) -> Records:
    """Yield a response for each sample."""

    def response(fields: Fields) -> ResponseRecord:
        if prepare and not fields.problems:
            fields = prepare(fields, reading.limits)
        return _response(fields, names, reading)

    lines = json_records(reading.source, under=names.under)
    return records_of(lines, reading.limits, response)


def _response(fields: Fields, names: FieldNames, reading: Reading) -> ResponseRecord:
    question = single_turn_text(fields, _first(fields, names.question))
    output = fields.text(_first(fields, names.output))
    passages = tuple(_passages(fields, names, reading))
    reference = _reference(fields, names.reference)
    question_id = _name_under(fields, names.id)
    system = _text_under(fields, names.system)
    run = _name_under(fields, names.run, longest=RUN_CHARS)
    return ResponseRecord(
        where=fields.where,
        question=QuestionRecord(question, question_id, reference),
        output=output,
        system=system or reading.system,
        run=run or reading.run,
        passages=passages,
        is_list=reading.is_list(False),
        metadata={key: value for key, value in fields.rest().items() if value is not None},
    )


def single_turn_text(fields: Fields, name: str) -> str:
    """Return the question if it is a single text, not a conversation."""
    if isinstance(fields.take(name), list):
        found = "a list, as of a conversation"
        fields.complain(name, "a text: conversations of several turns are not read", found)
        return ""
    return fields.text(name, blank=False)


def _first(fields: Fields, names: Names) -> str:
    """Return the first name that is present, or the first one."""
    return next((name for name in names if fields.has(name)), names[0])


def _name_under(fields: Fields, names: Names, *, longest: int = NAME_CHARS) -> str:
    return fields.name(_first(fields, names), longest=longest) if names else ""


def _text_under(fields: Fields, names: Names) -> str:
    """Return the first of the names with a text. Other values name nothing."""
    known = tuple(name for name in names if isinstance(fields.rest().get(name), str))
    return _name_under(fields, known)


def _reference(fields: Fields, names: Names) -> dict[str, Any]:
    """Return the first of the names with a value, as a question's reference."""
    found: dict[str, Any] = {}
    for name in names:
        value = fields.take(name)
        if value in (None, "", []):
            continue
        texts = value if isinstance(value, list) else [value]
        if not all(isinstance(text, str) for text in texts):
            fields.complain(name, "a text or a list of texts", shown(value))
        found.setdefault("answer", value)
    return found


def _passages(fields: Fields, names: FieldNames, reading: Reading) -> Iterator[PassageRecord]:
    name = _first(fields, names.passages)
    value = fields.take(name)
    if value is None:
        return
    given = [value] if isinstance(value, str) else fields.items(name)
    ids = fields.items(names.passage_ids, required=False) if names.passage_ids else []
    if ids and len(ids) != len(given):
        fields.complain(names.passage_ids, f"{len(given)} ids, as many as passages", str(len(ids)))
    elif fields.is_short(name, reading.limits):
        for n, one in enumerate(given, 1):
            key = ids[n - 1] if ids else ""
            yield passage_of(fields, f"{name}[{n - 1}]", n, one, str(key)[:LONG_NAME_CHARS])


def passage_of(fields: Fields, name: str, n: int, value: Any, key: str = "") -> PassageRecord:
    """Return passage number n: a text, or an object as retrieval libraries write it."""
    if isinstance(value, str):
        return PassageRecord(n, "", value, key)
    if not isinstance(value, dict):
        fields.complain(name, "a text, or an object with a text", shown(value))
        return PassageRecord(n, "", "")
    inner = value.get("node")
    node: dict[str, Any] = inner if isinstance(inner, dict) else value
    beside = {k: v for k, v in value.items() if k != "node"} if node is inner else {}
    own = Fields(node, fields.where, fields.problems, prefix=name)
    text = own.text(_first(own, TEXTS))
    key = _name_under(own, IDS, longest=LONG_NAME_CHARS) or key
    said = own.take("metadata")
    known: Mapping[str, Any] = said if isinstance(said, dict) else {}
    facts = {**own.rest(), **known}
    return PassageRecord(
        n,
        _fact(facts, TITLES),
        text,
        key,
        address_in(facts),
        metadata={k: v for k, v in merged(facts, beside).items() if v not in (None, "", {}, [])},
    )


def address_in(facts: Mapping[str, Any]) -> str:
    """Return the first web address in a passage's metadata."""
    found = (facts.get(name) for name in ADDRESSES)
    return next((text for text in found if isinstance(text, str) and is_address(text)), "")


def _fact(facts: Mapping[str, Any], names: Names) -> str:
    return next((text for name in names if isinstance(text := facts.get(name), str)), "")


RAGAS_NAMES = FieldNames(
    question=("user_input", "question"),
    output=("response", "answer"),
    passages=("retrieved_contexts", "contexts"),
    passage_ids="retrieved_context_ids",
    reference=("reference", "ground_truth", "ground_truths"),
    under=("samples",),
)


def _is_ragas(beginning: Beginning) -> bool:
    keys = first_record(beginning, RAGAS_NAMES.under).keys()
    old = keys >= {"question", "answer"} and bool({"contexts", "ground_truth"} & keys)
    return old or bool({"user_input", "retrieved_contexts"} & keys)


RAGAS = Format(
    key="ragas",
    title="RAGAS samples",
    extensions=(".jsonl", ".json"),
    kind="outputs",
    description="Answers with the contexts retrieved for them and a reference, as RAGAS saves its "
    "evaluation data sets.",
    example=example_of("ragas.jsonl"),
    begins_so=_is_ragas,
    records=lambda reading: samples(reading, RAGAS_NAMES),
)


DEEPEVAL_NAMES = FieldNames(
    question=("input",),
    output=("actual_output", "actualOutput"),
    passages=("retrieval_context", "retrievalContext", "context"),
    reference=("expected_output", "expectedOutput"),
    under=("testCases", "test_cases", "goldens"),
)


def _is_deepeval(beginning: Beginning) -> bool:
    keys = first_record(beginning, DEEPEVAL_NAMES.under).keys()
    telling = {*DEEPEVAL_NAMES.output, *DEEPEVAL_NAMES.reference, *DEEPEVAL_NAMES.passages[:2]}
    return "input" in keys and bool(telling & keys)


DEEPEVAL = Format(
    key="deepeval",
    title="DeepEval test cases",
    extensions=(".json", ".jsonl"),
    kind="outputs",
    description="Test cases of one turn with the context retrieved for them and the expected "
    "output.",
    example=example_of("deepeval.json"),
    begins_so=_is_deepeval,
    records=lambda reading: samples(reading, DEEPEVAL_NAMES),
)


LLAMAINDEX_NAMES = FieldNames(
    question=("query", "query_str"),
    output=("response",),
    passages=("source_nodes", "contexts"),
    reference=("reference_answer", "reference"),
    under=("examples", "predictions", "results"),
)

LLAMAINDEX_FIELDS = {"contexts", "passing", "feedback", "reference_answer", "reference_contexts"}


def _is_llamaindex(beginning: Beginning) -> bool:
    """Recognise the fields next to query and response, which any table may have."""
    keys = first_record(beginning, LLAMAINDEX_NAMES.under).keys()
    return "source_nodes" in keys or ("response" in keys and bool(LLAMAINDEX_FIELDS & keys))


LLAMAINDEX = Format(
    key="llamaindex",
    title="LlamaIndex responses and evaluation results",
    extensions=(".json", ".jsonl"),
    kind="outputs",
    description="Queries with their responses and the source nodes or contexts of each.",
    example=example_of("llamaindex.json"),
    begins_so=_is_llamaindex,
    records=lambda reading: samples(reading, LLAMAINDEX_NAMES),
)


RECORD = "record_json"
CONTEXTS = "contexts"
RETRIEVING = ("retrieve", "relevant_documents", "get_context")
"""Parts of method names whose calls return the retrieved texts."""

TRULENS_NAMES = FieldNames(
    question=("input", "main_input"),
    output=("output", "main_output"),
    passages=(CONTEXTS,),
    reference=("expected_response", "ground_truth"),
    system=("app_name", "app_id"),
    run=("app_version",),
    under=("records",),
)


def _with_contexts(fields: Fields, limits: Limits) -> Fields:
    """Return the record with the contexts that its calls retrieved, without the trace."""
    value = fields.rest()
    trace = value.get(RECORD)
    if isinstance(trace, str):
        try:
            trace = json.loads(trace)
        except (ValueError, RecursionError):
            fields.complain(RECORD, "the record as JSON", shown(value[RECORD]))
            return fields
        fields.problems.extend(value_problems(trace, fields.where.at(RECORD), limits))
    trace = value if trace is None else trace
    if not isinstance(trace, dict):
        fields.complain(RECORD, "an object", shown(trace))
    retrieved = next(_retrieved(trace.get("calls") if isinstance(trace, dict) else None), None)
    kept = {key: one for key, one in value.items() if key not in {RECORD, "calls"}}
    if retrieved is not None:
        kept = {CONTEXTS: retrieved, **kept}
    return Fields(kept, fields.where, fields.problems)


def _retrieved(calls: Any) -> Iterator[list[Any]]:
    """Yield what the retrieval calls returned, in order."""
    for call in calls if isinstance(calls, list) else ():
        given = call.get("rets") if isinstance(call, dict) else None
        if isinstance(given, list) and any(word in _method_name(call) for word in RETRIEVING):
            yield given


def _method_name(call: dict[str, Any]) -> str:
    """Return the name of the called method."""
    stack = call.get("stack")
    last = stack[-1] if isinstance(stack, list) and stack else None
    method = last.get("method") if isinstance(last, dict) else None
    name = method.get("name") if isinstance(method, dict) else None
    return name if isinstance(name, str) else ""


def _is_trulens(beginning: Beginning) -> bool:
    keys = first_record(beginning, TRULENS_NAMES.under).keys()
    return bool({RECORD, "main_output"} & keys) or keys >= {"record_id", "input", "output"}


TRULENS = Format(
    key="trulens",
    title="TruLens records",
    extensions=(".json", ".jsonl"),
    kind="outputs",
    description="Inputs and outputs of an app with what it retrieved, as TruLens' table of records "
    "is saved as JSON.",
    example=example_of("trulens.json"),
    begins_so=_is_trulens,
    records=lambda reading: samples(reading, TRULENS_NAMES, prepare=_with_contexts),
)
