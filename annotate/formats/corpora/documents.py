"""Documents as plain texts, with one text per page if they have pages."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from io import BytesIO
from pathlib import PurePosixPath
from typing import Any

from markdown_it import MarkdownIt

from annotate.formats.open_file import SAVE_AS_UTF_8
from annotate.formats.problems import Unreadable
from annotate.formats.records import Problem, Where

_HIDDEN = ("script", "style", "template", "noscript", "head", "title")
_BLOCKS = (
    "address", "article", "aside", "blockquote", "br", "dd", "div", "dl", "dt", "figcaption",
    "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main",
    "nav", "ol", "p", "pre", "section", "table", "td", "th", "tr", "ul",
)  # fmt: skip
"""Elements on lines of their own."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document's title and the texts of its pages (one text if it has no pages)."""

    title: str
    pages: tuple[str, ...]
    has_pages: bool = False


def document_of(name: str, content: bytes) -> Document:
    """Read a file by the extension of its name."""
    path = PurePosixPath(name)
    read = READERS[path.suffix.lower()]
    found = read(content, Where(file=name))
    return found if found.title else Document(path.stem, found.pages, found.has_pages)


def _text(content: bytes, where: Where) -> Document:
    return Document("", (_decoded(content, where),))


def _markdown(content: bytes, where: Where) -> Document:
    return _of_html(MarkdownIt("commonmark").render(_decoded(content, where)))


def _html(content: bytes, _: Where) -> Document:
    """Decode as UTF-8 if possible, or else by the encoding that the page declares."""
    try:
        return _of_html(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return _of_html(content)


def _of_html(content: str | bytes) -> Document:
    """Return a page's visible words. Its title is its title tag or first heading."""
    from bs4 import BeautifulSoup

    soup = BeautifulSoup(content, "html.parser")
    named = soup.title or soup.find(["h1", "h2"])
    title = " ".join(named.get_text().split()) if named else ""
    for hidden in soup.find_all(_HIDDEN):
        hidden.decompose()
    for block in soup.find_all(_BLOCKS):
        block.insert(0, "\n")
        block.append("\n")
    lines = (" ".join(line.split()) for line in soup.get_text().splitlines())
    return Document(title, ("\n".join(line for line in lines if line),))


def _pdf(content: bytes, where: Where) -> Document:
    from pypdf import PdfReader

    try:
        reader = PdfReader(BytesIO(content))
        title = str(reader.metadata.title or "").strip() if reader.metadata else ""
        pages = tuple(_clean_text(page.extract_text()) for page in reader.pages)
    except Exception as error:  # noqa: BLE001 (a broken file ends it in any way)
        said = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        found = f"one that cannot ({said})"
        raise Unreadable(Problem(where, "a PDF that can be read", found)) from None
    if not any(page.strip() for page in pages):
        advice = "Have the characters of scanned pages recognised (OCR) first."
        raise Unreadable(Problem(where, "a PDF with text", "pages without any", advice))
    return Document(title, pages, has_pages=True)


def _clean_text(text: str) -> str:
    """Join words that were hyphenated at line ends, and remove invalid characters."""
    text = re.sub(r"(?<=\w)-\n(?=[a-zß-ÿ])", "", text)
    return text.replace("\x00", "").encode("utf-8", "ignore").decode()


def _decoded(content: bytes, where: Where) -> str:
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        found = f"byte 0x{content[error.start]:02X} at offset {error.start:,}"
        raise Unreadable(Problem(where, "UTF-8 text", found, SAVE_AS_UTF_8)) from None


READERS: dict[str, Callable[[bytes, Where], Any]] = {
    ".txt": _text,
    ".md": _markdown,
    ".markdown": _markdown,
    ".html": _html,
    ".htm": _html,
    ".pdf": _pdf,
}
"""Readers by extension."""
