"""The page of a study's dimensions: their order, versions and counts of answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q, QuerySet

from annotate.models import Judgment, Response, Study
from annotate.models.wording import Wording
from annotate.protocol.answers import NotAnAnswerError
from annotate.protocol.dimensions import OF_WHOLE, Condition, Derived, Dimension, UnitKind
from annotate.protocol.formulas import tested_answers
from annotate.protocol.protocol import Protocol, ProtocolFile
from annotate.protocol.shipped import PROTOCOLS
from annotate.web.audit import file_taken

SAMPLES = 20
"""The number of responses to choose from in a preview."""


@dataclass(frozen=True, slots=True)
class Version:
    """One wording of a dimension, with the number of its answers if they are counted."""

    number: int
    question: str
    answers: int = 0


@dataclass(frozen=True, slots=True)
class DimensionRow:
    """One dimension of a study."""

    dimension: Dimension
    is_own: bool
    is_frozen: bool
    """Whether it comes from a frozen protocol file and can only be copied."""

    versions: tuple[Version, ...]
    relatives: tuple[str, ...]
    """Keys of the same dimension with other possible answers, which are counted separately."""

    conditions: tuple[str, ...]
    is_first: bool = False
    is_last: bool = False

    @property
    def answers(self) -> int:
        return sum(version.answers for version in self.versions)

    @property
    def low_to_high(self) -> str:
        return ", ".join(map(self.dimension.label, self.dimension.low_to_high))

    @property
    def bounds(self) -> str:
        """The possible answers, if they are not a single choice."""
        one = self.dimension
        many = f"{one.least} to {one.most}" if one.most else f"at least {one.least}"
        many = many if one.most or one.least else "any"
        if one.answer == "several":
            return f"{many} of these"
        if one.answer == "spans":
            where = "the passages in sight" if one.marks == "passages" else "the judged text"
            return f"{many} stretches of {where}"
        try:
            one.read("")
        except NotAnAnswerError as error:
            return error.expected
        return ""

    @property
    def positive(self) -> str:
        shown = [c.label for c in self.dimension.choices if c.value in self.dimension.positive]
        return ", ".join(shown)


@dataclass(frozen=True, slots=True)
class NumberRow:
    """A derived number; `missing` are its dimensions that are not active."""

    number: Derived
    is_own: bool
    is_frozen: bool
    missing: tuple[str, ...]
    weights: str


TITLES = {
    UnitKind.RESPONSE: "About the whole answer, first",
    UnitKind.STATEMENT: "About each statement",
    UnitKind.CITATION: "About each citation",
    UnitKind.CLAIM: "About each claim",
    UnitKind.CLAIM_CITATION: "About each citation of a claim",
    UnitKind.PAIR: "About two answers, side by side",
    UnitKind.REFERENCE_CLAIM: "About each claim of the reference answer",
}
LAST = "About the whole answer, last"


def group_of(dimension: Dimension) -> str:
    """Return its group in a task. Within a group, the order is the study's."""
    return LAST if dimension.comes_last else TITLES[dimension.unit_kind]


def dimension_page(study: Study, *, is_counted: bool = False) -> dict[str, Any]:
    """Return the contents of the page. Counting answers takes a second in a large study."""
    protocol, counts = study.protocol, _answers(study) if is_counted else {}
    own: dict[str, list[Wording]] = {}
    for wording in study.wordings.order_by("version"):
        own.setdefault(wording.dimension, []).append(wording)

    def row(dimension: Dimension, *, is_first: bool = False, is_last: bool = False) -> DimensionRow:
        key = dimension.key
        return DimensionRow(
            dimension,
            key in own,
            key in protocol.frozen,
            _versions(study, dimension, own.get(key, []), counts),
            tuple(
                other
                for other in protocol
                if other != key and other.partition("@")[0] == key.partition("@")[0]
            ),
            tuple(condition_text(protocol, one) for one in dimension.shown_when),
            is_first,
            is_last,
        )

    groups = []
    for title in (*TITLES.values(), LAST):
        within = [one for one in study.dimension_list if group_of(one) == title]
        rows = [
            row(one, is_first=place == 0, is_last=place + 1 == len(within))
            for place, one in enumerate(within)
        ]
        if rows:
            groups.append({"title": title, "rows": rows})
    return {
        "groups": groups,
        "former": [row(one) for key, one in protocol.own.items() if key not in study.dimensions],
        "library": list(_library(study)),
        "numbers": list(_numbers(study)),
        "is_counted": is_counted,
        "taken": file_taken(study),
    }


def _numbers(study: Study) -> Iterator[NumberRow]:
    """Yield the study's own numbers, and numbers of the library with all dimensions active."""
    protocol = study.protocol
    own = {one["key"] for one in protocol.own_derived}
    for key, one in protocol.derived.items():
        of = dict.fromkeys(answer.dimension for answer in tested_answers(one))
        missing = tuple(
            name for name in of if name not in study.dimensions and protocol[name].of_people
        )
        if key in own or not missing:
            weighed = (f"{protocol[one.of].called(v)} {w:g}" for v, w in one.weights)
            yield NumberRow(one, key in own, key in protocol.frozen, missing, ", ".join(weighed))


def _library(study: Study) -> Iterator[tuple[ProtocolFile, list[Dimension]]]:
    """Yield the shipped protocols with their dimensions that are not active."""
    for file in PROTOCOLS.values():
        left = [one for key, one in file.protocol.asked.items() if key not in study.dimensions]
        if left:
            yield file, left


def _answers(study: Study) -> dict[tuple[str, str], int]:
    """Return the number of answers by dimension and wording."""
    judgments = Judgment.objects.filter(judge__study=study).order_by()
    rows = judgments.values_list("dimension", "wording").annotate(n=Count("pk"))
    return {(dimension, wording): n for dimension, wording, n in rows}


def _versions(
    study: Study,
    dimension: Dimension,
    wordings: Sequence[Wording],
    counts: dict[tuple[str, str], int],
) -> tuple[Version, ...]:
    key = dimension.key
    if not wordings:
        n = sum(count for (of, _), count in counts.items() if of == key)
        return (Version(dimension.version, dimension.question, n),)
    return tuple(
        Version(one.version, one.as_dimension.question, counts.get((key, one.pk), 0))
        for one in wordings
    )


def condition_text(protocol: Protocol, condition: Condition) -> str:
    """Return a condition as text."""
    other = protocol[condition.dimension]
    of = {"unit": "", "parent": f" of its {other.unit_kind}".replace("_", " ")}
    of["response"] = "" if other.unit_kind is UnitKind.RESPONSE else " of the response"
    values = " or ".join(map(other.called, condition.values))
    return f"“{other.title}”{of[condition.of]} is {values}"


def reordered(study: Study, key: str, by: int) -> list[str]:
    """Return the study's order with a dimension swapped with its neighbour in its group."""
    order = list(study.dimensions)
    if key not in order:
        return order
    group = [
        one.key for one in study.dimension_list if group_of(one) == group_of(study.protocol[key])
    ]
    to = group.index(key) + by
    if 0 <= to < len(group):
        here, there = order.index(key), order.index(group[to])
        order[here], order[there] = order[there], order[here]
    return order


def sample_responses(study: Study, dimension: Dimension | None = None) -> QuerySet[Response]:
    """Return some responses, with units for the dimension if one is given."""
    responses = Response.objects.current().filter(study=study).select_related("question", "system")
    if dimension is not None and dimension.unit_kind not in {UnitKind.RESPONSE, *OF_WHOLE}:
        kind = dimension.unit_kind
        citing = {UnitKind.STATEMENT: "citation", UnitKind.CLAIM: "claim_citation"}
        cited = Q(units__kind=citing.get(kind, kind.value), units__source__isnull=False)
        responses = responses.filter(Q(units__kind=kind) if dimension.every else cited).distinct()
    return responses.order_by("pk")[:SAMPLES]
