"""A question of a task as its form shows it."""

from dataclasses import dataclass, field

from annotate.content.highlights import Highlight
from annotate.models import Flag, Judgment
from annotate.protocol.dimensions import OF_WHOLE, UnitKind
from annotate.protocol.pairs import place_of
from annotate.protocol.steps import Step
from annotate.rating.answer_fields import AnswerFields, Texts, in_words
from annotate.rating.claim_words import ShownClaim
from annotate.text.claim_from_words import written
from annotate.text.quotes import ShownQuote

NO_CLAIM = ShownClaim()


@dataclass(frozen=True, slots=True)
class ShownStep:
    """One question of the form, with what the judge has said so far."""

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
    """Whether the answer stands, since passages were seen."""

    contradicted: str = ""
    """The step and the answer that the highest answer to this one contradicts."""

    proposed_by: str = ""
    """The step and the answer by which the highest answer to this one is proposed."""

    claim: ShownClaim = NO_CLAIM
    about: str = ""
    """The places of the words of the claim that the question is about, where its judge wrote it."""

    judged: str = ""
    """The text in which words are marked, where it is not the one that is quoted."""

    texts: Texts = field(default_factory=dict)
    is_own: bool = False
    """Whether the question is one of the study's own, of which wordings have versions."""

    @property
    def name(self) -> str:
        return self.step.name

    @property
    def statement(self) -> str:
        """The key of the statement that is lit in the answer while this is asked."""
        whole = (UnitKind.RESPONSE, *OF_WHOLE)
        return "" if self.step.unit.kind in whole else self.step.unit.key.split(".")[0]

    @property
    def words(self) -> str:
        """The places of the words that were chosen, for the page's script."""
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
        """The answer in words, for the list of answers."""
        if self.saved is None:
            return ""
        if self.saved.claim:
            return f"“{self.saved.claim['text']}”"
        if self.saved.value:
            return self.in_words(self.saved.value)
        return f"skipped: {self.saved.skipped_reason}"

    def in_words(self, value: str) -> str:
        """Any answer to the question, in words."""
        return in_words(self.step.dimension, value, self.texts)
