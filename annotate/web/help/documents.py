"""Which documents there are, where each is served, and each as a page.

They are those of the installation, beside its code, and are read once in a process: all of `docs/`,
how to contribute and what changed. A folder's README is its first page; that of `docs/` is the home
of the help. A link from one to another leads to where that is served. What is not served, as files
of code, is named by its path.
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
"""Served as static files, under `help/`."""


@dataclass(frozen=True, slots=True)
class HelpSection:
    """A heading with the text below it, up to the next one; level 1 is the document's own."""

    level: int
    title: str
    anchor: str
    text: str


@dataclass(frozen=True, slots=True)
class HelpDocument:
    """One document; `html` is what stands below its title."""

    name: str
    title: str
    html: str
    sections: tuple[HelpSection, ...]

    @property
    def contents(self) -> list[HelpSection]:
        """What a table of contents names: headings of the first two ranks below the title."""
        return [section for section in self.sections if 1 < section.level < 4]

    @property
    def anchors(self) -> frozenset[str]:
        return frozenset(section.anchor for section in self.sections)


@cache
def sources() -> dict[str, str]:
    """Where each document's file stands in the project, by its name in addresses; the home has
    none."""
    root = Path(settings.BASE_DIR)
    paths = [*sorted((root / "docs").rglob("*.md")), *(root / name for name in BESIDE)]
    found = [path.relative_to(root).as_posix() for path in paths]
    return {_name(source): source for source in found}


def _name(source: str) -> str:
    name = source.removesuffix(".md").removeprefix("docs/")
    return name.lower() if source in BESIDE else name.removesuffix("README").rstrip("/")


@cache
def files() -> dict[str, Path]:
    """What stands among the documents and is served as it is, by its name in addresses."""
    docs = Path(settings.BASE_DIR) / "docs"
    return {path.relative_to(docs).as_posix(): path for path in docs.rglob("*.ipynb")}


@cache
def names() -> dict[str, str]:
    of_files = {f"docs/{name}": name for name in files()}
    return {source: name for name, source in sources().items()} | of_files


def address(name: str) -> str:
    """Where a document is served, at its top or at a section of it: `batches#order`."""
    name, mark, anchor = name.partition("#")
    path = reverse("help-page", args=[name]) if name else reverse("help")
    return path + mark + anchor


@cache
def document(name: str) -> HelpDocument:
    """The document of that name; `KeyError` where there is none."""
    source = sources()[name]
    tokens = parsed((Path(settings.BASE_DIR) / source).read_text(encoding="utf-8"))
    sections = tuple(_sections(tokens))
    for token in tokens:
        if token.children:
            _lead(token.children, posixpath.dirname(source))
    title, rest = tokens[1], tokens[3:]
    return HelpDocument(name, text_of(title), _scrolling(html_of(rest)), sections)


def _sections(tokens: Sequence[Token]) -> Iterator[HelpSection]:
    """The sections, whose headings get their anchors."""
    heads = [at for at, token in enumerate(tokens) if token.type == "heading_open"]
    used: dict[str, int] = {}
    for at, following in zip(heads, [*heads[1:], len(tokens)], strict=True):
        title = text_of(tokens[at + 1])
        anchor = slug(title)
        times = used[anchor] = used.get(anchor, -1) + 1
        anchor += f"-{times}" if times else ""
        tokens[at].attrSet("id", anchor)
        said = (text_of(token) for token in tokens[at + 3 : following])
        yield HelpSection(int(tokens[at].tag[1]), title, anchor, " ".join(filter(None, said)))


def slug(title: str) -> str:
    """The anchor that hosts of Markdown make from a heading."""
    return re.sub(r"[^\w\- ]", "", title.lower()).strip().replace(" ", "-")


def text_of(token: Token) -> str:
    """The words of a token without its marks."""
    if token.type == "fence":
        return token.content
    parts = (
        " " if child.type in {"softbreak", "hardbreak"} else child.content
        for child in token.children or ()
    )
    return "".join(parts)


def _lead(children: list[Token], folder: str) -> None:
    """Links and images of a line lead to where things are served."""
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
                is_said = named.type == "code_inline" and path_of_file.endswith(named.content)
                said = "" if is_said else f" (<code>{escape(path_of_file)}</code>)"
                token.type, token.content = "html_inline", "</span>" + said


def _served(folder: str, href: str) -> str | None:
    """The address that a link leads to; none where it names a file that is not served."""
    if re.match(r"[a-z]+:|#", href):
        return href
    name, mark, anchor = href.partition("#")
    found = names().get(_path(folder, name))
    return None if found is None else address(found + mark + anchor)


def _path(folder: str, href: str) -> str:
    return posixpath.normpath(posixpath.join(folder, href))


def _scrolling(html: str) -> str:
    """What may be wider than the page scrolls by itself, also by keyboard."""
    around = '<div class="scroll" role="group" aria-label="Table" tabindex="0"><table>'
    html = html.replace("<table>", around).replace("</table>", "</table></div>")
    return html.replace("<pre>", '<pre class="code" tabindex="0">')
