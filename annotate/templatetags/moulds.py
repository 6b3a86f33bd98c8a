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
from dataclasses import dataclass
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
_PLAIN = re.compile(r"[a-z_]+(\.[a-z_]+)*")
_MISSING: Any = object()


def escaped(text: str) -> str:
    """A text that nobody has marked as safe, as Django escapes it, in less time."""
    return escape(text) if _UNSAFE.search(text) else text


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
                return escaped(value)
            if type(value) is int:
                return str(value)
        return str(self.what.render(context))


@dataclass(frozen=True, slots=True)
class _Mould:
    texts: Sequence[str]
    """What is there, and nothing where something is to be filled in."""

    holes: Sequence[tuple[_Filled, Sequence[int]]]
    """What that is, and at which of these places."""

    @property
    def weight(self) -> int:
        return sum(map(len, self.texts)) + 100 * sum(len(places) for _, places in self.holes)

    def poured(self, context: Context) -> SafeString:
        parts = [*self.texts]
        for hole, places in self.holes:
            filled = hole.filled(context)
            for place in places:
                parts[place] = filled
        return SafeString("".join(parts))


def _kept() -> Remembered[_Mould]:
    return Remembered(MOST_CHARS, lambda mould: mould.weight)


def _cast(nodelist: NodeList, context: Context, given: Mapping[str, Any]) -> _Mould:
    holes: list[_Filled] = []
    text = nodelist.render(context.new({**given, _HOLES: holes}))
    texts = _HOLE.split(text)
    places: dict[str | _Filled, tuple[_Filled, list[int]]] = {}
    for at in range(1, len(texts), 2):
        hole = holes[int(texts[at])]
        places.setdefault(hole.said or hole, (hole, []))[1].append(at)
        texts[at] = ""
    return _Mould(tuple(texts), tuple(places.values()))


class _Given:
    """What a mould is given, which for a variable of the page is found in less time than Django
    takes for any expression."""

    def __init__(self, value: FilterExpression) -> None:
        self._value = value
        self._name = value.token if value.token.isidentifier() else ""

    def resolve(self, context: Context) -> Any:
        found = context.get(self._name, _MISSING) if self._name else _MISSING
        if found is _MISSING or callable(found):
            return self._value.resolve(context)
        return found


class _Moulded(Node):
    def __init__(self, given: dict[str, FilterExpression], nodelist: NodeList) -> None:
        self.given = {name: _Given(value) for name, value in given.items()}
        self.nodelist, self._kept = nodelist, _kept()

    def render(self, context: Context) -> SafeString:
        if context.get(_HOLES) is not None:  # one mould within another
            return SafeString(self.nodelist.render(context))
        given = {name: value.resolve(context) for name, value in self.given.items()}
        values = given.values()  # equal ones of two types may be written in two ways
        mould = self._kept.of(
            (*values, *map(type, values)), lambda: _cast(self.nodelist, context, given)
        )
        return mould.poured(context)


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
            return mould.poured(context)


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
