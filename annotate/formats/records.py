"""What every reader yields: records with their place in the file, and problems."""

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, Literal

from annotate.text.types import Span, value

JudgeKind = Literal[
    "human", "simulated", "reference", "majority", "automatic", "adjudicated", "trainee"
]


@value
class Where:
    """A place in a file: a line (from 1), an index or path of JSON keys, and a field.

    A table without lines has rows instead: an index of the form `row 3`. `file` is set if the place
    is in another file than the uploaded one (the passages).
    """

    line: int | None = None
    index: str = ""
    field: str = ""
    file: str = ""

    def at(self, field: str) -> "Where":
        """Return the place of a field of the same record."""
        return replace(self, field=field)

    def __str__(self) -> str:
        parts = [self.file] if self.file else []
        if self.line is not None:
            parts.append(f"line {self.line}")
        if self.index:
            named = self.index.startswith(("row ", "line ", "item "))
            parts.append(self.index if named else f"item {self.index}")
        if self.field:
            parts.append(f"field {self.field}")
        return ", ".join(parts) or "the file"


@value
class Problem:
    """A bad record: its place, the expected and the found value, and advice."""

    where: Where
    expected: str
    found: str
    advice: str = ""

    def moved(self, where: Where) -> "Problem":
        """Return the same problem at another place."""
        return replace(self, where=where)

    def __str__(self) -> str:
        text = f"{self.where}: expected {self.expected}, found {self.found}."
        return f"{text} {self.advice}" if self.advice else text


@value
class PassageRecord:
    """Passage number `n` of one response."""

    n: int
    title: str
    text: str
    external_id: str = ""
    url: str = ""
    published: str = ""
    retrieved: str = ""
    page: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)


@value
class QuestionRecord:
    """A question. `external_id` is empty if the file gives none. `language` is the code of the
    language of its answers (`zh`, `pt-BR`); empty means to guess it."""

    text: str
    external_id: str = ""
    references: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    language: str = ""


@value
class JudgmentRecord:
    """One judge's answer about one unit of the response. Exactly one of `value` and
    `skipped_reason` is filled."""

    unit: str
    dimension: str
    judge: str
    judge_kind: JudgeKind
    value: str = ""
    score: float | None = None
    skipped_reason: str = ""
    seconds: float | None = None
    note: str = ""
    created: str = ""
    where: Where = Where()
    standing: str = ""
    """The judge's standing: active, paused or excluded; empty if the file does not say."""

    counted: str = ""
    """Whether a person's answer counts: yes, unfinished or excluded; empty if the file does not
    say."""

    claim: Mapping[str, Any] | None = None
    """The written claim; None if the file has none."""

    version: str | None = None
    """The version of the question's wording; None if the file does not say."""

    answer: Any = None
    """`value` as JSON, for answers other than a single choice; None if not given."""

    words: tuple[tuple[int, int, int, str], ...] = ()
    """The words at marked places, as the file gives them: passage, start, end and words."""

    other_system: str | None = None
    other_run: str | None = None
    """Of a pair: system and run of the other response. Otherwise empty; None if the file does not
    say."""


@value
class GivenStatement:
    """A statement as the file itself divides the output, as published evaluations do.
    `passages` belong to the statement's marks in order. Further marks have no passage."""

    text: str
    passages: tuple[PassageRecord, ...] = ()


@value
class ResponseRecord:
    """One system's answer to one question, with everything from the file about it."""

    where: Where
    question: QuestionRecord
    output: str
    system: str = ""
    run: str = ""
    passages: tuple[PassageRecord, ...] = ()
    is_list: bool = False
    statements: tuple[GivenStatement, ...] | None = None
    judgments: tuple[JudgmentRecord, ...] = ()
    metadata: Mapping[str, Any] = field(default_factory=dict)
    citations: tuple[Span, ...] = ()


@value
class ReferenceRow:
    """References for a question that the study already has."""

    where: Where
    question_id: str
    references: Mapping[str, Any]


@value
class QuestionRow:
    """A question without an answer, with its ranked passages, the best first."""

    where: Where
    question: QuestionRecord
    passages: tuple[PassageRecord, ...] = ()


@value
class CapturedRow:
    """The text of a source that came without one, found by its id or address."""

    where: Where
    passage: PassageRecord


@value
class JudgmentRow:
    """One line of Attest's long form: a judgment and its unit."""

    where: Where
    study: str
    system: str
    run: str
    question_id: str
    judgment: JudgmentRecord
