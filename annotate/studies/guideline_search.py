"""Guidelines to search, and what a later version says otherwise than an earlier one."""

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


def found(html: SafeString, wanted: str) -> tuple[SafeString, int]:
    """A text with every place marked that has what is wanted, in any case; and how many."""
    words = wanted.split()
    if not words:
        return html, 0
    # The text between tags is escaped, so that what is wanted is, too; no part of an entity is it.
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
    """Some words that stayed, came or went."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Change:
    """A paragraph with what changed in it; of unchanged ones in between, how many there are."""

    kind: Kind
    runs: tuple[ChangedWords, ...] = ()
    skipped: int = 0


def changes(before: str, after: str) -> list[Change]:
    """What changed from one text to the other, paragraph by paragraph and in them by words."""
    old, new = _paragraphs(before), _paragraphs(after)
    return list(_changes(old, new))


def _paragraphs(text: str) -> list[str]:
    """Blocks between empty lines; each point of a list is one."""
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


def begun_with(study: Study, user: User) -> int | None:
    """The version of the guidelines that somebody saw first as a rater; none before any task."""
    mine = Assignment.objects.filter(
        Q(judge__user=user) | Q(judge__round__judge__user=user), batch__study=study
    )
    first: int | None = mine.aggregate(first=Min("guidelines__number"))["first"]
    return first
