"""What every reader yields: records that know where they stood in the file, and problems."""

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any, Literal

from annotate.text.types import Span
from annotate.text.values import value

JudgeKind = Literal[
    "human", "simulated", "reference", "majority", "automatic", "adjudicated", "trainee"
]


@value
class Where:
    """A place in a file: a line (from 1), an index or path of keys within JSON, and a field.

    A table without lines has rows instead: an index that begins so says itself what it is.
    `file` is filled where the place is in another file than the one uploaded (the passages).
    """

    line: int | None = None
    index: str = ""
    field: str = ""
    file: str = ""

    def at(self, field: str) -> "Where":
        """A field of the same record."""
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
    """A bad record: where, what was expected, what was found, and what to do about it."""

    where: Where
    expected: str
    found: str
    advice: str = ""

    def moved(self, where: Where) -> "Problem":
        """The same, told of another place."""
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
    """A question; `external_id` is empty where the file gives none. `language` is the code of the
    language that its answers are in (`zh`, `pt-BR`), empty where it is to be guessed."""

    text: str
    external_id: str = ""
    references: Mapping[str, Any] = field(default_factory=dict)
    metadata: Mapping[str, Any] = field(default_factory=dict)
    language: str = ""


@value
class JudgmentRecord:
    """One judge's answer about one unit of the response it came with.

    Exactly one of `value` and `skipped_reason` is filled.
    """

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
    """Of the judge: active, paused or excluded; empty where the file does not say."""

    counted: str = ""
    """Of a person's answer: yes, unfinished or excluded; empty where the file does not say."""

    claim: Mapping[str, Any] | None = None
    """The claim that was written, as a judgment holds it; None where the file names none."""

    version: str | None = None
    """Which wording of the question was answered; None where the file does not say."""

    answer: Any = None
    """What `value` says as JSON, where that is more than one choice; None where it is not told."""

    words: tuple[tuple[int, int, int, str], ...] = ()
    """What the file says stands at marked places: passage, start, end and words."""

    other_system: str | None = None
    other_run: str | None = None
    """Of a pair, system and run of the other response; empty elsewhere, None where the file does
    not say."""


@value
class GivenStatement:
    """A statement as the file itself divides the output (published human evaluations do).

    `passages` hang on the statement's marks in order; marks beyond them have no passage.
    """

    text: str
    passages: tuple[PassageRecord, ...] = ()


@value
class ResponseRecord:
    """One system's answer to one question, with everything that the file says about it."""

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
    """What a question that is here already is to be judged by."""

    where: Where
    question_id: str
    references: Mapping[str, Any]


@value
class QuestionRow:
    """A question by itself, with the passages that were ranked for it, the best first."""

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
    """One line of Attest's own long form: a judgment and the unit that it is about."""

    where: Where
    study: str
    system: str
    run: str
    question_id: str
    judgment: JudgmentRecord
