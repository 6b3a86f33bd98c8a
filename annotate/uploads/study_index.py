"""What a study already holds, looked up by the names that files use."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from json import JSONEncoder
from json.encoder import encode_basestring
from typing import Any

from annotate.formats.records import PassageRecord, QuestionRecord, ResponseRecord
from annotate.formats.spans import spans_as_json
from annotate.models import Study

_json = JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode


def digest_of(*parts: object) -> str:
    """A short digest of JSON-like values, the same on every machine."""
    return _short(_json(parts))


def texts_digest(*texts: str) -> str:
    """The same of texts alone, in less time."""
    return _short(f"[{','.join(map(encode_basestring, texts))}]")


def _short(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def text_digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=12).digest()


def response_digest(record: ResponseRecord) -> str:
    """Everything in a file's record that belongs to the response, and not to its place.

    What files could not say at first is part of it only where they say it, so that responses which
    are stored already keep their digests.
    """
    return digest_of(
        record.output,
        record.is_list,
        [_parts(passage) for passage in record.passages],
        None
        if record.statements is None
        else [(s.text, [p.n for p in s.passages]) for s in record.statements],
        dict(record.metadata),
        *([spans_as_json(record.citations)] if record.citations else []),
    )


def passage_parts(passage: PassageRecord) -> tuple[Any, ...]:
    """What a file says of a passage beside title and text, in the order of the columns."""
    p = passage
    return (p.n, p.external_id, p.url, p.published, p.retrieved, p.page, dict(p.metadata))


def _parts(passage: PassageRecord) -> tuple[object, ...]:
    p = passage
    later = (p.published, p.retrieved, p.page)
    known = (p.n, p.title, p.text, p.external_id, p.url, dict(p.metadata))
    return (*known, *later) if any(later) else known


def derived_question_id(text: str) -> str:
    """The id of a question whose file gives none: the same text has the same id everywhere."""
    return "q-" + hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


def reference_digests(references: Mapping[str, Any]) -> dict[str, str]:
    """A digest of each kind of reference that says something."""
    return {key: digest_of(value) for key, value in references.items() if not _is_empty(value)}


def _not_asked(_references: Mapping[str, Any]) -> dict[str, str]:
    return {}


def _is_empty(value: object) -> bool:
    return value in (None, "", [], {})


@dataclass(slots=True)
class KnownQuestion:
    """A question of the study; `pk` is none while it is only planned."""

    pk: int | None
    external_id: str
    text: bytes
    references: dict[str, str]
    language: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    """A digest of each value."""

    def learn_metadata(self, offered: Mapping[str, Any]) -> dict[str, Any]:
        """Take in metadata that a file offers, which count from now on; returns what is new."""
        digests = {key: digest_of(value) for key, value in offered.items()}
        new = {key: offered[key] for key, one in digests.items() if self.metadata.get(key) != one}
        self.metadata |= digests
        return new

    def knows(self, offered: Mapping[str, Any]) -> bool:
        """Whether it has all kinds of reference that a file offers."""
        return reference_digests(offered).keys() <= self.references.keys()

    def learn(self, offered: Mapping[str, Any]) -> bool:
        """Take in references that a file offers; says whether they contradict known ones."""
        contradicted = False
        for key, digest in reference_digests(offered).items():
            contradicted |= self.references.setdefault(key, digest) != digest
        return contradicted


class StudyIndex:
    """The study's questions, systems and judges. Kept in step by whoever adds to them."""

    def __init__(self, study: Study, *, references: bool = True) -> None:
        """Without `references` it is not known what questions have to be judged by, which only a
        check asks."""
        self.study = study
        self.digests = reference_digests if references else _not_asked
        self.systems: dict[str, int | None] = dict(study.systems.values_list("name", "pk"))
        self.judges: dict[str, tuple[int | None, str]] = {
            name: (pk, kind) for name, pk, kind in study.judges.values_list("name", "pk", "kind")
        }
        self.questions: dict[str, KnownQuestion] = {}
        self._by_text: dict[bytes, str] = {}
        rows = study.questions.values_list(
            "pk", "external_id", "text", "references", "language", "metadata"
        )
        for pk, external_id, text, judged_by, language, metadata in rows.iterator(chunk_size=5_000):
            digests = self.digests(judged_by)
            known = KnownQuestion(pk, external_id, text_digest(text), digests, language)
            known.learn_metadata(metadata)
            self.add_question(known)

    def add_question(self, question: KnownQuestion) -> KnownQuestion:
        self.questions[question.external_id] = question
        self._by_text.setdefault(question.text, question.external_id)
        return question

    def question_id(self, record: QuestionRecord) -> str:
        """The external id that a record's question has, or gets: its own, or by its text."""
        if record.external_id:
            return record.external_id
        return self._by_text.get(text_digest(record.text)) or derived_question_id(record.text)

    def same_text_elsewhere(self, text: str, external_id: str) -> str:
        """Another question's id with the very same text; empty where there is none."""
        other = self._by_text.get(text_digest(text), external_id)
        return "" if other == external_id else other


def replaced_references(
    known: Mapping[str, Any], present: Mapping[str, Any], offered: Mapping[str, Any]
) -> dict[str, Any]:
    """What is offered stands in place of what was `present`; what the same file said before, which
    is `known` by now, stays."""
    new = {
        key: value
        for key, value in offered.items()
        if not _is_empty(value) and known.get(key) == present.get(key)
    }
    return {**known, **new}


def merged_references(present: Mapping[str, Any], offered: Mapping[str, Any]) -> dict[str, Any]:
    """References grow with what later records know; what is there already stays."""
    new = {key: value for key, value in offered.items() if _is_empty(present.get(key))}
    return {**present, **new}
