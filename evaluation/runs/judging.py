"""Build judge inputs from a study, store verdicts, and drop measures of changed
references.

Equal verdicts of the same judge change nothing.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import blake2b
from types import MappingProxyType

from django.utils import timezone

from annotate.content.judgments import compare_with_stored, replace_all
from annotate.content.responses_by_label import among
from annotate.exchange.streams import records_by_key
from annotate.formats.records import ResponseRecord
from annotate.models import Evidence, Judge, Judgment, Response, Source, Study, System, Unit
from annotate.protocol.dimensions import UnitKind
from annotate.protocol.protocol import Protocol
from annotate.uploads.references import when_references_change
from annotate.uploads.rows import in_batches
from annotate.web.bulk import insert
from annotate.web.errors import Refused
from evaluation.judges import JUDGES, AutomaticJudge, Item, Verdict, item_of
from evaluation.judges.items import WHOLE
from evaluation.language_models.asking.asker import code_of
from evaluation.models import Measure, PairShown, Shard
from evaluation.runs.parsed_claims import make_claims, remember_trees

NAME_CHARS = 500


@dataclass(slots=True)
class Outcome:
    """Counts of stored verdicts. `judge` is None until something is stored."""

    judge: Judge | None = None
    responses: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    measures: int = 0
    measured_before: list[int] = field(default_factory=list)
    """Responses that had measures of this judge before."""

    not_judged: Counter[str] = field(default_factory=Counter)
    """Counts by the code of the reason."""

    reasons: dict[str, str] = field(default_factory=dict)
    """The first full reason of each code."""


def study_signature(study: Study, judge: AutomaticJudge) -> str:
    """Return the judge's signature, with the study's division settings unless they are the
    original default (first line, any language)."""
    division = study.division
    named = [judge.signature]
    if division.lines != "first":
        named.append(f"lines:{division.lines}")
    if division.language:
        named.append(f"language:{division.language}")
    return "|".join(named)


def judge_name_of(signature: str) -> str:
    """Return the name of the judge with this signature. A long name ends in a digest."""
    if len(signature) <= NAME_CHARS:
        return signature
    digest = blake2b(signature.encode(), digest_size=8).hexdigest()
    return f"{signature[: NAME_CHARS - 17]}|{digest}"


def automatic_judge(study: Study, signature: str) -> Judge:
    judge, _ = Judge.objects.get_or_create(
        study=study, name=judge_name_of(signature), defaults={"kind": Judge.Kind.AUTOMATIC}
    )
    _refuse_another_kind(judge)
    return judge


def refuse_taken_name(study: Study, signature: str) -> None:
    """Refuse a judge whose name belongs to another kind of judge in the study."""
    for namesake in Judge.objects.filter(study=study, name=judge_name_of(signature)):
        _refuse_another_kind(namesake)


def _refuse_another_kind(judge: Judge) -> None:
    if judge.kind != Judge.Kind.AUTOMATIC:
        raise Refused(f"A judge of another kind is called “{judge.name}” in this study.")


def systems_to_judge(
    study: Study, judge_name: str, systems: Sequence[int] = ()
) -> tuple[list[System], list[System]]:
    """Return the systems to judge, and those left out; all systems if none are given.

    Judges of citations leave out systems that used the metric themselves, because their scores are
    never shown.
    """
    loaded = System.objects.loaded().filter(study=study).order_by("pk")
    wanted = list(loaded.filter(pk__in=systems) if systems else loaded)
    spec = JUDGES.get(judge_name)
    of_citations = spec is not None and spec.of_citations
    left_out = [s for s in wanted if s.uses_autoais and of_citations]
    return [s for s in wanted if s not in left_out], left_out


def refuse_undivided(study: Study, judge_name: str, systems: Sequence[System]) -> None:
    """Refuse judges of statements in a study that asks only about whole responses."""
    spec = JUDGES.get(judge_name)
    if spec is None or not spec.of_parts:
        return
    whole = Response.objects.current().filter(study=study, system__in=systems, segmentation="")
    if count := whole.count():
        raise Refused(
            f"{count:,} {'response is' if count == 1 else 'responses are'} not divided into "
            f"statements, about which “{judge_name}” answers, since this study asks about whole "
            "responses only. Load the outputs into a study that asks about statements, or score "
            "their file with `evaluate`."
        )


def prepare_claims(study: Study, judge: AutomaticJudge, responses: Sequence[int]) -> None:
    """Make missing claims by the study's parser, and reuse its stored trees."""
    spec = JUDGES.get(judge.signature.partition("|")[0])
    if spec is None or not spec.of_claims:
        return
    parser = getattr(judge, "parser", None)
    if parser is None:
        raise Refused(
            "Whole sentences, and spans, are no claims of the study. Score a file by them with "
            "`evaluate`."
        )
    make_claims(study, parser, responses=responses)
    remember_trees(parser, responses)


def item_of_response(
    study: Study, response: Response, record: ResponseRecord, *, text_alone: bool = False
) -> Item:
    """Return the judge's view of a response; with `text_alone` small enough for whole studies."""
    item = item_of(record, str(response.pk), study.division)
    if not text_alone:
        return item
    segmentation = replace(item.segmentation, statements=())
    return replace(item, segmentation=segmentation, passages=(), statements=())


def items_of(study: Study, keys: Sequence[int]) -> list[Item]:
    """Return the judge's view of those responses that are still current."""
    return [item_of_response(study, *each) for each in records_by_key(study, keys)]


def write(
    study: Study,
    signature: str,
    items: Sequence[Item],
    verdicts: Sequence[Verdict],
    *,
    wordings: Mapping[str, str] = MappingProxyType({}),
) -> Outcome:
    """Store verdicts on some responses, within a transaction.

    `wordings` names the question wordings that were answered if they are not the current ones.
    Responses deleted meanwhile are skipped.
    """
    rows = [int(item.key) for item in items]
    kept = Response.objects.filter(pk__in=rows).order_by("pk").select_for_update(no_key=True)
    present = set(kept.values_list("pk", flat=True))
    verdicts = [verdict for verdict in verdicts if int(verdict.item) in present]
    outcome = Outcome(responses=len(present))
    if not present:
        return outcome
    judge = outcome.judge = automatic_judge(study, signature)
    protocol = study.protocol
    answers = [verdict for verdict in verdicts if not _is_measure(verdict, protocol)]
    units = _units(list({int(verdict.item) for verdict in answers}))
    for reason in (verdict.reason for verdict in verdicts if verdict.reason):
        outcome.not_judged[code_of(reason)] += 1
        outcome.reasons.setdefault(code_of(reason), reason)
    now = timezone.now()
    keys = {verdict.dimension for verdict in answers} - wordings.keys()
    answered = {key: study.wording_of(key) for key in keys} | dict(wordings)
    rows_by_change = compare_with_stored(
        [_judgment(judge, v, units, now, answered[v.dimension]) for v in answers]
    )
    outcome.new += insert(rows_by_change.new)
    outcome.changed += replace_all(rows_by_change.changed)
    outcome.unchanged += rows_by_change.unchanged
    _store_evidence(judge, answers, units)
    _store_pair_order(judge, answers, units)
    before = Measure.objects.filter(judge=judge, response__in=present)
    outcome.measured_before = sorted(set(before.values_list("response_id", flat=True)))
    before.delete()
    outcome.measures += insert(
        [
            Measure(
                judge_id=judge.pk,
                response_id=int(verdict.item),
                name=verdict.dimension,
                value=verdict.score,
                reason=verdict.reason,
            )
            for verdict in verdicts
            if _is_measure(verdict, protocol)
        ]
    )
    return outcome


Units = Mapping[tuple[int, str], int]
"""Unit ids by response and key."""


def _judgment(
    judge: Judge, verdict: Verdict, units: Units, now: datetime, wording: str
) -> Judgment:
    unit = units.get((int(verdict.item), verdict.unit))
    if unit is None:
        raise Refused(
            f"Response {verdict.item} has no unit {verdict.unit}: it was divided by another "
            "version of Attest. Load it again into a new study."
        )
    return Judgment(
        unit_id=unit,
        judge_id=judge.pk,
        dimension=verdict.dimension,
        value=verdict.value,
        skipped_reason=verdict.reason,
        score=verdict.score,
        note=verdict.why,
        wording=wording,
        created_at=now,
        claim=dict(verdict.claim),
    )


def _store_evidence(judge: Judge, verdicts: Sequence[Verdict], units: Units) -> None:
    """Replace the evidence spans of the judge; equal spans keep their rows."""
    pointing = [verdict for verdict in verdicts if verdict.quoted]
    if not pointing and not judge.evidence.exists():
        return
    responses = {int(verdict.item) for verdict in verdicts}
    rows = Source.objects.filter(response__in=responses).values_list("response_id", "n", "pk")
    sources = {(response, n): pk for response, n, pk in rows}
    others = _other_responses([units[int(one.item), one.unit] for one in pointing])
    other_sources = Source.objects.filter(response__in={*others.values()})
    by_other = {(r, n): pk for r, n, pk in other_sources.values_list("response_id", "n", "pk")}

    def source(verdict: Verdict, number: int) -> int:
        """The passage, of a pair perhaps the other answer's."""
        if number < 0:
            return by_other[others[units[int(verdict.item), verdict.unit]], -number]
        return sources[int(verdict.item), number]

    wanted = dict.fromkeys(
        (
            units[int(verdict.item), verdict.unit],
            verdict.dimension,
            source(verdict, number),
            start,
            end,
        )
        for verdict in pointing
        for number, start, end in verdict.quoted
    )
    answered = {(units[int(verdict.item), verdict.unit], verdict.dimension) for verdict in verdicts}
    before = Evidence.objects.filter(judge=judge, unit__response__in=responses)
    columns = before.values_list("pk", "unit_id", "dimension", "source_id", "start", "end")
    present = {tuple(place): pk for pk, *place in columns if (place[0], place[1]) in answered}
    outdated = [pk for place, pk in present.items() if place not in wanted]
    Evidence.objects.filter(pk__in=among(outdated)).delete()
    insert(
        [
            Evidence(
                judge=judge, unit_id=unit, dimension=dimension, source_id=source, start=start,
                end=end,
            )
            for unit, dimension, source, start, end in wanted
            if (unit, dimension, source, start, end) not in present
        ]
    )  # fmt: skip


def _other_responses(units: Sequence[int]) -> dict[int, int]:
    """Return the other response of each pair among some units."""
    rows = Unit.objects.filter(pk__in=among(units), other__isnull=False)
    return dict(rows.values_list("pk", "other_id"))


def _store_pair_order(judge: Judge, verdicts: Sequence[Verdict], units: Units) -> None:
    """Store the order in which the judge saw each pair."""
    seen = {
        units[int(one.item), one.unit]: one.mirrored for one in verdicts if one.mirrored is not None
    }
    PairShown.objects.bulk_create(
        [PairShown(judge=judge, unit_id=unit, mirrored=side) for unit, side in seen.items()],
        update_conflicts=True,
        unique_fields=["judge", "unit"],
        update_fields=["mirrored"],
    )


def _is_measure(verdict: Verdict, protocol: Protocol) -> bool:
    """Return whether a verdict is a number about the response, not an answer about a unit.
    ALCE's claim recall is about the reference's claims, ALiiCE's about those of the response."""
    dimension = protocol.get(verdict.dimension)
    if dimension is None:
        return True
    return verdict.unit == WHOLE and dimension.unit_kind != UnitKind.RESPONSE


def _units(responses: Sequence[int]) -> dict[tuple[int, str], int]:
    units: dict[tuple[int, str], int] = {}
    for first in range(0, len(responses), 500):
        rows = Unit.objects.filter(response__in=responses[first : first + 500])
        units.update({(r, key): pk for r, key, pk in rows.values_list("response_id", "key", "pk")})
    return units


@when_references_change
def drop_measures(study: Study, questions: Collection[int]) -> dict[str, int]:
    """Drop measures that depend on the references of some questions; return counts by judge.
    Judges of whole systems lose the measures of every system that answered one of the questions."""
    readers = {name for name, spec in JUDGES.items() if spec.reads_references}
    _requeue_parts(study, readers)
    dropped = {}
    for judge in study.judges.filter(kind=Judge.Kind.AUTOMATIC):
        name = judge.name.partition("|")[0]
        if name not in readers:
            continue
        count = sum(
            _drop(judge, some)
            for some in _responses(study, questions, whole=JUDGES[name].of_whole_systems)
        )
        if count:
            dropped[judge.name] = count
    return dropped


def _requeue_parts(study: Study, readers: Collection[str]) -> None:
    """Requeue parts that may have read the old references, and lock the study's runs until the
    new references are visible."""
    Study.every.select_for_update(no_key=True).get(pk=study.pk)
    parts = Shard.objects.filter(run__study=study, run__judge_name__in=readers)
    waiting = parts.filter(state__in=[Shard.State.WAITING, Shard.State.WORKING]).order_by("pk")
    list(waiting.select_for_update(of=("self",), no_key=True).values_list("pk", flat=True))
    parts.filter(state=Shard.State.WORKING).update(
        state=Shard.State.WAITING, lease_token="", lease_until=None, sent_at=None
    )


def _responses(study: Study, questions: Collection[int], *, whole: bool) -> Iterator[Sequence[int]]:
    """Yield the keys of the responses in batches."""
    responses = list[int]()
    for some in in_batches(sorted(questions)):
        rows = Response.objects.filter(question__in=some)
        responses += rows.values_list("pk", flat=True)
    if whole:
        systems: set[int] = set()
        for some in in_batches(responses):
            rows = Response.objects.filter(pk__in=some).order_by()
            systems.update(rows.values_list("system", flat=True).distinct())
        rows = Response.objects.filter(study=study, system__in=systems)
        responses = list(rows.values_list("pk", flat=True))
    yield from in_batches(responses)


def _drop(judge: Judge, responses: Collection[int]) -> int:
    own = Measure.objects.filter(judge=judge, response__in=responses)
    count = own.order_by().values("response").distinct().count()
    own._raw_delete(own.db)
    return count
