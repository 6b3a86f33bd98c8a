"""Turn content into files to upload."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from io import BytesIO
from pathlib import Path
from shutil import copyfileobj
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any, Union
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

if TYPE_CHECKING:
    import pandas as pd

Content = Union[str, Path, bytes, Sequence[Mapping[str, Any]], "pd.DataFrame"]
"""A file or a folder by its path, a file's bytes, rows, or a DataFrame."""

ROWS = 5_000

GUESS = "guess"
"""A value of `mapping` that accepts the guessed mapping."""


@contextmanager
def as_file(content: Content) -> Iterator[tuple[str, IO[bytes]]]:
    """Yield a name and an open file. Folders are zipped and rows written to a temporary file."""
    with ExitStack() as opened:
        if isinstance(content, bytes):
            yield "file", BytesIO(content)
        elif isinstance(content, (str, Path)) and not Path(content).is_dir():
            path = Path(content)
            yield path.name, opened.enter_context(path.open("rb"))
        else:
            written = opened.enter_context(TemporaryFile(prefix="attest-"))
            name = _write(content, written)
            written.seek(0)
            yield name, written


def _write(content: Any, out: IO[bytes]) -> str:
    """Write a folder or rows to a file and return its name."""
    if isinstance(content, (str, Path)):
        folder = Path(content).resolve()
        _zip(folder, out)
        return f"{folder.name}.zip"
    is_frame = hasattr(content, "to_dict")  # a DataFrame, whose `to_json` would round numbers
    for row in _rows_of(content) if is_frame else content:
        out.write(json.dumps(dict(row), ensure_ascii=False).encode() + b"\n")
    return "table.jsonl" if is_frame else "rows.jsonl"


def _zip(folder: Path, out: IO[bytes]) -> None:
    """Zip all files below a folder, sorted by name, except hidden ones and links."""
    with ZipFile(out, "w", ZIP_DEFLATED, compresslevel=1) as archive:
        for path in sorted(folder.rglob("*")):
            inside = path.relative_to(folder)
            hidden = any(part.startswith((".", "__")) for part in inside.parts)
            if hidden or path.is_symlink() or not path.is_file():
                continue
            entry = ZipInfo(inside.as_posix())
            entry.compress_type = ZIP_DEFLATED
            entry.file_size = path.stat().st_size
            with path.open("rb") as file, archive.open(entry, "w") as member:
                copyfileobj(file, member, 1 << 20)
        if not archive.namelist():
            raise ValueError(f"There is no file in the folder {folder}.")


def _rows_of(frame: Any) -> Iterator[Any]:
    """Yield the rows of a DataFrame as JSON values, converted in batches."""
    for first in range(0, len(frame), ROWS):
        yield from _plain(frame.iloc[first : first + ROWS].to_dict("records"))


def _plain(value: Any) -> Any:
    """Return a cell as a JSON value. A missing value is null, a date is a text."""
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in value]
    if hasattr(value, "tolist"):
        return _plain(value.tolist())
    if type(value).__name__ in {"NAType", "NaTType"}:
        return None
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if hasattr(value, "isoformat"):
        return value.isoformat()
    return value if isinstance(value, (str, int, bool, type(None))) else str(value)


def as_mapping(mapping: Any) -> str:
    """Return a mapping as JSON, from an object or a file."""
    if mapping is None or mapping == GUESS:
        return ""
    if isinstance(mapping, (str, Path)):
        return Path(mapping).read_text(encoding="utf-8")
    return json.dumps(mapping, ensure_ascii=False)
