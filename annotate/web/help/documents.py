"""The documents of the help, their addresses and pages.

They are read from the installation once per process: all of `docs/`, CONTRIBUTING and CHANGELOG. A
folder's README is its first page, and that of `docs/` is the home of the help. Links between
documents lead to the served pages. Links to other files, such as code, become paths.
"""

import posixpath
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from pathlib import Path

from django.conf import settings
from django.templatetags.static import static
from django.urls import reverse
from markdown_it.token import Token

from annotate.web.markdown import html_of, parsed

BESIDE = ("CONTRIBUTING.md", "CHANGELOG.md")
IMAGES = "docs/images/"
"""Served as static files under `help/`."""


@dataclass(frozen=True, slots=True)
class HelpSection:
    """A heading with the text up to the next one. Level 1 is the document's title."""

    level: int
    title: str
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class HelpDocument:
    """One document. `html` is the content below its title."""

    name: str
    title: str
    html: str
    sections: tuple[HelpSection, ...]

    @property
    def contents(self) -> list[HelpSection]:
        """The sections of the table of contents: the first two levels below the title."""
        return [section for section in self.sections if 1 < section.level < 4]

    @property
    def anchors(self) -> frozenset[str]:
        return frozenset(section.anchor for section in self.sections)


@cache
def sources() -> dict[str, str]:
    """Return the path of each document by its name in addresses. The home's name is empty."""
    root = Path(settings.BASE_DIR)
    paths = [*sorted((root / "docs").rglob("*.md")), *(root / name for name in BESIDE)]
    found = [path.relative_to(root).as_posix() for path in paths]
    return {_name(source): source for source in found}


def _name(source: str) -> str:
    name = source.removesuffix(".md").removeprefix("docs/")
    return name.lower() if source in BESIDE else name.removesuffix("README").rstrip("/")


@cache
def files() -> dict[str, Path]:
    """Return the files among the documents that are served unchanged, by name in addresses."""
    docs = Path(settings.BASE_DIR) / "docs"
    return {path.relative_to(docs).as_posix(): path for path in docs.rglob("*.ipynb")}


@cache
def names() -> dict[str, str]:
    of_files = {f"docs/{name}": name for name in files()}
    return {source: name for name, source in sources().items()} | of_files


def address(name: str) -> str:
    """Return the address of a document or of a section in it (`batches#order`)."""
    name, mark, anchor = name.partition("#")
    path = reverse("help-page", args=[name]) if name else reverse("help")
    return path + mark + anchor


@cache
def document(name: str) -> HelpDocument:
    """Return the document of that name; raise `KeyError` if there is none."""
    source = sources()[name]
    tokens = parsed((Path(settings.BASE_DIR) / source).read_text(encoding="utf-8"))
    sections = tuple(_sections(tokens))
    for token in tokens:
        if token.children:
            _rewrite_links(token.children, posixpath.dirname(source))
    title, rest = tokens[1], tokens[3:]
    return HelpDocument(name, text_of(title), _scrolling(html_of(rest)), sections)


def _sections(tokens: Sequence[Token]) -> Iterator[HelpSection]:
    """Yield the sections, and set the anchors of their headings."""
    heads = [at for at, token in enumerate(tokens) if token.type == "heading_open"]
    used: dict[str, int] = {}
    for at, following in zip(heads, [*heads[1:], len(tokens)], strict=True):
        title = text_of(tokens[at + 1])
        anchor = slug(title)
        times = used[anchor] = used.get(anchor, -1) + 1
        anchor += f"-{times}" if times else ""
        tokens[at].attrSet("id", anchor)
        texts = (text_of(token) for token in tokens[at + 3 : following])
        yield HelpSection(int(tokens[at].tag[1]), title, anchor, " ".join(filter(None, texts)))


def slug(title: str) -> str:
    """Return the anchor of a heading, as Git hosts make it."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")


def text_of(token: Token) -> str:
    """Return the text of a token without markup."""
    if token.type == "fence":
        return token.content
    parts = (
        " " if child.type in {"softbreak", "hardbreak"} else child.content
        for child in token.children or ()
    )
    return "".join(parts)


def _rewrite_links(children: list[Token], folder: str) -> None:
    """Let links and images of a line refer to served addresses."""
    left: list[str | None] = []
    for at, token in enumerate(children):
        if token.type == "image":
            path = _path(folder, str(token.attrs["src"]))
            if path.startswith(IMAGES):
                token.attrSet("src", static("help/" + path.removeprefix(IMAGES)))
                token.attrSet("loading", "lazy")
        elif token.type == "link_open":
            href = str(token.attrs["href"])
            served = _served(folder, href)
            left.append(_path(folder, href) if served is None else None)
            if served is None:
                token.tag, token.attrs = "span", {}
            else:
                token.attrSet("href", served)
        elif token.type == "link_close":
            path_of_file = left.pop()
            if path_of_file is not None:
                named = children[at - 1]
                is_named = named.type == "code_inline" and path_of_file.endswith(named.content)
                path = "" if is_named else f" (<code>{escape(path_of_file)}</code>)"
                token.type, token.content = "html_inline", "</span>" + path


def _served(folder: str, href: str) -> str | None:
    """Return the address of a link; None for a file that is not served."""
    if re.match(r"[a-z]+:|#", href):
        return href
    name, mark, anchor = href.partition("#")
    found = names().get(_path(folder, name))
    return None if found is None else address(found + mark + anchor)


def _path(folder: str, href: str) -> str:
    return posixpath.normpath(posixpath.join(folder, href))


def _scrolling(html: str) -> str:
    """Make wide tables and code scroll within the page, also by keyboard."""
    around = '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>'
    html = html.replace("<table>", around).replace("</table>", "</table></div>")
    return html.replace("<pre>", '<pre class="code" tabindex="0">')
