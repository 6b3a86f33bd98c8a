"""Reading made files in tests."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from annotate.formats import (
    FORMATS,
    CapturedRow,
    JudgmentRow,
    Limits,
    Problem,
    QuestionRow,
    Reader,
    ReferenceRow,
    ResponseRecord,
    read,
)
from annotate.formats.tables.guessing import guess
from annotate.formats.tables.sampling import first_rows


@dataclass
class Outcome:
    """Everything that a reader gave, by kind and in order."""

    responses: list[ResponseRecord]
    rows: list[JudgmentRow]
    references: list[ReferenceRow]
    captured: list[CapturedRow]
    questions: list[QuestionRow]
    problems: list[Problem]
    reader: Reader

    @property
    def all(self) -> list[ResponseRecord | JudgmentRow | ReferenceRow | CapturedRow | QuestionRow]:
        """What was read of the file, without its problems."""
        answers, rows = self.responses, self.rows
        return [*answers, *rows, *self.references, *self.captured, *self.questions]


def outcome(path: Path, content: bytes | str | list | dict, format: str, **options: Any) -> Outcome:
    """Writes a file and reads it back; lists and objects become JSON."""
    if isinstance(content, (list, dict)):
        content = json.dumps(content)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    reader = read(path, format, **options)
    found = list(reader)
    return Outcome(
        [each for each in found if isinstance(each, ResponseRecord)],
        [each for each in found if isinstance(each, JudgmentRow)],
        [each for each in found if isinstance(each, ReferenceRow)],
        [each for each in found if isinstance(each, CapturedRow)],
        [each for each in found if isinstance(each, QuestionRow)],
        [each for each in found if isinstance(each, Problem)],
        reader,
    )


def example_options(key: str, path: Path) -> dict[str, Any]:
    """What a format's example is read with: a table by the mapping that is guessed for it."""
    if not FORMATS[key].mapped:
        return {}
    path.write_text(FORMATS[key].example)
    rows = first_rows(path, Limits())
    return {"mapping": guess(rows, list(rows[0]))}
