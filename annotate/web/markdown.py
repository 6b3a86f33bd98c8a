"""Render Markdown without raw HTML and inline styles."""

from markdown_it import MarkdownIt
from markdown_it.token import Token

# Raw HTML is escaped, and links to scripts are refused.
LIBRARY = MarkdownIt("commonmark", {"html": False}).enable("table")


def parsed(text: str) -> list[Token]:
    tokens = LIBRARY.parse(text)
    for token in tokens:
        if token.type in {"th_open", "td_open"} and "style" in token.attrs:
            # The policy forbids inline styles: a column of figures gets a class instead.
            is_right = token.attrs.pop("style") == "text-align:right"
            token.attrSet("class", "num" if is_right else "")
    return tokens


def html_of(tokens: list[Token]) -> str:
    return str(LIBRARY.renderer.render(tokens, LIBRARY.options, {}))
