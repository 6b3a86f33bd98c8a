"""Measure retrieval in a study: a corpus on its questions, and its systems by their passages."""

from collections.abc import Callable, Collection, Iterator, Sequence
from hashlib import blake2b
from typing import Any, TypedDict

from django.db.models import Q, QuerySet
from django.template.defaultfilters import pluralize

from annotate.formats.qrels import Qrels, relevant
from annotate.models import Candidate, Judge, Judgment, Question, Response, Study
from annotate.text.search_result import Found, Retriever
from annotate.uploads.question_files import candidates_of
from evaluation.generating.retrieval.effects import (
    ALL,
    NONE,
    QUALITIES,
    SOME,
    Effect,
    MeasuredResponse,
    effect,
    effects,
)
from evaluation.generating.retrieval.recall import (
    AMONG,
    ORACLE,
    answer_recall,
    answers_of,
    claims_of,
    entailed,
    held,
    oracle,
    relevance_recall,
)
from evaluation.generating.searching import retriever_of
from evaluation.judges import alce
from evaluation.judges.figures import share_of_questions
from evaluation.judges.items import Item, ItemPassage, Verdict
from evaluation.judges.short_answers import normalised, present
from evaluation.models import Corpus
from evaluation.runs.judge_making import Entailing
from evaluation.runs.judging import items_of
from evaluation.runs.tables import ResultTable, table
from evaluation.statistics.ratings import Figure, undefined

KS = (1, 5, 10, 20, 50, 100)
ASKED, READ = 50, 1_000
"""How many questions are searched for at a time, and how many responses are read."""

OWN_PASSAGES = "the questions' own passages"
NO_ANSWERS = "no question has answers that could occur in a passage"
NO_QRELS = "no relevant passages were given"
NO_CLAIMS = "no question names claims instead of answers"
NO_SCORER = "no scorer was asked which passages entail claims"
NO_JUDGE = "no run of ALCE has judged it"
USED_IT = "the system used the metric itself"


_Holding = tuple[list[set[int]], int]
"""The places of the answers that each found passage holds, and the number of answers."""

_Keys = tuple[list[str], set[str]]
"""The passages found for a question, and its relevant passages."""

Tell = Callable[[int, int], object]
"""Called with the number of questions or responses that are done, and of all."""


class CorpusNumbers(TypedDict):
    """What a corpus, or the questions' own passages, gives for a study's questions."""

    corpus: str
    signature: str
    questions: int
    with_answers: int
    with_relevant: int
    with_claims: int
    scorer: str
    rows: list[dict[str, Any]]
    oracle: Figure
    oracle_relevance: Figure
    oracle_claims: Figure


class _OwnPassages:
    """The passages that questions brought themselves, in their order, as a corpus gives them."""

    def __init__(self) -> None:
        self._digest = blake2b(digest_size=8)

    @property
    def signature(self) -> str:
        """Identify the passages read so far."""
        return f"ranked:{self._digest.hexdigest()}"

    def find(self, questions: Sequence[Question]) -> list[list[Found]]:
        ranked = candidates_of([one.pk for one in questions])
        for one in questions:
            for row in ranked[one.pk]:
                self._digest.update(f"{one.external_id} {row.n} {row.passage.digest}\n".encode())
        return [[_found(row) for row in ranked[one.pk]] for one in questions]


def _found(row: Candidate) -> Found:
    one = row.passage
    return Found(row.external_id, one.text, 0.0, one.title, row.url)


def measure_retrieval(
    study: Study,
    corpus: Corpus | None = None,
    *,
    ks: Sequence[int] = KS,
    qrels: Qrels | None = None,
    entail: Entailing | None = None,
    tell: Tell = lambda done, total: None,
) -> CorpusNumbers:
    """Measure recall at each k, and of the oracle's choice among the first hundred passages.

    Without a corpus, the passages that questions brought themselves are measured.
    """
    source: _OwnPassages | Retriever
    if corpus is None:
        asked, source = Question.objects.listed().filter(study=study), _OwnPassages()
        find = source.find
    else:
        asked, source = Question.objects.filter(study=study), retriever_of(corpus)
        search, most = source.search, max(*ks, AMONG)

        def find(questions: Sequence[Question]) -> list[list[Found]]:
            return search([one.text for one in questions], most)

    by_answer, by_claim, by_key = list[_Holding](), list[_Holding](), list[_Keys]()
    count, with_claims, total = 0, 0, asked.count()
    for some in _portions(asked):
        tell(count, total)
        count += len(some)
        for question, found in zip(some, find(some), strict=True):
            if answers := answers_of(question.references):
                by_answer.append((held([one.text for one in found], answers), len(answers)))
            if claims := claims_of(question.references):
                with_claims += 1
                if entail is not None:
                    texts = [ItemPassage(0, one.title, one.text).premise for one in found]
                    by_claim.append((entailed(texts, claims, entail), len(claims)))
            if keys := relevant(qrels or {}, question.external_id):
                by_key.append(([one.key for one in found], keys))
    relevance = [_oracle_relevance(*one) for one in by_key]
    no_claims = NO_SCORER if with_claims and entail is None else NO_CLAIMS
    return {
        "corpus": OWN_PASSAGES if corpus is None else corpus.name,
        "signature": source.signature,
        "questions": count,
        "with_answers": len(by_answer),
        "with_relevant": len(by_key),
        "with_claims": with_claims,
        "scorer": entail.signature if entail is not None else "",
        "rows": [_row(k, by_answer, by_claim, by_key, no_claims) for k in ks],
        "oracle": share_of_questions([_oracle_recall(*one) for one in by_answer], NO_ANSWERS),
        "oracle_relevance": share_of_questions(relevance, NO_QRELS),
        "oracle_claims": share_of_questions([_oracle_recall(*one) for one in by_claim], no_claims),
    }


def _portions(asked: QuerySet[Question]) -> Iterator[list[Question]]:
    rows, last = asked.order_by("pk"), 0
    while some := list(rows.filter(pk__gt=last)[:ASKED]):
        last = some[-1].pk
        yield some


def _row(
    k: int,
    by_answer: Sequence[_Holding],
    by_claim: Sequence[_Holding],
    by_key: Sequence[_Keys],
    no_claims: str,
) -> dict[str, Any]:
    answers = [answer_recall(holding, many, k) for holding, many in by_answer]
    claims = [answer_recall(holding, many, k).recall for holding, many in by_claim]
    relevance = [relevance_recall(keys, wanted, k) for keys, wanted in by_key]
    return {
        "k": k,
        "answer_recall": share_of_questions([one.recall for one in answers], NO_ANSWERS),
        "recall_5": share_of_questions([one.recall_5 for one in answers], NO_ANSWERS),
        "hit": share_of_questions([one.hit for one in answers], NO_ANSWERS),
        "relevance_recall": share_of_questions(relevance, NO_QRELS),
        "recall_of_claims": share_of_questions(claims, no_claims),
    }


def _oracle_recall(holding: list[set[int]], answers: int) -> float:
    chosen = [holding[rank] for rank in oracle(holding).ranks]
    return answer_recall(chosen, answers, ORACLE).recall


def _oracle_relevance(keys: Sequence[str], wanted: Collection[str]) -> float:
    """Return the share of relevant passages that the best five of the first hundred are."""
    return min(ORACLE, len({*keys[:AMONG]} & {*wanted})) / len(wanted)


# What systems were given --------------------------------------------------------------------------


class EffectOfPassages(Effect):
    """The answers of one system with this number of passages."""

    system: str
    k: int


class SystemNumbers(TypedDict):
    """The answers of the systems, by what they were given."""

    judge: str
    by_passages: list[EffectOfPassages]
    by_quality: list[Effect]
    all: Effect


def measure_systems(study: Study, tell: Tell = lambda done, total: None) -> SystemNumbers:
    """Measure the study's responses by system and number of passages, and by what these hold."""
    judge = _judge_of(study)
    given = list(_given(study, judge, tell))
    order = sorted({(one.system, one.passages) for one in given})
    named = {key: f"{key[0]}, k = {key[1]}" for key in order}
    rows = effects(given, lambda one: named[one.system, one.passages], list(named.values()))
    return {
        "judge": judge.name if judge else "",
        "by_passages": [
            {**row, "system": system, "k": k} for row, (system, k) in zip(rows, order, strict=True)
        ],
        "by_quality": effects(given, lambda one: one.quality, QUALITIES),
        "all": effect("all", given),
    }


def _judge_of(study: Study) -> Judge | None:
    """Return the latest ALCE judge."""
    said = Judgment.objects.filter(dimension=alce.RECALL, judge__study=study)
    judges = Judge.objects.filter(
        pk__in=said.values("judge"), kind=Judge.Kind.AUTOMATIC, name__startswith="alce|"
    )
    return judges.order_by("-pk").first()


def _given(study: Study, judge: Judge | None, tell: Tell) -> Iterator[MeasuredResponse]:
    keys = Response.objects.current().filter(study=study).order_by("pk")
    pks = list(keys.values_list("pk", flat=True))
    for first in range(0, len(pks), READ):
        tell(first, len(pks))
        some = pks[first : first + READ]
        cited = _verdicts(some, judge)
        used_it = keys.filter(system__uses_autoais=True, pk__in=some)
        flagged = set(used_it.values_list("pk", flat=True))
        for item in items_of(study, some):
            if answers := answers_of(item.references):
                key = int(item.key)
                yield _one(item, answers, judge, cited.get(key, []), used_it=key in flagged)


def _one(
    item: Item,
    answers: list[list[str]],
    judge: Judge | None,
    verdicts: list[Verdict],
    *,
    used_it: bool,
) -> MeasuredResponse:
    output = normalised(item.plain)
    texts = [passage.text for passage in item.passages]
    none = undefined(USED_IT if used_it else NO_JUDGE)
    figures = dict.fromkeys((alce.RECALL, alce.PRECISION), none)
    if not used_it and judge is not None and verdicts:
        is_paper = "|variant:paper" in judge.name
        figures |= alce.per_item(item, verdicts, "paper" if is_paper else "released")
    return MeasuredResponse(
        item.system,
        item.question_id,
        len(texts),
        len(answers),
        frozenset().union(*held(texts, answers)),
        frozenset(n for n, aliases in enumerate(answers) if present(aliases, output)),
        figures[alce.RECALL],
        figures[alce.PRECISION],
    )


def _verdicts(keys: Sequence[int], judge: Judge | None) -> dict[int, list[Verdict]]:
    """Return the judge's verdicts on statements and citations of some responses."""
    found: dict[int, list[Verdict]] = {}
    asked = Q(dimension=alce.RECALL) | Q(dimension=alce.SUPPORT)
    rows = Judgment.objects.filter(asked, judge=judge, unit__response__in=keys).order_by(
        "unit__response", "unit__ordinal"
    )
    for response, unit, dimension, value, reason in rows.values_list(
        "unit__response_id", "unit__key", "dimension", "value", "skipped_reason"
    ):
        verdict = Verdict(str(response), unit, dimension, value=value, reason=reason)
        found.setdefault(response, []).append(verdict)
    return found


# As people read them ------------------------------------------------------------------------------

CORPUS_COLUMNS = {
    "k": "k",
    "answer_recall": "Answer recall",
    "recall_5": "Recall-5",
    "hit": "Hit",
    "recall_of_claims": "Claim recall",
    "relevance_recall": "Relevance recall",
}
SYSTEM_COLUMNS = {
    "of": "",
    "responses": "Responses",
    "answer_recall": "Answer recall",
    "correctness": "Correctness",
    "recall_of_citations": "Citation recall",
    "precision_of_citations": "Citation precision",
    "errors": "Errors",
    "explained": "Explained by retrieval",
}


HELD = {NONE: "none of them", SOME: "some", ALL: "all of them"}
ORACLE_OF = f"oracle: {ORACLE} of {AMONG}"


def tables_of(systems: SystemNumbers, corpus: CorpusNumbers | None = None) -> list[ResultTable]:
    found = []
    if corpus is not None:
        best = dict.fromkeys(CORPUS_COLUMNS, "–") | {
            "k": ORACLE_OF,
            "answer_recall": corpus["oracle"],
            "recall_of_claims": corpus["oracle_claims"],
            "relevance_recall": corpus["oracle_relevance"],
        }
        title = f"What “{corpus['corpus']}” gives"
        told = dict(CORPUS_COLUMNS)
        if not corpus["with_claims"]:
            del told["recall_of_claims"]
        found.append(table(title, told, [*corpus["rows"], best]))
    if rows := systems["by_passages"]:
        by = SYSTEM_COLUMNS | {"of": "System, passages"}
        found.append(table("Systems, by how many passages they were given", by, rows))
        by = SYSTEM_COLUMNS | {"of": "Answers held"}
        by_held = [one | {"of": HELD[one["of"]]} for one in systems["by_quality"]]
        by_held.append(systems["all"] | {"of": "any number"})
        found.append(
            table("All of them, by how many of the answers their passages hold", by, by_held)
        )
    return found


def lines_of(systems: SystemNumbers, corpus: CorpusNumbers | None = None) -> list[str]:
    """Return what the tables are based on."""
    found = []
    if corpus is not None:
        count = corpus["questions"]
        found += [
            f"{corpus['corpus']}: {count:,} question{pluralize(count)}, {corpus['with_answers']:,} "
            f"with answers, {corpus['with_claims']:,} with claims, "
            f"{corpus['with_relevant']:,} with relevant passages",
            f"Signature: {corpus['signature']}",
        ]
        if corpus["scorer"]:
            found.append(f"Claims: {corpus['scorer']}")
    count = systems["all"]["responses"]
    found.append(f"{count:,} response{pluralize(count)} whose question names answers")
    found.append(f"Citations: {systems['judge'] or NO_JUDGE}")
    return found
