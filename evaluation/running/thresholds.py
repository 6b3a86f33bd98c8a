"""Judges with a threshold or a calibration of the study's own: made of another judge's stored
scores.

No model is run. The new judge answers the one question that its threshold was chosen for, and its
name says on which labels: a digest of them, how many, of how many questions. They are kept as what
a trained scorer learned from is, and left out of its numbers by the same rule
(`reading/trained_on.py`).
"""

from collections.abc import Sequence
from hashlib import sha256
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from django.db import transaction
from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, TextField, Value, When
from django.db.models.functions import Coalesce

from annotate.models import Batch, Judge, Judgment, Response, Study, Unit, User
from annotate.protocol.dimensions import Dimension
from annotate.protocol.signatures import is_jury
from annotate.reading.labelled import among
from annotate.services import audit, quotas
from annotate.services.bulk import insert_selected
from annotate.services.errors import Refused
from annotate.services.judgments import replace_all, sort_against_present, write_new
from evaluation.agreement.calibrating import CUT, Calibrator
from evaluation.models import TrainedOn, TrainedScorer
from evaluation.numbers.chosen_threshold import Choice, NothingToLearnError, Part, Way, choose
from evaluation.reading.claim_places import judged_at
from evaluation.reading.labels import Method, judge_name, labels
from evaluation.reading.trained_on import CHOSEN, units_left_out
from evaluation.running.judging import automatic_judge, name_of

AT_ONCE = 5_000
"""Answers that are written together."""

TWO_SIDES = "A threshold and a calibration are learned for dimensions with two answers."

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
    way: Way = "threshold",
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
    if not has_two_sides(asked):
        raise Refused(TWO_SIDES)
    given_in = None if batch is None else Batch.objects.filter(study=study, pk=batch).first()
    if batch is not None and given_in is None:
        raise Refused("The batch is not in the study any more. Open the report again.")
    known = labelled_scores(study, base, asked, batch=given_in, method=method)
    try:
        found = choose(
            known.labels, known.scores, known.questions, part=part, way=way,
            fixed=threshold_of(base), seed=study.seed,
        )  # fmt: skip
    except NothingToLearnError as problem:
        raise Refused(str(problem)) from problem
    how = judge_name(method, given_in) + ("" if way == "threshold" else f"|{way}")
    digest = digest_of(found.learned, base.name, dimension, part, how)
    name = _signature(base.name, dimension, part, found, digest, way)
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        quotas.refuse_rows(study, by, _answers(base, dimension).count())
        judge = automatic_judge(study, name)
        kept = _keep(study, base, judge, dimension, found, digest, way)
        if found.calibrated is None:
            _write(base, judge, asked, found.threshold)
        else:
            _write_calibrated(base, judge, asked, found.calibrated)
        audit.note(
            "threshold-chosen",
            judge,
            by=by,
            judge=base.name,
            threshold=str(found.threshold),
            way=way,
        )
    return kept


def refuse_jury(judge: Judge) -> None:
    """What a threshold of it had learned from would not be what its judges learned from."""
    if is_jury(judge.name):
        raise Refused("A jury learns by its judges' weights: combine them “weighted by labels”.")


def _answers(base: Judge, dimension: str) -> QuerySet[Judgment]:
    current = Response.objects.current().filter(study=base.study_id)
    return Judgment.objects.filter(judge=base, dimension=dimension, unit__response__in=current)


class LabelledScores(NamedTuple):
    """By unit: what people say, the judge's score, the question."""

    labels: dict[int, bool]
    scores: dict[int, float]
    questions: dict[int, str]


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
    said = {
        label.unit: label.value in asked.positive
        for label in labels(study, method, batch)
        if label.dimension == asked.key and label.unit not in learned_before
    }
    rows = _answers(base, asked.key).exclude(value="").exclude(score=None)
    if not rows.exists():
        raise Refused(f"This judge has no scores on “{asked.title}”.")
    places = judged_at(study, asked.unit_kind, [rows], learned_before) if said else {}
    where = {unit: places.get(unit, unit) for unit in said}
    columns = rows.values_list("unit_id", "score", "unit__response__question__external_id")
    given = {
        unit: (score or 0.0, question)
        for unit, score, question in columns.filter(unit__in=among([*where.values()]))
    }
    scores, questions = dict[int, float](), dict[int, str]()
    for unit, about in where.items():
        if about in given:
            scores[unit], questions[unit] = given[about]
    return LabelledScores(said, scores, questions)


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


def _signature(name: str, dimension: str, part: Part, found: Choice, digest: str, way: Way) -> str:
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
        f"thr:{found.threshold!r}",
    ]
    return name_of("|".join([judge, *learned, *kept]))


def _keep(
    study: Study,
    base: Judge,
    judge: Judge,
    dimension: str,
    found: Choice,
    digest: str,
    way: Way,
) -> TrainedScorer:
    """What was chosen and on what, as of a trained scorer."""
    about = {
        "before": found.before.described(),
        "after": found.after.described(),
        "threshold": found.threshold,
        "way": way,
        "dimension": dimension,
        "from": base.title,
        "judge": judge.title,
    }
    return keep_learned(study, digest, about, found.learned)


def has_two_sides(dimension: Dimension) -> bool:
    """Whether a score can be cut into yes and no."""
    return len(dimension.values) == 2 and len(dimension.positive) == 1


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


def _write(base: Judge, judge: Judge, asked: Dimension, threshold: float) -> None:
    """The answers of the new judge. Where the other one answered without a score, as where nothing
    is cited, or could not answer, so does this one."""
    [positive] = asked.positive
    [negative] = set(asked.values) - asked.positive
    wording = judge.study.wording_of(asked.key)
    answers = _answers(base, asked.key).annotate(
        known=Coalesce("score", -1.0),
        said=Case(
            When(Q(value="") | Q(score=None), then=F("value")),
            When(score__gte=threshold, then=Value(positive)),
            default=Value(negative),
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
    [positive] = asked.positive
    [negative] = set(asked.values) - asked.positive
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
