"""Runs of TREC tracks for answers with citations (RAG, RAGTIME, BioGen, DRAGUN).

An answer is a list of sentences, each with the references that it cites by index or id. Its text is
the sentences in order, each followed by its marks.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from annotate.formats.fields import Fields, merged, whole_number
from annotate.formats.json_records import first_record, json_records, records_of
from annotate.formats.limits import LONG_NAME_CHARS
from annotate.formats.passages_file import Find, passage_named, with_passages, without_text
from annotate.formats.problems import shown
from annotate.formats.reading import Beginning, Format, Reading, Records, example_of
from annotate.formats.records import (
    GivenStatement,
    PassageRecord,
    QuestionRecord,
    ResponseRecord,
)
from annotate.text.marks import find_marks, strip_marks

TOPIC_IDS = ("topic_id", "narrative_id", "request_id")
TOPICS = ("topic", "narrative", "question", "problem_statement", "title")
SENTENCES = ("answer", "responses")


def _responses(reading: Reading, find: Find | None) -> Records:
    """Yield a response for each topic, with texts from the passages file."""
    lines = json_records(reading.source)
    return records_of(lines, reading.limits, lambda fields: _response(fields, reading, find))


def _response(fields: Fields, reading: Reading, find: Find | None) -> ResponseRecord:
    about = Fields(fields.object("metadata"), fields.where, fields.problems, prefix="metadata")
    run = _of_either(fields, about, ("run_id",))
    topic_id = _of_either(fields, about, TOPIC_IDS)
    if not topic_id.strip():
        fields.complain(TOPIC_IDS[0], "the id of the topic", "none")
    topic = next((text for part in (fields, about) for text in _texts(part)), "")
    passages = References(fields, reading, find)
    name = next((name for name in SENTENCES if fields.has(name)), SENTENCES[0])
    sentences = list(fields.objects(name))
    kept = [_sentence(sentence, passages) for sentence in sentences]
    metadata = merged(about.rest(), fields.rest())
    if any(rest for _, rest in kept):
        metadata["sentences"] = [rest for _, rest in kept]
    statements = tuple(statement for statement, _ in kept)
    return ResponseRecord(
        where=fields.where,
        question=QuestionRecord(topic, topic_id),
        output=" ".join(_with_marks(statement) for statement in statements),
        system=run or reading.system,
        run=reading.run,
        passages=passages.in_order(),
        statements=statements,
        metadata=metadata,
    )


def _of_either(fields: Fields, about: Fields, names: tuple[str, ...]) -> str:
    """Return a name from the record or its metadata."""
    found = [part.name(name) for name in names for part in (about, fields)]
    return next(filter(None, found), "")


def _texts(part: Fields) -> Iterator[str]:
    for name in TOPICS:
        if text := part.optional_text(name).strip():
            yield text


def _sentence(sentence: Fields, passages: "References") -> tuple[GivenStatement, dict[str, Any]]:
    """Return a statement with its citations, and its other fields."""
    given = sentence.text("text", blank=False)
    text = strip_marks(given).text.strip()
    if given.strip() and not text:
        sentence.complain("text", "a sentence with words", shown(given))
    cited = tuple(passages.cited(sentence))
    rest = sentence.rest()
    if isinstance(scores := sentence.take("citations"), dict):
        rest["citations"] = scores
    if find_marks(given):
        rest["text"] = given
    return GivenStatement(text, cited), rest


def _with_marks(statement: GivenStatement) -> str:
    marks = "".join(f"[{passage.n}]" for passage in statement.passages)
    return f"{statement.text} {marks}" if marks else statement.text


class References:
    """The references of one answer in the given order, and then other citations."""

    def __init__(self, fields: Fields, reading: Reading, find: Find | None) -> None:
        self._find = find
        self._by_id: dict[str, PassageRecord] = {}
        self._own: dict[str, PassageRecord] = {}
        """References with the record's own description."""
        self._given: list[PassageRecord] = []
        self._limits = reading.limits
        self._fields = fields
        self._texts = fields.object("segments")
        self._has_places = fields.has("references")
        if fields.is_short("references", reading.limits):
            for index, value in enumerate(fields.items("references", required=False)):
                self._given.append(self._reference(f"references[{index}]", value))
        else:
            fields.take("references")

    def cited(self, sentence: Fields) -> Iterator[PassageRecord]:
        """Yield the passages that a sentence cites, each once: by index, id, or with a score."""
        value = sentence.take("citations")
        found: dict[int, PassageRecord] = {}
        given = (
            list(value) if isinstance(value, dict) else sentence.items("citations", required=False)
        )
        for index, one in enumerate(given):
            passage = self._cited(sentence, f"citations[{index}]", one)
            if passage is not None:
                found.setdefault(passage.n, passage)
        return iter(found.values())

    def in_order(self) -> tuple[PassageRecord, ...]:
        most = self._limits.max_passages
        if len(self._by_id) > most:
            self._fields.complain("references", f"at most {most:,} passages in all", "more")
        return tuple(self._by_id.values())

    def _reference(self, name: str, value: Any) -> PassageRecord:
        """Return a reference: an id, or an object with more about it."""
        if not isinstance(value, dict):
            return self.named(_id_of(self._fields, name, value))
        place = Fields(value, self._fields.where, self._fields.problems, prefix=name)
        own = passage_named(place, value)
        earlier = self._own.setdefault(own.external_id, own)
        if own.external_id and earlier.text != own.text:
            place.complain("", "one text for each id", f"another one of {shown(own.external_id)}")
        return self.named(own.external_id)

    def _cited(self, sentence: Fields, name: str, value: Any) -> PassageRecord | None:
        place = whole_number(value)
        if place is not None and 0 <= place < len(self._given):
            return self._given[place]
        is_id = str(place) in self._by_id or (not self._has_places and place is not None)
        if place is not None and (place < 0 or not is_id):
            last = len(self._given) - 1
            sentence.complain(
                name,
                f"the place of a reference, from 0 to {last}"
                if self._given
                else "a reference's id",
                shown(value),
            )
            return None
        key = _id_of(sentence, name, value)
        return self.named(key) if key else None

    def named(self, key: str) -> PassageRecord:
        """Return the passage with this id; a new one gets the next number."""
        if key not in self._by_id:
            n = len(self._by_id) + 1
            found = (self._find(key) if self._find else None) or self._own.get(key)
            if found is None or not found.text:
                text = self._texts.get(key)
                found = found or without_text(n, key)
                found = replace(found, text=text if isinstance(text, str) else "")
            self._by_id[key] = replace(found, n=n)
        return self._by_id[key]


def _id_of(fields: Fields, name: str, value: Any) -> str:
    """A reference's id."""
    number = whole_number(value)
    key = str(number) if number is not None else value
    if isinstance(key, str) and key.strip() and len(key) <= LONG_NAME_CHARS:
        return key
    fields.complain(name, f"an id of at most {LONG_NAME_CHARS} characters", shown(value))
    return ""


def _begins_so(beginning: Beginning) -> bool:
    keys = first_record(beginning).keys()
    answers = bool({*SENTENCES} & keys) and bool({"references", "metadata"} & keys)
    return answers or keys >= {"run_id", "topic_id"} or keys >= {"metadata", "references"}


FORMAT = Format(
    key="trec-rag",
    title="TREC run with citations (RAG, RAGTIME, BioGen)",
    extensions=(".jsonl", ".json"),
    kind="outputs",
    description="One answer a line, sentence by sentence, each with the references that it cites; "
    "their texts are in a separate passages file.",
    example=example_of("trec-rag.jsonl"),
    begins_so=_begins_so,
    records=lambda reading: with_passages(reading, _responses),
)
