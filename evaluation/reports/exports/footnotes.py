"""Why numbers of a table are undefined: a letter in the cell, the reason below the table."""

from string import ascii_lowercase

from evaluation.reports.tables.table import Table, Value


def reasons(table: Table) -> dict[str, str]:
    """The letter of each reason, in the order in which they appear."""
    found = dict.fromkeys(
        cell.reason
        for row in table.rows
        for cell in row
        if isinstance(cell, Value) and cell.value is None and cell.reason
    )
    return {reason: letter(position) for position, reason in enumerate(found)}


def letter(position: int) -> str:
    """a, b, … z, aa, ab, …"""
    more, last = divmod(position, 26)
    return (letter(more - 1) if more else "") + ascii_lowercase[last]
