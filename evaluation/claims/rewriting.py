"""Rewrite claims with a language model, as full sentences with the same meaning.

A claim that is cut out of a sentence may lack its verb or subject. To see whether that is why a
passage does not entail it, the entailment is asked again about the rewritten claim.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from annotate.text import strip_marks

TASK = (
    "A program cut a part out of a sentence, and words may have been lost. Write the part as one "
    "complete, grammatical sentence. Say exactly what the part says: add from the sentence only "
    "what the part cannot do without, such as its subject or its verb, and nothing else that the "
    "sentence claims. Leave out what makes no sense. Use no other knowledge, correct nothing, and "
    "cite nothing. Answer with the complete sentence alone."
)

Refusal = Literal["", "unanswered", "empty", "marked"]


class CutClaim(NamedTuple):
    """A claim's text, and the sentence that it was cut out of (with or without its marks)."""

    sentence: str
    claim: str


@dataclass(frozen=True, slots=True)
class Rewriting:
    """The rewritten claim. If the answer was refused, `text` is the old claim."""

    text: str
    refused: Refusal = ""


class Rewriter(Protocol):
    """A model that rewrites claims."""

    @property
    def signature(self) -> str:
        """Identify everything that can change a rewritten claim."""
        ...

    def rewrite(self, claims: Sequence[CutClaim]) -> list[Rewriting]:
        """Rewrite each claim, in order."""
        ...


def told(one: CutClaim) -> str:
    """Return the user's part of the prompt."""
    return f"Sentence:\n{strip_marks(one.sentence).text.strip()}\n\nPart:\n{one.claim}"


def read(one: CutClaim, answer: str | None) -> Rewriting:
    """Read the rewritten claim from an answer, if there is one."""
    if answer is None:
        return Rewriting(one.claim, "unanswered")
    text = " ".join(answer.split())
    if not any(character.isalnum() for character in text):
        return Rewriting(one.claim, "empty")
    # The task forbids citations, and a passage cannot entail a mark.
    return Rewriting(one.claim, "marked") if strip_marks(text).marks else Rewriting(text)
