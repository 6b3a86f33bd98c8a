"""The passages of Attributed QA predictions: a `.jsonl` beside the `.csv`, looked up by id."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from annotate.formats.fields import Fields
from annotate.formats.json_lines import json_lines
from annotate.formats.limits import LONG_NAME_CHARS, Limits
from annotate.formats.open_file import OpenFile
from annotate.formats.problems import Unreadable
from annotate.formats.records import PassageRecord, Problem, Where


class PassagesFile:
    """Where in the file each passage stands; the texts themselves stay on the disk."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self._path = path
        self._limits = limits
        self._offsets: dict[str, int] = {}

    def index(self) -> Iterator[Problem]:
        """Reads the file once. Gives what is wrong with it."""
        source = OpenFile(self._path, self._limits)
        lines: dict[str, int] = {}
        try:
            for line in json_lines(source):
                problems = list(line.problems(self._limits))
                fields = Fields.of(line.value, line.where, problems) if not problems else None
                if fields is not None:
                    key = fields.name("id", longest=LONG_NAME_CHARS, required=True)
                    fields.text("contents", blank=False)
                    if key in lines:
                        fields.complain("id", "each id once", f"the id of line {lines[key]} again")
                    if not problems and line.where.line:
                        lines[key] = line.where.line
                        self._offsets[key] = line.offset
                yield from (self._here(problem) for problem in problems)
        except Unreadable as error:
            raise Unreadable(self._here(error.problem)) from None

    def passages(self) -> "OpenPassages":
        return OpenPassages(self._path, self._offsets)

    def _here(self, problem: Problem) -> Problem:
        place = problem.where
        where = Where(place.line, place.index, place.field, file=f"passages file {self._path.name}")
        return Problem(where, problem.expected, problem.found, problem.advice)


class OpenPassages:
    """Fetches passages by id."""

    def __init__(self, path: Path, offsets: dict[str, int]) -> None:
        self._file = path.open("rb")
        self._offsets = offsets

    def get(self, key: str) -> PassageRecord | None:
        """Passage 1 of a response, where the file has the id."""
        offset = self._offsets.get(key)
        if offset is None:
            return None
        self._file.seek(offset)
        members: dict[str, Any] = json.loads(self._file.readline())
        contents = members.pop("contents")
        members.pop("id")
        title, section, text = divided(contents)
        if section:
            members["section"] = section
        return PassageRecord(1, title, text, key, metadata=members)

    def close(self) -> None:
        self._file.close()


def divided(contents: str) -> tuple[str, str, str]:
    """Title, section and text of `« Title » « Title, Section » text`; no title where it differs."""
    title, rest = _heading(contents.strip())
    if not title:
        return "", "", contents
    section, text = _heading(rest)
    if not section.startswith(title):
        section, text = "", rest
    return title, section.removeprefix(title).lstrip(", "), text


def _heading(text: str) -> tuple[str, str]:
    """What stands between guillemets at the start, and what follows."""
    if not text.startswith("«"):
        return "", text
    heading, closing, rest = text[1:].partition("»")
    return (heading.strip(), rest.strip()) if closing else ("", text)
