"""Read a file of a known format, record by record."""

from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Any

from annotate.formats.limits import RAISE_RECORDS, Limits
from annotate.formats.open_file import OpenFile
from annotate.formats.problems import Unreadable
from annotate.formats.reading import Found, ListMode, Reading
from annotate.formats.recognition import FORMATS
from annotate.formats.records import Problem, ResponseRecord, Where
from annotate.formats.repeats import ResponseRepeats
from annotate.formats.tables.mapping import ColumnMapping


class Reader(Iterator[Found]):
    """The records and problems of one file, in the file's order. `position` of `size` bytes
    are read. The suggested system and run are known after the last record."""

    def __init__(self, reading: Reading, format: str, *, repeats: bool = False) -> None:
        self._reading = reading
        self._repeats = repeats
        self._format = FORMATS[format]
        self._found = self._read()

    def __next__(self) -> Found:
        return next(self._found)

    def close(self) -> None:
        """Stop reading and close the file."""
        self._found.close()

    @property
    def position(self) -> int:
        return self._reading.source.position

    @property
    def size(self) -> int:
        return self._reading.source.size

    @property
    def suggested_system(self) -> str:
        return self._reading.suggested_system

    @property
    def suggested_run(self) -> str:
        return self._reading.suggested_run

    @property
    def args(self) -> Mapping[str, Any]:
        """The arguments of the system's run, as the file gives them."""
        return self._reading.args

    def _read(self) -> Generator[Found, None, None]:
        records = self._format.records
        limit = self._reading.limits.max_records
        repeats = ResponseRepeats()
        count = problems = 0
        try:
            for found in records(self._reading):
                if isinstance(found, Problem):
                    problems += 1
                else:
                    count += 1
                if count > limit or problems > limit:
                    expected = f"at most {limit:,} records"
                    raise Unreadable(Problem(found.where, expected, "more", RAISE_RECORDS))
                again = None
                if isinstance(found, ResponseRecord) and not self._repeats:
                    again = repeats.problem(found)
                yield again or found
        except Unreadable as error:
            yield error.problem
            return
        if not count and not problems and self._format.kind != "judgments":
            yield Problem(Where(), "at least one record", "none")


def read(
    path: Path,
    format: str,
    *,
    passages_path: Path | None = None,
    system: str = "",
    run: str = "",
    mode: ListMode = "auto",
    limits: Limits | None = None,
    repeats: bool = False,
    passages_optional: bool = False,
    name: str = "",
    mapping: ColumnMapping | None = None,
) -> Reader:
    """Read a file of the format with this key. Bad data gives problems, not exceptions.

    `system` and `run` name the responses for which the file has no names. `repeats` accepts several
    responses of one system and run to one question, which a study could not tell apart;
    `passages_optional` accepts ALCE's items without docs. `name` is the file's original name, if
    `path` differs. `mapping` names the columns of a table.
    """
    limits = limits or Limits()
    reading = Reading(
        source=OpenFile(path, limits),
        limits=limits,
        passages_path=passages_path,
        system=system,
        run=run,
        mode=mode,
        passages_optional=passages_optional,
        name=name or path.name,
        mapping=mapping,
    )
    return Reader(reading, format, repeats=repeats)
