"""A study's questions, systems and judges, found by the names in files."""

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
    """Return a short digest of JSON-like values, equal on every machine."""
    return _short(_json(parts))


def texts_digest(*texts: str) -> str:
    """Return `digest_of` for texts only, in less time."""
    return _short(f"[{','.join(map(encode_basestring, texts))}]")


def _short(text: str) -> str:
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def text_digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=12).digest()


def response_digest(record: ResponseRecord) -> str:
    """Return a digest of everything in a record that belongs to the response.

    Fields added to the formats later are included only if they are set. Stored responses therefore
    keep their digests.
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
    """Return a passage's fields other than title and text, in the order of the columns."""
    p = passage
    return (p.n, p.external_id, p.url, p.published, p.retrieved, p.page, dict(p.metadata))


def _parts(passage: PassageRecord) -> tuple[object, ...]:
    p = passage
    later = (p.published, p.retrieved, p.page)
    known = (p.n, p.title, p.text, p.external_id, p.url, dict(p.metadata))
    return (*known, *later) if any(later) else known


def derived_question_id(text: str) -> str:
    """Return the id of a question without one. The same text has the same id everywhere."""
    return "q-" + hashlib.blake2b(text.encode(), digest_size=6).hexdigest()


def reference_digests(references: Mapping[str, Any]) -> dict[str, str]:
    """Return a digest of each kind of reference that is not empty."""
    return {key: digest_of(value) for key, value in references.items() if not _is_empty(value)}


def _no_references(_references: Mapping[str, Any]) -> dict[str, str]:
    return {}


def _is_empty(value: object) -> bool:
    return value in (None, "", [], {})


@dataclass(slots=True)
class KnownQuestion:
    """A question of the study; `pk` is None while it is only planned."""

    pk: int | None
    external_id: str
    text: bytes
    references: dict[str, str]
    language: str = ""
    metadata: dict[str, str] = field(default_factory=dict)
    """A digest of each value."""

    def learn_metadata(self, offered: Mapping[str, Any]) -> dict[str, Any]:
        """Add metadata from a file, and return what is new."""
        digests = {key: digest_of(value) for key, value in offered.items()}
        new = {key: offered[key] for key, one in digests.items() if self.metadata.get(key) != one}
        self.metadata |= digests
        return new

    def knows(self, offered: Mapping[str, Any]) -> bool:
        """Return whether it has all kinds of reference that a file offers."""
        return reference_digests(offered).keys() <= self.references.keys()

    def learn(self, offered: Mapping[str, Any]) -> bool:
        """Add references from a file, and return whether they contradict known ones."""
        contradicted = False
        for key, digest in reference_digests(offered).items():
            contradicted |= self.references.setdefault(key, digest) != digest
        return contradicted


class StudyIndex:
    """The study's questions, systems and judges. Callers add new ones."""

    def __init__(self, study: Study, *, references: bool = True) -> None:
        """Read the study. Only a check needs the digests of `references`."""
        self.study = study
        self.digests = reference_digests if references else _no_references
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
        """Return the record's question id: its own, or one found by its text."""
        if record.external_id:
            return record.external_id
        return self._by_text.get(text_digest(record.text)) or derived_question_id(record.text)

    def same_text_elsewhere(self, text: str, external_id: str) -> str:
        """Return another question's id with the same text; empty if there is none."""
        other = self._by_text.get(text_digest(text), external_id)
        return "" if other == external_id else other


def replaced_references(
    known: Mapping[str, Any], present: Mapping[str, Any], offered: Mapping[str, Any]
) -> dict[str, Any]:
    """Return references with offered ones in place of `present` ones. `known` has
    earlier references of the same file, which stay."""
    new = {
        key: value
        for key, value in offered.items()
        if not _is_empty(value) and known.get(key) == present.get(key)
    }
    return {**known, **new}


def merged_references(present: Mapping[str, Any], offered: Mapping[str, Any]) -> dict[str, Any]:
    """Add offered references to existing ones, which stay."""
    new = {key: value for key, value in offered.items() if _is_empty(present.get(key))}
    return {**present, **new}
