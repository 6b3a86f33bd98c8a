"""The steps of a task's form, and the two answers of a pair, as a page shows them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from annotate.content import shown_response
from annotate.content.highlights import Highlight
from annotate.content.shown_response import ShownAnswer
from annotate.models import Flag, Judgment, Response, Source, Study, Unit
from annotate.protocol.dimensions import OF_WHOLE, UnitKind
from annotate.protocol.pairs import place_of
from annotate.protocol.steps import Step
from annotate.rating.answer_fields import AnswerFields, Texts, in_words
from annotate.rating.claim_words import ShownClaim
from annotate.text.claim_from_words import written
from annotate.text.quotes import ShownQuote


class SourcedPassage(Protocol):
    """A passage with its source."""

    @property
    def source(self) -> Source: ...


@dataclass(frozen=True, slots=True)
class ShownSide:
    """One of the two answers, with its passages."""

    number: int
    shown: ShownAnswer
    passages: tuple[SourcedPassage, ...]


def sides(
    study: Study, pair: Unit, passages: Sequence[SourcedPassage], *, mirrored: bool
) -> tuple[ShownSide, ...]:
    """Return the answers of a pair in the rater's order, without their systems."""
    assert pair.other is not None
    both = [pair.response, pair.other]
    ordered = both[::-1] if mirrored else both
    return tuple(_side(study, one, number, passages) for number, one in enumerate(ordered, 1))


def _side(
    study: Study, response: Response, number: int, passages: Sequence[SourcedPassage]
) -> ShownSide:
    units = list(response.units.order_by("pk"))
    own = tuple(one for one in passages if one.source.response_id == response.pk)
    shown = shown_response.of_response(response, units, study.citation_cap, study.language)
    return ShownSide(number, shown, own)


NO_CLAIM = ShownClaim()


@dataclass(frozen=True, slots=True)
class ShownStep:
    """One step of the form, with the judge's answer."""

    step: Step
    place: str
    quoted: str
    fields: AnswerFields
    saved: Judgment | None
    edit: str
    is_asked: bool
    flag: Flag | None
    shared: dict[str, list[tuple[int, int]]]
    needs: str
    quotes: tuple[ShownQuote, ...] = ()
    lit: tuple[Highlight, ...] = ()
    is_settled: bool = False
    """Whether the answer is locked because passages were seen."""

    contradicted: str = ""
    """The step and answer that the highest answer to this one contradicts."""

    proposed_by: str = ""
    """The step and answer that propose the highest answer to this one."""

    claim: ShownClaim = NO_CLAIM
    about: str = ""
    """The places of the claim's words, if its judge wrote it."""

    judged: str = ""
    """The text to mark, if it is not the quoted one."""

    texts: Texts = field(default_factory=dict)
    is_own: bool = False
    """Whether the dimension is the study's own and has versions of its wording."""

    @property
    def name(self) -> str:
        return self.step.name

    @property
    def statement(self) -> str:
        """The key of the statement that is highlighted in the answer for this step."""
        whole = (UnitKind.RESPONSE, *OF_WHOLE)
        return "" if self.step.unit.kind in whole else self.step.unit.key.split(".")[0]

    @property
    def words(self) -> str:
        """The places of the chosen words, for the page's script."""
        return "" if self.saved is None else written(self.saved.claim.get("spans", []))

    @property
    def seconds(self) -> str:
        """How long the answer took, for the page's script."""
        seconds = None if self.saved is None else self.saved.seconds
        return "0" if seconds is None else str(seconds)

    @property
    def shared_id(self) -> str:
        return f"shared-{self.name}"

    @property
    def passages(self) -> str:
        numbers = [str(place_of(source, self.step.unit)) for source in self.step.sources]
        return " ".join(numbers or ["own"] * self.step.shows_passages)

    @property
    def said(self) -> str:
        """The answer as text, for the list of answers."""
        if self.saved is None:
            return ""
        if self.saved.claim:
            return f"“{self.saved.claim['text']}”"
        if self.saved.value:
            return self.in_words(self.saved.value)
        return f"skipped: {self.saved.skipped_reason}"

    def in_words(self, value: str) -> str:
        """Return any answer to the step as text."""
        return in_words(self.step.dimension, value, self.texts)
