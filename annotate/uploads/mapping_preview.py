"""What the first rows of a table would become by a mapping, before it is kept or checked."""

from copy import copy
from dataclasses import dataclass, field
from itertools import islice

from annotate import uploads
from annotate.formats.records import JudgmentRow, Problem, ResponseRecord
from annotate.formats.tables.mapping import ColumnMapping
from annotate.models import Upload
from annotate.uploads.chunks import open_reader
from annotate.uploads.preview import PreviewedAnswer, shown

MOST_ROWS = 200
MOST_PROBLEMS = 5


@dataclass(slots=True)
class Trial:
    """Counts of the first rows; the first response as it would look, or the first judgment."""

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
        """Count one thing that was read; gives the first response."""
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


def tried(upload: Upload, mapping: ColumnMapping, *, system: str, run: str) -> Trial | None:
    """The first rows by this mapping. None where that would take long: in a large zip, and where
    many passages must be read first."""
    if not uploads.is_quick(upload):
        return None
    upload = copy(upload)
    upload.mapping, upload.format = mapping.as_json(), mapping.format
    upload.system, upload.run = system, run
    trial, first = Trial(), None
    with open_reader(upload) as reader:
        found = list(islice(reader, MOST_ROWS + 1))
        reader.close()
    trial.is_all = len(found) <= MOST_ROWS
    for each in found[:MOST_ROWS]:
        first = trial.add(each) or first
    if first is not None:
        trial.preview = shown(upload, first)
    return trial
