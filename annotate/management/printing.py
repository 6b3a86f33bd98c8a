"""Write exports to a file or the terminal, and the options of commands that export."""

import os
import sys
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from annotate.formats.spreadsheets import for_spreadsheets
from annotate.protocol.slices import SliceError, split_slice


def cannot_write(path: Path, error: OSError) -> CommandError:
    """Return the error for a file that cannot be written."""
    return CommandError(f"{path} cannot be written: {os.strerror(error.errno or 0)}.")


def offer_spreadsheet(parser: ArgumentParser) -> None:
    """Add the option of commands that write CSV."""
    parser.add_argument(
        "--spreadsheet",
        action="store_true",
        help="as CSV that a spreadsheet program opens safely, and Attest reads back",
    )


def as_wanted(lines: Iterable[str], form: str, options: Mapping[str, Any]) -> Iterable[str]:
    """Return the lines of a file, safe for spreadsheets with the option."""
    if not options["spreadsheet"]:
        return lines
    if form != "csv":
        raise CommandError("--spreadsheet is for CSV: leave it out, or choose that format.")
    return for_spreadsheets(lines)


def write_lines(command: BaseCommand, lines: Iterable[str], path: Path | None) -> None:
    """Write line by line, and stop quietly if the reader closes the pipe, as `head` does."""
    if path is not None:
        try:
            with path.open("w", encoding="utf-8", newline="") as handle:
                handle.writelines(lines)
        except OSError as error:
            raise cannot_write(path, error) from None
        return
    try:
        for line in lines:
            command.stdout.write(line, ending="")
        command.stdout.flush()
    except BrokenPipeError:
        # Python would report the error again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def offer_slices(parser: ArgumentParser) -> None:
    """Add the option of commands that export some questions."""
    parser.add_argument(
        "--slice",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        type=_slice,
        help="of questions; again for each",
    )


def _slice(text: str) -> str:
    try:
        split_slice(text)
    except SliceError as error:
        raise ArgumentTypeError(str(error)) from None
    return text
