"""A file format, and the input of its reader."""

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
    """The first text of a file, parsed as JSON or CSV.

    `value` is the JSON object or list at its beginning, which may be cut off. `columns` are the
    names in the first row of a file that is not JSON.
    """

    text: str
    value: Any = None
    columns: frozenset[str] = frozenset()

    @property
    def members(self) -> Mapping[str, Any]:
        """The members of the JSON object; empty for other values."""
        return self.value if isinstance(self.value, dict) else {}

    @property
    def first_object(self) -> Mapping[str, Any] | None:
        """The first object in the JSON list; None without one."""
        items = self.value if isinstance(self.value, list) else ()
        return next((item for item in items if isinstance(item, dict)), None)


def example_of(name: str) -> str:
    """Return the text of an example file."""
    return (Path(__file__).parent / "examples" / name).read_text(encoding="utf-8")


ListMode = Literal["auto", "sentences", "list"]
Found = ResponseRecord | JudgmentRow | ReferenceRow | CapturedRow | QuestionRow | Problem
Records = Iterator[Found]

ALCE_DATASETS = frozenset({"asqa", "eli5", "qampari"})
"""ALCE's file names begin with these."""


@dataclass(slots=True)
class Reading:
    """One file being read. `system` and `run` apply if the file names none.
    `passages_optional` accepts outputs without a list of passages."""

    source: OpenFile
    limits: Limits
    passages_path: Path | None = None
    system: str = ""
    run: str = ""
    mode: ListMode = "auto"
    passages_optional: bool = False
    name: str = ""
    """The file's original name, if known."""

    mapping: ColumnMapping | None = None
    """The fields of a table's columns; None for other formats."""

    suggested_system: str = ""
    suggested_run: str = ""
    args: Mapping[str, Any] = field(default_factory=dict)

    @property
    def dataset(self) -> str:
        """The data set of the whole file, from the arguments or from the file's name."""
        given = self.args.get("dataset_name") or self.args.get("dataset")
        if isinstance(given, str) and given.strip():
            return given.strip()[:NAME_CHARS]
        first = re.split(r"[-_.]", self.name.lower(), maxsplit=1)[0]
        return first if first in ALCE_DATASETS else ""

    def is_list(self, guess: bool) -> bool:
        """Return whether an output is a list of entities. The caller's choice wins."""
        return guess if self.mode == "auto" else self.mode == "list"

    def take_args(self, args: Mapping[str, Any]) -> None:
        """Keep the arguments of the system's run, and name the system after them."""
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
    """One file format, for pages, forms, commands and readers."""

    key: str
    title: str
    extensions: tuple[str, ...]
    kind: Kind
    description: str

    example: str
    """A small complete file for the help page. The tests read it."""

    begins_so: Callable[[Beginning], bool]
    """Whether a file with this beginning has this format."""

    records: Callable[[Reading], Records]
    """Yields the records and problems of a file."""

    mapped: bool = False
    """Whether a mapping names its columns. Such a file is recognised by nothing else."""


def _plain(value: Any) -> bool:
    """Return whether a value is a whole number or a text of digits."""
    if isinstance(value, bool):
        return False
    return isinstance(value, int) or (isinstance(value, str) and value.isdecimal())
