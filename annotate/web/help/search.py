"""The help's search: sections that have the words, best first.

A word that is asked for stands for every word that begins with it. Sections that have more of the
words come first, then those whose headings have more of them as they are, then those that BM25
finds to fit best, where what stands in a heading counts as if it were said several times. The home,
which names all others, is left out.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from django.utils.html import escape
from django.utils.safestring import SafeString

from annotate.text.bm25 import Index
from annotate.web.help.documents import HelpDocument, HelpSection, address, document, sources

MOST = 40
"""Sections that are shown."""

OF_HEADINGS = 4
"""So many times what a heading says is counted."""

BEFORE, AFTER = 80, 200
"""Characters of the text that are shown around the first word."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Hit:
    """A section that has words of those that were asked for."""

    document: str
    title: str
    address: str
    extract: SafeString


@dataclass(frozen=True, slots=True)
class _Entry:
    document: HelpDocument
    section: HelpSection
    heading: frozenset[str]
    words: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Kept:
    entries: tuple[_Entry, ...]
    index: Index
    words: tuple[str, ...]
    """All there are, in order."""


def search(asked: str) -> tuple[list[Hit], int]:
    """The best sections, and how many there are."""
    wanted = sorted(set(_words(asked)))
    kept = _kept()
    meant = [_beginning_with(word, kept.words) for word in wanted]
    (scores,) = kept.index.scores([" ".join(word for words in meant for word in words)])
    ranked = []
    for at, (entry, score) in enumerate(zip(kept.entries, scores, strict=True)):
        has = sum(not entry.words.isdisjoint(words) for words in meant)
        if has:
            ranked.append((-has, -len(entry.heading.intersection(wanted)), -score, at))
    ranked.sort()
    return [_hit(kept.entries[at], wanted) for *_, at in ranked[:MOST]], len(ranked)


@cache
def _kept() -> _Kept:
    entries = []
    texts = []
    for name in filter(None, sources()):
        found = document(name)
        for section in found.sections:
            heads = f"{found.title} {section.title} " * OF_HEADINGS
            texts.append(heads + section.text)
            heading, words = frozenset(_words(section.title)), frozenset(_words(texts[-1]))
            entries.append(_Entry(found, section, heading, words))
    known = sorted(frozenset[str]().union(*(entry.words for entry in entries)))
    return _Kept(tuple(entries), Index(texts), tuple(known))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _beginning_with(word: str, words: tuple[str, ...]) -> list[str]:
    first = bisect_left(words, word)
    last = bisect_left(words, word + "\U0010ffff")
    return list(words[first:last])


def _hit(entry: _Entry, wanted: list[str]) -> Hit:
    name, section = entry.document.name, entry.section
    # The title of a document is its page's own, which begins there.
    anchor = f"#{section.anchor}" if section.level > 1 else ""
    extract = SafeString("".join(_extract(section.text, wanted)))
    return Hit(entry.document.title, section.title, address(name + anchor), extract)


def _extract(text: str, wanted: list[str]) -> Iterator[str]:
    """The text around the first of the words, with the words marked."""
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, wanted))})\w*", re.IGNORECASE)
    first = pattern.search(text)
    start = max(0, first.start() - BEFORE) if first else 0
    if start:
        start = text.find(" ", start) + 1
    end = start + BEFORE + AFTER
    if end < len(text):
        end = max(text.rfind(" ", start, end), start + AFTER)
    yield "… " if start else ""
    at = start
    for match in pattern.finditer(text, start, min(end, len(text))):
        yield f"{escape(text[at : match.start()])}<mark>{escape(match[0])}</mark>"
        at = match.end()
    yield escape(text[at:end])
    yield " …" if end < len(text) else ""
