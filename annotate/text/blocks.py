"""The blocks of an answer in CommonMark with tables, with their places in the raw text.

The library recognises the blocks; `_recording` wraps its rules to keep where the content of each
line begins. Everything takes time linear in the length of the text.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from markdown_it import MarkdownIt, rules_block
from markdown_it.rules_block.state_block import StateBlock
from markdown_it.token import Token

Kind = Literal[
    "paragraph", "heading", "code", "rule", "table", "row", "list", "item", "quote", "document"
]
Span = tuple[int, int]

DEEPEST = 40
_BEFORE_OTHERS = ["paragraph", "reference", "blockquote"]
_RULES: dict[str, tuple[Any, list[str]]] = {
    "table": (rules_block.table, ["paragraph", "reference"]),
    "code": (rules_block.code, []),
    "fence": (rules_block.fence, [*_BEFORE_OTHERS, "list"]),
    "blockquote": (rules_block.blockquote, [*_BEFORE_OTHERS, "list"]),
    "hr": (rules_block.hr, [*_BEFORE_OTHERS, "list"]),
    "list": (rules_block.list_block, _BEFORE_OTHERS),
    "heading": (rules_block.heading, _BEFORE_OTHERS),
    "lheading": (rules_block.lheading, []),
    "paragraph": (rules_block.paragraph, []),
}
"""The rules that make blocks, and the blocks that each may interrupt."""

_LEAVES: dict[str, Kind] = {
    "paragraph_open": "paragraph",
    "heading_open": "heading",
    "fence": "code",
    "code_block": "code",
    "hr": "rule",
    "table_open": "table",
}
_CONTAINERS: dict[str, Kind] = {
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "list_item_open": "item",
    "blockquote_open": "quote",
}
_INK = re.compile(r"[*_`<>|\\#~$]")
_OPENING = r"(?:[ \t]*+(?:[-+=]|[0-9]{1,9}[.)](?:[ \t\r\n]|\Z))| {4}| {0,3}\t)"
_FIRST_LINE = re.compile(_OPENING)
_NEXT_LINE = re.compile(rf"\n{_OPENING}")
_PARAGRAPH = re.compile(r"[ \t]*[^ \t\n][^\n]*(?:\n[ \t]*[^ \t\n][^\n]*)*")
_LETTER = re.compile(r"[^\W\d_]")
_CELL_END = re.compile(r"(?<!\\)\|")


@dataclass(slots=True)
class Block:
    """A block, or a container of blocks.

    `lines` are the content of each line of a leaf: without list and quote markers, but with the
    characters of headings, fences and tables. Offsets count code points of the raw text; `start`
    and `end` exclude surrounding white space.
    """

    kind: Kind
    start: int = 0
    end: int = 0
    lines: tuple[Span, ...] = ()
    level: int = 0
    """The level of a heading. For a list, the number of its first item, or 0 if it has bullets."""

    children: list["Block"] = field(default_factory=list)


def blocks_of(raw: str) -> list[Block]:
    """Return the blocks of the raw text, in order."""
    if not has_markup(raw):
        return _paragraphs(raw)
    return _parsed(raw) or _paragraphs(raw)


def has_markup(raw: str) -> bool:
    """Return whether the text may have Markdown. Most answers are plain paragraphs."""
    if _INK.search(raw) or "](" in raw or _FIRST_LINE.match(raw):
        return True
    return "\n" in raw and _NEXT_LINE.search(raw) is not None


def cells_of(raw: str, line: Span) -> list[Span]:
    """Return the places of a table row's cells, without surrounding white space."""
    start, end = trimmed(raw, *line)
    start += raw.startswith("|", start, end)
    cuts = [found.start() for found in _CELL_END.finditer(raw, start, end)]
    if cuts and cuts[-1] == end - 1:
        end = cuts.pop()
    return [
        trimmed(raw, first, last)
        for first, last in zip([start, *(cut + 1 for cut in cuts)], [*cuts, end], strict=True)
    ]


def trimmed(raw: str, start: int, end: int) -> Span:
    while end > start and raw[end - 1].isspace():
        end -= 1
    while start < end and raw[start].isspace():
        start += 1
    return start, end


def _paragraphs(raw: str) -> list[Block]:
    if "\n" not in raw and "\r" not in raw:
        only = _leaf("paragraph", [trimmed(raw, 0, len(raw))])
        return [only] if only else []
    text = raw.replace("\r\n", " \n").replace("\r", "\n")
    found = []
    for paragraph in _PARAGRAPH.finditer(text):
        lines, start = [], paragraph.start()
        for line in paragraph[0].split("\n"):
            lines.append(trimmed(raw, start, start + len(line)))
            start += len(line) + 1
        if block := _leaf("paragraph", lines):
            found.append(block)
    return found


def _parsed(raw: str) -> list[Block]:
    """Return the library's blocks; empty if excessive nesting would lose some text."""
    text = raw.replace("\r\n", " \n").replace("\r", "\n")
    parser = _parser()
    tokens: list[Token] = []
    state = StateBlock(text, parser, {}, tokens)
    parser.block.tokenize(state, state.line, state.lineMax)
    root = Block("document")
    open_blocks = [root]
    seen = [False] * state.lineMax
    for token in tokens:
        if leaf := _LEAVES.get(token.type):
            lines = [trimmed(raw, *line) for line in token.meta["lines"]]
            if block := _leaf(leaf, lines):
                block.level = int(token.tag[1:]) if leaf == "heading" else 0
                open_blocks[-1].children.append(block)
            first, last = token.meta["covers"]
            seen[first:last] = [True] * (last - first)
        elif container := _CONTAINERS.get(token.type):
            block = Block(container, *token.meta.get("span", (0, 0)))
            block.level = token.meta.get("number", 0)
            open_blocks[-1].children.append(block)
            open_blocks.append(block)
        elif token.type.endswith(("list_close", "item_close", "quote_close")):
            open_blocks.pop()
    bounds = zip(seen, state.bMarks, state.eMarks, strict=False)
    if any(not known and _LETTER.search(text, start, end) for known, start, end in bounds):
        return []
    return root.children


def _leaf(kind: Kind, lines: list[Span]) -> Block | None:
    """Return a block of these lines without outer empty ones; None if all are empty."""
    full = [place for place, (start, end) in enumerate(lines) if end > start]
    if not full:
        return None
    kept = tuple(lines[full[0] : full[-1] + 1])
    block = Block(kind, kept[0][0], kept[-1][1], kept)
    if kind == "table":
        block.children = [Block("row", *line, (line,)) for line in kept]
    return block


@cache
def _parser() -> MarkdownIt:
    parser = MarkdownIt("zero", {"maxNesting": DEEPEST})
    parser.block.ruler.enableOnly([])
    for name, (rule, breaks_off) in _RULES.items():
        parser.block.ruler.at(name, _recording(rule), {"alt": breaks_off})
        parser.block.ruler.enable(name)
    return parser


Rule = Callable[[StateBlock, int, int, bool], bool]


def _recording(rule: Rule) -> Rule:
    """Wrap a rule: the first token that it pushes records its lines and their starts."""

    def run(state: StateBlock, first: int, last: int, silent: bool) -> bool:
        start = state.bMarks[first] + state.tShift[first]
        pushed = len(state.tokens)
        if not rule(state, first, last, silent):
            return False
        if silent:
            return True
        token = state.tokens[pushed]
        token.meta["covers"] = (first, state.line)
        if token.type in _LEAVES:
            token.meta["lines"] = [
                (state.bMarks[line] + state.tShift[line], state.eMarks[line])
                for line in range(first, state.line)
            ]
        elif token.type.endswith("list_open"):
            token.meta["span"] = trimmed(state.src, start, state.eMarks[state.line - 1])
            if token.type == "ordered_list_open":
                token.meta["number"] = int(token.attrs.get("start", 1))
        return True

    return run
