"""Which responses have a unit with a label, a score or a disagreement: for the list of responses.

Labels are those of a report without filters: people's majority (where nobody of the raters voted, a
published one), and what is derived of it; of a judge its answers, as they stand beside people's.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from functools import cache

import numpy as np

from annotate.models import PEOPLE, Judge, Judgment, Study, System, Unit
from annotate.models.judging import JudgmentQuerySet
from annotate.protocol.dimensions import DIMENSIONS, OF_CLAIMS, UnitKind, is_written
from annotate.protocol.places import CitationOfClaim, parsers_at
from annotate.reading.labelled import LabelItem, WantedLabel, among
from evaluation.agreement.derived import citation_precision
from evaluation.numbers.labels import majority_values
from evaluation.numbers.votes import VoteColumns, in_order, votes_on
from evaluation.reading.trained_on import units_left_out
from evaluation.reports.items import ITEMS, ReportItem

Said = dict[int, str]
"""Values by unit."""


@cache
def items() -> Sequence[LabelItem]:
    """The dimensions, and what is derived of them for judges, too."""
    return tuple(_item(item) for item in _ITEMS)


_ITEMS = tuple(item for item in ITEMS.values() if item.of_judges or not item.is_derived)


def _item(item: ReportItem) -> LabelItem:
    own = () if item.is_derived else DIMENSIONS[item.key].automatic_choices
    choices = (*zip(item.values, item.labels, strict=True), *((c.value, c.label) for c in own))
    return LabelItem(item.key, item.title, choices)


def responses(study: Study, wanted: WantedLabel) -> Collection[int]:
    """The keys of the responses with a unit of which all this was said. Among them may be some that
    do not count: the list leaves them out."""
    people = _People(study)
    if wanted.judge is None:
        if not wanted.item:
            return _responses_of(people.votes) | _responses_of(people.published)
        labels = people.labels(ITEMS[wanted.item])
        return _with_units(u for u, value in labels.items() if wanted.value in ("", value))
    said = _scored(_of_judge(study, wanted.judge), wanted)
    if wanted.item:
        said = said.filter(dimension__in=_dimensions(ITEMS[wanted.item]))
        if ITEMS[wanted.item].is_derived and wanted.is_scored:
            return ()
    if not wanted.apart:
        judged = _giving(said, ITEMS[wanted.item], [wanted.value]) if wanted.value else [said]
        return _responses_of(*judged)
    found: set[int] = set()
    for item in _items_of(said, wanted):
        found |= _apart(study, wanted, item, said, people.labels(item))
    return found


def _items_of(said: JudgmentQuerySet, wanted: WantedLabel) -> list[ReportItem]:
    """What is wanted, of what the judge said anything of. What is derived has no scores."""
    if wanted.item:
        return [ITEMS[wanted.item]]
    answered = {*said.order_by().values_list("dimension", flat=True).distinct()}
    return [
        item
        for item in _ITEMS
        if answered.issuperset(_dimensions(item)) and not (item.is_derived and wanted.is_scored)
    ]


def _dimensions(item: ReportItem) -> Sequence[str]:
    """What it is made of."""
    return item.derived_from or (item.key,)


def _responses_of(*judgments: JudgmentQuerySet) -> set[int]:
    found: set[int] = set()
    for some in judgments:
        found |= {*some.order_by().values_list("unit__response", flat=True).distinct()}
    return found


def _with_units(units: Iterable[int]) -> set[int]:
    found = Unit.objects.filter(pk__in=among([*units])).order_by()
    return set(found.values_list("response_id", flat=True).distinct())


# A judge's answers -------------------------------------------------------------------------------


def _of_judge(study: Study, judge: Judge) -> JudgmentQuerySet:
    """What it said; of systems that used the metric themselves no automatic judgment is shown."""
    found = Judgment.objects.counted_of(Judge.objects.filter(pk=judge.pk)).exclude(value="")
    if judge.kind != Judge.Kind.AUTOMATIC:
        return found
    used = [*System.objects.filter(study=study, uses_autoais=True).values_list("pk", flat=True)]
    return found.exclude(unit__response__system__in=used) if used else found


def _scored(said: JudgmentQuerySet, wanted: WantedLabel) -> JudgmentQuerySet:
    """Answers with a score as wanted."""
    if wanted.low is not None:
        said = said.filter(score__gte=wanted.low)
    return said if wanted.high is None else said.filter(score__lte=wanted.high)


def _giving(
    said: JudgmentQuerySet, item: ReportItem, values: Sequence[str]
) -> list[JudgmentQuerySet]:
    """The answers that come to one of these values: databases join each kind of them best alone."""
    if not item.is_derived:
        return [said.filter(dimension=item.key, value__in=values)]
    recall, support = item.derived_from
    found = []
    for recalls, supports in _derived_of(item, values).items():
        texts = said.filter(dimension=recall, value__in=recalls).values("unit")
        own = said.filter(dimension=support, value__in=supports)
        found.append(own.filter(unit__parent__in=texts))
    return found


def _derived_of(item: ReportItem, values: Sequence[str]) -> dict[tuple[str, ...], list[str]]:
    """Of which answers on the text it comes to the values, with which on the citation: the rule
    that a judge's answers are held to looks at nothing else."""
    assert item.rule == "support"
    texts, citations = (DIMENSIONS[key].values for key in item.derived_from)
    found = defaultdict[tuple[str, ...], list[str]](list)
    for support in citations:
        given = {
            recall: citation_precision({0: {0: recall}}, {1: {0: support}}, {1: 0}, rule=item.rule)
            for recall in texts
        }
        if recalls := tuple(recall for recall, made in given.items() if made[1][0] in values):
            found[recalls].append(support)
    return found


def _apart(
    study: Study, wanted: WantedLabel, item: ReportItem, said: JudgmentQuerySet, labels: Said
) -> set[int]:
    """Where people's label is another, and both are of the wanted direction."""
    assert wanted.judge is not None
    values = [value for value in item.values if wanted.value in ("", value)]
    out = units_left_out(wanted.judge)
    places = (
        _judged_at(study, _giving(said, item, values), out)
        if item.unit_kind in OF_CLAIMS and labels
        else {}
    )
    units = defaultdict[str, list[int]](list)
    for unit, label in labels.items():
        if (about := places.get(unit, unit)) not in out:
            units[label].append(about)
    found: set[int] = set()
    for label, own in units.items():
        others = [
            value
            for value in values
            if value != label
            and wanted.apart
            in ("any", _DIRECTIONS.get((label in item.positive, value in item.positive)))
        ]
        if others:
            giving = (some.filter(unit__in=among(own)) for some in _giving(said, item, others))
            found |= _responses_of(*giving)
    return found


_DIRECTIONS = {(True, False): "people-yes", (False, True): "people-no"}


def _judged_at(
    study: Study, judged: Iterable[JudgmentQuerySet], out: Collection[int]
) -> dict[int, int]:
    """The parser's unit at each place where people write a claim, where that one was judged."""
    places = _parsers_at(study)
    own: set[int] = set()
    for some in judged:
        there = some.filter(unit__in=among([*places.values()]))
        own |= {*there.values_list("unit_id", flat=True)}.difference(out)
    return {place: unit for place, unit in places.items() if unit in own}


# People's labels ---------------------------------------------------------------------------------


class _People:
    """People's labels, of answers that are read once."""

    def __init__(self, study: Study) -> None:
        self._study = study
        judges = Judge.objects.filter(study=study)
        counted = Judgment.objects.counted_of
        self.votes = counted(judges.filter(kind__in=PEOPLE)).exclude(value="")
        majorities = counted(judges.filter(kind=Judge.Kind.MAJORITY)).exclude(value="")
        self.published = majorities.order_by("-judge__name")
        """Majorities of people who are not here."""
        self._labels: dict[str, Said] = {}

    def labels(self, item: ReportItem) -> Said:
        parts = [self._of(key) for key in _dimensions(item)]
        return _derived(item, *parts) if item.is_derived else parts[0]

    def _of(self, key: str) -> Said:
        if key not in self._labels:
            votes = votes_on(key, self._answers, self._study.dimensions)
            published = self.published.filter(dimension=key).values_list("unit_id", "value")
            self._labels[key] = dict(published) | majority_values(key, votes)
        return self._labels[key]

    def _answers(self, key: str) -> VoteColumns:
        """The counted answers on one question."""
        places = {value: place for place, value in enumerate(DIMENSIONS[key].low_to_high)}
        rows = self.votes.filter(dimension=key, value__in=places).order_by()
        found = [
            (unit, judge, places[value])
            for unit, judge, value in rows.values_list("unit_id", "judge_id", "value")
        ]
        return in_order(*np.array(found, dtype=np.int64).reshape(-1, 3).T)


def _derived(item: ReportItem, recall: Said, support: Said) -> Said:
    """What the answers to both come to, as if one rater had given them."""
    assert item.rule is not None
    recalls, supports = ({u: {0: v} for u, v in said.items()} for said in (recall, support))
    rows = Unit.objects.filter(pk__in=among([*support]), parent__isnull=False).order_by()
    texts = dict(rows.values_list("pk", "parent_id"))
    found = citation_precision(recalls, supports, texts, rule=item.rule)
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
