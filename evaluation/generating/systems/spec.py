"""The description of a system: its paper, its options, and its inputs besides the question."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from annotate.text.search_result import Found
from evaluation.generating.postediting.ranking import Bm25, Ranker
from evaluation.generating.retrieval.recall import Entail, answers_of, claims_of, entailed, held
from evaluation.generating.systems.context_window import ContextWindow
from evaluation.generating.systems.conversations import Conversation, PageLookup, Search, Subject
from evaluation.generating.systems.demonstrations import Demonstration, Pair
from evaluation.generating.systems.options import LIST, MOST_FOUND, Options
from evaluation.judges.items import ItemPassage

BM25 = Bm25()


@dataclass(frozen=True, slots=True)
class Inputs:
    """What a system gets besides its question.

    `demonstrations` are drawn already; each question draws its own `pairs` (`pairs_for`). `search`
    searches a corpus; without one, a question's own passages are searched.
    """

    options: Options = field(default_factory=Options)
    demonstrations: Sequence[Demonstration] = ()
    pairs: Sequence[Pair] = ()
    seed: int = 1
    window: ContextWindow = field(default_factory=ContextWindow)
    search: Search | None = None
    page_passages: PageLookup | None = None
    """Look up the passages of a page by its title or its address, if possible."""

    entail: Entail | None = None
    """Whether passages entail claims, for questions with claims instead of answers."""

    ranker: Ranker | None = None
    """Reorders candidates before they are read; none: they stay as they were found."""

    def search_passages(self, subject: Subject, query: str, k: int) -> list[Found]:
        """Return the best passages for a query."""
        if self.search is not None:
            return list(self.search(query, k))
        return rank_passages(subject.found, query)[:k]

    def has_gold_answers(self, subject: Subject) -> bool:
        """Whether a question has answers that passages can hold, or claims that they can entail."""
        references = subject.question.references
        by_claims = self.entail is not None and claims_of(references)
        return bool(answers_of(references) or by_claims)

    def gold_matches(self, subject: Subject, found: Sequence[Found]) -> list[set[int]]:
        """Return for each passage the answers that it holds, or else the claims that it entails."""
        references = subject.question.references
        if answers := answers_of(references):
            return held([one.text for one in found], answers)
        assert self.entail is not None
        texts = [ItemPassage(0, one.title, one.text).premise for one in found]
        return entailed(texts, claims_of(references), self.entail)

    def candidates(self, subject: Subject) -> list[Found]:
        """Return the candidate passages of a question in order."""
        found = subject.found[: self.options.k]
        if self.ranker is None:
            return list(found)
        return rank_passages(found, subject.question.text, by=self.ranker)


def rank_passages(
    passages: Sequence[Found], query: str, *, most: int = MOST_FOUND, by: Ranker = BM25
) -> list[Found]:
    """Rank a question's best passages for another query, by BM25 or another ranker.

    Of equals, the earlier comes first.
    """
    known = passages[:most]
    if not known or not query.strip():
        return list(known)
    shown = [ItemPassage(number, one.title, one.text) for number, one in enumerate(known, 1)]
    (scores,) = by.scores(shown, [query])
    order = sorted(range(len(known)), key=lambda place: -scores[place])
    return [known[place] for place in order]


ALCE = "Gao et al. (2023), https://arxiv.org/abs/2305.14627"
ALIICE = "Xu et al. (2025), https://arxiv.org/abs/2406.13375"
ATTRIBUTED_QA = "Bohnet et al. (2022), https://arxiv.org/abs/2212.08037"

RERANK, POSTCITE, AUTOAIS = "rerank", "postcite", "autoais"
"""What may be done to answers afterwards, by `evaluation.generating.postediting`."""

AFTERWARDS = {
    RERANK: "the best of several samples by citation recall",
    POSTCITE: "statements without a citation cite the passage that fits best",
    AUTOAIS: "the candidate with the highest AutoAIS score is the attribution",
}
USES_AUTOAIS = frozenset({RERANK, AUTOAIS})
"""Those by which entailment decides: the same metric says nothing about their result."""

WHOLE = ((0, 3), (4_000, 5), (8_000, 10), (16_000, 20))
SHORT = ((0, 5), (4_000, 10), (8_000, 20))
"""How many passages a prompt shows, whole or in short forms, by the minimum context.

ALCE's 3 and 5 whole ones and 10 short ones, more in longer contexts.
"""

LIST_TOKENS = 200
"""Tokens of a list of answers, as QAMPARI's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemSpec:
    key: str
    title: str
    paper: str
    about: str
    conversation: Callable[[Subject, Inputs], Conversation]
    takes: tuple[str, ...] = ()
    usual: Options = field(default_factory=Options)
    afterwards: tuple[str, ...] = (RERANK, POSTCITE)
    keeps: Literal["all", "cited", "first"] = "all"
    """Which passages stay with an answer in the end: the others were candidates."""

    needs_passages: bool = True
    needs_answers: bool = False
    """Whether the system needs passages, and whether it needs gold answers."""

    again: Callable[[Subject, Inputs, Found], Conversation] | None = None
    """How to read an answer again from the passage that AutoAIS put first."""

    examples: Literal["demonstrations", "pairs", "none"] = "demonstrations"
    """What a file of examples holds."""

    acts: bool = False
    """Whether demonstrations show actions, under the system's key."""

    temperature: float | None = None
    """The temperature of every model, if the paper has one for all."""

    of_context: Sequence[tuple[int, int]] = ()
    """How many passages a prompt shows, by the minimum context."""

    most_tokens: int = 300
    """The default limit of one call: what a paragraph takes."""

    def writes(self, form: str) -> int:
        """Return the default limit for answers of this form.

        A list needs fewer tokens, except in a conversation of actions, and except if short forms
        are written under the same limit: every system has the same ones.
        """
        is_short = form == LIST and not self.acts and self.of_context is not SHORT
        return LIST_TOKENS if is_short else self.most_tokens
