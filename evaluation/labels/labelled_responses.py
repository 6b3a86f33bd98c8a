"""Find responses with a unit that has a label, a score or a disagreement, for their list.

Labels are those of a report without filters: people's majority (a published one if no rater voted)
and items derived from it; of a judge its answers, compared with people's.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence

import numpy as np
from django.db.models import QuerySet

from annotate import models
from annotate.content import counts
from annotate.content.responses_by_label import LabelItem, WantedLabel, among
from annotate.models import Judge, Judgment, Response, Study, System, Unit
from annotate.models.judging import JudgmentQuerySet
from annotate.protocol.dimensions import OF_CLAIMS, Derived, UnitKind, is_written
from annotate.protocol.formulas import tested_answers
from annotate.protocol.places import CitationOfClaim, parsed_units
from annotate.protocol.protocol import Protocol
from evaluation.labels.answer_kinds import open_item, responses_naming
from evaluation.labels.label_index import (
    EVERYBODY,
    PEOPLE,
    Said,
    derive_item,
    dimensions_of,
    labelled_items,
    with_label,
)
from evaluation.labels.study_labels import read_answers
from evaluation.labels.trained_on import units_left_out
from evaluation.reports.items import ReportItem, items_of
from evaluation.statistics.derived import derive
from evaluation.statistics.labels import label_values
from evaluation.statistics.votes import VoteColumns, votes_on


def items(study: Study) -> Sequence[LabelItem]:
    """Return the dimensions, and the items that are derived from them for judges."""
    offered = {*study.protocol.offered}
    shown = [item for item in labelled_items(study.protocol) if {*dimensions_of(item)} <= offered]
    found = [_item(study.protocol, item) for item in shown]
    return (*found, *(open_item(study.protocol[key]) for key in _open(study)))


def _open(study: Study) -> list[str]:
    """Return the active dimensions that are not answered by one choice."""
    protocol = study.protocol
    return [key for key in protocol if key in study.dimensions and not protocol[key].is_choice]


def _item(protocol: Protocol, item: ReportItem) -> LabelItem:
    own = () if item.is_derived else protocol[item.key].automatic_choices
    choices = (*zip(item.values, item.labels, strict=True), *((c.value, c.label) for c in own))
    return LabelItem(item.key, item.title, choices)


def responses(study: Study, wanted: WantedLabel, *, without: bool = False) -> Sequence[int]:
    """Return the responses with a unit that has the wanted label, or `without`, in rising order.

    Labels are stored (`label_index.py`); scores and disagreements are searched in all answers. The
    result may include responses that do not count: the list leaves them out.
    """
    if wanted.judge is not None and (wanted.apart or wanted.is_scored):
        found = np.array(sorted(_looked_for(study, wanted.judge, wanted)), dtype=np.int64)
    else:
        judge = PEOPLE if wanted.judge is None else wanted.judge.pk
        found = with_label(counts.kept(study), judge, (wanted.item, wanted.value))
        if wanted.judge is not None and (used := _not_shown(study, wanted.judge)):
            own = Response.objects.filter(system__in=used).values_list("pk", flat=True)
            found = np.setdiff1d(found, [*own], assume_unique=True)
    if without:
        found = np.setdiff1d(with_label(counts.kept(study), EVERYBODY), found, assume_unique=True)
    keys: list[int] = found.tolist()
    return keys


def _looked_for(study: Study, judge: Judge, wanted: WantedLabel) -> Collection[int]:
    known, asked = items_of(study.protocol), study.protocol.get(wanted.item)
    said = _scored(_of_judge(study, judge), wanted)
    if asked is not None and not asked.is_choice:
        return () if wanted.apart else responses_naming(said, asked, wanted.value)
    if wanted.item:
        if known[wanted.item].is_derived and wanted.is_scored:
            return ()
        said = said.filter(dimension__in=dimensions_of(known[wanted.item]))
    if not wanted.apart:
        return _responses_of(said.filter(value=wanted.value) if wanted.value else said)
    people, found = _People(study), set[int]()
    for item in _items_of(study, said, wanted):
        found |= _apart(study, wanted, item, said, people.labels(item))
    return found


def _items_of(study: Study, said: JudgmentQuerySet, wanted: WantedLabel) -> list[ReportItem]:
    """Return the wanted items that the judge answered. Derived items have no scores."""
    if wanted.item:
        return [items_of(study.protocol)[wanted.item]]
    answered = {*said.order_by().values_list("dimension", flat=True).distinct()}
    return [
        item
        for item in labelled_items(study.protocol)
        if answered.issuperset(dimensions_of(item)) and not (item.is_derived and wanted.is_scored)
    ]


def _responses_of(*judgments: JudgmentQuerySet) -> set[int]:
    found: set[int] = set()
    for some in judgments:
        found |= {*some.order_by().values_list("unit__response", flat=True).distinct()}
    return found


# A judge's answers -------------------------------------------------------------------------------


def _of_judge(study: Study, judge: Judge) -> JudgmentQuerySet:
    """Return the judge's answers, except about systems that used the metric themselves."""
    found = Judgment.objects.counted_of(Judge.objects.filter(pk=judge.pk)).exclude(value="")
    used = _not_shown(study, judge)
    return found.exclude(unit__response__system__in=used) if used else found


def _not_shown(study: Study, judge: Judge) -> list[int]:
    """Return the systems whose automatic judgments are not shown."""
    if judge.kind != Judge.Kind.AUTOMATIC:
        return []
    used = System.objects.filter(study=study, uses_autoais=True)
    return [*used.values_list("pk", flat=True)]


def _scored(said: JudgmentQuerySet, wanted: WantedLabel) -> JudgmentQuerySet:
    """Return answers with a score in the wanted range."""
    if wanted.low is not None:
        said = said.filter(score__gte=wanted.low)
    return said if wanted.high is None else said.filter(score__lte=wanted.high)


def _giving(
    study: Study, said: JudgmentQuerySet, item: ReportItem, values: Sequence[str]
) -> list[JudgmentQuerySet]:
    """Return the answers that result in one of these values, a query for each kind: fast joins."""
    if item.derived is None:
        return [said.filter(dimension=item.key, value__in=values)]
    looked = {answer.place: answer.dimension for answer in tested_answers(item.derived)}
    if looked.keys() != {"parent", "unit"} or len(item.derived_from) != 2:
        return [_made(study, said, item, values)]
    found = []
    of_texts = _of_texts(study.protocol, item.derived, looked["parent"], looked["unit"], values)
    for above, own in of_texts.items():
        texts = said.filter(dimension=looked["parent"], value__in=above).values("unit")
        citations = said.filter(dimension=looked["unit"], value__in=own)
        found.append(citations.filter(unit__parent__in=texts))
    return found


def _of_texts(
    protocol: Protocol, derived: Derived, text: str, citation: str, values: Sequence[str]
) -> dict[tuple[str, ...], list[str]]:
    """Return which answers on the text result in the values, with which on the citation."""
    found = defaultdict[tuple[str, ...], list[str]](list)
    for own in protocol[citation].values:
        given = {
            one: derive(derived, {text: {0: {0: one}}, citation: {1: {0: own}}}, {1: 0}, protocol)
            for one in protocol[text].values
        }
        of = tuple(one for one, made in given.items() if made.get(1, {}).get(0) in values)
        if of:
            found[of].append(own)
    return found


def _made(
    study: Study, said: JudgmentQuerySet, item: ReportItem, values: Sequence[str]
) -> JudgmentQuerySet:
    """Return the answers that result in one of these values by any other formula."""
    parts: dict[str, Said] = {key: {} for key in item.derived_from}
    rows = said.filter(dimension__in=item.derived_from).order_by()
    for dimension, unit, value in rows.values_list("dimension", "unit_id", "value"):
        parts[dimension][unit] = value
    made = _derived(study, item, list(parts.values()))
    units = [unit for unit, value in made.items() if value in values]
    return said.filter(unit__in=among(units))


def _apart(
    study: Study, wanted: WantedLabel, item: ReportItem, said: JudgmentQuerySet, labels: Said
) -> set[int]:
    """Return responses where people's label differs from the judge's in the wanted direction."""
    assert wanted.judge is not None
    values = [value for value in item.values if wanted.value in ("", value)]
    out = units_left_out(wanted.judge)
    judged = _giving(study, said, item, values)
    places = parser_units_judged(study, item.unit_kind, judged, out) if labels else {}
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
            giving = _giving(study, said, item, others)
            found |= _responses_of(*(some.filter(unit__in=among(own)) for some in giving))
    return found


_DIRECTIONS = {(True, False): "people-yes", (False, True): "people-no"}


# People's labels ---------------------------------------------------------------------------------


class _People:
    """People's labels; their answers are read once."""

    def __init__(self, study: Study) -> None:
        self._study = study
        judges = Judge.objects.filter(study=study)
        counted = Judgment.objects.counted_of
        self.votes = counted(judges.filter(kind__in=models.PEOPLE)).exclude(value="")
        majorities = counted(judges.filter(kind=Judge.Kind.MAJORITY)).exclude(value="")
        self.published = majorities.order_by("-judge__name")
        """Majorities of people who have no account here."""
        self._labels: dict[str, Said] = {}

    def labels(self, item: ReportItem) -> Said:
        parts = [self._of(key) for key in dimensions_of(item)]
        return _derived(self._study, item, parts) if item.is_derived else parts[0]

    def _of(self, key: str) -> Said:
        if key not in self._labels:
            protocol = self._study.protocol
            votes = votes_on(key, self._answers, self._study.dimensions, protocol)
            published = self.published.filter(dimension=key).values_list("unit_id", "value")
            self._labels[key] = dict(published) | label_values(protocol[key], votes)
        return self._labels[key]

    def _answers(self, key: str) -> VoteColumns:
        """The counted answers to one question."""
        return read_answers(self.votes.filter(dimension=key), self._study.protocol).on(key)


def _derived(study: Study, item: ReportItem, parts: Sequence[Said]) -> Said:
    return derive_item(study.protocol, item, parts, _parents)


def _parents(units: Collection[int]) -> dict[int, int]:
    rows = Unit.objects.filter(pk__in=among(units)).order_by()
    return {unit: parent or 0 for unit, parent in rows.values_list("pk", "parent_id")}


def parser_units_judged(
    study: Study, kind: str, judged: Iterable[QuerySet[Judgment]], out: Collection[int]
) -> dict[int, int]:
    """Return the parser's unit at each place where people write a claim, if it was judged.

    Places that were judged themselves are left out, and so are the units of `out`. Judgments of the
    parser's unit are compared with people's at the place, as in a report (`reports/answers.py`).
    """
    if kind not in OF_CLAIMS:
        return {}
    places = _parsers_of(study)
    own: set[int] = set()
    for some in judged:
        there = some.filter(unit__in=among([*places, *places.values()]))
        own |= {*there.values_list("unit_id", flat=True)}.difference(out)
    return {place: unit for place, unit in places.items() if unit in own and place not in own}


def _parsers_of(study: Study) -> dict[int, int]:
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
    return parsed_units(claims, citations)
