"""Write published formats: ALCE's two human evaluations, Attributed QA's ratings, TREC.

Reading the output gives the same answers, under these formats' names for their judges. Values are
written unchanged, as in `writing`.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from annotate.formats.attributed_qa import RATING_COLUMNS
from annotate.formats.csv_rows import number_in
from annotate.formats.limits import LONG_NAME_CHARS
from annotate.formats.records import PassageRecord, ResponseRecord
from annotate.formats.trec_judgments import SUPPORT, SUPPORTED
from annotate.formats.writing import csv_line
from annotate.text import strip_marks

Entry = tuple[str, str, str, Mapping[str, Any]]
"""Data set, model file, question id and item."""

_YES_NO = {"yes": 1, "no": 0}
_SUPPORT = {"full": 2, "partial": 1, "none": 0, "needed": 2, "not_needed": 0}
_RATINGS = {"yes": "Y", "no": "N", "": ""}
_LABELS = {value: label for label, value in SUPPORT.items()}
CORRECTNESS = "automatic_correctness_scores"
_OWN = frozenset(
    {
        "id",
        "question",
        "output",
        "sentences",
        "overall_recall_score",
        "overall_precision_score",
        "automatic_recall_scores",
        "automatic_precision_scores",
        "automatic_citation_precision_scores",
        "utility_score",
    }
)
"""Fields of an item that are always computed, even if the original file had them."""


@dataclass(frozen=True, slots=True)
class BothAnswers:
    """The answers of people and of one automatic judge; empty without an answer."""

    people: str = ""
    automatic: str = ""


@dataclass(frozen=True, slots=True)
class RatedCitation:
    """One citation of a sentence. A mark that points nowhere has no passage."""

    passage: PassageRecord | None
    support: BothAnswers = BothAnswers()


@dataclass(frozen=True, slots=True)
class RatedSentence:
    """A sentence with its marks, and at most three citations."""

    text: str
    citations: tuple[RatedCitation, ...] = ()
    recall: BothAnswers = BothAnswers()


# TREC --------------------------------------------------------------------------------------------


def write_support(run: str, record: ResponseRecord, sentences: Sequence[RatedSentence]) -> str:
    """Write one line of a run, with people's label of each citation that has a passage. A
    label of the whole sentence also counts for its first citation, unless that has its own."""
    ids: dict[int, str] = {}
    for passage in record.passages:
        key = passage.external_id or passage.url or f"passage {passage.n}"
        ids[passage.n] = key if key not in ids.values() else f"{key} ({passage.n})"
    places = {n: place for place, n in enumerate(ids)}
    answer, judged = [], []
    for sentence in sentences:
        text = strip_marks(sentence.text).text.strip()
        if not text:
            continue
        own = [each for each in sentence.citations if each.passage is not None]
        cited = [places[each.passage.n] for each in own if each.passage is not None]
        labels = [each.support.people for each in own]
        if labels and sentence.citations[0] is own[0]:
            labels[0] = labels[0] or sentence.recall.people
        answer.append({"text": text, "citations": cited})
        scores = [_LABELS.get(label) for label in labels]
        judged.append(
            {"answer": text, "citations": cited, "count": len(cited), "eval_scores": scores}
        )
    line = {
        "run_id": run,
        "topic_id": record.question.external_id,
        "topic": record.question.text,
        "references": list(ids.values()),
        "answer": answer,
        SUPPORTED: judged,
        "segments": {ids[passage.n]: passage.text for passage in record.passages},
    }
    return f"{_json(line)}\n"


# ALCE --------------------------------------------------------------------------------------------


def nested_json(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield `{data set: {model file: {question id: item}}}`, one item per line. Entries must
    be grouped by data set, and within it by model file."""
    yield "{"
    after_dataset = ""
    for dataset, of_dataset in groupby(entries, key=lambda entry: entry[0]):
        yield f"{after_dataset}\n{_json(dataset)}: {{"
        after_dataset, after_model = ",", ""
        for model, of_model in groupby(of_dataset, key=lambda entry: entry[1]):
            yield f"{after_model}\n{_json(model)}: {{"
            after_model, after_item = ",", ""
            for _, _, key, item in of_model:
                yield f"{after_item}\n{_json(key)}: {_json(item)}"
                after_item = ","
            yield "\n}"
        yield "\n}"
    yield "\n}\n"


def citations_item(
    key: str, record: ResponseRecord, sentences: Sequence[RatedSentence], *, automatic: bool
) -> dict[str, Any]:
    """Return a response as an item of ALCE's human evaluation of citations.

    With `automatic`, it includes the metric's three lists. A citation is precise if the sentence is
    supported and the citation supports it fully or partially, or is needed. Overall recall is the
    share of supported sentences, overall precision the share of precise citations. A sentence is
    precise if all its citations are. A number that depends on a missing answer, or on no citation,
    is null.
    """
    kept = _kept(record, "sentences")
    item: dict[str, Any] = {
        "id": key,
        "question": record.question.text,
        "output": record.output,
        "overall_recall_score": _mean([_YES_NO.get(s.recall.people) for s in sentences]),
        "overall_precision_score": _mean(
            [score for s in sentences for score in _precise(s, _people)]
        ),
        "sentences": [
            _sentence(sentence, kept[index] if len(kept) == len(sentences) else {})
            for index, sentence in enumerate(sentences)
        ],
    }
    if automatic:
        item |= {
            "automatic_recall_scores": [_YES_NO.get(s.recall.automatic) for s in sentences],
            "automatic_precision_scores": [_all(_precise(s, _automatic)) for s in sentences],
            "automatic_citation_precision_scores": [_row(s) for s in sentences],
        }
    return _with_kept(item, {name: record.metadata[name] for name in record.metadata.keys() - _OWN})


def utility_item(key: str, record: ResponseRecord, utility: str) -> dict[str, Any]:
    """Return a response as an item of ALCE's human evaluation of utility."""
    kept = {name: record.metadata[name] for name in record.metadata.keys() - _OWN}
    correctness = kept.get(CORRECTNESS)
    if not isinstance(correctness, list) or any(score not in (0, 1) for score in correctness):
        kept.pop(CORRECTNESS, None)
    item = {
        "id": key,
        "question": record.question.text,
        "output": strip_marks(record.output).text,
        "utility_score": int(utility) if utility else None,
    }
    return _with_kept(item, kept)


def _sentence(sentence: RatedSentence, kept: Mapping[str, Any]) -> dict[str, Any]:
    found = kept.get("citations")
    beside = found if isinstance(found, list) and len(found) == len(sentence.citations) else None
    item = {
        "text": sentence.text,
        "citations": [
            _citation(citation, beside[place] if beside else {})
            for place, citation in enumerate(sentence.citations)
        ],
        "sentence_recall_score": _YES_NO.get(sentence.recall.people),
        "sentence_precision_score": _all(_precise(sentence, _people)),
    }
    return _with_kept(item, kept)


def _citation(citation: RatedCitation, kept: Any) -> dict[str, Any]:
    passage = citation.passage
    item = {
        **({"id": passage.external_id} if passage and passage.external_id else {}),
        "title": passage.title if passage else "",
        "text": passage.text if passage else "",
        "citation_precision_score": _SUPPORT.get(citation.support.people),
    }
    return _with_kept(item, kept if isinstance(kept, Mapping) else {})


def _with_kept(item: dict[str, Any], kept: Mapping[str, Any]) -> dict[str, Any]:
    """Return the item followed by the other fields from its file, ordered by name."""
    return item | {name: kept[name] for name in sorted(kept.keys() - item.keys())}


def _kept(record: ResponseRecord, name: str) -> list[Mapping[str, Any]]:
    """Return the other fields that the file had for the parts of an item."""
    found = record.metadata.get(name)
    if isinstance(found, list) and all(isinstance(one, Mapping) for one in found):
        return found
    return []


def _people(answers: BothAnswers) -> str:
    return answers.people


def _automatic(answers: BothAnswers) -> str:
    return answers.automatic


def _precise(sentence: RatedSentence, of: Callable[[BothAnswers], str]) -> list[int | None]:
    """Return for each citation whether it is precise; None if an answer is missing."""
    recall = of(sentence.recall)
    return [
        int(recall == "yes" and _SUPPORT[of(citation.support)] > 0)
        if recall and of(citation.support)
        else None
        for citation in sentence.citations
    ]


def _row(sentence: RatedSentence) -> list[int | None]:
    """Return the automatic scores of a sentence's citations; empty without any."""
    scores = [_SUPPORT.get(citation.support.automatic) for citation in sentence.citations]
    return scores if any(score is not None for score in scores) else []


def _all(scores: Sequence[int | None]) -> int | None:
    known = [score for score in scores if score is not None]
    return min(known) if known and len(known) == len(scores) else None


def _mean(scores: Sequence[int | None]) -> float | None:
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if known and len(known) == len(scores) else None


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


# Attributed QA -----------------------------------------------------------------------------------


def aqa_ratings_header() -> str:
    return csv_line(RATING_COLUMNS)


def write_aqa_rating(
    system: str,
    record: ResponseRecord,
    passage: PassageRecord | None,
    rating: BothAnswers,
    score: float | None,
) -> str:
    """Write one row. `score` belongs to the automatic answer. Without a passage or an
    automatic answer, the values of the original file are used."""
    key = passage.external_id if passage else _attribution(record.metadata.get("attribution"))
    nli = _number(score) if rating.automatic else _nli(record.metadata.get("nli_score"))
    return csv_line(
        (
            system,
            record.question.text,
            record.output,
            key,
            passage.text if passage else "",
            _RATINGS[rating.people],
            _RATINGS[rating.automatic],
            nli,
        )
    )


def _number(score: float | None) -> str:
    return "" if score is None else repr(float(score))


def _attribution(value: Any) -> str:
    return value if isinstance(value, str) and len(value) <= LONG_NAME_CHARS else ""


def _nli(value: Any) -> str:
    return value if isinstance(value, str) and number_in(value, 0, 1) is not None else ""
