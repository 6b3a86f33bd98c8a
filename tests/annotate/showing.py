"""Answers as their template shows them, made without a database and read again as HTML."""

from html.parser import HTMLParser
from typing import Any

from django.template.loader import render_to_string

from annotate.content.shown_response import ShownAnswer, of_record
from annotate.formats.records import PassageRecord, QuestionRecord, ResponseRecord, Where
from annotate.text import Citable, segment

VOID = {"br", "hr", "wbr"}
SITES = (
    Citable(1, "Tides", "https://www.example.org/tides/"),
    Citable(2, "The Moon", "https://moon.example.com/sea"),
    Citable(3, "Currents", "http://currents.example.net/gulf"),
)


class Read(HTMLParser):
    """What a browser would make of it, as far as tests ask."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.open: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.shown: list[str] = []
        self.chips: list[str] = []
        self.units: dict[str, str] = {}
        self.feed(html)
        self.close()
        assert self.open == [], "every element is closed"

    def handle_starttag(self, tag: str, found: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in found}
        self.tags.append(tag)
        self.attributes += [(tag, name, value) for name, value in attributes.items()]
        if tag not in VOID:
            self.open.append((tag, attributes))
        if tag in {"br", "td", "th"} or tag in BLOCKS:
            self.handle_data(" ")

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop()[0] == tag, f"</{tag}> closes what is open"

    def handle_data(self, data: str) -> None:
        classes = [one for _, each in self.open for one in each.get("class", "").split()]
        if "unseen" in classes:
            return
        if "chip" in classes:
            self.chips.append(data)
            return
        self.text += data
        for _, each in self.open:
            if each.get("class", "").startswith("statement"):
                self.units[each["data-unit"]] = self.units.get(each["data-unit"], "") + data


BLOCKS = {"p", "li", "pre", "blockquote", "h3", "h4", "h5", "h6"}


def shown(raw: str, *, lines: Any = "all", cap: int = 3, **choice: Any) -> ShownAnswer:
    """An answer with three passages."""
    found = segment(raw, lines=lines, passages=3, citable=SITES, cap=None, **choice)
    return of_record(record(raw), found, cap)


def record(raw: str) -> ResponseRecord:
    passages = tuple(PassageRecord(c.n, c.title, "Text.", url=c.url) for c in SITES)
    return ResponseRecord(Where(), QuestionRecord("What?"), raw, passages=passages)


def html_of(answer: ShownAnswer, **how: Any) -> str:
    return render_to_string("answers/answer.html", {"shown": answer, "prefix": "", **how})


def read(raw: str, **choice: Any) -> Read:
    """The rendered answer, without the raw text below it."""
    html, _, _ = html_of(shown(raw, **choice)).partition('<pre class="answer raw-answer"')
    return Read(html)
