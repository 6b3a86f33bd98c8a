"""A file format, and what its reader is given."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, Literal

from annotate.formats.limits import NAME_CHARS, RUN_CHARS, Limits
from annotate.formats.open_file import OpenFile
from annotate.formats.records import (
    CapturedRow,
    JudgmentRow,
    Problem,
    QuestionRow,
    ReferenceRow,
    ResponseRecord,
)
from annotate.formats.tables.mapping import ColumnMapping

Kind = Literal["outputs", "judgments", "references", "captures", "questions"]


@dataclass(frozen=True, slots=True)
class Beginning:
    """The first text of a file, and what it says as JSON or CSV.

    `value` is the JSON object or list that it begins with, which may be cut off; `columns` are the
    names in its first row, where it is no JSON.
    """

    text: str
    value: Any = None
    columns: frozenset[str] = frozenset()

    @property
    def members(self) -> Mapping[str, Any]:
        """The members of the JSON object; none where it is none."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def first_object(self) -> Mapping[str, Any] | None:
        """The first object in the JSON list, where it is one and has one."""
        items = self.value if isinstance(self.value, list) else ()
        return next((item for item in items if isinstance(item, dict)), None)


def example_of(name: str) -> str:
    """The example that stands in a file of its own."""
    return (Path(__file__).parent / "examples" / name).read_text(encoding="utf-8")


ListMode = Literal["auto", "sentences", "list"]
Found = ResponseRecord | JudgmentRow | ReferenceRow | CapturedRow | QuestionRow | Problem
Records = Iterator[Found]

ALCE_DATASETS = frozenset({"asqa", "eli5", "qampari"})
"""With whose names ALCE begins the names of its files."""


@dataclass(slots=True)
class Reading:
    """One file being read. `system` and `run` are used where the file names none.

    `passages_optional` accepts outputs without a list of passages.
    """

    source: OpenFile
    limits: Limits
    passages_path: Path | None = None
    system: str = ""
    run: str = ""
    mode: ListMode = "auto"
    passages_optional: bool = False
    name: str = ""
    """What the file was called, where that is known."""

    mapping: ColumnMapping | None = None
    """What the columns of a table are; of other formats there is none."""

    suggested_system: str = ""
    suggested_run: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)

    @property
    def dataset(self) -> str:
        """The data set of the whole file: as the arguments say, else as the file is called."""
        given = self.args.get("dataset_name") or self.args.get("dataset")
        if isinstance(given, str) and given.strip():
            return given.strip()[:NAME_CHARS]
        first = re.split(r"[-_.]", self.name.lower(), maxsplit=1)[0]
        return first if first in ALCE_DATASETS else ""

    def is_list(self, guess: bool) -> bool:
        """Whether an output is a list of entities, unless the caller has said so already."""
        return guess if self.mode == "auto" else self.mode == "list"

    def learn(self, args: Mapping[str, Any]) -> None:
        """Takes the arguments that a system was run with, and names it after them."""
        self.args = args
        model = args.get("model") or args.get("model_name")
        if isinstance(model, str) and model.strip():
            words = [PurePosixPath(model.strip().rstrip("/")).name]
            if _plain(args.get("shot")):
                words.append(f"{args['shot']}-shot")
            if _plain(args.get("ndoc")):
                words.append(f"{args['ndoc']} passages")
            self.suggested_system = ", ".join(words)[:RUN_CHARS]
        if _plain(args.get("seed")):
            self.suggested_run = str(args["seed"])[:RUN_CHARS]


@dataclass(frozen=True, kw_only=True, slots=True)
class Format:
    """One file format, as pages, forms, commands and readers know it."""

    key: str
    title: str
    extensions: tuple[str, ...]
    kind: Kind
    description: str

    example: str
    """A small whole file, for the page that explains the format; it is read by the tests."""

    begins_so: Callable[[Beginning], bool]
    """Whether a file that begins so is in this format."""

    records: Callable[[Reading], Records]
    """Reads one: its records, and what is wrong with it."""

    mapped: bool = False
    """Whether a mapping says what its columns are; such a file is told by nothing else."""


def _plain(value: Any) -> bool:
    """A number, or a text of digits."""
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, str) and value.isdecimal())
