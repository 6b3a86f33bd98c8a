"""The inline markup of one paragraph, with places: code, links, emphasis, tags, formulas.

What binds tighter than emphasis is found by one pass from left to right; which asterisks and
underscores are emphasis is left to the Markdown library. All of it takes linear time.
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
_TIMES = re.compile(r"\d\*\d")  # a product, whatever the library says
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
    """Signs that are not text. `opens` says that they belong to what follows them."""

    start: int
    end: int
    opens: bool = False
    instead: str = ""


@dataclass(slots=True)
class Styled:
    """A stretch of text that looks different from the text around it."""

    start: int
    end: int
    look: Look


@dataclass(slots=True)
class Link:
    """`[label](address)`, or `<address>` where the label is empty and `bare` true."""

    start: int
    end: int
    label_start: int
    label_end: int
    url: str
    bare: bool = False
    image: bool = False


@dataclass(slots=True)
class Inline:
    """What a text holds beside words. `opaque` are stretches in which nothing is read."""

    markup: list[Markup]
    styled: list[Styled]
    links: list[Link]
    opaque: list[tuple[int, int]]


def read_inline(text: str) -> Inline:
    """The inline markup of `text`, each list in order."""
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
    """Notes all but emphasis, and yields the runs of signs that may be emphasis."""
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
                if text.startswith("\\\n", place):  # the line ends here
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
    """The end of the formula that starts at `place`, or 0."""
    if closing := _DISPLAYED.get(text[place : place + 2]):
        found = text.find(closing, place + 2, place + _LONGEST_FORMULA)
        if found > place + 2:
            return found + 2
    dollars = _DOLLARS.match(text, place)
    return dollars.end() if dollars else 0


def _link_at(text: str, place: int) -> re.Match[str] | None:
    """The link whose label opens at `place`; a link in the label is one, not what is around it."""
    link = _LINK.match(text, place - (text[place - 1 : place] == "!"))
    if link and "](" in link["label"] and _LINK.search(link["label"]):
        return None
    return link


def _link(link: re.Match[str], found: Inline) -> int:
    """Notes a link; returns where its label starts, which is read on."""
    start, end = link.start("label"), link.end("label")
    url = link["angled"] if link["angled"] is not None else link["address"]
    found.markup.append(Markup(link.start(), start, opens=True))
    found.markup.append(Markup(end, link.end()))
    found.links.append(Link(*link.span(), start, end, url, image=bool(link["image"])))
    found.opaque.append((end, link.end()))
    found.styled.append(Styled(start, end, "link"))
    return start


def _angle(text: str, place: int, found: Inline, tags: dict[str, list[int]]) -> int:
    """Notes an address in angle brackets or a tag; returns how far the text is read."""
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
    """Runs of code ticks by length, so that no run looks for its end twice."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.places: dict[int, list[int]] | None = None

    def read(self, place: int, found: Inline) -> int:
        """Notes the code that opens at `place`, if any; returns how far the text is read."""
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
    """Lets the library decide which runs of asterisks and underscores are emphasis."""
    state = StateInline(text, _library(), {}, [])
    places: list[int] = []
    for start, end in runs:
        if places and places[-1] + 1 < start:
            state.push("text", "", 0).content = "between"  # so that no two runs look like one
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
