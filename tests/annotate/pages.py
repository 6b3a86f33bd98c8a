"""Looking at pages as a browser would: the links to follow, and what a strict policy forbids."""

import re
from html.parser import HTMLParser
from typing import Any

from django.test import Client

_LINK = re.compile(r'(?:href|action|hx-get)="([^"#]*)')

_ORDER = "?sort="


def reachable(client: Client, first: str) -> dict[str, Any]:
    """Every page that links and forms' addresses lead to, from the first on.

    A table is seen as it stands and in one other order: all of them show the same rows.
    """
    waiting = [first]
    seen: dict[str, Any] = {}
    while waiting:
        path = waiting.pop()
        if path in seen or not path.startswith("/") or path.startswith("/static/"):
            continue
        answer = seen[path] = client.get(path)
        if answer.status_code == 302:
            waiting.append(answer["Location"])
        elif answer["Content-Type"].startswith("text/html"):
            base = path.split("?")[0]
            found = _LINK.findall(answer.content.decode().replace("&amp;", "&"))
            waiting += [
                base + link if link.startswith("?") else link for link in fewer(found, path)
            ]
    return seen


def fewer(links: list[str], path: str) -> list[str]:
    """Of those that only order the page's rows, the first one, and none where they are ordered."""
    orders = [link for link in links if link.startswith(_ORDER) and "&" not in link]
    followed = [] if _ORDER in path else orders[:1]
    return [link for link in links if link and (link not in orders or link in followed)]


class _Scan(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.faults: list[str] = []
        self.tags: list[str] = []
        self.text: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        names = dict(attrs)
        source = names.get("src") or ""
        if tag in {"style", "iframe", "object", "embed", "base"}:
            self.faults.append(f"<{tag}>")
        is_data = names.get("type") == "application/json"  # which browsers do not run
        if tag == "script" and not is_data and not source.startswith("/static/"):
            self.faults.append(f"<script src={source!r}>")
        for name, value in attrs:
            if name == "style" or name.startswith(("on", "hx-on")):
                self.faults.append(f"<{tag} {name}={value!r}>")
            if name in {"href", "src", "action", "formaction"}:
                scheme = re.sub(r"\s", "", (value or "").lower())
                if scheme.startswith(("javascript:", "vbscript:", "data:")):
                    self.faults.append(f"<{tag} {name}={value!r}>")

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def policy_faults(html: str) -> list[str]:
    """Inline scripts, inline styles, handlers and links to scripts: none should be there."""
    scan = _Scan()
    scan.feed(html)
    return scan.faults


def visible(html: str) -> str:
    """The page's text, character references resolved."""
    scan = _Scan()
    scan.feed(html)
    return re.sub(r"\s+", " ", " ".join(scan.text))
