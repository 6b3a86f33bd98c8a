"""Samples of tools that score answers: a question, an answer, the texts that were retrieved for it
and a reference. The tools differ in how they call these, and each has its own file.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from annotate.formats.fields import Fields, merged
from annotate.formats.json_records import json_records
from annotate.formats.limits import LONG_NAME_CHARS, NAME_CHARS, RUN_CHARS, Limits
from annotate.formats.passages_file import is_address
from annotate.formats.problems import shown
from annotate.formats.reading import Reading, Records
from annotate.formats.records import (
    PassageRecord,
    Problem,
    QuestionRecord,
    ResponseRecord,
    Where,
)

Names = tuple[str, ...]

TEXTS: Names = ("text", "page_content", "content", "context")
IDS: Names = ("id", "id_", "doc_id", "node_id")
ADDRESSES: Names = ("url", "source", "link")
TITLES: Names = ("title", "file_name", "document_title")


@dataclass(frozen=True, kw_only=True, slots=True)
class Naming:
    """How a tool calls the parts of its samples. Of several names, the first that is there counts;
    where none is, the first is asked for."""

    question: Names
    output: Names
    passages: Names
    reference: Names = ()
    passage_ids: str = ""
    id: Names = ()
    system: Names = ("system", "model")
    run: Names = ()
    under: Collection[str] = field(default_factory=tuple)
    """The keys that the list of samples may stand under."""


Opened = Callable[[Any, Where, list[Problem], Limits], Any]
"""Makes of a record one with the parts that stand deeper in it."""


def samples(reading: Reading, naming: Naming, *, opened: Opened | None = None) -> Records:
    """A response for each sample."""
    for line in json_records(reading.source, under=naming.under):
        problems = list(line.problems(reading.limits))
        value = line.value
        if opened and not problems:
            value = opened(value, line.where, problems, reading.limits)
        fields = None if line.faults else Fields.of(value, line.where, problems)
        record = _response(fields, naming, reading) if fields is not None else None
        if problems or record is None:
            yield from problems
        else:
            yield record


def _response(fields: Fields, naming: Naming, reading: Reading) -> ResponseRecord:
    question = one_turn(fields, _first(fields, naming.question))
    output = fields.text(_first(fields, naming.output))
    passages = tuple(_passages(fields, naming, reading))
    reference = _reference(fields, naming.reference)
    question_id = _name(fields, naming.id)
    system = _named(fields, naming.system)
    run = _name(fields, naming.run, longest=RUN_CHARS)
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


def one_turn(fields: Fields, name: str) -> str:
    """What was asked, where that is one text."""
    if isinstance(fields.take(name), list):
        found = "a list, as of a conversation"
        fields.complain(name, "a text: conversations of several turns are not read", found)
        return ""
    return fields.text(name, blank=False)


def _first(fields: Fields, names: Names) -> str:
    """The name that is there; it is asked for whether or not there is one."""
    return next((name for name in names if fields.has(name)), names[0])


def _name(fields: Fields, names: Names, *, longest: int = NAME_CHARS) -> str:
    return fields.name(_first(fields, names), longest=longest) if names else ""


def _named(fields: Fields, names: Names) -> str:
    """The first of the names under which there is a text; what else stands there says no name."""
    known = tuple(name for name in names if isinstance(fields.rest().get(name), str))
    return _name(fields, known)


def _reference(fields: Fields, names: Names) -> dict[str, Any]:
    """The first of the names that says something, as a question's reference."""
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


def _passages(fields: Fields, naming: Naming, reading: Reading) -> Iterator[PassageRecord]:
    name = _first(fields, naming.passages)
    value = fields.take(name)
    if value is None:
        return
    given = [value] if isinstance(value, str) else fields.items(name)
    ids = fields.items(naming.passage_ids, required=False) if naming.passage_ids else []
    if ids and len(ids) != len(given):
        fields.complain(naming.passage_ids, f"{len(given)} ids, as many as passages", str(len(ids)))
    elif fields.is_short(name, reading.limits):
        for n, one in enumerate(given, 1):
            key = ids[n - 1] if ids else ""
            yield passage_of(fields, f"{name}[{n - 1}]", n, one, str(key)[:LONG_NAME_CHARS])


def passage_of(fields: Fields, name: str, n: int, value: Any, key: str = "") -> PassageRecord:
    """Passage number n: a text, or an object with one, as the libraries for retrieval write it."""
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
    key = _name(own, IDS, longest=LONG_NAME_CHARS) or key
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
    """The first address among what is said of a passage."""
    found = (facts.get(name) for name in ADDRESSES)
    return next((text for text in found if isinstance(text, str) and is_address(text)), "")


def _fact(facts: Mapping[str, Any], names: Names) -> str:
    return next((text for name in names if isinstance(text := facts.get(name), str)), "")
