"""Preview a file before it is loaded: checked responses, and the first rows of a table."""

from copy import copy
from dataclasses import dataclass, field
from itertools import islice

from annotate import uploads
from annotate.content.shown_response import ShownAnswer, of_record
from annotate.formats import Limits, Where
from annotate.formats.attest import response
from annotate.formats.fields import Fields
from annotate.formats.records import JudgmentRow, Problem, ResponseRecord
from annotate.formats.tables.mapping import ColumnMapping
from annotate.models import Upload
from annotate.uploads.chunks import open_reader
from annotate.uploads.dividing import divide


@dataclass(frozen=True, slots=True)
class PreviewedAnswer:
    record: ResponseRecord
    shown: ShownAnswer


def answers(upload: Upload) -> list[PreviewedAnswer]:
    """Return the responses that the check kept. Indivisible ones are among the errors."""
    lines = upload.findings.get("preview", [])
    records = (response(Fields(line, Where(), []), Limits()) for line in lines)
    return [found for each in records if (found := shown_answer(upload, each))]


def shown_answer(upload: Upload, record: ResponseRecord) -> PreviewedAnswer | None:
    """Return one response as it will look; None if it cannot be divided."""
    division = upload.chosen_division
    try:
        found = divide(record, division, has_statements=upload.study.has_statements)
        answer = of_record(record, found, upload.study.citation_cap, division.language)
    except ValueError:
        return None
    return PreviewedAnswer(record, answer)


PREVIEWED_ROWS = 200
MOST_PROBLEMS = 5


@dataclass(slots=True)
class MappingPreview:
    """Counts of the first rows, and the first response or judgment."""

    responses: int = 0
    judgments: int = 0
    passages: int = 0
    problem_count: int = 0
    problems: list[Problem] = field(default_factory=list)
    is_all: bool = False
    preview: PreviewedAnswer | None = None
    judgment: JudgmentRow | None = None

    @property
    def rows(self) -> int:
        return self.responses + self.judgments + self.problem_count

    def add(self, found: object) -> ResponseRecord | None:
        """Count one record, and return it if it is the first response."""
        if isinstance(found, Problem):
            self.problem_count += 1
            self.problems += [found] if len(self.problems) < MOST_PROBLEMS else []
        elif isinstance(found, ResponseRecord):
            self.responses += 1
            self.passages += len(found.passages)
            return found if self.responses == 1 else None
        elif isinstance(found, JudgmentRow):
            self.judgments += 1
            self.judgment = self.judgment or found
        return None


def preview_mapping(
    upload: Upload, mapping: ColumnMapping, *, system: str, run: str
) -> MappingPreview | None:
    """Preview the first rows with this mapping; None if that would take long. That is the case
    in a large zip, and if many passages come first."""
    if not uploads.is_quick(upload):
        return None
    upload = copy(upload)
    upload.mapping, upload.format = mapping.as_json(), mapping.format
    upload.system, upload.run = system, run
    preview, first = MappingPreview(), None
    with open_reader(upload) as reader:
        found = list(islice(reader, PREVIEWED_ROWS + 1))
        reader.close()
    preview.is_all = len(found) <= PREVIEWED_ROWS
    for each in found[:PREVIEWED_ROWS]:
        first = preview.add(each) or first
    if first is not None:
        preview.preview = shown_answer(upload, first)
    return preview
