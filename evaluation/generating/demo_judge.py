"""Runs for the demo studies, and a simulated language model as a judge, without a network.

The simulated judge answers by rule from the labels of the study's author, with known errors and
biases, so that the report can be checked against them. Its name, its title and every table that
names it say that it is simulated.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from django.db import transaction

from annotate.models import Judge, Judgment, Response, Study, System
from annotate.protocol.dimensions import OF_CLAIMS, Dimension
from annotate.protocol.signatures import SIMULATED
from evaluation.generating import generations
from evaluation.generating.generation_settings import GenerationSettings
from evaluation.judges import Verdict
from evaluation.judges.entailment import DEFAULT_SCORER
from evaluation.judges.settings import JudgeSettings
from evaluation.language_models.asking.prompts import styles
from evaluation.language_models.asking.variants import Varied
from evaluation.models import Run, SystemFamily
from evaluation.runs import lifecycle as runs
from evaluation.runs.judging import items_of, write

FAMILY, OWN_SYSTEM = "Simulated family", "Generous"
"""The judge's family, and the demo's system that is declared to be of it."""

ERRORS = 0.12
"""How often the judge errs by one place, up or down."""

OWN = 0.25
"""How often it rates a system of its own family one place higher."""

CHANCE = 0.05
"""How often a repeated question gets an answer one place higher or lower."""

VARIANTS = (
    Varied(),
    Varied(choices="reversed"),
    Varied(passages="reversed"),
    Varied(padded="yes"),
    Varied(system="named"),
    Varied(repeat=1),
    Varied(repeat=2),
)
FIRST = 0.15
"""How often reversed choices move it one place towards the choice that is then first."""

LONG = 0.2
"""How often it rates a padded answer one place higher."""

NAMED = 0.3
"""How often it rates its own family one place higher when the system's name is shown."""


@dataclass(frozen=True, slots=True)
class _Unit:
    """A unit to judge, and its author's label."""

    response: int
    key: str
    name: str
    dimension: Dimension
    label: str
    is_own: bool


def simulate(study: Study) -> None:
    """Store the judge with its variants and repeats in a demo study; the same each time."""
    with transaction.atomic():
        own = System.objects.filter(study=study, name=OWN_SYSTEM).first()
        if own is not None:
            SystemFamily.objects.get_or_create(system=own, defaults={"family": FAMILY})
        units = list(_units(study))
        items = items_of(study, sorted({unit.response for unit in units}))
        for varied in VARIANTS:
            verdicts = [
                Verdict(str(u.response), u.key, u.dimension.key, _said(u, varied)) for u in units
            ]
            write(study, signature(varied), items, verdicts)


def signature(varied: Varied) -> str:
    """Return the signature of a variant: a model's, marked as simulated."""
    parts = (
        "model",
        *varied.parts,
        f"family:{FAMILY}",
        f"{SIMULATED}:1",
        "model:simulated model",
        f"style:{next(iter(styles().values())).signature}",
        "v:1",
    )
    return "|".join(parts)


def _units(study: Study) -> Iterator[_Unit]:
    asked = [d.key for d in study.dimension_list if d.is_choice and d.unit_kind not in OF_CLAIMS]
    rows = Judgment.objects.filter(
        judge__study=study, judge__kind=Judge.Kind.REFERENCE, dimension__in=asked
    ).exclude(value="")
    current = Response.objects.current().filter(study=study)
    columns = (
        "unit__response_id", "unit__key", "unit__response__system__name",
        "unit__response__question__external_id", "dimension", "value",
    )  # fmt: skip
    for response, key, system, question, dimension, value in (
        rows.filter(unit__response__in=current).order_by("pk").values_list(*columns)
    ):
        name = f"{system}/{question}:{key}/{dimension}"
        answered = study.protocol[dimension]
        yield _Unit(response, key, name, answered, value, system == OWN_SYSTEM)


def _said(unit: _Unit, varied: Varied) -> str:
    """Return the plain judge's answer after the effects of the variant."""
    order = unit.dimension.low_to_high
    place = order.index(unit.label)
    place += _either(unit, "errs") if _chance(unit, "err") < ERRORS else 0
    place += unit.is_own and _chance(unit, "own") < OWN
    place = _within(place, order)
    if varied.choices == "reversed" and _chance(unit, "first") < FIRST:
        now_first = order.index(unit.dimension.choices[-1].value)
        place += (now_first > place) - (now_first < place)
    place += varied.padded == "yes" and _chance(unit, "long") < LONG
    place += varied.system == "named" and unit.is_own and _chance(unit, "named") < NAMED
    asked = f"{varied.passages}/{varied.repeat}"
    if asked != "as_given/0" and _chance(unit, asked) < CHANCE:
        place += _either(unit, f"{asked} moves")
    return order[_within(place, order)]


def _within(place: int, order: Sequence[str]) -> int:
    return max(0, min(len(order) - 1, place))


def _either(unit: _Unit, why: str) -> int:
    return 1 if _chance(unit, why) < 0.5 else -1


def _chance(unit: _Unit, why: str) -> float:
    """Return a number from 0 to 1 that depends on the unit and the reason only."""
    drawn = blake2b(f"{unit.name}/{why}".encode(), digest_size=8).digest()
    return int.from_bytes(drawn, "big") / 2**64


JUDGES = {"aliice": ("alce", "aliice", "correctness"), "ais": ("autoais", "correctness")}
"""The judges of a demo study, by its protocol."""

WITH_A_MODEL = "aliice"
"""The protocol of the demo study that the simulated model also judges."""


GENERATED = "VANILLA (simulated)"
"""The system of that study that is generated by rule, without a model."""


def judge_demo() -> list[Run]:
    """Create runs for the demo studies that no automatic judge has judged; a worker does them."""
    made = []
    for study in Study.objects.filter(is_demo=True).order_by("pk"):
        if study.runs.exists() or study.judges.filter(kind=Judge.Kind.AUTOMATIC).exists():
            continue
        with transaction.atomic():  # all or none, so that the next start completes it
            if study.preset == WITH_A_MODEL:
                simulate(study)
                made_up = GenerationSettings("vanilla", simulated=True)
                generations.create(study, GENERATED, made_up)
            for name in JUDGES.get(study.preset, ()):
                settings = JudgeSettings(name, DEFAULT_SCORER)
                made.append(runs.create(study, settings, starts_itself=True))
    return made
