"""Find the citation marks of a paragraph, and what they cite.

`candidates_of` finds what may be a mark: numbers in brackets, links, addresses. The surroundings
then decide about candidates that may be plain text. No step looks far.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from annotate.text.addresses import BARE, end_of_bare, host_of, is_address
from annotate.text.inline import Inline, Link
from annotate.text.sources import Sources
from annotate.text.styles import (
    ADDRESS,
    LINK,
    LIST,
    MARK,
    OPENS,
    SQUARE,
    numbers_in,
    numbers_of,
    style_of,
)

STOPS = frozenset(".!?…。！？｡؟۔।॥")
CLOSING = frozenset(")]}\"'”’»」』）］】》›")
OPENING = {"(": ")", "[": "]", "（": "）", "［": "］"}
SEPARATORS = frozenset(",;、，；،؛")

_NO_OPENING = STOPS | SEPARATORS | frozenset(":：-–—/")
"""Characters that do not begin a sentence."""

_LABEL_NUMBER = re.compile(LIST)
_EXPONENT_AFTER = re.compile(r"(?:\d|[⁺⁻]|(?<![^\W_])[^\W\d_]|(?<![^\W_])(?:mm|cm|dm|km|ft))\Z")
_LONGEST_UNIT = 4
_NUMBERED_THING = re.compile(
    r"\b(?:figs?|figures?|eqs?|tables?|sections?|steps?)\.?\s{0,3}\Z", re.I
)
_LONGEST_THING = 16


@dataclass(slots=True)
class MarkCandidate:
    """A possible mark; `marks_of` decides.

    `label` bounds its wording, if it has one that may stay; `wording` tells that it is part of the
    text. `after` is the place of the next character other than white space, markup, a mark or a
    closing character, and `before` the last one in front. `leads` tells whether another mark is in
    between.
    """

    start: int
    end: int
    style: str
    numbers: tuple[int, ...] = ()
    url: str = ""
    label: tuple[int, int] | None = None
    sure: bool = True
    doubtful: bool = False
    after: int = 0
    before: int = 0
    leads: bool = False
    wording: bool = False
    alone: bool = False
    """Whether only marks are in its brackets, or it is the only content of a table's cell."""


def candidates_of(
    text: str, inline: Inline, sources: Sources, *, is_cell: bool = False, rounds: bool = True
) -> list[MarkCandidate]:
    """Return all possible marks of `text`, in order, with their surroundings. Numbers in round
    brackets are included only with `rounds`."""
    found = _numbered(text, inline, sources, rounds=rounds)
    addresses = "://" in text
    if inline.links:
        found += _linked(text, inline, sources)
    if addresses:
        found += _bare(text, inline)
    if inline.links or addresses:
        found.sort(key=lambda candidate: candidate.start)
        found = list(_apart(found))
    for each in found:
        if each.url or each.doubtful:
            _look_around(text, inline, found, is_cell=is_cell)
            break
    return found


def _apart(found: Iterable[MarkCandidate]) -> Iterator[MarkCandidate]:
    """Leave out candidates that start inside another one."""
    reached = 0
    for candidate in found:
        if candidate.start >= reached:
            yield candidate
            reached = candidate.end


def _numbered(text: str, inline: Inline, sources: Sources, *, rounds: bool) -> list[MarkCandidate]:
    closed = _closed(inline)
    at, reached = 0, 0
    candidates: list[MarkCandidate] = []
    for opening in OPENS.finditer(text):
        place = opening.start()
        while at < len(closed) and closed[at][1] <= place:
            at += 1
        if place < reached or (at < len(closed) and closed[at][0] <= place):
            continue
        if opening[1]:
            numbers = numbers_in(opening[1], sources.count)
            if numbers is not None:
                reached = opening.end()
                candidates.append(MarkCandidate(place, reached, SQUARE, numbers))
            continue
        found = MARK.match(text, place)
        if found is None:
            continue
        style = style_of(found)
        numbers = numbers_of(found, style, sources.count)
        if numbers is None:
            continue
        if style.key in ("superscript", "sup") and _is_exponent(text, place):
            continue
        if style.doubtful and (not rounds or _is_no_passage(text, place, numbers)):
            continue
        reached = found.end()
        candidates.append(
            MarkCandidate(place, reached, style.key, numbers, doubtful=style.doubtful)
        )
    return candidates


def _closed(inline: Inline) -> list[tuple[int, int]]:
    """Return the places that are not searched."""
    if not inline.opaque and not inline.links:
        return []
    return sorted([*inline.opaque, *((link.start, link.end) for link in inline.links)])


def _is_exponent(text: str, place: int) -> bool:
    return _EXPONENT_AFTER.search(text[max(0, place - _LONGEST_UNIT) : place]) is not None


def _is_no_passage(text: str, place: int, numbers: Sequence[int]) -> bool:
    """Return whether numbers in round brackets are a year or name a figure."""
    if any(1000 <= number <= 2999 for number in numbers):
        return True
    return _NUMBERED_THING.search(text[max(0, place - _LONGEST_THING) : place]) is not None


def _linked(text: str, inline: Inline, sources: Sources) -> Iterator[MarkCandidate]:
    for link in inline.links:
        if link.image:
            continue
        if link.bare:
            yield MarkCandidate(link.start, link.end, ADDRESS, url=link.url, sure=False)
        elif numbers := _label_numbers(text, link, sources):
            yield MarkCandidate(link.start, link.end, LINK, numbers)
        elif is_address(link.url):
            label = (link.label_start, link.label_end)
            yield MarkCandidate(link.start, link.end, LINK, url=link.url, label=label)


def _label_numbers(text: str, link: Link, sources: Sources) -> tuple[int, ...] | None:
    label = text[link.label_start : link.label_end].strip()
    if _LABEL_NUMBER.fullmatch(label):
        return numbers_in(label, sources.count)
    mark = MARK.fullmatch(label) or MARK.fullmatch(f"[{label}]")  # `[^1^](…)`, `[Source 1](…)`
    return numbers_of(mark, style_of(mark), sources.count) if mark else None


def _bare(text: str, inline: Inline) -> Iterator[MarkCandidate]:
    closed = _closed(inline)
    at = 0
    for found in BARE.finditer(text):
        while at < len(closed) and closed[at][1] <= found.start():
            at += 1
        if at < len(closed) and closed[at][0] <= found.start():
            continue
        end = end_of_bare(text, *found.span())
        url = text[found.start() : end]
        if url.endswith("://"):
            continue
        yield MarkCandidate(found.start(), end, ADDRESS, url=url, sure=False)


def _look_around(
    text: str, inline: Inline, found: Sequence[MarkCandidate], *, is_cell: bool
) -> None:
    """Fill in the surroundings of each candidate. A gap is read at most twice."""
    opens = {markup.start: markup.end for markup in inline.markup}
    closes = {markup.end: markup.start for markup in inline.markup}
    follower: MarkCandidate | None = None
    for candidate in reversed(found):
        place, parting = candidate.end, -1
        stop = follower.start if follower else len(text)
        while place < stop:
            if place in opens:
                place = opens[place]
            elif text[place].isspace() or text[place] in CLOSING:
                place += 1
            elif text[place] in SEPARATORS:
                parting = place if parting < 0 else parting
                place += 1
            else:
                break
        if follower and place >= stop:
            candidate.after, candidate.leads = follower.after, True
        else:
            candidate.after = place if parting < 0 else parting
        follower = candidate
    earlier: MarkCandidate | None = None
    for candidate in found:
        place, parting = candidate.start, -1
        stop = earlier.end if earlier else 0
        while place > stop:
            if place in closes:
                place = closes[place]
            elif text[place - 1].isspace() or text[place - 1] in OPENING:
                place -= 1
            elif text[place - 1] in SEPARATORS:
                parting = place if parting < 0 else parting
                place -= 1
            else:
                break
        if earlier and place <= stop:
            candidate.before = earlier.before
        else:
            candidate.before = (place if parting < 0 else parting) - 1
        earlier = candidate
    for run in runs_of(text, inline, found):
        alone = _bracketed(text, opens, closes, run) or (
            is_cell and run[0].before < 0 and run[-1].after >= len(text)
        )
        for candidate in run:
            candidate.alone = alone


def runs_of(
    text: str, inline: Inline, found: Sequence[MarkCandidate]
) -> Iterator[list[MarkCandidate]]:
    """Yield candidates that only separators, white space and markup separate."""
    opens = {markup.start: markup.end for markup in inline.markup}
    run: list[MarkCandidate] = []
    for each in found:
        if run and not _only_separators(text, opens, run[-1].end, each.start):
            yield run
            run = []
        run.append(each)
    if run:
        yield run


def _only_separators(text: str, opens: dict[int, int], start: int, end: int) -> bool:
    while start < end:
        if start in opens:
            start = opens[start]
        elif text[start].isspace() or text[start] in SEPARATORS:
            start += 1
        else:
            return False
    return True


def _bracketed(
    text: str, opens: dict[int, int], closes: dict[int, int], run: Sequence[MarkCandidate]
) -> bool:
    start, end = run[0].start, run[-1].end
    while start in closes or (start and text[start - 1].isspace()):
        start = closes.get(start, start - 1)
    while end in opens or (end < len(text) and text[end].isspace()):
        end = opens.get(end, end + 1)
    return start > 0 and OPENING.get(text[start - 1]) == text[end : end + 1]


def ends_sentence(text: str, candidate: MarkCandidate) -> bool:
    """Return whether only marks and closing characters precede the sentence's end."""
    place = candidate.after
    if place >= len(text):
        return True
    if text[place] not in STOPS:
        return False
    while place < len(text) and text[place] in STOPS:
        place += 1
    return text[place - 1] not in ".…" or not text[place : place + 1].isalnum()


def follows_stop(text: str, candidate: MarkCandidate) -> bool:
    """Return whether it is between the end of its sentence and the next sentence."""
    place = candidate.before
    while place >= 0 and text[place] in CLOSING:
        place -= 1
    if place < 0 or text[place] not in STOPS:
        return False
    following = text[candidate.after : candidate.after + 1]
    if not following or candidate.leads:
        return True
    return not following.islower() and following not in _NO_OPENING


def rounds_are_marks(
    texts: Iterable[tuple[str, Sequence[MarkCandidate]]], sources: Sources
) -> bool:
    """Return whether numbers in round brackets are marks. All of them must be passages of the
    answer, and at least one must end a sentence. Without any, the result is true."""
    some = at_end = False
    for text, candidates in texts:
        for candidate in candidates:
            if not candidate.doubtful:
                continue
            some = True
            high = max(candidate.numbers)
            if min(candidate.numbers) < 1 or (sources.count is not None and high > sources.count):
                return False
            at_end = at_end or ends_sentence(text, candidate) or follows_stop(text, candidate)
    return at_end or not some


def marks_of(
    text: str, candidates: Sequence[MarkCandidate], sources: Sources
) -> list[MarkCandidate]:
    """Return the candidates that are marks. A passage's address becomes its number."""
    found = []
    for candidate in candidates:
        if candidate.url:
            placed = candidate.alone or ends_sentence(text, candidate)
            if not (candidate.sure or placed or follows_stop(text, candidate)):
                continue
            number = sources.at(candidate.url)
            if candidate.label:
                candidate.wording = not _label_goes(text, candidate, number, sources)
            if number:
                candidate.numbers, candidate.url = (number,), ""
        found.append(candidate)
    return found


def _label_goes(text: str, candidate: MarkCandidate, number: int, sources: Sources) -> bool:
    """Return whether a link's label only names its source."""
    assert candidate.label
    if candidate.alone or follows_stop(text, candidate):
        return True
    if not ends_sentence(text, candidate):
        return False
    label = text[slice(*candidate.label)].strip().strip("*_`")
    shown = label.lower().removeprefix("https://").removeprefix("http://").removeprefix("www.")
    return sources.is_title(number, label) or shown.rstrip("/") == host_of(candidate.url)
