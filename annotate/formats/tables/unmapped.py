"""Tables whose columns nobody has named yet."""

from annotate.formats.open_file import OpenFile
from annotate.formats.problems import Unreadable, listed
from annotate.formats.reading import Reading
from annotate.formats.records import Problem, Where
from annotate.formats.tables.mapping import ColumnMapping
from annotate.formats.tables.opening import table_rows

ADVICE = "Say so on the upload's page, or give a mapping with the file."


def mapping_needed(reading: Reading) -> ColumnMapping:
    """The mapping by which a table is read; without one, reading ends where the table begins."""
    if reading.mapping is not None:
        return reading.mapping
    first = next(table_rows(OpenFile(reading.source.path, reading.limits)), None)
    if isinstance(first, Problem):
        raise Unreadable(first)
    found = f"a table with the columns {listed(first[1])}" if first else "a table without rows"
    raise Unreadable(Problem(Where(), "a mapping of the table's columns", found, ADVICE))
