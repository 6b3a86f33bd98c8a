"""Search the guidelines, and compare two of their versions."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape
from typing import Literal

from django.db.models import Min, Q
from django.utils.safestring import SafeString

from annotate.models import Assignment, Study, User

Kind = Literal["same", "added", "removed", "changed"]

_PARTS = re.compile(r"(<[^>]*>)")
_WORDS = re.compile(r"\s+|[^\s]+")


def highlighted(html: SafeString, query: str) -> tuple[SafeString, int]:
    """Return a text with every match of the query marked, and the number of matches."""
    words = query.split()
    if not words:
        return html, 0
    # The text between tags is escaped, so the query is also; parts of entities do not match.
    wanted = r"\s+".join(re.escape(escape(word)) for word in words)
    pattern = re.compile(rf"({wanted})|&#?\w+;", re.IGNORECASE)
    count = 0
    parts = []
    for part in _PARTS.split(html):
        if not part.startswith("<"):
            count += sum(bool(match[1]) for match in pattern.finditer(part))
            part = pattern.sub(_marked, part)
        parts.append(part)
    return SafeString("".join(parts)), count


def _marked(match: re.Match[str]) -> str:
    return f"<mark>{match[0]}</mark>" if match[1] else match[0]


@dataclass(frozen=True, slots=True)
class ChangedWords:
    """Consecutive words that stayed, were added or were removed."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """A changed paragraph, or the number of unchanged paragraphs in between."""

    kind: Kind
    runs: tuple[ChangedWords, ...] = ()
    skipped: int = 0


def changes(before: str, after: str) -> list[Change]:
    """Return the changes between two texts by paragraph, and within paragraphs by word."""
    return list(_changes(_paragraphs(before), _paragraphs(after)))


def _paragraphs(text: str) -> list[str]:
    """Return the blocks between empty lines; each item of a list is one."""
    return [part.strip() for part in re.split(r"\n\s*\n|\n(?=[-*\d#])", text) if part.strip()]


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[Change]:
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            yield Change("same", skipped=d - c)
            continue
        shared = min(b - a, d - c)
        for was, now in zip(old[a : a + shared], new[c : c + shared], strict=True):
            yield _changed(was, now)
        yield from (
            Change("removed", (ChangedWords("removed", text),)) for text in old[a + shared : b]
        )
        yield from (Change("added", (ChangedWords("added", text),)) for text in new[c + shared : d])


def _changed(was: str, now: str) -> Change:
    old, new = _WORDS.findall(was), _WORDS.findall(now)
    runs: list[ChangedWords] = []
    for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "equal":
            runs.append(ChangedWords("same", "".join(new[c:d])))
            continue
        runs += _run("removed", old[a:b])
        runs += _run("added", new[c:d])
    return Change("changed", tuple(runs))


def _run(kind: Kind, words: Iterable[str]) -> list[ChangedWords]:
    text = "".join(words)
    return [ChangedWords(kind, text)] if text else []


def first_version_seen(study: Study, user: User) -> int | None:
    """Return the first version of the guidelines that a rater saw, or None before any task."""
    own = Assignment.objects.filter(
        Q(judge__user=user) | Q(judge__round__judge__user=user), batch__study=study
    )
    first: int | None = own.aggregate(first=Min("guidelines__number"))["first"]
    return first
