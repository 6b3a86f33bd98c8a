"""A study's questions with the passages found for them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b

from django.db.models import Q, QuerySet

from annotate.exchange.streams import question_record
from annotate.models import Candidate, Question, Response, Source, Study
from annotate.text.search_result import Found, Retriever
from annotate.uploads.question_files import candidates_of
from annotate.web.errors import Refused
from evaluation.generating.generation_settings import GenerationSettings
from evaluation.generating.generations import SUFFIX
from evaluation.generating.postediting.ranking import Embeddings, Ranker
from evaluation.generating.searching import corpus_named, page_lookup, page_retriever, retriever_of
from evaluation.generating.systems.context_window import ContextWindow
from evaluation.generating.systems.conversations import Subject
from evaluation.generating.systems.demonstrations import drawn
from evaluation.generating.systems.options import BY_MEANING, BY_WORDS, MOST_FOUND
from evaluation.generating.systems.spec import BM25, Inputs
from evaluation.judges.entailment.weights import base_folder
from evaluation.runs.judge_making import Entailing
from evaluation.runs.lifecycle import sampled_questions

PORTION = 500
"""Questions that are read and answered together.

Before a portion, no call is made until its passages are found; at its end few calls are under way.
"""

DRY_RUN = "The first prompts are shown by the command generate --dry-run."


@dataclass(slots=True)
class Subjects:
    """The questions of a generation in their order; `signature` identifies the passages read."""

    study: Study
    settings: GenerationSettings
    by_page: bool = False
    """Whether a page reads them, which asks no models and no other machines."""

    keys: list[int] = field(init=False)
    retriever: Retriever | None = field(init=False)
    ranker: Ranker | None = field(init=False)
    entail: Entailing | None = field(init=False)
    _seen: blake2b = field(init=False)

    def __post_init__(self) -> None:
        known = self._questions()
        if self.settings.questions is not None:
            ids = known.order_by().values_list("external_id", flat=True)
            some = sampled_questions(ids, self.study, self.settings.questions)
            known = known.filter(external_id__in=some)
        self.keys = list(known.order_by("pk").values_list("pk", flat=True))
        self.retriever = self._retriever()
        self.ranker = self._ranker()
        scoring = self.settings.scoring if self.settings.spec.needs_answers else None
        self.entail = None if scoring is None else Entailing(scoring)
        self._seen = blake2b(digest_size=8)

    @property
    def signature(self) -> str:
        """Identify the passages, and the ranker or scorer that ordered or chose them."""
        found = self._seen.hexdigest() if self.retriever is None else self.retriever.signature
        others = (self.ranker, self.entail)
        by = [one.signature for one in others if one is not None and one.signature]
        return "|by:".join([found, *by])

    def inputs(self, seed: int, window: ContextWindow) -> Inputs:
        """Return all that the system gets besides its question, for one seed."""
        given, options, retriever = self.settings, self.settings.own, self.retriever
        return Inputs(
            options,
            drawn(given.demonstrations(), options.shots, seed),
            given.pairs(),
            seed,
            window,
            None if retriever is None else lambda query, k: retriever.search([query], k)[0],
            page_lookup(self.study, self.settings.corpus),
            self._on_page if self.by_page else self.entail,
            self.ranker,
        )

    def portions(self) -> Iterator[list[Subject]]:
        """Yield all questions, some at a time."""
        self._seen = blake2b(digest_size=8)
        for first in range(0, len(self.keys), PORTION):
            yield self.read(self.keys[first : first + PORTION])

    def read(self, keys: Sequence[int]) -> list[Subject]:
        """Read some questions with their passages."""
        rows = Question.objects.in_bulk(keys)
        if len(rows) < len(keys):
            raise Refused("Questions of the study were deleted meanwhile. Start again.")
        questions = [rows[key] for key in keys]
        pairs = zip(questions, self._passages(questions), strict=True)
        found = [Subject(question_record(one), tuple(some)) for one, some in pairs]
        for one in found:
            named = [one.question.external_id, *(f"{p.title}\0{p.text}" for p in one.found)]
            self._seen.update("\0\0".join(named).encode("utf-8", "surrogatepass"))
        return found

    def _retriever(self) -> Retriever | None:
        if not self.settings.corpus:
            return None
        corpus = corpus_named(self.study, self.settings.corpus)
        return page_retriever(corpus, DRY_RUN) if self.by_page else retriever_of(corpus)

    def _ranker(self) -> Ranker | None:
        ranked_by = self.settings.own.ranked_by
        if ranked_by == BY_MEANING:
            if self.by_page:
                raise Refused(f"A model puts the passages in order, and pages ask none. {DRY_RUN}")
            return Embeddings(str(base_folder()))
        return BM25 if ranked_by == BY_WORDS else None

    def _on_page(self, pairs: Sequence[tuple[str, str]]) -> Sequence[bool]:
        raise Refused(f"A model says which passages entail claims, and pages ask none. {DRY_RUN}")

    def _questions(self) -> QuerySet[Question]:
        """The questions that the chosen system answered.

        Without a system, all questions with an answer or from a file of questions.
        """
        wanted = Q(pk__in=self._responses().order_by().values("question"))
        if self.settings.passages_of is None:
            wanted |= Q(listed_upload__isnull=False)
        return Question.objects.filter(wanted, study=self.study)

    def _responses(self) -> QuerySet[Response]:
        """The responses that questions and passages come from."""
        current = Response.objects.current().filter(study=self.study)
        if self.settings.passages_of is not None:
            return current.filter(system=self.settings.passages_of)
        return current

    def _passages(self, questions: Sequence[Question]) -> list[list[Found]]:
        if self.retriever is not None:
            return self.retriever.search([one.text for one in questions], MOST_FOUND)
        brought: dict[int, list[Candidate | Source]] = defaultdict(list)
        own = self._responses()
        if self.settings.passages_of is None:
            for key, ranked in candidates_of([one.pk for one in questions]).items():
                brought[key] += ranked
            own = own.exclude(upload__name__endswith=SUFFIX, upload__created_by=None)
        own = own.filter(question__in=[one for one in questions if one.pk not in brought])
        order = ("response__system_id", "response__run", "response_id", "n")
        rows = Source.objects.filter(response__in=own).select_related("passage", "response")
        for row in rows.order_by(*order):
            brought[row.response.question_id].append(row)
        return [_each_once(brought[one.pk])[:MOST_FOUND] for one in questions]


def _each_once(rows: Iterable[Candidate | Source]) -> list[Found]:
    """Return the distinct passages with a text."""
    found: dict[int, Found] = {}
    for row in rows:
        one = row.passage
        if one.pk not in found and one.text.strip():
            found[one.pk] = Found(row.external_id, one.text, 0.0, one.title, row.url)
    return list(found.values())
