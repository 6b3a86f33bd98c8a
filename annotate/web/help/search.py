"""The help's search for sections.

A search word matches every word that begins with it. Sections are ranked by the number of matched
words, then by the number of exact matches in their headings, then by BM25 with headings counted
several times. The home, which names all other documents, is left out.
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
"""The limit of shown sections."""

HEADING_WEIGHT = 4
"""How often the words of a heading are counted."""

BEFORE, AFTER = 80, 200
"""Characters shown before and after the first match."""

_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Hit:
    """A matching section with an extract."""

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
class _SectionIndex:
    entries: tuple[_Entry, ...]
    index: Index
    words: tuple[str, ...]
    """All distinct words, sorted."""


def search(text: str) -> tuple[list[Hit], int]:
    """Return the best sections, and the number of all matching ones."""
    wanted = sorted(set(_words(text)))
    sections = _section_index()
    matches = [_beginning_with(word, sections.words) for word in wanted]
    (scores,) = sections.index.scores([" ".join(word for words in matches for word in words)])
    ranked = []
    for at, (entry, score) in enumerate(zip(sections.entries, scores, strict=True)):
        has = sum(not entry.words.isdisjoint(words) for words in matches)
        if has:
            ranked.append((-has, -len(entry.heading.intersection(wanted)), -score, at))
    ranked.sort()
    return [_hit(sections.entries[at], wanted) for *_, at in ranked[:MOST]], len(ranked)


@cache
def _section_index() -> _SectionIndex:
    entries = []
    texts = []
    for name in filter(None, sources()):
        found = document(name)
        for section in found.sections:
            heads = f"{found.title} {section.title} " * HEADING_WEIGHT
            texts.append(heads + section.text)
            heading, words = frozenset(_words(section.title)), frozenset(_words(texts[-1]))
            entries.append(_Entry(found, section, heading, words))
    known = sorted(frozenset[str]().union(*(entry.words for entry in entries)))
    return _SectionIndex(tuple(entries), Index(texts), tuple(known))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _beginning_with(word: str, words: tuple[str, ...]) -> list[str]:
    first = bisect_left(words, word)
    last = bisect_left(words, word + "\U0010ffff")
    return list(words[first:last])


def _hit(entry: _Entry, wanted: list[str]) -> Hit:
    name, section = entry.document.name, entry.section
    # The title is at the beginning of the page and needs no anchor.
    anchor = f"#{section.anchor}" if section.level > 1 else ""
    extract = SafeString("".join(_extract(section.text, wanted)))
    return Hit(entry.document.title, section.title, address(name + anchor), extract)


def _extract(text: str, wanted: list[str]) -> Iterator[str]:
    """Yield the text around the first match, with all matches marked."""
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
