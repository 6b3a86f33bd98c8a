"""Where exports go: a file, or the terminal and whatever reads from it."""

import os
import sys
from collections.abc import Iterable
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError


def cannot_write(path: Path, error: OSError) -> CommandError:
    """Why a file cannot be written, without the words of the library that tried."""
    return CommandError(f"{path} cannot be written: {os.strerror(error.errno or 0)}.")


def write_lines(command: BaseCommand, lines: Iterable[str], path: Path | None) -> None:
    """Write line by line; a reader that has seen enough, such as `head`, ends it quietly."""
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
        # Python would complain once more when it flushes what is left at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
