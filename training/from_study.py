"""Training a scorer with a study's own judgments, and keeping what it was trained with."""

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, TypedDict

from django.db import transaction

from annotate.export.streams import response_records
from annotate.models import Study, Unit
from annotate.services.errors import Refused
from evaluation.claims import Parser
from evaluation.entailment import Asker, Decision
from evaluation.entailment.scorer import Pair
from evaluation.entailment.trained import Trained
from evaluation.judges import AutomaticJudge, Item, item_of, load_judge
from evaluation.models import TrainedOn, TrainedScorer
from evaluation.reading.labels import Method, labels
from training.scorer.fitting import StepReport
from training.scorer.network import DType
from training.scorer.own import (
    Judged,
    TooFewError,
    TrainingTrial,
    fitted,
    parts_of,
    texts,
    train_further,
)
from training.scorer.own_gate import FOLDS, Gate, cross_validated
from training.scorer.pairs import LabelledPair
from training.scorer.recipe import STUDY, Recipe

DIMENSIONS = {"attributable": "autoais", "citation_recall": "alce", "claim_recall": "aliice"}
"""What people are asked that is a question of entailment, and the judge that asks it."""


class _Listener:
    """A scorer that answers no and remembers what it was asked."""

    threshold = 0.5
    fingerprint = "listener"

    def probabilities(self, pairs: Sequence[Pair]) -> list[float]:
        return [0.0] * len(pairs)


class _Listening(Asker):
    def __init__(self) -> None:
        super().__init__(_Listener())
        self.heard: list[Pair] = []

    def decide(self, pairs: Sequence[Pair], *, wave: str = "") -> list[Decision]:
        self.heard += pairs
        return super().decide(pairs, wave=wave)


def study_pairs(study: Study, *, parser: Parser | None = None) -> list[Judged]:
    """What people decided by majority, as the premise and hypothesis that a judge asks about.

    Claims need the parser that made them; without one they are left out.
    """
    said: dict[str, dict[tuple[int, str], tuple[int, str]]] = {}
    for label in labels(study, Method.MAJORITY):
        if label.dimension in DIMENSIONS:
            place = (label.response, label.key)
            said.setdefault(label.dimension, {})[place] = (label.unit, label.value)
    found: list[Judged] = []
    for dimension, name in DIMENSIONS.items():
        known = said.get(dimension)
        if not known or (name == "aliice" and parser is None):
            continue
        wanted = {response for response, _ in known}
        for items in _items(study, wanted):
            for item, unit, pair in _asked(name, dimension, items, parser):
                if (int(item.key), unit) in known:
                    pk, value = known[int(item.key), unit]
                    labelled = LabelledPair(*pair, int(value == "yes"), STUDY)
                    found.append(Judged(labelled, pk, item.question_id))
    return found


def _items(study: Study, wanted: Collection[int]) -> Iterator[list[Item]]:
    for records in response_records(study):
        yield [
            item_of(record, str(response.pk), study.division)
            for response, record in records
            if response.pk in wanted
        ]


def _asked(
    name: str, dimension: str, items: Sequence[Item], parser: Parser | None
) -> list[tuple[Item, str, Pair]]:
    """What a judge asks about units of items, first of all: what stands in its first wave.

    Nothing is entailed for the listener, so that no second wave follows.
    """
    asker = _Listening()
    options = {"parser": parser} if name == "aliice" else {}
    judge: AutomaticJudge = load_judge(name, asker=asker, **options)
    verdicts = judge.judge(items)
    by_key = {item.key: item for item in items}
    of = [v for v in verdicts if v.dimension == dimension and v.score is not None]
    return [
        (by_key[verdict.item], verdict.unit, pair)
        for verdict, pair in zip(of, asker.heard, strict=True)
    ]


class Machine(TypedDict):
    """What it is computed on."""

    device: str
    dtype: DType
    threads: int


class Common(TypedDict):
    """What all trainings of a study share."""

    base: Path
    others: Sequence[LabelledPair]
    recipe: Recipe
    tell: Callable[[StepReport], None]


def _gate(
    start: Trained,
    judged: Sequence[Judged],
    folder: Path,
    folds: int,
    common: Common,
    machine: Machine,
) -> Gate:
    """Whether it is worth it, tried on questions that were held out."""
    recipe = common["recipe"]
    said = json.dumps([recipe.described(), folds, start.folder.digest], sort_keys=True)
    folder.mkdir(parents=True, exist_ok=True)

    def train(
        learn: list[Judged], stop: list[Judged], others: list[Judged], work: Path
    ) -> tuple[list[float], float]:
        scorer, details = fitted(start, learn, stop, folder=work, about={}, **common, **machine)
        return scorer.probabilities(texts(others)), details.threshold

    return cross_validated(
        judged,
        start.probabilities(texts(judged)),
        start.threshold,
        train,
        folds=folds,
        seed=recipe.seed,
        folder=folder,
        key=sha256(said.encode()).hexdigest(),
    )


def train_on_study(
    study: Study,
    judged: Sequence[Judged],
    start: Trained,
    *,
    base: Path,
    others: Sequence[LabelledPair],
    recipe: Recipe,
    folder: Path,
    tell: Callable[[StepReport], None],
    folds: int = FOLDS,
    anyway: bool = False,
    device: str = "auto",
    dtype: DType = "auto",
    threads: int = 0,
) -> tuple[TrainedScorer, TrainingTrial]:
    """Train, compare, and write down which units may not be used to evaluate the new scorer. One
    that would be no better than what it begins with is not made, but `anyway`."""
    machine: Machine = {"device": device, "dtype": dtype, "threads": threads}
    about: dict[str, Any] = {
        "title": f"Entailment scorer, trained with “{study.name}”",
        "what": f"With the majority of the people who rated in the study “{study.slug}”.",
        "study": study.slug,
    }
    common: Common = {"base": base, "others": others, "recipe": recipe, "tell": tell}
    try:
        parts_of(judged, recipe.seed)
        gate = _gate(start, judged, folder / "gate", folds, common, machine)
        if not gate.passed and not anyway:
            raise Refused(
                f"{gate.said()} That is not better than chance of the sample, so no scorer was "
                "made. Judge more questions and try again; --anyway makes one all the same."
            )
        about["gate"] = gate.described()
        trial = train_further(start, judged, folder=folder, about=about, **common, **machine)
    except TooFewError as problem:
        raise Refused(str(problem)) from problem
    agreement = {
        "before": trial.before.described(),
        "after": trial.after.described(),
        "from": start.folder.digest,
        "gate": gate.described() | {"said": gate.said()},
    }
    used = {one.unit for one in trial.used}
    with transaction.atomic():
        kept, _ = TrainedScorer.objects.update_or_create(
            study=study,
            fingerprint=trial.folder.digest,
            defaults={"folder": str(folder), "seed": recipe.seed, "agreement": agreement},
        )
        there = Unit.objects.filter(pk__in=used).values_list("pk", flat=True)
        TrainedOn.objects.filter(scorer=kept).delete()
        TrainedOn.objects.bulk_create(
            [TrainedOn(scorer=kept, unit_id=unit) for unit in there], batch_size=1_000
        )
    return kept, trial
