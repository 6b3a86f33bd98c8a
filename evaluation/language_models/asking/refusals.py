"""The parameters that a server refuses, learned from its refusals."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

RefusedParameters = frozenset[str]
"""Parameters that a server does not take: `temperature`, `nucleus`, `stop`, `schema`, `logprobs`,
`effort`, or `max_tokens` by that name."""


@dataclass(frozen=True, slots=True)
class ServerHabits:
    """The parameters that a server refused and took until now."""

    refused: RefusedParameters = frozenset()
    taken: frozenset[str] = frozenset()

    def __or__(self, more: "ServerHabits") -> "ServerHabits":
        return ServerHabits(self.refused | more.refused, self.taken | more.taken)


EVERYDAY = ("text", "tools", "temperature", "include", "reasoning", "stop")
"""Parameters that are everyday words: in a message they count in quotes, or before a colon."""


def refused_after(
    names: Mapping[str, Sequence[str]], refusal: str, refused: RefusedParameters
) -> RefusedParameters | None:
    """Return the refused parameters after one more refusal; None if it names no parameter.

    If the server names the parameter in a field, its message is ignored, which may repeat the
    question. Otherwise the name must be a word of its own in the message.
    """
    param, message = _refused(refusal)
    for name, words in names.items():
        if name not in refused and any(_is_named(word, param, message) for word in words):
            return refused | {name}
    return None


def _refused(refusal: str) -> tuple[str, str]:
    """Return the refused parameter, if the server names it, and its message."""
    try:
        said = json.loads(refusal)
    except (RecursionError, ValueError):
        return "", refusal
    error = said.get("error", said) if isinstance(said, dict) else said
    if not isinstance(error, dict):
        return "", refusal
    param, message = error.get("param"), error.get("message")
    return param if isinstance(param, str) else "", message if isinstance(message, str) else refusal


def _is_named(word: str, param: str, message: str) -> bool:
    if param:
        return re.match(rf"{re.escape(word)}(?![\w-])", param) is not None
    name = re.escape(word)
    alone = rf"(?<![\w-]){name}(?![\w-])"
    as_parameter = rf"['\"`]{name}['\"`]|(?<![\w-]){name}(?::|\.\w)"
    return re.search(as_parameter if word in EVERYDAY else alone, message) is not None
