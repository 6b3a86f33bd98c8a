"""Filters and tags for all templates: Markdown, answers, numbers, tabs and help addresses."""

import json
from collections.abc import Iterable, Sequence
from functools import lru_cache
from urllib.parse import urlsplit

from django import template
from django.conf import settings
from django.http import HttpRequest
from django.template import Context
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString

from annotate.models import Study
from annotate.text.parts import Chip, Part
from annotate.text.shown_passages import Piece
from annotate.web import tabs
from annotate.web.demo_accounts import DEMO_ACCOUNTS, DemoAccount
from annotate.web.help import documents
from annotate.web.markdown import html_of, parsed

register = template.Library()


@register.filter
@lru_cache(maxsize=64)
def markdown(text: str) -> SafeString:
    """Return Markdown as HTML with headings one level lower, below the page's own heading."""
    tokens = parsed(text)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(6, int(token.tag[1]) + 1)}"
    return SafeString(html_of(tokens))


@register.simple_tag
@lru_cache(maxsize=500)
def written(language: str = "") -> SafeString:
    """Return the attributes of an element with text from the data: direction and language.

    An empty language means unknown, not the page's English.
    """
    return format_html('dir="auto" lang="{}"', language)


@register.filter
def sentences(pieces: Iterable[Piece]) -> SafeString:
    """Return a passage as HTML, with each sentence and its place in an element."""
    return SafeString("".join(map(_sentence, pieces)))


def _sentence(piece: Piece) -> str:
    if piece.sentence is None:
        return escape(piece.text)
    return (
        f'<span class="sentence" data-start="{piece.start}" data-end="{piece.end}">'
        f"{escape(piece.text)}</span>"
    )


@register.simple_tag(takes_context=True)
def answer_parts(context: Context, parts: Sequence[Part]) -> SafeString:
    """Return the parts of an answer as HTML, for `answers/answer.html`.

    There are many parts, and a template would be slower.
    """
    lit = context.get("lit")

    def written_out(part: Part) -> str:
        if part.text:
            return escape(part.text)
        if part.closes:
            return f"</{part.closes}>"
        if part.chip:
            return _chip(context, part.chip, is_next=part.is_next)
        if part.statement:
            kind = "statement lit" if part.statement == lit else "statement"
            places = f'data-unit="{escape(part.statement)}" data-passages="{escape(part.passages)}"'
            return f'<span class="{kind}" {places}>'
        if part.opens:
            attributes = (f' {escape(name)}="{escape(text)}"' for name, text in part.attributes)
            return f"<{part.opens}{''.join(attributes)}>"
        return ""

    return SafeString("".join(map(written_out, parts)) or "<em>The answer is empty.</em>")


def _chip(context: Context, chip: Chip, *, is_next: bool) -> str:
    before = "<wbr>" if is_next else ""
    over = " over" if chip.over_cap else ""
    if context.get("leads") and not chip.missing:
        title = 'title="Beyond the citations that count" ' if over else ""
        place, prefix, label = (
            chip.passage,
            escape(context.get("prefix") or ""),
            escape(chip.label),
        )
        return (
            f'{before}<a class="chip{over}" href="#{prefix}p{place}" data-passage="{place}" '
            f'data-unit="{escape(chip.key)}" {title}aria-label="passage {label}">{label}</a>'
        )
    kinds = (" missing" if chip.missing else "") + over + (" address" if chip.url else "")
    if chip.key == context.get("asked_about"):
        kinds += " asked-about"
    why = f' title="{escape(chip.why_missing)}"' if chip.missing else ""
    unit, label = escape(chip.key), escape(chip.label)
    return f'{before}<span class="chip{kinds}" data-unit="{unit}"{why}>{label}</span>'


@register.simple_tag
def demo_accounts() -> tuple[DemoAccount, ...]:
    """Return the accounts that the sign-in page shows, if there is a demo."""
    has_demo = not settings.PRODUCTION and Study.objects.filter(is_demo=True).exists()
    return DEMO_ACCOUNTS if has_demo else ()


@register.simple_tag(takes_context=True)
def study_tabs(context: Context) -> tabs.TabBar:
    """Return the tabs of the current study, with the current page marked."""
    return tabs.bar(context["access"], context["request"].resolver_match.url_name)


@register.inclusion_tag("above.html", takes_context=True)
def page_above(context: Context) -> dict[str, object]:
    """Return the link to the parent page, with its object's name if the context has it."""
    request = context["request"]
    link = tabs.above(context["access"], request.resolver_match.url_name, request.path)
    return {"link": link, "name": link and getattr(context.get(link.current), "name", "")}


@register.filter
def help_address(page: HttpRequest | str) -> str:
    """Return the address of the help for the current page, or of a section (`api#tokens`)."""
    if isinstance(page, HttpRequest):
        at = page.resolver_match
        page = tabs.HELP.get(at.url_name or "", "") if at else ""
    return documents.address(page)


@register.simple_tag
def open_sign_up() -> bool:
    return bool(settings.ATTEST_OPEN_SIGN_UP)


@register.simple_tag
def sends_mail() -> bool:
    return bool(settings.ATTEST_SENDS_MAIL)


@register.filter
def percent(share: float | None) -> str:
    """Return a share as a percentage: 0.256 is 26 %."""
    return "undefined" if share is None else f"{100 * share:.0f} %"


@register.filter
def number(value: float | None) -> str:
    """Return a number with separated thousands, and one decimal for floats."""
    if value is None:
        return "–"
    return f"{value:,.1f}" if isinstance(value, float) else f"{value:,}"


@register.filter
def dollars(value: float | None) -> str:
    """Return an amount with two decimals, or four if it is small."""
    if value is None:
        return "–"
    if 0 < value < 0.0001:
        return "less than 0.0001"
    return f"{value:,.2f}" if value >= 0.1 or not value else f"{value:.4f}"


@register.filter
def duration(seconds: float | None) -> str:
    """Return a duration: 45 s, 2 min 5 s, 7 h 20 min."""
    if seconds is None:
        return "–"
    whole = round(seconds)
    if whole >= 3600:
        return f"{whole // 3600:,} h {whole % 3600 // 60} min"
    return f"{whole} s" if whole < 60 else f"{whole // 60} min {whole % 60} s"


@register.filter
def minutes(count: int | None) -> str:
    """Return minutes as 50 min, 2 h 10 min."""
    if count is None:
        return "–"
    return f"{count} min" if count < 60 else f"{count // 60} h {count % 60} min"


@register.filter
def file_size(size: int) -> str:
    """Return a size of a file with its unit."""
    value = float(size)
    for unit in ("bytes", "kB", "MB", "GB"):
        if value < 1000 or unit == "GB":
            return f"{value:.0f} {unit}" if unit == "bytes" else f"{value:.1f} {unit}"
        value /= 1000
    raise AssertionError("unreachable")


@register.filter
def host(address: str) -> str:
    """Return the host of a web address for the text of a link; empty for other addresses."""
    try:
        parts = urlsplit(address)
        found = parts.hostname or ""
    except ValueError:
        return ""
    return found.removeprefix("www.") if parts.scheme in {"http", "https"} else ""


@register.filter
def pretty_json(value: object) -> str:
    """Return fields of unknown meaning as indented JSON, shortened if very long."""
    text = json.dumps(value, indent=1, ensure_ascii=False)
    return text if len(text) <= 4_000 else f"{text[:4_000]}\n…"
