"""Juries: judges that combine the stored verdicts of other judges.

No judge is run. A jury's verdicts are a function of its judges' verdicts (`statistics/juries.py`)
and are written again after these change. Units that its judges or weights learned from are left out
of its numbers (`labels/trained_on.py`).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple, cast

import numpy as np
from django.db import transaction
from django.utils import timezone

from annotate.content.judgments import compare_with_stored
from annotate.content.responses_by_label import among
from annotate.models import Judge, Judgment, Study, User
from annotate.protocol.dimensions import OF_ANSWER, Dimension
from annotate.protocol.signatures import JURY, SIMULATED, is_jury
from annotate.studies import quotas
from annotate.web import audit
from annotate.web.bulk import insert
from annotate.web.errors import Refused
from evaluation.labels.trained_on import WEIGHED
from evaluation.models import Jury, JuryMember
from evaluation.runs.judging import automatic_judge
from evaluation.runs.jury_ballots import ballots_of, labelled, scores_of, state_of
from evaluation.runs.thresholds import AT_ONCE, digest_of_labels, record_training
from evaluation.statistics import juries as numbers
from evaluation.statistics.chosen_threshold import NothingToLearnError, Part
from evaluation.statistics.dawid_skene import signature as model_signature
from evaluation.statistics.juries import Ballots, JuryTrial, JuryVerdicts, Learned, Method, verdicts
from evaluation.statistics.majority import SHORT_RULE
from evaluation.statistics.ratings import Figure

MOST = 25
"""The largest number of judges in a jury: its name has room for them."""


def judges_called(study: Study, names: Sequence[str]) -> list[Judge]:
    """Return the automatic judges with these names."""
    known = {one.name: one for one in Judge.objects.filter(study=study, name__in=names)}
    for name in names:
        if name not in known or known[name].kind != Judge.Kind.AUTOMATIC:
            raise Refused(
                f"There is no automatic judge “{name[:200]}” in the study. Juries are made of "
                "automatic judges, called by their signatures."
            )
    return [known[name] for name in dict.fromkeys(names)]


def checked_members(judges: Sequence[Judge]) -> list[Judge]:
    """Return judges that may form a jury, sorted by name; refuse others."""
    found = sorted({*judges}, key=lambda one: one.name)
    if inner := next((one for one in found if is_jury(one.name)), None):
        raise Refused(f"“{inner.title}” is a jury itself. Choose the judges that it is made of.")
    if not numbers.FEWEST <= len(found) <= MOST:
        raise Refused(f"A jury has {numbers.FEWEST} to {MOST} judges. Choose that many.")
    return found


def chosen_dimensions(study: Study, keys: Collection[str]) -> list[Dimension]:
    """Return the dimensions with these keys; refuse any that a jury cannot answer."""
    protocol = study.protocol
    if not keys:
        raise Refused("Choose at least one dimension.")
    if unknown := next((key for key in keys if key not in protocol), None):
        raise Refused(f"The study knows no dimension “{unknown[:30]}”.")
    found = [one for key, one in protocol.items() if key in keys]
    for one in found:
        if not one.is_choice or one.writes:
            what = "a claim" if one.writes else OF_ANSWER[one.answer]
            raise Refused(
                f"“{one.title}” is answered by {what}. Juries answer dimensions with one choice."
            )
    return found


@dataclass(frozen=True, slots=True)
class TriedDimension:
    """The trial of one dimension; `why_not` gives the reason if there was none."""

    dimension: Dimension
    judges: Sequence[Judge]
    agreement: Figure
    """The share of pairs of judges' answers that are equal."""

    trial: JuryTrial | None
    why_not: str = ""

    @property
    def alone(self) -> list[tuple[Judge, float | None]]:
        """Return each judge's kappa with people."""
        return list(zip(self.judges, self.trial.kappas, strict=True)) if self.trial else []

    @property
    def best(self) -> Judge | None:
        """Return the judge with the highest kappa."""
        return self.judges[self.trial.best] if self.trial else None


def try_jury(study: Study, judges: Sequence[Judge], keys: Collection[str]) -> list[TriedDimension]:
    """Try each method on labels, for each dimension; refuse judges that form no jury."""
    judges, found = checked_members(judges), list[TriedDimension]()
    for one in chosen_dimensions(study, keys):
        ballots, trial, why_not = ballots_of(study, judges, one), None, ""
        try:
            known = labelled(study, judges, one, ballots)
            heard = ballots.at(known.places)
            scores = scores_of(judges, heard, known)
            trial = numbers.tried(heard, known, scores, seed=study.seed)
        except NothingToLearnError as problem:
            why_not = str(problem)
        found.append(TriedDimension(one, judges, numbers.agreement(ballots), trial, why_not))
    return found


Weights = Mapping[str, Mapping[str, float]]
"""Weights by dimension and judge name."""


def form_jury(
    study: Study,
    judges: Sequence[Judge],
    dimensions: Collection[str],
    method: Method,
    *,
    part: Part = "half",
    by: User | None = None,
) -> Jury:
    """Form the jury of these judges, or bring it up to date: its name follows from judges,
    method and weights."""
    judges, asked = checked_members(judges), chosen_dimensions(study, dimensions)
    made = _NewVerdicts(study, judges, asked, method)
    learned = {}
    if method == "weighted":
        try:
            learned = {
                key: _learned(study, judges, ballots, part) for key, ballots in made.ballots.items()
            }
        except NothingToLearnError as problem:
            raise Refused(str(problem)) from problem
    weights = {
        key: dict(zip((one.name for one in judges), found.weights, strict=True))
        for key, found in learned.items()
    }
    units = sorted({unit for found in learned.values() for unit in found.units})
    digest = digest_of_labels(units, part, *(one.name for one in judges), repr(weights))
    signature = _signature(
        judges, method, [f"{WEIGHED}:{digest}", f"labels:{len(units)}", f"part:{part}"]
    )
    made.decide(weights)
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        judge = automatic_judge(study, signature)
        jury, _ = Jury.objects.get_or_create(judge=judge, defaults={"method": method})
        JuryMember.objects.bulk_create(
            [JuryMember(jury=jury, judge=one) for one in judges], ignore_conflicts=True
        )
        if learned:
            record_training(study, digest, {"jury": judge.title, "weights": weights}, units)
        jury.weights = weights
        made.write(jury, by=by)
    return jury


def _learned(study: Study, judges: Sequence[Judge], ballots: Ballots, part: Part) -> Learned:
    known = labelled(study, judges, ballots.dimension, ballots)
    return numbers.learn(ballots.at(known.places), known, part=part, seed=study.seed)


def update_jury(judge: Judge, *, by: User | None = None) -> None:
    """Bring a jury's answers up to date with its judges, with its current weights."""
    study, jury = judge.study, Jury.objects.filter(judge=judge).first()
    if jury is None:
        raise Refused("This judge is no jury: it is made of no other judges.")
    judges = [one.judge for one in jury.members.select_related("judge")]
    asked = chosen_dimensions(study, {*jury.formed_of} & {*study.protocol})
    made = _NewVerdicts(study, checked_members(judges), asked, cast("Method", jury.method))
    made.decide(jury.weights)
    with transaction.atomic():
        Study.objects.select_for_update(no_key=True).get(pk=study.pk)
        jury.refresh_from_db()
        made.write(jury, by=by)


def _signature(judges: Sequence[Judge], method: Method, learned: Sequence[str]) -> str:
    digests = [blake2b(one.name.encode(), digest_size=4).hexdigest() for one in judges]
    parts = [JURY, f"by:{method}", f"judges:{'.'.join(digests)}"]
    if any(f"|{SIMULATED}:" in one.name for one in judges):
        parts.append(f"{SIMULATED}:1")
    if method == "weighted":
        parts += learned
    rule = model_signature().partition("|")[2] if method == "dawid-skene" else f"rule:{SHORT_RULE}"
    return "|".join([*parts, rule, "v:1"])


class _NewVerdicts:
    """The verdicts of a jury, computed before anything is stored."""

    def __init__(
        self, study: Study, judges: Sequence[Judge], asked: Sequence[Dimension], method: Method
    ) -> None:
        self.at = timezone.now()
        self.study, self.judges, self.method = study, judges, method
        self.states = {one.key: state_of(judges, one) for one in asked}
        self.ballots = {one.key: ballots_of(study, judges, one) for one in asked}
        self.verdicts: dict[str, JuryVerdicts] = {}

    def decide(self, weights: Weights) -> None:
        for key, ballots in self.ballots.items():
            own = [weights[key][one.name] for one in self.judges] if weights else []
            self.verdicts[key] = verdicts(ballots, self.method, own)

    def write(self, jury: Jury, *, by: User | None) -> None:
        """Store the verdicts, within a transaction that holds the study."""
        written = jury.judge.judgments.count()
        rows = sum(len(one.units) for one in self.ballots.values())
        quotas.refuse_rows(self.study, by, max(0, rows - written))
        for key, ballots in self.ballots.items():
            _write(jury.judge, ballots, self.verdicts[key])
        jury.formed_of |= self.states
        jury.formed_at = self.at
        jury.save()
        audit.note(
            "jury-formed",
            jury.judge,
            by=by,
            way=self.method,
            judges=[one.name for one in self.judges],
            dimensions=[*self.ballots],
        )


def _write(judge: Judge, ballots: Ballots, made: JuryVerdicts) -> None:
    """Store the answers to one dimension in chunks; empty answers whose judges have no verdict
    any more."""
    key, values = ballots.dimension.key, ballots.values
    wording = judge.study.wording_of(key)
    patterns, pattern = np.unique(made.counts, axis=0, return_inverse=True)
    notes = [_note(ballots, counts) for counts in patterns.tolist()]
    of = pattern.reshape(-1).tolist()
    value, score = made.value.tolist(), made.score.round(4).tolist()

    def row(unit: int, place: int) -> Judgment:
        known = value[place] >= 0
        return Judgment(
            unit_id=unit,
            judge_id=judge.pk,
            dimension=key,
            value=values[value[place]] if known else "",
            skipped_reason="" if known else made.reason(place),
            score=score[place] if known else None,
            note=notes[of[place]],
            wording=wording,
        )

    units = ballots.units.tolist()
    for first in range(0, len(units), AT_ONCE):
        some = range(first, min(first + AT_ONCE, len(units)))
        _keep([row(units[place], place) for place in some])
    gone = Judgment.objects.current().filter(judge=judge, dimension=key).exclude(value="")
    lost = gone.exclude(unit__in=among(units)).values_list("unit_id", flat=True)
    _keep(
        [
            Judgment(
                unit_id=unit,
                judge_id=judge.pk,
                dimension=key,
                skipped_reason=numbers.FEW,
                wording=wording,
            )
            for unit in lost
        ]
    )


def _keep(offered: Sequence[Judgment]) -> None:
    """Store changed answers without history: Dawid-Skene changes most scores with each new
    vote."""
    found = compare_with_stored(offered)
    Judgment.objects.filter(pk__in=[old.pk for old, _ in found.changed]).delete()
    insert([*found.new, *(row for _, row in found.changed)])


def _note(ballots: Ballots, counts: Sequence[int]) -> str:
    given = zip(ballots.values, counts, strict=True)
    return ", ".join(f"{ballots.dimension.label(value)} {count}" for value, count in given if count)


class ListedJury(NamedTuple):
    """A jury with its judges and dimensions, and whether their verdicts changed since."""

    jury: Jury
    judges: list[Judge]
    dimensions: list[Dimension]
    is_behind: bool

    @property
    def weighed(self) -> list[tuple[Judge, str]]:
        """Return each judge with its weights by dimension; empty if the jury is not weighted."""
        weights = [self.jury.weights.get(one.key, {}) for one in self.dimensions]
        return [
            (judge, ", ".join(f"{own[judge.name]:.2f}" for own in weights if judge.name in own))
            for judge in self.judges
        ]


def juries_of(study: Study) -> list[ListedJury]:
    """Return the study's juries, the newest first."""
    found = []
    rows = Jury.objects.filter(judge__study=study).select_related("judge")
    for jury in rows.order_by("-formed_at", "-pk").prefetch_related("members__judge"):
        judges = sorted((one.judge for one in jury.members.all()), key=lambda one: one.name)
        asked = [one for key, one in study.protocol.items() if key in jury.formed_of]
        is_behind = any(state_of(judges, one) != jury.formed_of[one.key] for one in asked)
        found.append(ListedJury(jury, judges, asked, is_behind))
    return found
