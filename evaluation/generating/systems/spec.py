"""What a system is given beside its question, and what is known of it: its paper, what can be set,
and what may follow it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from annotate.text.search_result import Found
from evaluation.generating.postediting.ranking import Bm25, Ranker
from evaluation.generating.retrieval.recall import Entail, answers_of, claims_of, entailed, held
from evaluation.generating.systems.demonstrations import Demonstration, Pair
from evaluation.generating.systems.options import LIST, MOST_FOUND, Options
from evaluation.generating.systems.room import Room
from evaluation.generating.systems.talks import OfPage, Search, Subject, Talk
from evaluation.judges.items import ItemPassage

BM25 = Bm25()


@dataclass(frozen=True, slots=True)
class How:
    """How a question is asked. `demonstrations` are drawn already; of `pairs` each question has its
    own (`pairs_for`). `search` goes through a corpus where there is one; else a question's own
    passages are searched."""

    options: Options = field(default_factory=Options)
    demonstrations: Sequence[Demonstration] = ()
    pairs: Sequence[Pair] = ()
    seed: int = 1
    room: Room = field(default_factory=Room)
    search: Search | None = None
    of_page: OfPage | None = None
    """The passages of a page by its title or its address, where these can be looked up."""

    entail: Entail | None = None
    """What says whether passages entail claims, where there are claims instead of answers."""

    ranker: Ranker | None = None
    """What puts candidates in order before they are read; else they stay as they were found."""

    def look_for(self, subject: Subject, query: str, k: int) -> list[Found]:
        """The best passages for a query."""
        if self.search is not None:
            return list(self.search(query, k))
        return among(subject.found, query)[:k]

    def has_gold(self, subject: Subject) -> bool:
        """Whether a question has answers that passages can hold, or claims that they can entail."""
        references = subject.question.references
        by_claims = self.entail is not None and claims_of(references)
        return bool(answers_of(references) or by_claims)

    def holding(self, subject: Subject, found: Sequence[Found]) -> list[set[int]]:
        """For each passage the answers that it holds, or else the claims that it entails."""
        references = subject.question.references
        if answers := answers_of(references):
            return held([one.text for one in found], answers)
        assert self.entail is not None
        texts = [ItemPassage(0, one.title, one.text).premise for one in found]
        return entailed(texts, claims_of(references), self.entail)

    def candidates(self, subject: Subject) -> list[Found]:
        """The first passages of a question, as many as are candidates, in the order that is
        wanted."""
        found = subject.found[: self.options.k]
        if self.ranker is None:
            return list(found)
        return among(found, subject.question.text, by=self.ranker)


def among(
    passages: Sequence[Found], query: str, *, most: int = MOST_FOUND, by: Ranker = BM25
) -> list[Found]:
    """A question's best hundred passages, or so many, in the order in which they fit another query,
    by BM25 or whatever else says so; of those that fit alike the earlier first."""
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
"""What may be done to answers afterwards, through `evaluation.generating.postediting`."""

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
