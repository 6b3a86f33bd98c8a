"""TruLens' records, as its table is saved; what was retrieved stands in the calls of each."""

import json
from collections.abc import Iterator
from typing import Any

from annotate.formats.format import Beginning, Format, example_of
from annotate.formats.json_records import first_record
from annotate.formats.json_values import value_problems
from annotate.formats.limits import Limits
from annotate.formats.problems import shown
from annotate.formats.reading import Reading, Records
from annotate.formats.records import Problem, Where
from annotate.formats.samples import Naming, samples

RECORD = "record_json"
CONTEXTS = "contexts"
RETRIEVING = ("retrieve", "relevant_documents", "get_context")
"""What the name of a call begins or goes on with whose result is what was retrieved."""

NAMING = Naming(
    question=("input", "main_input"),
    output=("output", "main_output"),
    passages=(CONTEXTS,),
    reference=("expected_response", "ground_truth"),
    system=("app_name", "app_id"),
    run=("app_version",),
    under=("records",),
)


def records(reading: Reading) -> Records:
    return samples(reading, NAMING, opened=_opened)


def _opened(value: Any, where: Where, problems: list[Problem], limits: Limits) -> Any:
    """The record with the contexts that its calls retrieved, and without the trace itself."""
    if not isinstance(value, dict):
        return value
    place = where.at(RECORD)
    trace = value.get(RECORD)
    if isinstance(trace, str):
        try:
            trace = json.loads(trace)
        except (ValueError, RecursionError):
            problems.append(Problem(place, "the record as JSON", shown(value[RECORD])))
            return value
        problems += value_problems(trace, place, limits)
    trace = value if trace is None else trace
    calls = trace.get("calls") if isinstance(trace, dict) else None
    if trace is not value and not isinstance(trace, dict):
        problems.append(Problem(place, "an object", shown(trace)))
    found = next(_retrieved(calls), None)
    kept = {key: one for key, one in value.items() if key not in {RECORD, "calls"}}
    return kept if found is None else {CONTEXTS: found, **kept}


def _retrieved(calls: Any) -> Iterator[list[Any]]:
    """What the calls for retrieval gave back, in their order."""
    for call in calls if isinstance(calls, list) else ():
        given = call.get("rets") if isinstance(call, dict) else None
        if isinstance(given, list) and any(word in _name_of(call) for word in RETRIEVING):
            yield given


def _name_of(call: dict[str, Any]) -> str:
    """The name of the method that was called."""
    stack = call.get("stack")
    last = stack[-1] if isinstance(stack, list) and stack else None
    method = last.get("method") if isinstance(last, dict) else None
    name = method.get("name") if isinstance(method, dict) else None
    return name if isinstance(name, str) else ""


def _begins_so(beginning: Beginning) -> bool:
    keys = first_record(beginning, NAMING.under).keys()
    return bool({RECORD, "main_output"} & keys) or keys >= {"record_id", "input", "output"}


FORMAT = Format(
    key="trulens",
    title="TruLens records",
    extensions=(".json", ".jsonl"),
    kind="outputs",
    description="Inputs and outputs of an app with what it retrieved, as TruLens' table of records "
    "is saved as JSON.",
    example=example_of("trulens.json"),
    begins_so=_begins_so,
    records=records,
)
