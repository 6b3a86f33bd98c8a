"""Judges with a threshold or calibration learned in the study, from another judge's
scores.

No model is run. The new judge answers only the question whose threshold was learned. Its name has a
digest of the labels, their number, and the number of questions. These units are left out of its
numbers (`labels/trained_on.py`).
"""

from collections.abc import Sequence
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from django.db import transaction
from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, TextField, Value, When
from django.db.models.functions import Coalesce

from annotate.content.judgments import compare_with_stored, replace_all
from annotate.content.responses_by_label import among
from annotate.models import PEOPLE, Batch, Judge, Judgment, Response, Study, Unit, User
from annotate.protocol.dimensions import Dimension, UnitKind
from annotate.protocol.signatures import is_jury
from annotate.rating import batches
from annotate.rating.batches.selection import Selection
from annotate.studies import quotas
from annotate.web import audit
from annotate.web.bulk import insert, insert_selected
from annotate.web.errors import Refused
from evaluation.labels.labelled_responses import parser_units_judged
from evaluation.labels.study_labels import Method, judge_name, labels
from evaluation.labels.trained_on import CHOSEN, units_left_out
from evaluation.models import TrainedOn, TrainedScorer
from evaluation.reports.sections.words import NumberInWords, default_kept
from evaluation.runs.judging import automatic_judge, judge_name_of
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
"""Answers stored at a time."""

NO_LEVELS = (
    "A threshold is learned for dimensions with two answers, several thresholds for those whose "
    "answers have an order."
)
TWO_SIDES = "A calibration is learned for dimensions with two answers."

USUAL = 0.5
"""The threshold of a judge whose name has none."""


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
    """Create a judge with the threshold or calibration that fits people's labels best. The
    same labels give the same judge; answers to newer units are then added."""
    base = Judge.objects.filter(study=study, kind=Judge.Kind.AUTOMATIC, name=judge_called).first()
    dimension_asked = study.protocol.get(dimension)
    if base is None or dimension_asked is None:
        raise Refused("This judge is not in the study any more. Open the report again.")
    if f"|{CHOSEN}:" in base.name:
        raise Refused(
            "This judge has learned from labels already. Let the judge learn that it was made of."
        )
    refuse_jury(base)
    levels = levels_of(dimension_asked)
    if not levels:
        raise Refused(NO_LEVELS)
    if way != "threshold" and len(levels) > 2:
        raise Refused(TWO_SIDES)
    batch_row = None if batch is None else Batch.objects.filter(study=study, pk=batch).first()
    if batch is not None and batch_row is None:
        raise Refused("The batch is not in the study any more. Open the report again.")
    known = labelled_scores(study, base, dimension_asked, batch=batch_row, method=method)
    found = _chosen(
        known, dimension_asked, part=part, way=way, fixed=threshold_of(base), seed=study.seed
    )
    _refuse_no_gain(base, dimension_asked, found)
    how = judge_name(method, batch_row) + ("" if way == "threshold" else f"|{way}")
    label_values = "".join(str(known.labels[unit]) for unit in found.learned)
    digest = digest_of_labels(found.learned, base.name, dimension, part, how, label_values)
    name = _signature(base.name, dimension, part, found, digest, way)
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        quotas.refuse_rows(study, by, _answers(base, dimension).count())
        judge = automatic_judge(study, name)
        kept = _keep(study, base, judge, dimension_asked, found, digest, way)
        if found.calibrated is None:
            _write(base, judge, dimension_asked, found.thresholds)
        else:
            _write_calibrated(base, judge, dimension_asked, found.calibrated)
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
    """Refuse a threshold without a clear gain on held-out questions."""
    if found.worth is None or found.worth.is_recommended:
        return
    fixed = f"its threshold of {threshold_of(base):g} for"
    own = "its answers to" if len(found.thresholds) > 1 else fixed
    figure, span = found.worth.gain.figure, found.worth.gain.interval
    ends = None if span.low is None or span.high is None else (span.low, span.high)
    gain = None if figure.value is None else NumberInWords(figure.value, ends)
    kept = default_kept(base.title, f"{own} “{asked.title}”", gain, figure.reason or span.reason)
    raise Refused(f"{kept} Have more questions rated to try again.")


def said(thresholds: Sequence[float]) -> str:
    """Return thresholds as a judge's name has them."""
    return "/".join(map(repr, thresholds))


def refuse_jury(judge: Judge) -> None:
    """Refuse a jury: its units left out would not be those of its judges."""
    if is_jury(judge.name):
        raise Refused("A jury learns by its judges' weights: combine them “weighted by labels”.")


def _answers(base: Judge, dimension: str) -> QuerySet[Judgment]:
    current = Response.objects.current().filter(study=base.study_id)
    return Judgment.objects.filter(judge=base, dimension=dimension, unit__response__in=current)


class LabelledScores(NamedTuple):
    """Label, score, question and the judge's own answer, by unit. Labels and answers are
    indexes into the levels."""

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
    """Return the labels and scores that a judge can learn from, without those it learned from
    before.

    Where people write the claims, the score is that of the parser's claim at the same place.
    """
    learned_before = units_left_out(base)
    level = {value: place for place, value in enumerate(levels_of(asked))}
    labelled = {
        label.unit: level[label.value]
        for label in labels(study, method, batch)
        if label.dimension == asked.key
        and label.value in level
        and label.unit not in learned_before
    }
    rows = _answers(base, asked.key).filter(value__in=level).exclude(score=None)
    if not rows.exists():
        raise Refused(f"This judge has no scores on “{asked.title}”.")
    places = parser_units_judged(study, asked.unit_kind, [rows], learned_before) if labelled else {}
    judged_units = {unit: places.get(unit, unit) for unit in labelled}
    columns = rows.values_list("unit_id", "score", "unit__response__question__external_id", "value")
    given = {
        unit: (score or 0.0, question, level[value])
        for unit, score, question, value in columns.filter(unit__in=among([*judged_units.values()]))
    }
    scored = {unit: given[about] for unit, about in judged_units.items() if about in given}
    return LabelledScores(
        labelled,
        {unit: score for unit, (score, _, _) in scored.items()},
        {unit: question for unit, (_, question, _) in scored.items()},
        {unit: own for unit, (_, _, own) in scored.items()},
    )


def threshold_of(judge: Judge) -> float:
    """Return the threshold in the judge's name."""
    parts = dict(part.partition(":")[::2] for part in judge.name.split("|"))
    try:
        return float(parts.get("thr", USUAL))
    except ValueError:
        return USUAL


def digest_of_labels(learned: Sequence[int], *about: str) -> str:
    """Return a digest of the labelled units, by their readable names."""
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
    """Return the judge's signature with another threshold and its origin."""
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
    return judge_name_of("|".join([judge, *learned, *kept]))


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
    return record_training(study, digest, about, found.learned)


def levels_of(dimension: Dimension) -> tuple[str, ...]:
    """Return the answers that thresholds separate, from negative to positive; empty if there
    is no such order."""
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


def record_training(
    study: Study, digest: str, about: dict[str, Any], units: Sequence[int]
) -> TrainedScorer:
    """Record that a judge with this digest in its name learned from the labels of these units."""
    kept, _ = TrainedScorer.objects.update_or_create(
        study=study,
        fingerprint=digest,
        defaults={"folder": "", "seed": study.seed, "agreement": about},
    )
    new = Unit.objects.filter(~Exists(kept.units.filter(unit=OuterRef("pk"))), pk__in=among(units))
    insert_selected(TrainedOn, {"scorer_id": kept.pk, "unit_id": F("pk")}, new)
    return kept


def _write(base: Judge, judge: Judge, asked: Dimension, thresholds: Sequence[float]) -> None:
    """Store the new judge's answers. Answers without a score, or outside people's choices, are
    copied."""
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
    replace_all(compare_with_stored(offered).changed)
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
    """Store the answers with calibrated scores; 0.5 and more is positive."""
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
        found = compare_with_stored(offered)
        insert(found.new)
        replace_all(found.changed)


def abstained_batch(
    study: Study, judge_called: str, dimension: str, confidence: float, *, by: User | None = None
) -> Batch:
    """Create a draft batch of the answers that a judge gives with less than this confidence."""
    judge = Judge.objects.filter(study=study, kind=Judge.Kind.AUTOMATIC, name=judge_called).first()
    asked = study.protocol.get(dimension)
    if judge is None or asked is None:
        raise Refused("This judge is not in the study any more. Open the report again.")
    answers = _unsure(study, judge, dimension, confidence)
    if not answers:
        raise Refused("People have rated all answers about which the judge is unsure.")
    systems = study.systems.filter(name__in={system for _, system in answers})
    selection = Selection(
        systems=tuple(systems.values_list("pk", flat=True)),
        any_answer=True,
        answers=answers,
        positional=False,
    )
    return batches.create_batch(
        study,
        author=by,
        selection=selection,
        dimensions=_with_conditions(study, asked),
        name=_free_name(study, f"Abstained: {asked.title} below {confidence:.3f}"),
    )


def _unsure(
    study: Study, judge: Judge, dimension: str, confidence: float
) -> tuple[tuple[str, str], ...]:
    """Return the question and system of each unsure, unrated answer."""
    current = Response.objects.current().filter(study=study)
    about = Judgment.objects.filter(dimension=dimension, unit__response__in=current)
    rated = about.filter(judge__kind__in=PEOPLE).exclude(value="").values("unit")
    rows = about.filter(judge=judge).exclude(score=None).exclude(unit__in=rated)
    names = "unit__response__question__external_id", "unit__response__system__name"
    threshold = threshold_of(judge)
    unsure = rows.exclude(value="").values_list(*names, "score")
    return tuple(
        sorted({(q, name) for q, name, score in unsure if abs(score - threshold) < confidence})
    )


def _with_conditions(study: Study, asked: Dimension) -> list[str]:
    """Return the dimension and the dimensions that it depends on."""
    wanted, found = [asked.key], dict[str, None]()
    while wanted:
        found[key := wanted.pop()] = None
        conditions = study.protocol[key].shown_when
        wanted += [one.dimension for one in conditions if one.dimension not in found]
    return list(found)


def _free_name(study: Study, name: str) -> str:
    taken = set(study.batches.values_list("name", flat=True))
    numbered = (f"{name} ({number})" for number in range(2, len(taken) + 3))
    return name if name not in taken else next(one for one in numbered if one not in taken)
