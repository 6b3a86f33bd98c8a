"""ALCE result files, and the plain lists of the same items that ALiiCE writes."""

from typing import Any

from annotate.formats.fields import Fields
from annotate.formats.json_records import first_record, list_lines, records_of
from annotate.formats.json_stream import JsonStream
from annotate.formats.json_values import value_problems
from annotate.formats.limits import LONG_NAME_CHARS
from annotate.formats.problems import Unreadable, listed, shown
from annotate.formats.reading import Beginning, Format, Reading, Records, example_of
from annotate.formats.records import (
    PassageRecord,
    Problem,
    QuestionRecord,
    ResponseRecord,
    Where,
)
from annotate.formats.references import take_references
from annotate.protocol.slices import DATASET

ALCE_FIELDS = {"docs", "qa_pairs", "answers", "claims", "annotations", "sample_id"}
"""Fields that distinguish ALCE's items from other lists of questions and outputs."""

QUESTIONS_ADVICE = (
    "Questions that nobody has answered yet are read in the format “ALCE data: questions with "
    "ranked passages”."
)


def records(reading: Reading) -> Records:
    """Read `{"args": …, "data": [item, …]}`, with its keys in any order, or `[item, …]`."""
    stream = JsonStream(reading.source)
    if stream.next_char() == "[":
        yield from _items(stream, reading)
    else:
        keys = []
        for key in stream.members():
            keys.append(key)
            if key == "data":
                yield from _items(stream, reading)
                continue
            value = stream.value()
            if key == "args":
                yield from _take_args(value, reading)
        if "data" not in keys:
            found = f"an object with {listed(keys)}" if keys else "an empty object"
            raise Unreadable(Problem(Where(), "a list of items under the key data", found))
    stream.end()


def _take_args(args: Any, reading: Reading) -> Records:
    where = Where(field="args")
    if not isinstance(args, dict):
        yield Problem(where, "an object", shown(args))
        return
    problems = list(value_problems(args, where, reading.limits))
    yield from problems
    if not problems:
        reading.take_args(args)


def _items(stream: JsonStream, reading: Reading) -> Records:
    lines = list_lines(stream)
    return records_of(lines, reading.limits, lambda item: _response(item, reading))


def _response(item: Fields, reading: Reading) -> ResponseRecord:
    question, known = question_of(item, reading)
    output, samples = _output(item)
    needed = item.has("docs") or not reading.passages_optional
    docs = item.passages("docs", reading.limits) if needed else []
    passages = tuple(passage(n, fields) for n, fields in enumerate(docs, start=1))
    references = question.references
    guess = "answers" in references and not {"qa_pairs", "claims"} & references.keys()
    metadata = {**item.rest(), **known}
    if samples:
        metadata["samples"] = samples
    return ResponseRecord(
        where=item.where,
        question=question,
        output=output,
        system=reading.system,
        run=reading.run,
        passages=passages,
        is_list=reading.is_list(guess),
        metadata=metadata,
    )


def question_of(item: Fields, reading: Reading) -> tuple[QuestionRecord, dict[str, str]]:
    """Return an item's question with the file's data set, and the id to keep as metadata. Of
    two ids, the second one is kept."""
    text = item.text("question", blank=False)
    own_id, sample_id = item.name("id"), item.name("sample_id")
    dataset = {DATASET: reading.dataset} if reading.dataset else {}
    question = QuestionRecord(text, own_id or sample_id, take_references(item), dataset)
    return question, {"sample_id": sample_id} if own_id and sample_id else {}


def _output(item: Fields) -> tuple[str, list[str]]:
    """Return the output and, if several were drawn, all samples. The first one counts."""
    value = item.take("output")
    if item.absent("output"):
        item.complain("output", "a text", "no such field", QUESTIONS_ADVICE)
        return "", []
    if not isinstance(value, list):
        return item.text("output"), []
    if not value:
        item.complain("output", "a text or a list with at least one text", "an empty list")
        return "", []
    wrong = [n for n, sample in enumerate(value) if not isinstance(sample, str)]
    for n in wrong:
        item.complain(f"output[{n}]", "a text", shown(value[n]))
    return ("", []) if wrong else (value[0], value)


def passage(n: int, fields: Fields) -> PassageRecord:
    """Return a retrieved document. Its extract `sent` replaces its text, if there is one."""
    title = fields.text("title")
    if fields.has("sent"):
        text = fields.text("sent", blank=False)
        metadata = fields.rest()
        fields.optional_text("text")
    else:
        fields.take("sent")
        text = fields.text("text")
        metadata = fields.rest()
    external_id = fields.name("id", longest=LONG_NAME_CHARS)
    metadata.pop("id", None)
    return PassageRecord(n, title, text, external_id, metadata=metadata)


def _begins_so(beginning: Beginning) -> bool:
    """Accept items with passages, or arguments. Questions and outputs without passages may be
    any table, which has at least two columns."""
    if isinstance(beginning.members.get("args"), dict):
        return True
    first = first_record(beginning, ("data",)) if _is_list(beginning.value) else {}
    has_text = bool({"question", "output"} & first.keys())
    has_own = bool(ALCE_FIELDS & first.keys())
    if _is_cut(beginning.text):
        return has_text or has_own
    return has_text and (has_own or len(first) == 1)


def _is_list(value: Any) -> bool:
    """Return whether the value, or its `data`, is a list of items."""
    return isinstance(value.get("data") if isinstance(value, dict) else value, list)


def _is_cut(text: str) -> bool:
    """Return whether the text ends before the file does. Passages may follow."""
    return not text.rstrip().endswith(("]", "}"))


FORMAT = Format(
    key="alce",
    title="ALCE or ALiiCE result file",
    extensions=(".json",),
    kind="outputs",
    description="One system's outputs with the passages that it was given: an object with the "
    "list of items under data, or the bare list.",
    example=example_of("alce.json"),
    begins_so=_begins_so,
    records=records,
)
