"""Judges with a threshold or a calibration of the study's own: made of another judge's stored
scores.

No model is run. The new judge answers the one question that its threshold was chosen for, and its
name says on which labels: a digest of them, how many, of how many questions. These
units are left out of its numbers (`labels/trained_on.py`).
"""

from collections.abc import Sequence
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from django.db import transaction
from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, TextField, Value, When
from django.db.models.functions import Coalesce

from annotate.content.judgments import replace_all, sort_against_present, write_new
from annotate.content.responses_by_label import among
from annotate.models import Batch, Judge, Judgment, Response, Study, Unit, User
from annotate.protocol.dimensions import Dimension, UnitKind
from annotate.protocol.signatures import is_jury
from annotate.studies import quotas
from annotate.web import audit
from annotate.web.bulk import insert_selected
from annotate.web.errors import Refused
from evaluation.labels.claim_places import judged_at
from evaluation.labels.study_labels import Method, judge_name, labels
from evaluation.labels.trained_on import CHOSEN, units_left_out
from evaluation.models import TrainedOn, TrainedScorer
from evaluation.reports.sections.words import NumberInWords, default_kept
from evaluation.runs.judging import automatic_judge, name_of
from evaluation.statistics.calibrating import CUT, Calibrator
from evaluation.statistics.chosen_threshold import (
    ChosenThreshold,
    Learning,
    NothingToLearnError,
    Part,
    choose,
    choose_levels,
)

AT_ONCE = 5_000
"""Answers that are written together."""

NO_LEVELS = (
    "A threshold is learned for dimensions with two answers, several thresholds for those whose "
    "answers have an order."
)
TWO_SIDES = "A calibration is learned for dimensions with two answers."

USUAL = 0.5
"""The threshold of a judge whose name says none."""


def use_threshold(
    study: Study,
    judge_called: str,
    dimension: str,
    *,
    part: Part,
    batch: int | None = None,
    method: Method = Method.MAJORITY,
    way: Learning = "threshold",
    by: User | None = None,
) -> TrainedScorer:
    """The judge of this name with the threshold that fits people's labels best, or with scores that
    were calibrated on them, as another judge.

    The same labels give the same judge: what its scores were asked about since, is added then.
    """
    base = Judge.objects.filter(study=study, kind=Judge.Kind.AUTOMATIC, name=judge_called).first()
    asked = study.protocol.get(dimension)
    if base is None or asked is None:
        raise Refused("This judge is not in the study any more. Open the report again.")
    if f"|{CHOSEN}:" in base.name:
        raise Refused(
            "This judge has learned from labels already. Let the judge learn that it was made of."
        )
    refuse_jury(base)
    levels = levels_of(asked)
    if not levels:
        raise Refused(NO_LEVELS)
    if way != "threshold" and len(levels) > 2:
        raise Refused(TWO_SIDES)
    given_in = None if batch is None else Batch.objects.filter(study=study, pk=batch).first()
    if batch is not None and given_in is None:
        raise Refused("The batch is not in the study any more. Open the report again.")
    known = labelled_scores(study, base, asked, batch=given_in, method=method)
    found = _chosen(known, asked, part=part, way=way, fixed=threshold_of(base), seed=study.seed)
    _refuse_no_gain(base, asked, found)
    how = judge_name(method, given_in) + ("" if way == "threshold" else f"|{way}")
    said_of = "".join(str(known.labels[unit]) for unit in found.learned)
    digest = digest_of(found.learned, base.name, dimension, part, how, said_of)
    name = _signature(base.name, dimension, part, found, digest, way)
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        quotas.refuse_rows(study, by, _answers(base, dimension).count())
        judge = automatic_judge(study, name)
        kept = _keep(study, base, judge, asked, found, digest, way)
        if found.calibrated is None:
            _write(base, judge, asked, found.thresholds)
        else:
            _write_calibrated(base, judge, asked, found.calibrated)
        audit.note(
            "threshold-chosen",
            judge,
            by=by,
            judge=base.name,
            threshold=said(found.thresholds),
            way=way,
        )
    return kept


def _chosen(
    known: "LabelledScores", asked: Dimension, *, part: Part, way: Learning, fixed: float, seed: int
) -> ChosenThreshold:
    levels = levels_of(asked)
    rows = known.labels, known.scores, known.questions
    try:
        if len(levels) == 2:
            return choose(*rows, part=part, way=way, fixed=fixed, seed=seed)
        positive = [level in asked.positive for level in levels].index(True)
        return choose_levels(
            *rows, known.said, part=part, levels=len(levels), positive=positive, seed=seed
        )
    except NothingToLearnError as problem:
        raise Refused(str(problem)) from problem


def _refuse_no_gain(base: Judge, asked: Dimension, found: ChosenThreshold) -> None:
    """Without a clear gain on held-out questions the judge keeps what it has."""
    if found.worth is None or found.worth.gain.is_above_zero:
        return
    fixed = f"its threshold of {threshold_of(base):g} for"
    own = "its answers to" if len(found.thresholds) > 1 else fixed
    figure, span = found.worth.gain.figure, found.worth.gain.interval
    ends = None if span.low is None or span.high is None else (span.low, span.high)
    gain = None if figure.value is None else NumberInWords(figure.value, ends)
    kept = default_kept(base.title, f"{own} “{asked.title}”", gain, figure.reason or span.reason)
    raise Refused(f"{kept} Have more questions rated to try again.")


def said(thresholds: Sequence[float]) -> str:
    """As a judge's name says them."""
    return "/".join(map(repr, thresholds))


def refuse_jury(judge: Judge) -> None:
    """What a threshold of it had learned from would not be what its judges learned from."""
    if is_jury(judge.name):
        raise Refused("A jury learns by its judges' weights: combine them “weighted by labels”.")


def _answers(base: Judge, dimension: str) -> QuerySet[Judgment]:
    current = Response.objects.current().filter(study=base.study_id)
    return Judgment.objects.filter(judge=base, dimension=dimension, unit__response__in=current)


class LabelledScores(NamedTuple):
    """By unit: the place of what people say among the levels, the judge's score, the question, and
    the place of what the judge says."""

    labels: dict[int, int]
    scores: dict[int, float]
    questions: dict[int, str]
    said: dict[int, int]


def labelled_scores(
    study: Study,
    base: Judge,
    asked: Dimension,
    *,
    batch: Batch | None = None,
    method: Method = Method.MAJORITY,
) -> LabelledScores:
    """What a judge can learn from, without what it learned from before; refused where its answers
    have no scores. Where people write the claims, the score is that of the parser's claim there."""
    learned_before = units_left_out(base)
    level = {value: place for place, value in enumerate(levels_of(asked))}
    told = {
        label.unit: level[label.value]
        for label in labels(study, method, batch)
        if label.dimension == asked.key
        and label.value in level
        and label.unit not in learned_before
    }
    rows = _answers(base, asked.key).filter(value__in=level).exclude(score=None)
    if not rows.exists():
        raise Refused(f"This judge has no scores on “{asked.title}”.")
    places = judged_at(study, asked.unit_kind, [rows], learned_before) if told else {}
    where = {unit: places.get(unit, unit) for unit in told}
    columns = rows.values_list("unit_id", "score", "unit__response__question__external_id", "value")
    given = {
        unit: (score or 0.0, question, level[value])
        for unit, score, question, value in columns.filter(unit__in=among([*where.values()]))
    }
    found = {unit: given[about] for unit, about in where.items() if about in given}
    return LabelledScores(
        told,
        {unit: score for unit, (score, _, _) in found.items()},
        {unit: question for unit, (_, question, _) in found.items()},
        {unit: own for unit, (_, _, own) in found.items()},
    )


def threshold_of(judge: Judge) -> float:
    """As its name says."""
    parts = dict(part.partition(":")[::2] for part in judge.name.split("|"))
    try:
        return float(parts.get("thr", USUAL))
    except ValueError:
        return USUAL


def digest_of(learned: Sequence[int], *about: str) -> str:
    """Names what was learned from: the labels of these units, by what they are called."""
    rows = (
        Unit.objects.filter(pk__in=among(learned))
        .order_by("pk")
        .values_list(
            "response__system__name", "response__question__external_id", "response__run", "key"
        )
    )
    lines = [*about, *map(repr, rows)]
    return sha256("\n".join(lines).encode()).hexdigest()[:16]


def _signature(
    name: str, dimension: str, part: Part, found: ChosenThreshold, digest: str, way: Learning
) -> str:
    """The judge's own, with another threshold, and where that comes from."""
    judge, *settings = name.split("|")
    kept = [one for one in settings if not one.startswith("thr:")]
    learned = [
        f"{CHOSEN}:{digest}",
        f"of:{dimension}",
        f"labels:{len(found.learned)}",
        f"questions:{found.questions}",
        f"part:{part}",
        *([] if way == "threshold" else [f"calibrated:{way}"]),
        f"thr:{said(found.thresholds)}",
    ]
    return name_of("|".join([judge, *learned, *kept]))


def _keep(
    study: Study,
    base: Judge,
    judge: Judge,
    asked: Dimension,
    found: ChosenThreshold,
    digest: str,
    way: Learning,
) -> TrainedScorer:
    several = {"levels": list(levels_of(asked))} if len(found.thresholds) > 1 else {}
    about = {
        "before": found.before.described(),
        "after": found.after.described(),
        "threshold": found.threshold if len(found.thresholds) == 1 else said(found.thresholds),
        "way": way,
        "dimension": asked.key,
        "from": base.title,
        "judge": judge.title,
        **several,
    }
    return keep_learned(study, digest, about, found.learned)


def levels_of(dimension: Dimension) -> tuple[str, ...]:
    """The answers into which a score can be cut, from what speaks against the response to what
    speaks for it: the two that there are, or people's where these have an order; else none."""
    if not dimension.is_choice:
        return ()
    if len(dimension.values) == 2:
        found = sorted(dimension.values, key=lambda value: value in dimension.positive)
        return tuple(found) if len(dimension.positive) == 1 else ()
    order = dimension.low_to_high
    if dimension.choice_scale != "ordinal" or dimension.unit_kind is UnitKind.PAIR:
        return ()
    for one in (order, order[::-1]):
        speaks = [value in dimension.positive for value in one]
        if speaks == sorted(speaks) and speaks[-1] and not speaks[0]:
            return one
    return ()


def keep_learned(
    study: Study, digest: str, about: dict[str, Any], units: Sequence[int]
) -> TrainedScorer:
    """That a judge with this digest in its name learned from the labels of these units."""
    kept, _ = TrainedScorer.objects.update_or_create(
        study=study,
        fingerprint=digest,
        defaults={"folder": "", "seed": study.seed, "agreement": about},
    )
    new = Unit.objects.filter(~Exists(kept.units.filter(unit=OuterRef("pk"))), pk__in=among(units))
    insert_selected(TrainedOn, {"scorer_id": kept.pk, "unit_id": F("pk")}, new)
    return kept


def _write(base: Judge, judge: Judge, asked: Dimension, thresholds: Sequence[float]) -> None:
    """The answers of the new judge. Where the other one answered without a score, as where nothing
    is cited, or otherwise than people may, or could not answer, so does this one."""
    first, *higher = levels_of(asked)
    reached = [
        When(score__gte=threshold, then=Value(level))
        for threshold, level in zip(thresholds, higher, strict=True)
    ]
    wording = judge.study.wording_of(asked.key)
    answers = _answers(base, asked.key).annotate(
        known=Coalesce("score", -1.0),
        said=Case(
            When(~Q(value__in=[first, *higher]) | Q(score=None), then=F("value")),
            *reversed(reached),
            default=Value(first),
            output_field=TextField(),
        ),
    )
    own = Judgment.objects.filter(judge=judge, dimension=asked.key, unit=OuterRef("unit"))
    same = {"value": "said", "known": "known", "skipped_reason": "skipped_reason"}
    other = own.annotate(known=Coalesce("score", -1.0)).exclude(
        **{name: OuterRef(theirs) for name, theirs in same.items()}
    )
    offered = [
        Judgment(
            unit_id=unit,
            judge=judge,
            dimension=asked.key,
            value=value,
            score=score,
            skipped_reason=reason,
            wording=wording,
        )
        for unit, value, score, reason in answers.filter(Exists(other)).values_list(
            "unit_id", "said", "score", "skipped_reason"
        )
    ]
    replace_all(sort_against_present(offered).changed)
    given = {
        "judge_id": judge.pk,
        "unit_id": F("unit_id"),
        "dimension": asked.key,
        "value": F("said"),
        "score": F("score"),
        "skipped_reason": F("skipped_reason"),
        "wording": wording,
    }
    insert_selected(Judgment, given, answers.filter(~Exists(own)))


def _write_calibrated(base: Judge, judge: Judge, asked: Dimension, made: Calibrator) -> None:
    """The same with other scores: yes from a half on."""
    negative, positive = levels_of(asked)
    wording = judge.study.wording_of(asked.key)
    rows = _answers(base, asked.key).values_list("unit_id", "value", "score", "skipped_reason")
    answers = rows.order_by("unit_id").iterator(chunk_size=AT_ONCE)
    while some := list(islice(answers, AT_ONCE)):
        scores = made(np.array([score or 0.0 for _, _, score, _ in some])).tolist()
        offered = [
            Judgment(
                unit_id=unit,
                judge_id=judge.pk,
                dimension=asked.key,
                value=value if score is None else positive if new >= CUT else negative,
                score=None if score is None else new,
                skipped_reason=reason,
                wording=wording,
            )
            for (unit, value, score, reason), new in zip(some, scores, strict=True)
        ]
        found = sort_against_present(offered)
        write_new(found.new)
        replace_all(found.changed)
