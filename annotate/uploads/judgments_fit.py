"""Whether the judgments of a file fit the study that they are loaded into: the wordings that it
has, and the texts in which they mark words."""

from collections import defaultdict
from collections.abc import Sequence

from django.db.models.functions import Length

from annotate.content.units import Of
from annotate.formats.records import JudgmentRecord, Problem, Where
from annotate.models import Source, Study, Unit
from annotate.protocol.answers import beyond
from annotate.protocol.dimensions import Dimension, UnitKind
from annotate.uploads.made_units import RowMatch


class Fits:
    """What is asked of each judgment, with the study read once."""

    def __init__(self, study: Study) -> None:
        self._protocol = study.protocol
        self._versions: dict[str, set[int]] = defaultdict(set)
        for key, version in study.wordings.values_list("dimension", "version"):
            self._versions[key].add(version)

    def version_fault(self, record: JudgmentRecord, where: Where) -> Problem | None:
        """A wording that the study never had cannot have been answered here."""
        known = self._versions.get(record.dimension)
        if known is None or record.version is None or int(record.version) in known:
            return None
        expected = f"version {' or '.join(map(str, sorted(known)))}, which this study has"
        return Problem(_at(where, "version"), expected, f"“{record.version}”")

    def words_faults(self, judged: Sequence[RowMatch]) -> dict[int, Problem]:
        """Marked words that are not there, by the place of their judgment among these."""
        marking = {
            place: match
            for place, match in enumerate(judged)
            if match.record.value and self._dimension(match.record).answer == "spans"
        }
        if not marking:
            return {}
        ids = {match.unit_id for match in marking.values() if match.of is None}
        units = Unit.objects.select_related("parent").in_bulk([*ids])
        about = {
            place: units[match.unit_id] if match.of is None else _still_to_be_made(match.of)
            for place, match in marking.items()
        }
        passages = self._passages({unit.response_id for unit in about.values()})
        found = {}
        for place, unit in about.items():
            record = marking[place].record
            lengths = {0: len(unit.judged_text)}
            if self._dimension(record).marks == "passages":
                lengths |= passages[unit.response_id]
            span = beyond(record.value, lengths)
            if span is not None:
                expected = "places of words that are there"
                found[place] = Problem(_at(record.where, "value"), expected, f"“{span}”")
            elif record.words:
                fault = _other_words(record, unit)
                found |= {} if fault is None else {place: fault}
        return found

    def _dimension(self, record: JudgmentRecord) -> Dimension:
        return self._protocol[record.dimension]

    def _passages(self, responses: set[int]) -> dict[int, dict[int, int]]:
        """The lengths of passages by response and number."""
        found: dict[int, dict[int, int]] = defaultdict(dict)
        rows = Source.objects.filter(response__in=responses).annotate(
            length=Length("passage__text")
        )
        for response, n, length in rows.values_list("response_id", "n", "length"):
            found[response][n] = length
        return found


def _still_to_be_made(of: Of) -> Unit:
    """A claim of a reference, as it will be. Of pairs no words are marked."""
    response, claim = of
    return Unit(response_id=response, kind=UnitKind.REFERENCE_CLAIM, text=str(claim))


def _other_words(record: JudgmentRecord, unit: Unit) -> Problem | None:
    """Where other words stand than the file says: it may count something else than code points."""
    texts = {0: unit.judged_text}
    if any(passage for passage, *_ in record.words):
        texts |= dict(unit.response.sources.values_list("n", "passage__text"))
    for passage, start, end, words in record.words:
        there = texts[passage][start:end]
        if there != words:
            expected = f"“{there[:80]}”, the words at these places, counted in code points"
            return Problem(_at(record.where, "answer"), expected, f"“{words[:80]}”")
    return None


def _at(where: Where, field: str) -> Where:
    return Where(line=where.line, index=where.index, field=field)
