"""Parts of pages that are made once and filled in.

    {% moulded dimension=dimension fixed=fixed %}
      <p id="of-{% fill step.name %}">{{ dimension.question }}</p>
      {% live %}{% csrf_token %}{% endlive %}
    {% endmoulded %}

What stands between them is made once in a process for each of the values that `moulded` names, and
knows nothing else, so that it cannot become stale. `fill` writes a value of the page that asks, and
what is `live` is made for it; neither knows what a loop around it within the mould is at.
"""

import re
from collections.abc import Hashable, Mapping, Sequence
from html import escape
from typing import Any

from django.template import Context, Library, Node, NodeList, TemplateSyntaxError
from django.template.base import FilterExpression, Parser, Token, VariableNode, token_kwargs
from django.template.loader import get_template
from django.utils.safestring import SafeString

from annotate.models.remembered import Remembered

register = Library()

MOST_CHARS = 4_000_000
"""Of what one place of a template keeps."""

_HOLES = "holes of the mould"
_HOLE = re.compile("\0([0-9]+)\0")
_UNSAFE = re.compile("[&<>\"']")
_PLAIN = re.compile(r"[a-z_]+(\.[a-z_]+)+")


class _Filled(Node):
    """A value of the page that asks, or what is made for it."""

    def __init__(self, what: Node | NodeList, said: str = "") -> None:
        self.what, self.said = what, said
        self._first, *self._then = said.split(".") if _PLAIN.fullmatch(said) else [""]

    def render(self, context: Context) -> Any:
        holes = context.get(_HOLES)
        if holes is None:
            return self.what.render(context)
        holes.append(self)
        return SafeString(f"\0{len(holes) - 1}\0")

    def filled(self, context: Context) -> str:
        """What stands there, which for a text that is somebody's attribute is found in less time
        than Django takes to look whether it is a key."""
        if self._first and context.autoescape:
            value = context.get(self._first)
            for name in self._then:
                value = getattr(value, name, None)
            if type(value) is str:
                return escape(value) if _UNSAFE.search(value) else value
        return str(self.what.render(context))


Piece = str | _Filled
"""Of a mould: what is there, or what is to be filled in."""


def _kept() -> Remembered[Sequence[Piece]]:
    return Remembered(
        MOST_CHARS,
        lambda mould: sum(len(piece) if isinstance(piece, str) else 100 for piece in mould),
    )


def _cast(nodelist: NodeList, context: Context, given: Mapping[str, Any]) -> Sequence[Piece]:
    holes: list[_Filled] = []
    text = nodelist.render(context.new({**given, _HOLES: holes}))
    same: dict[str | _Filled, _Filled] = {}
    pieces: list[Piece] = []
    for at, piece in enumerate(_HOLE.split(text)):
        if at % 2 == 0:
            pieces.append(str(piece))
        else:
            hole = holes[int(piece)]
            pieces.append(same.setdefault(hole.said or hole, hole))
    return tuple(pieces)


def _poured(mould: Sequence[Piece], context: Context) -> SafeString:
    filled: dict[_Filled, str] = {}
    parts = []
    for piece in mould:
        if isinstance(piece, str):
            parts.append(piece)
            continue
        if piece not in filled:
            filled[piece] = piece.filled(context)
        parts.append(filled[piece])
    return SafeString("".join(parts))


class _Moulded(Node):
    def __init__(self, given: dict[str, FilterExpression], nodelist: NodeList) -> None:
        self.given, self.nodelist = given, nodelist
        self._kept = _kept()

    def render(self, context: Context) -> SafeString:
        if _HOLES in context:  # one mould within another
            return SafeString(self.nodelist.render(context))
        given = {name: value.resolve(context) for name, value in self.given.items()}
        values = given.values()  # equal ones of two types may be written in two ways
        mould = self._kept.of(
            (*values, *map(type, values)), lambda: _cast(self.nodelist, context, given)
        )
        return _poured(mould, context)


class MouldedTemplate:
    """A whole template as such a mould, for a small answer that is given again and again."""

    def __init__(self, name: str) -> None:
        self._name, self._kept = name, _kept()

    def filled(self, given: Mapping[str, Hashable], page: dict[str, Any]) -> SafeString:
        """Made once for each of what is `given`, and filled with what is the `page`'s."""
        template = get_template(self._name).template  # type: ignore[attr-defined]
        context = Context(page)
        with context.bind_template(template):
            mould = self._kept.of(
                (template, *given.items()), lambda: _cast(template.nodelist, context, given)
            )
            return _poured(mould, context)


@register.tag
def moulded(parser: Parser, token: Token) -> _Moulded:
    bits = token.split_contents()[1:]
    given = token_kwargs(bits, parser)
    if bits:
        raise TemplateSyntaxError(f"moulded: expected name=value, found {bits[0]!r}.")
    nodelist = parser.parse(("endmoulded",))
    parser.delete_first_token()
    return _Moulded(given, nodelist)


@register.tag
def fill(parser: Parser, token: Token) -> _Filled:
    value = token.contents.partition(" ")[2]
    return _Filled(VariableNode(parser.compile_filter(value)), value)


@register.tag
def live(parser: Parser, token: Token) -> _Filled:
    nodelist = parser.parse(("endlive",))
    parser.delete_first_token()
    return _Filled(nodelist)
