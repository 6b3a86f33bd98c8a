"""What is known of a system: its paper, what can be set, and what may follow it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from annotate.retrieval.found import Found
from evaluation.generating.how import How
from evaluation.generating.options import LIST, Options
from evaluation.generating.talks import Subject, Talk

ALCE = "Gao et al. (2023), https://arxiv.org/abs/2305.14627"
ALIICE = "Xu et al. (2025), https://arxiv.org/abs/2406.13375"
ATTRIBUTED_QA = "Bohnet et al. (2022), https://arxiv.org/abs/2212.08037"

RERANK, POSTCITE, AUTOAIS = "rerank", "postcite", "autoais"
"""What may be done to answers afterwards, through `evaluation.postediting`."""

AFTERWARDS = {
    RERANK: "the best of several samples by citation recall",
    POSTCITE: "statements without a citation cite the passage that fits best",
    AUTOAIS: "the candidate with the highest AutoAIS score is the attribution",
}
USES_AUTOAIS = frozenset({RERANK, AUTOAIS})
"""Those by which entailment decides: the same metric says nothing about what comes out."""

WHOLE = ((0, 3), (4_000, 5), (8_000, 10), (16_000, 20))
SHORT = ((0, 5), (4_000, 10), (8_000, 20))
"""How many passages a prompt shows, whole or in short forms, in a context of so many tokens or
more: ALCE's 3 and 5 whole ones and 10 short ones, more where the context is longer."""

LIST_TOKENS = 200
"""What a list of answers takes, as QAMPARI's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSpec:
    """One system."""

    key: str
    title: str
    paper: str
    about: str
    talk: Callable[[Subject, How], Talk]
    takes: tuple[str, ...] = ()
    usual: Options = field(default_factory=Options)
    afterwards: tuple[str, ...] = (RERANK, POSTCITE)
    keeps: Literal["all", "cited", "first"] = "all"
    """Which passages stay with an answer in the end: the others were candidates."""

    needs_passages: bool = True
    needs_answers: bool = False
    """Whether nothing can be asked about a question without passages, or without gold answers."""

    again: Callable[[Subject, How, Found], Talk] | None = None
    """How an answer is read anew from the passage that is the attribution, once candidates were
    put in order by AutoAIS."""

    examples: Literal["demonstrations", "pairs", "none"] = "demonstrations"
    """What a file of examples holds."""

    acts: bool = False
    """Whether demonstrations show actions, which stand in them under the system's key."""

    temperature: float | None = None
    """How freely any model writes, where the paper says one temperature for all."""

    of_context: Sequence[tuple[int, int]] = ()
    """How many passages a prompt shows by the context, where that decides."""

    most_tokens: int = 300
    """How much one call writes at most, where nothing is said: what a paragraph takes."""

    def writes(self, form: str) -> int:
        """The same for answers of this form. A list's is no shorter of an action, nor where short
        forms are written under the same limit: every system is to have the same ones."""
        is_short = form == LIST and not self.acts and self.of_context is not SHORT
        return LIST_TOKENS if is_short else self.most_tokens
