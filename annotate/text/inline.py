"""The inline markup of one paragraph, with places: code, links, emphasis, tags, formulas.

One pass from left to right finds everything that binds tighter than emphasis; the Markdown library
decides about asterisks and underscores. All of it takes linear time.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline, emphasis, link_pairs

Look = Literal["strong", "em", "code", "link", "sup", "sub", "maths", "s"]

_INK = re.compile(r"[`$<\\*_]")
_INK_OR_LINK = re.compile(r"[`$<\[\\*_]")
_TICKS = re.compile(r"`+")
_TIMES = re.compile(r"\d\*\d")  # a product, even if the library sees emphasis
_DELIMITERS = re.compile(r"\*+|_+")
_LONGEST_FORMULA = 2_000
_DISPLAYED = {"\\(": "\\)", "\\[": "\\]", "$$": "$$"}
_DOLLARS = re.compile(
    r"\$(?=[^\s$0-9]|\d[^$\n]{0,200}?[\\^_=+*/<>{}])[^$\n]{0,500}?(?<=[^\s\\])\$(?!\d)"
)
_AUTOLINK = re.compile(r"<(?P<url>https?://[^\s<>]{1,2000}+)>", re.IGNORECASE)
_TAG = re.compile(
    r"<(?P<close>/?)(?P<name>br|sup|sub|cite|b|strong|i|em|u|s|del|mark|small|kbd|code|span)"
    r"(?:\s[^<>]{0,200}+)?\s?/?>",
    re.IGNORECASE,
)
_LABEL = r"(?:[^\[\]\\`\n]|\n(?!\n)|\\.|`[^`\n]{0,200}+`|\[[^\[\]\n]{0,200}+\]){0,500}+"
_TITLE = r"\"[^\"\n]{0,500}+\"|'[^'\n]{0,500}+'|\([^()\n]{0,500}+\)"
_ADDRESS = r"(?:[^\s()<>\\]|\\[^\s]|\((?:[^\s()]|\([^\s()]{0,200}+\)){0,200}+\)){0,2000}+"
_LINK = re.compile(
    rf"(?P<image>!?)\[(?P<label>{_LABEL})\]"
    rf"\(\s?(?:<(?P<angled>[^<>\n]{{0,2000}}+)>|(?P<address>{_ADDRESS}))(?:\s+(?:{_TITLE}))?\s?\)"
)
_LOOKS: dict[str, Look] = {
    "b": "strong",
    "strong": "strong",
    "i": "em",
    "em": "em",
    "code": "code",
    "kbd": "code",
    "sup": "sup",
    "sub": "sub",
    "s": "s",
    "del": "s",
}


@dataclass(slots=True)
class Markup:
    """Characters that are not text. `opens` tells that they belong to the text after them."""

    start: int
    end: int
    opens: bool = False
    replacement: str = ""


@dataclass(slots=True)
class Styled:
    """A stretch of text with a different look."""

    start: int
    end: int
    look: Look


@dataclass(slots=True)
class Link:
    """`[label](address)`, or `<address>` with an empty label and `bare`."""

    start: int
    end: int
    label_start: int
    label_end: int
    url: str
    bare: bool = False
    image: bool = False


@dataclass(slots=True)
class Inline:
    """A text's markup. `opaque` stretches are not parsed further."""

    markup: list[Markup]
    styled: list[Styled]
    links: list[Link]
    opaque: list[tuple[int, int]]


def read_inline(text: str) -> Inline:
    """Return the inline markup of `text`, each list in order."""
    found = Inline([], [], [], [])
    ink = _INK_OR_LINK if "](" in text else _INK
    if not ink.search(text):
        return found
    runs = list(_scan(text, ink, found))
    if runs:
        _emphasise(text, runs, found)
    found.markup.sort(key=lambda markup: markup.start)
    found.styled.sort(key=lambda styled: styled.start)
    return found


def _scan(text: str, ink: re.Pattern[str], found: Inline) -> Iterator[tuple[int, int]]:
    """Record everything but emphasis, and yield the sequences that may be emphasis."""
    ticks = _TicksOf(text)
    tags: dict[str, list[int]] = {}
    reached = label_end = 0
    link_end = 0  # of the link whose label is being read
    while sign := ink.search(text, reached):
        place = sign.start()
        character = text[place]
        if link_end and place >= label_end:
            reached, link_end = link_end, 0
        elif character in "*_":
            run = _DELIMITERS.match(text, place)
            assert run
            reached = run.end()
            if not _TIMES.match(text, place - 1):
                yield run.span()
        elif character in "$\\":
            reached = _formula_end(text, place)
            if reached:
                found.opaque.append((place, reached))
                found.styled.append(Styled(place, reached, "maths"))
            else:
                reached = place + 1 + (character == "\\")
                if text.startswith("\\\n", place):  # a hard line break
                    found.markup.append(Markup(place, place + 1))
        elif character == "`":
            reached = ticks.read(place, found)
        elif character == "<":
            reached = _angle(text, place, found, tags)
        elif link := _link_at(text, place):
            reached, label_end, link_end = _link(link, found), link.end("label"), link.end()
        else:
            reached = place + 1


def _formula_end(text: str, place: int) -> int:
    """Return the end of the formula at `place`, or 0."""
    if closing := _DISPLAYED.get(text[place : place + 2]):
        found = text.find(closing, place + 2, place + _LONGEST_FORMULA)
        if found > place + 2:
            return found + 2
    dollars = _DOLLARS.match(text, place)
    return dollars.end() if dollars else 0


def _link_at(text: str, place: int) -> re.Match[str] | None:
    """Return the link whose label opens at `place`. Of nested links, only the inner counts."""
    link = _LINK.match(text, place - (text[place - 1 : place] == "!"))
    if link and "](" in link["label"] and _LINK.search(link["label"]):
        return None
    return link


def _link(link: re.Match[str], found: Inline) -> int:
    """Record a link, and return the start of its label, which is read next."""
    start, end = link.start("label"), link.end("label")
    url = link["angled"] if link["angled"] is not None else link["address"]
    found.markup.append(Markup(link.start(), start, opens=True))
    found.markup.append(Markup(end, link.end()))
    found.links.append(Link(*link.span(), start, end, url, image=bool(link["image"])))
    found.opaque.append((end, link.end()))
    found.styled.append(Styled(start, end, "link"))
    return start


def _angle(text: str, place: int, found: Inline, tags: dict[str, list[int]]) -> int:
    """Record an address in angle brackets or a tag, and return where to continue."""
    if address := _AUTOLINK.match(text, place):
        found.links.append(Link(*address.span(), place + 1, place + 1, address["url"], bare=True))
        found.opaque.append(address.span())
        return address.end()
    tag = _TAG.match(text, place)
    if tag is None:
        return place + 1
    name = tag["name"].lower()
    closes = bool(tag["close"])
    breaks = name == "br"
    opens = not (closes or breaks)
    found.markup.append(Markup(*tag.span(), opens, " " if breaks else ""))
    open_tags = tags.setdefault(name, [])
    if opens:
        open_tags.append(tag.end())
    elif closes and open_tags:
        start = open_tags.pop()
        if look := _LOOKS.get(name):
            found.styled.append(Styled(start, tag.start(), look))
    return tag.end()


class _TicksOf:
    """Sequences of backticks by length. Each looks for its end only once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.places: dict[int, list[int]] | None = None

    def read(self, place: int, found: Inline) -> int:
        """Record the code that opens at `place`, if any, and return where to continue."""
        if self.places is None:
            self.places = {}
            for run in _TICKS.finditer(self.text):
                self.places.setdefault(run.end() - run.start(), []).append(run.start())
        opening = _TICKS.match(self.text, place)
        assert opening
        length = opening.end() - place
        same = self.places.get(length, [])
        after = bisect_left(same, opening.end())
        if after == len(same):
            return opening.end()
        closing = same[after]
        found.markup.append(Markup(place, opening.end(), opens=True))
        found.markup.append(Markup(closing, closing + length))
        found.styled.append(Styled(opening.end(), closing, "code"))
        found.opaque.append((place, closing + length))
        return closing + length


@cache
def _library() -> MarkdownIt:
    return MarkdownIt("zero")


def _emphasise(text: str, runs: list[tuple[int, int]], found: Inline) -> None:
    """Let the library decide which asterisks and underscores are emphasis."""
    state = StateInline(text, _library(), {}, [])
    places: list[int] = []
    for start, end in runs:
        if places and places[-1] + 1 < start:
            state.push("text", "", 0).content = "between"  # keeps two runs apart
            places.append(start)
        state.pos = start
        emphasis.tokenize(state, False)
        places.extend(range(start, end))
    link_pairs(state)
    emphasis.postProcess(state)
    opened: list[tuple[int, Look]] = []
    followers = [*state.tokens[1:], None]
    for token, follower, place in zip(state.tokens, followers, places, strict=True):
        if token.content:
            continue
        outer = follower is not None and follower.type == "strong_open" and token.type == "text"
        found.markup.append(Markup(place, place + 1, opens=outer or token.nesting > 0))
        if token.nesting > 0:
            opened.append((place + 1, "strong" if token.tag == "strong" else "em"))
        elif token.nesting < 0 and opened:
            start, look = opened.pop()
            found.styled.append(Styled(start, place, look))
