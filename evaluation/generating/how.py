"""All that a system is given beside its question."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from annotate.retrieval.found import Found
from evaluation.generating.demonstrations import Demonstration, Pair
from evaluation.generating.options import MOST_FOUND, Options
from evaluation.generating.room import Room
from evaluation.generating.talks import OfPage, Search, Subject
from evaluation.judges.items import ItemPassage
from evaluation.postediting.ranking import Bm25, Ranker
from evaluation.retrieving.recall import Entail, answers_of, claims_of, entailed, held

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
