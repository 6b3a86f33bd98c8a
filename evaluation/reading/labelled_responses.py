"""Which responses have a unit with a label, a score or a disagreement: for the list of responses.

Labels are those of a report without filters: people's majority (where nobody of the raters voted, a
published one), and what is derived of it; of a judge its answers, as they stand beside people's.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

from annotate.models import Judge, Judgment, Study, Unit
from annotate.models.judging import JudgmentQuerySet
from annotate.protocol.dimensions import OF_CLAIMS, UnitKind, is_written
from annotate.protocol.formulas import looked_at
from annotate.protocol.places import CitationOfClaim, parsers_at
from annotate.protocol.protocol import Protocol
from annotate.reading.labelled import LabelItem, WantedLabel, among
from evaluation.agreement.derived import derive
from evaluation.numbers.labels import majority_values
from evaluation.reading.columns import read_answers
from evaluation.reading.labels import judgments_of, voting
from evaluation.reading.trained_on import units_left_out
from evaluation.reports.items import ReportItem, items_of

Said = dict[int, str]
"""Values by unit."""


def items(study: Study) -> Sequence[LabelItem]:
    """The dimensions, and what is derived of them for judges, too."""
    offered = {*study.protocol.offered}
    shown = [item for item in _items(study) if {*_dimensions(item)} <= offered]
    return tuple(_item(study.protocol, item) for item in shown)


def _items(study: Study) -> list[ReportItem]:
    every = items_of(study.protocol).values()
    return [item for item in every if item.of_judges or not item.is_derived]


def _item(protocol: Protocol, item: ReportItem) -> LabelItem:
    own = () if item.is_derived else protocol[item.key].automatic_choices
    choices = (*zip(item.values, item.labels, strict=True), *((c.value, c.label) for c in own))
    return LabelItem(item.key, item.title, choices)


def responses(study: Study, wanted: WantedLabel) -> Collection[int]:
    """The keys of the responses with a unit of which all this was said."""
    if wanted.judge is None and not wanted.item:
        return _responses_of(voting(judgments_of(study))) | _responses_of(_published(study))
    known = items_of(study.protocol)
    if wanted.judge is None:
        labels = _People(study, [known[wanted.item]]).labels(known[wanted.item])
        return _with_units(u for u, value in labels.items() if wanted.value in ("", value))
    said = _of_judge(wanted.judge)
    if wanted.item:
        said = said.filter(dimension__in=_dimensions(known[wanted.item]))
    if not (wanted.value or wanted.apart or wanted.is_scored):
        return _responses_of(said)
    given = _Given(study, said)
    items = [
        item for item in _items(study) if wanted.item in ("", item.key) and given.answers(item)
    ]
    people = _People(study, items if wanted.apart else [])
    found: set[int] = set()
    for item in items:
        units = given.units(item, wanted)
        found |= _apart(study, wanted, item, units, people) if wanted.apart else units.keys()
    return _with_units(found)


def _dimensions(item: ReportItem) -> Sequence[str]:
    """What it is made of."""
    return item.derived_from or (item.key,)


def _responses_of(judgments: JudgmentQuerySet) -> set[int]:
    return set(judgments.order_by().values_list("unit__response", flat=True).distinct())


def _with_units(units: Iterable[int]) -> set[int]:
    found = Unit.objects.filter(pk__in=among([*units])).order_by()
    return set(found.values_list("response_id", flat=True).distinct())


# A judge's answers -------------------------------------------------------------------------------


def _of_judge(judge: Judge) -> JudgmentQuerySet:
    """What it said; of systems that used the metric themselves no automatic judgment is shown."""
    found = Judgment.objects.counted().filter(judge=judge).exclude(value="")
    if judge.kind == Judge.Kind.AUTOMATIC:
        found = found.filter(unit__response__system__uses_autoais=False)
    return found


class _Given:
    """What a judge said, read once."""

    def __init__(self, study: Study, said: JudgmentQuerySet) -> None:
        self._study = study
        self._values: defaultdict[str, Said] = defaultdict(dict)
        self._scores: defaultdict[str, dict[int, float]] = defaultdict(dict)
        rows = said.order_by().values_list("dimension", "unit_id", "value", "score")
        for dimension, unit, value, score in rows:
            self._values[dimension][unit] = value
            if score is not None:
                self._scores[dimension][unit] = score

    def answers(self, item: ReportItem) -> bool:
        """Whether it said anything of it."""
        return all(key in self._values for key in _dimensions(item))

    def units(self, item: ReportItem, wanted: WantedLabel) -> Said:
        """Its answers on an item, with the value and the score that are wanted."""
        parts = [self._values[key] for key in _dimensions(item)]
        said = _derived(self._study, item, parts) if item.is_derived else parts[0]
        scores = self._scores.get(item.key, {})  # what is derived has none
        low, high = wanted.low, wanted.high
        return {
            unit: value
            for unit, value in said.items()
            if wanted.value in ("", value)
            and (low is None or scores.get(unit, -1) >= low)
            and (high is None or scores.get(unit, 2) <= high)
        }


def _apart(
    study: Study, wanted: WantedLabel, item: ReportItem, said: Said, people: "_People"
) -> set[int]:
    """Of the units where people's label is another, those of the wanted direction."""
    assert wanted.judge is not None
    out = units_left_out(wanted.judge)
    own = {unit: value for unit, value in said.items() if value in item.values and unit not in out}
    if item.unit_kind in OF_CLAIMS and own:
        places = _parsers_at(study)
        own |= {place: own[unit] for place, unit in places.items() if unit in own}
    labels = people.labels(item) if own else {}
    return {
        unit
        for unit, value in own.items()
        if (label := labels.get(unit, value)) != value
        and wanted.apart
        in ("any", _DIRECTIONS.get((label in item.positive, value in item.positive)))
    }


_DIRECTIONS = {(True, False): "people-yes", (False, True): "people-no"}


# People's labels ---------------------------------------------------------------------------------


def _published(study: Study) -> JudgmentQuerySet:
    """Majorities of people who are not here."""
    found = Judgment.objects.counted().filter(judge__study=study, judge__kind=Judge.Kind.MAJORITY)
    return found.exclude(value="")


class _People:
    """People's labels on some items, of answers that are read once."""

    def __init__(self, study: Study, items: Iterable[ReportItem]) -> None:
        self._study = study
        asked = [key for item in items for key in _dimensions(item)]
        asked = study.protocol.with_conditions(asked)
        votes = voting(judgments_of(study)).filter(dimension__in=asked)
        self._answers = read_answers(votes, study.protocol)
        rows = _published(study).filter(dimension__in=asked).order_by("-judge__name")
        self._published: defaultdict[str, Said] = defaultdict(dict)
        for dimension, unit, value in rows.values_list("dimension", "unit_id", "value"):
            self._published[dimension][unit] = value

    def labels(self, item: ReportItem) -> Said:
        parts = [self._majority(key) for key in _dimensions(item)]
        return _derived(self._study, item, parts) if item.is_derived else parts[0]

    def _majority(self, key: str) -> Said:
        votes = self._answers.votes(key, self._study.dimensions)
        return self._published[key] | majority_values(self._study.protocol[key], votes)


def _derived(study: Study, item: ReportItem, parts: Sequence[Said]) -> Said:
    """What the answers to all come to, as if one rater had given them."""
    assert item.derived is not None
    answers = {
        key: {unit: {0: value} for unit, value in said.items()}
        for key, said in zip(item.derived_from, parts, strict=True)
    }
    higher = any(answer.place == "response" for answer in looked_at(item.derived))
    above: dict[int, int] = {}
    about = {unit for said in answers.values() for unit in said}
    while about:
        rows = Unit.objects.filter(pk__in=among([*about])).order_by()
        above |= {unit: parent or 0 for unit, parent in rows.values_list("pk", "parent_id")}
        about = {*above.values()} - above.keys() - {0} if higher else set()
    found = derive(item.derived, answers, above, study.protocol)
    return {unit: given[0] for unit, given in found.items()}


def _parsers_at(study: Study) -> dict[int, int]:
    """The parser's unit at each place where people write a claim."""
    rows = Unit.objects.filter(
        kind=UnitKind.CLAIM_CITATION, response__study=study, response__live=True
    )
    claims: dict[int, int] = {}
    citations = []
    places = rows.order_by("pk").values_list(
        "pk", "key", "number", "parent_id", "parent__parent_id"
    )
    for unit, key, number, claim, statement in places:
        if number is not None and claim is not None and statement is not None:
            claims[claim] = statement
            citations.append(CitationOfClaim(unit, claim, number, is_written(key)))
    return parsers_at(claims, citations)
