"""Claims written anew by a language model, each call kept like any other."""

import hashlib
from collections.abc import Iterator, Sequence

from evaluation.asking.calling import Call, Caller
from evaluation.asking.prompts import Prompt
from evaluation.asking.scores import Manner
from evaluation.asking.speech import Reply
from evaluation.claims import rewriting
from evaluation.claims.rewriting import CutClaim, Rewriting

VERSION = 2


class ModelRewriter:
    """Has a model rewrite claims, each different one once."""

    def __init__(self, caller: Caller) -> None:
        self._caller = caller

    @property
    def signature(self) -> str:
        """Names prompt and model."""
        asked = hashlib.sha256(rewriting.TASK.encode()).hexdigest()[:12]
        return f"rewriting:{VERSION}|ask:{asked}|{self._caller.scorer.fingerprint}"

    def rewrite(self, claims: Sequence[CutClaim]) -> list[Rewriting]:
        """What each claim becomes, in their order. What was cut off or declined is no answer."""
        made: dict[int, Rewriting] = {}

        def calls() -> Iterator[tuple[int, Call]]:
            for place, one in enumerate(claims):
                prompt = Prompt(rewriting.TASK, rewriting.told(one))
                yield place, Call(prompt, None, Manner(heat=0.0))

        def hear(place: int, reply: Reply | str) -> None:
            text = reply.text if isinstance(reply, Reply) and not reply.why else None
            made[place] = rewriting.read(claims[place], text)

        self._caller.make("claims written anew", calls(), hear)
        return [made[place] for place in range(len(claims))]
