"""Claims written anew by a language model, as full sentences that say the same.

A claim cut out of a sentence may lack its verb or subject. Whether that is why a passage does not
entail it shows when the entailment is asked again about the rewritten claim.
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
    """What a claim became. Where the answer was refused, `text` is the claim as it was."""

    text: str
    refused: Refusal = ""


class Rewriter(Protocol):
    """Whoever writes claims anew."""

    @property
    def signature(self) -> str:
        """Names everything that could change what a claim becomes."""
        ...

    def rewrite(self, claims: Sequence[CutClaim]) -> list[Rewriting]:
        """What each claim becomes, in their order."""
        ...


def told(one: CutClaim) -> str:
    """What the model is told beside its task."""
    return f"Sentence:\n{strip_marks(one.sentence).text.strip()}\n\nPart:\n{one.claim}"


def read(one: CutClaim, answer: str | None) -> Rewriting:
    """What a claim becomes by an answer, if there is one."""
    if answer is None:
        return Rewriting(one.claim, "unanswered")
    text = " ".join(answer.split())
    if not any(character.isalnum() for character in text):
        return Rewriting(one.claim, "empty")
    # A model that cites did not do what it was asked, and a mark is nothing to entail.
    return Rewriting(one.claim, "marked") if strip_marks(text).marks else Rewriting(text)
