"""Claims that a language model writes: of long reference answers, and rewritten ones.

Gao et al. (2023, https://arxiv.org/abs/2305.14627) judge answers to ELI5 by claims that a model
made of the reference answers and people checked. The words of the prompt are Attest's own.
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from evaluation.claims import rewriting
from evaluation.claims.rewriting import CutClaim, Rewriting
from evaluation.language_models.asking.calling import Call, Caller
from evaluation.language_models.asking.prompts import Prompt
from evaluation.language_models.asking.scores import SamplingParams
from evaluation.language_models.asking.server_apis import CUT, Reply

VERSION = 1
MANY = 3
"""Claims of a reference, as in the paper."""

TASK = (
    "You are given a question and an answer to it. Write the claims of the answer that matter most "
    "to the question: at most {many}. Each is one full sentence that says one thing, says nothing "
    "that the answer does not say, and can be understood without the question, the answer and the "
    "other claims: with names where the answer has “it” or “they”. Write each on a line of its "
    "own, and nothing else."
)

_BULLET = re.compile(r"^\s*(?:[-*•]|\(?\d+[.)])\s+")


@dataclass(frozen=True, slots=True)
class LongReference:
    """A question with the text of its reference answer."""

    question: str
    answer: str


def signature_of(model: str, many: int) -> str:
    """Name everything that could change the claims."""
    return f"reference_claims|many:{many}|{model}|v:{VERSION}"


def claims_in(text: str, many: int) -> list[str]:
    """Return the different claims in a reply, one a line."""
    lines = (" ".join(_BULLET.sub("", line).split()) for line in text.splitlines())
    named = [line for line in lines if any(one.isalnum() for one in line)]
    return list(dict.fromkeys(named))[:many]


def reference_claims(
    caller: Caller,
    references: Iterable[tuple[int, LongReference]],
    many: int,
    tell: Callable[[], object] = lambda: None,
) -> Mapping[int, list[str]]:
    """Return the claims of each reference by its key; none if the model failed. `tell` is
    called for each. The last line of a reply that was cut off is dropped."""
    keys: list[int] = []
    found: dict[int, list[str]] = {}
    task = TASK.format(many=many)

    def calls() -> Iterable[tuple[int, Call]]:
        for place, (key, one) in enumerate(references):
            keys.append(key)
            user = f"Question: {one.question}\n\nAnswer: {one.answer}"
            yield place, Call(Prompt(task, user), None, SamplingParams(heat=0.0))

    def hear(place: int, reply: Reply | str) -> None:
        text = reply.text if isinstance(reply, Reply) and reply.why in ("", CUT) else ""
        if isinstance(reply, Reply) and reply.why == CUT:
            text = text.rpartition("\n")[0]
        found[keys[place]] = claims_in(text, many)
        tell()

    caller.make("claims of references", calls(), hear)
    return found


REWRITING_VERSION = 2


class ModelRewriter:
    """Has a model rewrite claims; each different claim once."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    @property
    def signature(self) -> str:
        """Name the prompt and the model."""
        asked = hashlib.sha256(rewriting.TASK.encode()).hexdigest()[:12]
        return f"rewriting:{REWRITING_VERSION}|ask:{asked}|{self._caller.scorer.fingerprint}"

    def rewrite(self, claims: Sequence[CutClaim]) -> list[Rewriting]:
        """Return each claim rewritten, in order. Replies that were cut off or declined do not
        count."""
        made: dict[int, Rewriting] = {}

        def calls() -> Iterator[tuple[int, Call]]:
            for place, one in enumerate(claims):
                prompt = Prompt(rewriting.TASK, rewriting.told(one))
                yield place, Call(prompt, None, SamplingParams(heat=0.0))

        def hear(place: int, reply: Reply | str) -> None:
            text = reply.text if isinstance(reply, Reply) and not reply.why else None
            made[place] = rewriting.read(claims[place], text)

        self._caller.make("rewritten claims", calls(), hear)
        return [made[place] for place in range(len(claims))]
