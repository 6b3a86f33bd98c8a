"""Long-form judgments about units of whole responses: pairs, and claims of references.

A pair is found by the names of both systems, and created if it does not exist. A claim is found by
its number, and created from the references of the question here.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from annotate.content.units import WholeUnit, claims_of, create_units, stored_units
from annotate.formats.judgment_fields import OTHER
from annotate.formats.records import JudgmentRecord, JudgmentRow, Problem
from annotate.formats.unit_keys import unit_kind
from annotate.models import Question, Response, Study, Unit
from annotate.protocol.dimensions import OF_WHOLE, UnitKind

Address = tuple[str, str, str]
"""Names of system, run and question."""


@dataclass(slots=True)
class RowMatch:
    """A judgment of the long form and its unit."""

    record: JudgmentRecord
    unit_id: int
    of: WholeUnit | None = None
    """The components of a unit that does not exist yet; its `unit_id` is 0."""


def is_whole(key: str) -> bool:
    return unit_kind(key) in OF_WHOLE


class WholeUnits:
    """The existing pairs and claims of the responses in some rows."""

    def __init__(self, study: Study, rows: Sequence[JudgmentRow]) -> None:
        self._study = study
        rows = [row for row in rows if is_whole(row.judgment.unit)]
        questions = {row.question_id for row in rows}
        found = Response.objects.current().filter(study=study, question__external_id__in=questions)
        names = "system__name", "run", "question__external_id"
        self._responses: dict[Address, int] = {
            (system, run, question): pk
            for system, run, question, pk in (found.values_list(*names, "pk") if rows else ())
        }
        known = Question.objects.filter(study=study, external_id__in=questions)
        self._claims = {
            key: claims_of(references)
            for key, references in (known.values_list("external_id", "references") if rows else ())
        }
        ids = {self._responses.get(_address(row), 0) for row in rows}
        self._pairs = stored_units(UnitKind.PAIR, ids) if rows else {}
        keys = Unit.objects.standing().filter(kind=UnitKind.REFERENCE_CLAIM, response__in=ids)
        self._units = {
            (response, key): pk
            for response, key, pk in (keys.values_list("response", "key", "pk") if rows else ())
        }

    def find(self, row: JudgmentRow) -> RowMatch | Problem:
        response = self._responses[_address(row)]
        if unit_kind(row.judgment.unit) is UnitKind.PAIR:
            return self._pair(row, response)
        return self._claim(row, response)

    def _pair(self, row: JudgmentRow, response: int) -> RowMatch | Problem:
        judgment = row.judgment
        system, run = judgment.other_system or "", judgment.other_run or ""
        other = self._responses.get((system, run, row.question_id))
        where = row.where.at(OTHER[0])
        if other is None:
            which = f"“{system}” with run “{run}”" if run else f"“{system}”"
            expected = f"a system with a response to question “{row.question_id}”"
            return Problem(where, expected, which)
        if system <= row.system:
            return Problem(
                where,
                f"a system whose name comes after “{row.system}”",
                f"“{system}”",
                "Name the first one as system, with the pair's judgments.",
            )
        unit = self._pairs.get((response, other))
        if unit is None:
            return RowMatch(judgment, 0, (response, other))
        return RowMatch(judgment, unit[0])

    def _claim(self, row: JudgmentRow, response: int) -> RowMatch | Problem:
        key = row.judgment.unit
        if (response, key) in self._units:
            return RowMatch(row.judgment, self._units[response, key])
        claims, number = self._claims[row.question_id], int(key.lstrip("k"))
        has_some = any(of == response for of, _ in self._units)
        if has_some or not 1 <= number <= len(claims):
            where = row.where.at("unit")
            return Problem(
                where,
                f"one of the {len(claims)} claims of the question's reference",
                f"“{key}”",
                "The references may be others there.",
            )
        return RowMatch(row.judgment, 0, (response, claims[number - 1]))

    def make(self, rows: Sequence[RowMatch]) -> None:
        """Create missing units, in the transaction that writes the judgments."""
        missing = [row for row in rows if row.of is not None]
        for kind in OF_WHOLE:
            own = [row for row in missing if unit_kind(row.record.unit) is kind]
            wanted = [row.of for row in own if row.of is not None]
            if kind is UnitKind.REFERENCE_CLAIM and own:
                # All claims of a response are created, to make their keys their numbers.
                claims = {pk: self._claims[key[2]] for key, pk in self._responses.items()}
                wanted = [(pk, text) for pk in {of for of, _ in wanted} for text in claims[pk]]
            made = create_units(self._study, kind, wanted) if wanted else {}
            for row in own:
                row.unit_id = made[row.of] if row.of is not None else row.unit_id


def _address(row: JudgmentRow) -> Address:
    return row.system, row.run, row.question_id
