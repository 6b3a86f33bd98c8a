"""Check judgments of a file against the study: wordings, and the texts of marked words."""

from collections import defaultdict
from collections.abc import Sequence

from django.db.models.functions import Length

from annotate.content.units import WholeUnit
from annotate.formats.records import JudgmentRecord, Problem, Where
from annotate.models import Source, Study, Unit
from annotate.protocol.answers import first_outside
from annotate.protocol.dimensions import Dimension, UnitKind
from annotate.uploads.made_units import RowMatch


class JudgmentChecks:
    """The checks of each judgment, with the study read once."""

    def __init__(self, study: Study) -> None:
        self._protocol = study.protocol
        self._versions: dict[str, set[int]] = defaultdict(set)
        for key, version in study.wordings.values_list("dimension", "version"):
            self._versions[key].add(version)

    def version_fault(self, record: JudgmentRecord, where: Where) -> Problem | None:
        """Return the problem with a wording that the study never had."""
        known = self._versions.get(record.dimension)
        if known is None or record.version is None or int(record.version) in known:
            return None
        expected = f"version {' or '.join(map(str, sorted(known)))}, which this study has"
        return Problem(where.at("version"), expected, f"“{record.version}”")

    def words_faults(self, judged: Sequence[RowMatch]) -> dict[int, Problem]:
        """Return problems with marked words that do not exist, by index of the judgment."""
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
            place: units[match.unit_id] if match.of is None else _planned_claim(match.of)
            for place, match in marking.items()
        }
        passages = self._passages({unit.response_id for unit in about.values()})
        found = {}
        for place, unit in about.items():
            record = marking[place].record
            lengths = {0: len(unit.judged_text)}
            if self._dimension(record).marks == "passages":
                lengths |= passages[unit.response_id]
            span = first_outside(record.value, lengths)
            if span is not None:
                expected = "places of words that are there"
                found[place] = Problem(record.where.at("value"), expected, f"“{span}”")
            elif record.words:
                fault = _wrong_words(record, unit)
                found |= {} if fault is None else {place: fault}
        return found

    def _dimension(self, record: JudgmentRecord) -> Dimension:
        return self._protocol[record.dimension]

    def _passages(self, responses: set[int]) -> dict[int, dict[int, int]]:
        """Return the lengths of passages by response and number."""
        found: dict[int, dict[int, int]] = defaultdict(dict)
        rows = Source.objects.filter(response__in=responses).annotate(
            length=Length("passage__text")
        )
        for response, n, length in rows.values_list("response_id", "n", "length"):
            found[response][n] = length
        return found


def _planned_claim(of: WholeUnit) -> Unit:
    """Return a claim of a reference as it will be. Pairs have no marked words."""
    response, claim = of
    return Unit(response_id=response, kind=UnitKind.REFERENCE_CLAIM, text=str(claim))


def _wrong_words(record: JudgmentRecord, unit: Unit) -> Problem | None:
    """Return a problem if the marked words differ from the file's words. The file may count
    something other than code points."""
    texts = {0: unit.judged_text}
    if any(passage for passage, *_ in record.words):
        texts |= dict(unit.response.sources.values_list("n", "passage__text"))
    for passage, start, end, words in record.words:
        there = texts[passage][start:end]
        if there != words:
            expected = f"“{there[:80]}”, the words at these places, counted in code points"
            return Problem(record.where.at("answer"), expected, f"“{words[:80]}”")
    return None
