"""A provider's answer while it is read: its text, sources and citations."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from annotate.formats.division import MAX_CITATIONS
from annotate.formats.fields import Fields, whole_number
from annotate.formats.limits import LONG_NAME_CHARS, NAME_CHARS, RAISE_PASSAGES, Limits
from annotate.formats.passages_file import Find, is_address
from annotate.formats.problems import quoted, shown
from annotate.formats.records import PassageRecord
from annotate.text import Span


@dataclass(slots=True)
class Draft:
    """One answer while it is read. Sources are numbered in the order they appear."""

    find: Find | None
    text: str = ""
    model: str = ""
    question: str = ""
    samples: list[str] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    sources: dict[str, PassageRecord] = field(default_factory=dict)

    def source(
        self, key: str, *, title: str = "", text: str = "", url: str = "", published: str = ""
    ) -> int:
        """Return the number of the source with this key, and add it if it is new. Its text comes
        from the passages file if that has it."""
        found = self.sources.get(key)
        if found is None:
            found = self._new(key, url or (key if is_address(key) else ""), title)
        kept = replace(
            found,
            title=found.title or title,
            text=found.text or text,
            published=found.published or published[:NAME_CHARS],
        )
        self.sources[key] = kept
        return kept.n

    def part(self, key: str, *, title: str = "", text: str = "", url: str = "") -> int:
        """Return the number of the source for a part of the one with this key.

        It is the same source if that has no text, the same text, or a complete text in the passages
        file; otherwise it is a new one.
        """
        n, name = 1, key
        while (found := self.sources.get(name)) and text and found.text not in ("", text):
            if n == 1 and self.find is not None and self.find(found.url or key) is not None:
                break
            n += 1
            name = f"{key} {n}"
        return self.source(
            name, title=title, text=text, url=url or (key if is_address(key) else "")
        )

    def _new(self, key: str, url: str, title: str) -> PassageRecord:
        n, name = len(self.sources) + 1, key[:LONG_NAME_CHARS]
        if self.find is not None:
            for wanted in filter(None, (url, key, title)):
                if found := self.find(wanted):
                    return replace(found, n=n)
        return PassageRecord(n, title, "", "" if name == url else name, url)

    def cite(self, start: int, end: int, source: int, quote: str = "") -> None:
        """Add a citation of a range of the text, without the white space at its ends."""
        words = self.text[start:end]
        start += len(words) - len(words.lstrip())
        end -= len(words) - len(words.rstrip())
        if start < end:
            self.spans.append(Span(start, end, (source,), quote))

    def check(self, fields: Fields, limits: Limits) -> None:
        """Add problems for more passages or citations than a response may have."""
        if len(self.sources) > limits.max_passages:
            expected = f"at most {limits.max_passages:,} passages"
            fields.complain("", expected, f"{len(self.sources):,}", RAISE_PASSAGES)
        if len(self.spans) > MAX_CITATIONS:
            fields.complain("", f"at most {MAX_CITATIONS:,} citations", f"{len(self.spans):,}")


def cited_range(
    fields: Fields, text: str, *, start: str, end: str, text_field: str = "", in_bytes: bool = False
) -> tuple[int, int] | None:
    """Return a citation's range in a text, in code points; None if it is empty.

    The quoted text decides if it occurs exactly once; a missing start is 0. A range outside the
    text is a problem.
    """
    first, last = (_place(fields, name, text, in_bytes) for name in (start, end))
    words = fields.optional_text(text_field) if text_field else ""
    if words and (None in (first, last) or text[first:last] != words) and text.count(words) == 1:
        found = text.index(words)
        return found, found + len(words)
    if first is None or last is None or first > last:
        count = len(text.encode()) if in_bytes else len(text)
        kind = "bytes of UTF-8" if in_bytes else "characters"
        places = f"{shown(fields.take(start))} and {shown(fields.take(end))}"
        fields.complain(end, f"places within the text of {count:,} {kind}", places)
        return None
    if words and text[first:last] != words:
        fields.complain(
            text_field, f"the words at these places, {quoted(text[first:last])}", quoted(words)
        )
        return None
    return (first, last) if first < last else None


def _place(fields: Fields, name: str, text: str, in_bytes: bool) -> int | None:
    value = fields.take(name)
    place = 0 if value is None else whole_number(value)
    if place is None or place < 0:
        return None
    if not in_bytes:
        return place if place <= len(text) else None
    encoded = text.encode()
    if place > len(encoded):
        return None
    try:
        return len(encoded[:place].decode())
    except UnicodeDecodeError:
        return None  # in the middle of a character


def first_of(members: Mapping[str, Any], *names: str) -> Any:
    """Return the first of some members that is not null."""
    return next((members[name] for name in names if members.get(name) is not None), None)


def any_has(found: Any, *names: str) -> bool:
    """Return whether this is a list with an object that has one of the members."""
    items = found if isinstance(found, list) else []
    return any(isinstance(item, dict) and bool({*names} & item.keys()) for item in items)


def texts_in(content: Any, *kinds: str) -> list[str]:
    """Return a message's texts: itself, or its blocks of these kinds."""
    if isinstance(content, str):
        return [content]
    blocks = content if isinstance(content, list) else []
    return [
        block["text"]
        for block in blocks
        if isinstance(block, dict)
        and isinstance(block.get("text"), str)
        and block.get("type", kinds[0]) in kinds
    ]


def last_user_text(messages: Any, *kinds: str) -> str:
    """Return the text of the user's last message that has any."""
    if isinstance(messages, str):
        return messages
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, dict) and message.get("role") == "user":
            text = "\n\n".join(texts_in(first_of(message, "content", "parts"), *kinds))
            if text.strip():
                return text
    return ""
