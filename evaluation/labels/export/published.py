"""A study in the formats of published analyses, streamed: people's answers and one judge's.

These formats have one judge for people, so their label is written: the majority, or an adjudicated
one. If no rater voted, a published majority counts, as in the report. One automatic judge can be
written. Only the keys of the responses of the whole study are in memory.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from django.db.models import Count, Exists, OuterRef
from django.http import Http404, StreamingHttpResponse
from django.http.response import HttpResponseBase

from annotate.exchange.downloads import table
from annotate.exchange.streams import records_by_key
from annotate.formats.alce_human import MOST_CITATIONS
from annotate.formats.division import MAX_CITATIONS, passages_by_number
from annotate.formats.limits import LONG_NAME_CHARS, NAME_CHARS
from annotate.formats.published_writing import (
    BothAnswers,
    Entry,
    RatedCitation,
    RatedSentence,
    aqa_ratings_header,
    citations_item,
    nested_json,
    utility_item,
    write_aqa_rating,
    write_support,
)
from annotate.formats.records import PassageRecord, ResponseRecord
from annotate.models import Batch, Judge, Judgment, Question, Response, Study, Unit, in_slices
from annotate.text import Division
from annotate.uploads.study_index import derived_question_id
from annotate.web.errors import Refused
from evaluation.judges.autoais import source as source_of
from evaluation.judges.items import ItemPassage, item_of
from evaluation.labels.export import trec
from evaluation.labels.export.answers import AnswerSource, system_names
from evaluation.labels.study_labels import CHUNK, Method, labels_csv


@dataclass(frozen=True, slots=True)
class PublishedForm:
    """A published format and its dimensions."""

    title: str
    ending: str
    content_type: str
    dimensions: tuple[str, ...]
    about: str
    """What a file of it holds, for the page."""

    automatic: bool = True
    """Whether it has a place for an automatic judge's answers."""


JSONL = "application/jsonl; charset=utf-8"

FORMS: Mapping[str, PublishedForm] = MappingProxyType(
    {
        "alce-citations": PublishedForm(
            "ALCE human evaluation of citations",
            "json",
            "application/json",
            ("citation_recall", "citation_support"),
            "Sentences with their passages; supported or not, and full, partial or no support by "
            "each passage.",
        ),
        "alce-utility": PublishedForm(
            "ALCE human evaluation of utility",
            "json",
            "application/json",
            ("utility",),
            "One mark from 1 to 5 for each response; the outputs without their citation marks.",
            automatic=False,
        ),
        "aqa-ratings": PublishedForm(
            "Attributed QA ratings",
            "csv",
            "text/csv; charset=utf-8",
            ("attributable",),
            "One row for each response, with what it rests on as one passage; attributable or not.",
        ),
        "trec-support": PublishedForm(
            "TREC run with support labels",
            "jsonl",
            JSONL,
            ("citation_support", "trec_support"),
            "One answer a line, sentence by sentence, with full, partial or no support by each "
            "source.",
            automatic=False,
        ),
        "trec-qrels": PublishedForm(
            "TREC qrels",
            "txt",
            "text/plain; charset=utf-8",
            ("citation_support", "trec_support"),
            "One line for each question and source that was judged: the most support that it gives "
            "to anything that cites it, 2, 1 or 0.",
            automatic=False,
        ),
        "trec-nuggets": PublishedForm(
            "TREC nuggets of topics",
            "jsonl",
            JSONL,
            (),
            "One question a line, with the claims of its reference as nuggets.",
            automatic=False,
        ),
        "trec-assignments": PublishedForm(
            "TREC nuggets assigned to answers",
            "jsonl",
            JSONL,
            ("reference_said",),
            "One answer a line, with which claims of the reference it says, partly says, or does "
            "not.",
            automatic=False,
        ),
    }
)
DIVIDED = ("alce-citations", "trec-support", "trec-qrels")
"""The formats about statements."""

METHODS = (Method.MAJORITY, Method.ADJUDICATED)
"""The methods that make labels for some responses at a time."""


def judges_of(study: Study, form: str) -> list[Judge]:
    """Return the automatic judges whose answers a format can hold, by name."""
    if not FORMS[form].automatic:
        return []
    answers = Judgment.objects.filter(judge=OuterRef("pk"), dimension__in=FORMS[form].dimensions)
    automatic = study.judges.filter(Exists(answers.exclude(value="")), kind=Judge.Kind.AUTOMATIC)
    return list(automatic.order_by("name"))


def why_not(study: Study, form: str, slices: Sequence[str] = ()) -> str:
    """Return why a study, or some of its slices, cannot be written in a format, or nothing."""
    dimensions = FORMS[form].dimensions
    answers = Judgment.objects.counted().filter(judge__study=study, dimension__in=dimensions)
    if form == "trec-nuggets":
        return "" if trec.has_nuggets(study) else "No question here has claims of a reference."
    if not answers.exclude(value="").exists():
        return f"Nobody has answered {' or '.join(f'“{key}”' for key in dimensions)} here yet."
    responses = Response.objects.current().filter(in_slices(study, slices), study=study)
    if form in DIVIDED and (count := responses.filter(segmentation="").count()):
        are = "response is" if count == 1 else "responses are"
        return f"{count:,} {are} not divided into statements, which this format is about."
    if form == "trec-qrels" and not trec.names_sources(responses):
        return "No source here has an id or an address, by which this format names it."
    if form == "aqa-ratings":
        twice = (
            responses.values("system__name", "run", "question__text")
            .annotate(answers=Count("pk"))
            .filter(answers__gt=1)
            .order_by("system__name")
            .first()
        )
        if twice is not None:
            return (
                f"“{twice['system__name']}” answers two questions with one text: "
                f"“{twice['question__text'][:60]}”. This format knows questions by their text."
            )
    return ""


def published(
    study: Study,
    form: str,
    *,
    judge: str = "",
    method: Method = Method.MAJORITY,
    slices: Sequence[str] = (),
) -> Iterator[str]:
    """Yield the study, or some slices of its questions, in one of the `FORMS`, piece by piece.

    `judge` names the automatic judge; without it the first one by name that has answered.
    """
    if form not in FORMS:
        raise Refused(f"There is no format “{form}”. Known: {', '.join(FORMS)}.")
    if method not in METHODS:
        raise Refused(f"Labels come by {' or '.join(METHODS)} here, not by {method}.")
    if reason := why_not(study, form, slices):
        raise Refused(reason)
    automatic = _chosen(study, form, judge)
    source = AnswerSource(study, FORMS[form].dimensions, automatic, method, slices)
    if form in WRITERS:
        return WRITERS[form](source)
    return nested_json(_utility(source) if form == "alce-utility" else _citations(source))


def _chosen(study: Study, form: str, name: str) -> Judge | None:
    known = judges_of(study, form)
    if not name:
        return known[0] if known else None
    found = [judge for judge in known if judge.name == name]
    found = found or [judge for judge in known if judge.title == name]
    if len(found) == 1:
        return found[0]
    if found:
        some = ", ".join(f"“{judge.name}”" for judge in found)
        raise Refused(f"Several automatic judges are called “{name}”. Name one of them: {some}.")
    some = ", ".join(f"“{judge.name}”" for judge in known) or "none"
    raise Refused(f"No automatic judge “{name}” has answers for this format. Known: {some}.")


# ALCE --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a response in the file: its data set, model file and question id."""

    dataset: str
    model: str
    key: str
    response: int


def _places(source: AnswerSource) -> list[_Place]:
    """Return all responses to write, in the order of the file.

    A slice has the names and ids of the whole study. The data set is the one that the question came
    from, else the study itself. Reading puts it before the id, so it is removed here, unless
    another question has that id.
    """
    study, names = source.study, system_names(source.study)
    questions: dict[int, tuple[str, str]] = {}
    known: dict[str, set[str]] = defaultdict(set)
    rows = Question.objects.filter(study=study).values_list("pk", "external_id", "metadata")
    for pk, external_id, metadata in rows.iterator(chunk_size=2_000):
        given = metadata.get("dataset") if isinstance(metadata, dict) else None
        dataset = study.slug
        if isinstance(given, str) and 0 < len(given) <= NAME_CHARS // 2:
            dataset = given
        known[dataset].add(external_id)
        questions[pk] = (dataset, external_id)
    places = []
    for pk, question, system, run in (
        source.responses()
        .values_list("pk", "question_id", "system_id", "run")
        .iterator(chunk_size=2_000)
    ):
        dataset, external_id = questions[question]
        bare = external_id.removeprefix(f"{dataset}/")
        key = external_id if not bare or bare in known[dataset] else bare
        if len(dataset) + 1 + len(key) > NAME_CHARS:
            key = derived_question_id(key)
        places.append(_Place(dataset, f"{names[system, run]}.json", key, pk))
    return sorted(places, key=lambda place: (place.dataset, place.model, place.response))


def _in_places(source: AnswerSource) -> Iterator[list[tuple[_Place, Response, ResponseRecord]]]:
    """Yield the responses in the order of the file, some hundreds at once."""
    places = _places(source)
    for first in range(0, len(places), CHUNK):
        some = places[first : first + CHUNK]
        found = {
            response.pk: (response, record)
            for response, record in records_by_key(source.study, [one.response for one in some])
        }
        yield [(one, *found[one.response]) for one in some if one.response in found]


def _citations(source: AnswerSource) -> Iterator[Entry]:
    for some in _in_places(source):
        responses = [response for _, response, _ in some]
        answers = source.about(responses)
        units = _units(responses)
        for place, response, record in some:
            sentences = _sentences(record, units[response.pk], answers, response.pk)
            judged = source.judge is not None and not response.system.uses_autoais
            item = citations_item(place.key, record, sentences, automatic=judged)
            yield place.dataset, place.model, place.key, item


def _utility(source: AnswerSource) -> Iterator[Entry]:
    for some in _in_places(source):
        answers = source.about([response for _, response, _ in some])
        for place, response, record in some:
            utility, _ = answers.get((response.pk, "r"), (BothAnswers(), -1.0))
            item = utility_item(place.key, record, utility.people)
            yield place.dataset, place.model, place.key, item


@dataclass(frozen=True, slots=True)
class _Part:
    """A unit of a response, with the number of the passage that it cites, if any."""

    pk: int
    parent: int | None
    kind: str
    key: str
    text: str
    start: int
    end: int
    source: int | None


def _units(responses: Sequence[Response]) -> dict[int, list[_Part]]:
    """Return the responses, their statements and citations, in order."""
    found: dict[int, list[_Part]] = defaultdict(list)
    rows = Unit.objects.filter(
        response__in=responses, kind__in=["response", "statement", "citation"]
    ).order_by("pk")
    for row in rows.values_list(
        "response_id", "pk", "parent_id", "kind", "key", "text", "start", "end", "source__n"
    ):
        found[row[0]].append(_Part(*row[1:]))
    return found


def _sentences(
    record: ResponseRecord,
    units: Sequence[_Part],
    answers: Mapping[tuple[int, str], tuple[BothAnswers, float]],
    response: int,
    most: int = MOST_CITATIONS,
) -> list[RatedSentence]:
    passages = {passage.n: passage for passage in record.passages}
    whole = next((unit.text for unit in units if unit.kind == "response"), "")
    hanging: dict[int | None, list[RatedCitation]] = defaultdict(list)
    for unit in units:
        if unit.kind == "citation" and len(hanging[unit.parent]) < most:
            passage = None if unit.source is None else passages[unit.source]
            support, _ = answers.get((response, unit.key), (BothAnswers(), -1.0))
            hanging[unit.parent].append(RatedCitation(passage, support))
    sentences = []
    for unit in units:
        if unit.kind == "statement":
            own = hanging[unit.pk]
            while own and own[-1].passage is None:
                own.pop()  # a mark beyond the citations has no passage
            recall, _ = answers.get((response, unit.key), (BothAnswers(), -1.0))
            text = whole[unit.start : unit.end].strip()
            sentences.append(RatedSentence(text, tuple(own), recall))
    return sentences


# TREC and Attributed QA ---------------------------------------------------------------------------


def _records(source: AnswerSource) -> Iterator[list[tuple[Response, ResponseRecord]]]:
    """Yield the responses in the order of loading, some hundreds at once."""
    keys = list(source.responses().order_by("pk").values_list("pk", flat=True))
    for first in range(0, len(keys), CHUNK):
        yield list(records_by_key(source.study, keys[first : first + CHUNK]))


def _support(source: AnswerSource) -> Iterator[str]:
    """Yield one answer a line."""
    names = system_names(source.study)
    for some in _records(source):
        responses = [response for response, _ in some]
        answers, units = source.about(responses), _units(responses)
        for response, record in some:
            own = _sentences(record, units[response.pk], answers, response.pk, MAX_CITATIONS)
            yield write_support(names[response.system_id, response.run], record, own)


def _ratings(source: AnswerSource) -> Iterator[str]:
    """Yield one row a response."""
    names = system_names(source.study)
    yield aqa_ratings_header()
    for some in _records(source):
        answers = source.about([response for response, _ in some])
        for response, record in some:
            rating, score = answers.get((response.pk, "r"), (BothAnswers(), -1.0))
            yield write_aqa_rating(
                names[response.system_id, response.run],
                record,
                _evidence(record, source.study.division),
                rating,
                None if score < 0 else score,
            )


def _evidence(record: ResponseRecord, division: Division) -> PassageRecord | None:
    """Return what the response is based on as one passage: as AutoAIS reads it, with titles."""
    known = passages_by_number(record)
    rests_on = source_of(item_of(record, "", division))
    some = [known[passage.number] for passage in rests_on if passage.number in known]
    if not some:
        return None
    text = "\n".join(ItemPassage(one.n, one.title, one.text).premise for one in some)
    key = " ".join(one.external_id for one in some if one.external_id)
    while len(key) > LONG_NAME_CHARS:
        key = key.rpartition(" ")[0]
    return replace(some[0], title="", text=text, external_id=key) if text.strip() else None


WRITERS: Mapping[str, Callable[[AnswerSource], Iterator[str]]] = {
    "aqa-ratings": _ratings,
    "trec-support": _support,
    "trec-qrels": trec.qrels,
    "trec-nuggets": trec.nuggets,
    "trec-assignments": trec.assignments,
}
"""The writers of formats that have a row or a line for each response."""


def labels_file(
    study: Study, method: str, batch: Batch | None, slices: Sequence[str], reader: str
) -> HttpResponseBase:
    """Stream one label of each unit, by a method."""
    if method not in list(Method):
        raise Http404(f"Labels come by these methods: {', '.join(Method)}.")
    part = "" if batch is None else f"-batch-{batch.pk}"
    lines = labels_csv(study, Method(method), batch, slices)
    return table(lines, f"{study.slug}{part}-labels-{method}", reader)


def published_file(
    study: Study, form: str, *, judge: str, method: str, slices: Sequence[str], reader: str
) -> HttpResponseBase:
    """Stream one format, of a judge or of labels by a method, or refuse it."""
    if form not in FORMS or method not in list(METHODS):
        raise Http404(f"Studies come as {', '.join(FORMS)}, with labels by {', '.join(METHODS)}.")
    pieces = published(study, form, judge=judge, method=Method(method), slices=slices)
    if FORMS[form].ending == "csv":
        return table(pieces, f"{study.slug}-{form}", reader)
    name = f"{study.slug}-{form}.{FORMS[form].ending}"
    return StreamingHttpResponse(
        pieces,
        content_type=FORMS[form].content_type,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
