"""Claims written anew by a language model, as full sentences that say the same.

A claim cut out of a sentence may lack its verb or subject. Whether that is why a passage does not
entail it shows when the entailment is asked again about the rewritten claim.
"""

import hashlib
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Literal, NamedTuple, Protocol

from annotate.segment import strip_marks

REWRITING_VERSION = "rewriting:1"

PROMPT = (
    "A program cut the part below out of the sentence below, and words may have been lost. Write "
    "the part as one complete, grammatical sentence. Say exactly what the part says: add from the "
    "sentence only what the part cannot do without, such as its subject or its verb, and nothing "
    "else that the sentence claims. Use no other knowledge, correct nothing, and cite nothing. "
    "Answer with the complete sentence alone.\n\n"
    "Sentence:\n{sentence}\n\nPart:\n{claim}\n\nComplete sentence:"
)

_PLACE = re.compile(r"\{(sentence|claim)\}")

Refusal = Literal["", "empty", "marked"]


class Writer(Protocol):
    """A language model; the `http` scorer in the mode chat is one."""

    @property
    def fingerprint(self) -> str:
        """Names the model and where it answers."""
        ...

    def complete(self, prompt: str) -> str:
        """What it writes after a prompt."""
        ...


class CutClaim(NamedTuple):
    """A claim's text, and the sentence that it was cut out of (with or without its marks)."""

    sentence: str
    claim: str


@dataclass(frozen=True, slots=True)
class Rewriting:
    """What a claim became. Where the answer was refused, `text` is the claim as it was."""

    text: str
    refused: Refusal = ""


class Rewriter:
    """Has a model rewrite claims, several at a time and each different one once."""

    def __init__(self, writer: Writer, *, parallel: int = 4) -> None:
        self._writer = writer
        self._parallel = max(1, parallel)

    @property
    def signature(self) -> str:
        """Names everything that could change what a claim becomes."""
        prompt = hashlib.sha256(PROMPT.encode()).hexdigest()[:12]
        return f"{REWRITING_VERSION}|ask:{prompt}|{self._writer.fingerprint}"

    def rewrite(self, claims: Sequence[CutClaim]) -> list[Rewriting]:
        """What each claim becomes, in their order."""
        different = list(dict.fromkeys(claims))
        with ThreadPoolExecutor(self._parallel) as threads:
            futures = [threads.submit(self._rewrite, one) for one in different]
            try:
                made = {one: f.result() for one, f in zip(different, futures, strict=True)}
            except BaseException:
                for future in futures:
                    future.cancel()
                raise
        return [made[one] for one in claims]

    def _rewrite(self, one: CutClaim) -> Rewriting:
        filled = {"sentence": strip_marks(one.sentence).text.strip(), "claim": one.claim}
        answer = self._writer.complete(_PLACE.sub(lambda place: filled[place[1]], PROMPT))
        text = " ".join(answer.split())
        if not any(character.isalnum() for character in text):
            return Rewriting(one.claim, "empty")
        # A model that cites did not do what it was asked, and a mark is nothing to entail.
        return Rewriting(one.claim, "marked") if strip_marks(text).marks else Rewriting(text)
