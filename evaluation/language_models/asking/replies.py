"""The JSON schema of a reply, and reading replies.

A reply is one JSON object: a value, a reason, and quotes. Quotes are searched in the named passage
by the rule of the quote check, and dropped if they are not there. An `UnreadableError` says what is
wrong, in words that the model gets once to repair its reply.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeGuard

from annotate.protocol.answers import (
    NOTHING,
    MarkedSpan,
    NotAnAnswerError,
    format_number,
    format_spans,
)
from annotate.protocol.dimensions import IS_WRITTEN, Dimension, UnitKind
from annotate.protocol.pairs import opposite
from annotate.text.claim_from_words import Place, runs_saying
from annotate.text.quotes import look_for

_CANNOT_TELL = "cannot_tell"
CANNOT = "the model cannot tell"
"""The reason of a question that its model could not answer."""

REASON_CHARS = 2_000
MOST_QUOTES = 20
_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)
_THOUGHT = "</think>"
_LEAST_SHARE = 1e-9


class UnreadableError(ValueError):
    """A reply that cannot be used; names the expected form."""


@dataclass(frozen=True, slots=True)
class Quoted:
    """A quote's passage and place."""

    passage: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Answered:
    """A canonical value, or none if the model cannot tell (`value` is empty)."""

    value: str
    reason: str = ""
    score: float | None = None
    """The probability of the positive values, if the model states it."""

    quoted: tuple[Quoted, ...] = ()
    unfound: int = 0
    """The number of quotes that are not in their passages."""

    chosen: tuple[Place, ...] = ()
    """The places of the claim's words in the judged sentence."""


def cannot_tell(dimension: Dimension) -> str:
    """Return the value for “no answer”; a longer word if a choice has this one."""
    word = _CANNOT_TELL
    while any(choice.value == word for choice in dimension.choices):
        word = f"model_{word}"
    return word


def schema_of(
    dimension: Dimension,
    passages: Sequence[int],
    *,
    reason_first: bool = False,
    shares: bool = False,
) -> dict[str, Any]:
    """Return the JSON schema of a reply; with `shares` a probability for each choice."""
    reason = {"reason": {"type": "string"}}
    said = {"probabilities": _shares(dimension)} if shares else {"value": _value(dimension)}
    if dimension.writes:
        said |= {"claim": {"type": "string"}}
    fields = {**reason, **said} if reason_first else {**said, **reason}
    if passages:
        fields["quotes"] = {
            "type": "array",
            "items": _object(
                {
                    "passage": {"type": "integer", "enum": [*passages]},
                    "words": {"type": "string"},
                }
            ),
        }
    return _object(fields)


def _object(fields: dict[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": [*fields],
        "additionalProperties": False,
    }


def _shares(dimension: Dimension) -> dict[str, Any]:
    return _object({choice.value: {"type": "number"} for choice in dimension.choices})


def _value(dimension: Dimension) -> dict[str, Any]:
    values = [choice.value for choice in dimension.choices]
    no_answer = cannot_tell(dimension)
    if dimension.answer == "choice":
        return {"type": "string", "enum": [*values, no_answer]}
    if dimension.answer == "number":
        return {"anyOf": [{"type": "number"}, {"type": "string", "enum": [no_answer]}]}
    if dimension.answer == "several":
        return {"type": "array", "items": {"type": "string", "enum": [*values, no_answer]}}
    if dimension.answer == "text":
        return {"type": "string"}
    marked: dict[str, Any] = {
        "words": {"type": "string"},
        "label": {"type": "string", "enum": values},
    }
    if dimension.severities:
        names = [one.value for one in dimension.severities]
        marked["severity"] = {"type": "string", "enum": names}
    if dimension.marks == "passages":
        marked["passage"] = {"type": "integer"}
    return {"type": "array", "items": _object(marked)}


def read_reply(
    dimension: Dimension,
    reply_text: str,
    text: str,
    passages: Mapping[int, str],
    *,
    shares: bool = False,
) -> Answered:
    """Read a reply about a text with passages; raise `UnreadableError`. `shares`: a
    probability of each choice was requested."""
    fields = _json(reply_text)
    quoted, unfound = _quoted(fields.get("quotes"), passages)
    reason = fields.get("reason", "")
    if not isinstance(reason, str):
        raise UnreadableError("“reason” should be a text.")
    score = None
    if shares:
        value, score = _most_probable(dimension, fields.get("probabilities"))
    else:
        value = _read_value(dimension, fields.get("value"), text, passages)
    chosen = _chosen(fields.get("claim"), text) if dimension.writes and value == IS_WRITTEN else ()
    return Answered(value, reason.strip()[:REASON_CHARS], score, quoted, unfound, chosen)


def in_stored_order(dimension: Dimension, found: Answered) -> Answered:
    """Return an answer about a mirrored pair as one about the pair in its stored order."""
    value = opposite(dimension, found.value) if found.value else ""
    quoted = tuple(replace(one, passage=-one.passage) for one in found.quoted)
    return replace(found, value=value, quoted=quoted)


def _json(written: str) -> Mapping[str, Any]:
    """Return the one JSON object in a reply: alone, fenced, or after other words and thoughts."""
    visible = written.rpartition(_THOUGHT)[2]
    for text in (written, visible, *reversed(_FENCE.findall(visible)), *_objects(visible)):
        try:
            found = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return {str(name): _storable(value) for name, value in found.items()}
    raise UnreadableError("The answer should be one object of JSON and nothing else.")


def storable(text: str) -> str:
    """Return a text without NUL and lone surrogates, which databases refuse."""
    return text.replace("\0", "").encode("utf-8", "replace").decode("utf-8")


def _storable(value: Any) -> Any:
    """Return a JSON value with storable texts."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [_storable(one) for one in value]
    if isinstance(value, dict):
        return {storable(name): _storable(one) for name, one in value.items()}
    return value


def _objects(written: str) -> Iterator[str]:
    """Yield the text from the first opening to the last closing brace."""
    first, last = written.find("{"), written.rfind("}")
    if 0 <= first < last:
        yield written[first : last + 1]


def _read_value(dimension: Dimension, value: object, text: str, passages: Mapping[int, str]) -> str:
    if value in ((no_answer := cannot_tell(dimension)), [no_answer]):
        return ""
    try:
        return dimension.read(_as_text(dimension, value, text, passages))
    except NotAnAnswerError as error:
        # Without this alternative, a model that cannot tell would choose a value.
        none = f", or “{no_answer}”" if dimension.answer in ("choice", "number") else ""
        raise UnreadableError(f"“value” should be {error.expected}{none}.") from error


def _as_text(dimension: Dimension, value: object, text: str, passages: Mapping[int, str]) -> str:
    if dimension.answer == "number" and _is_number(value):
        return format_number(round(value, dimension.decimals))
    if dimension.answer == "choice" and _is_number(value):
        return format_number(value)  # as for 1 to 5: a server without schemas allows a number
    if dimension.answer == "several" and isinstance(value, list):
        return "|".join(map(str, value)) or NOTHING
    if dimension.answer == "spans" and isinstance(value, list):
        return format_spans(_span(dimension, one, text, passages) for one in value)
    if dimension.answer == "spans":
        raise UnreadableError("“value” should be a list of objects, empty if nothing is marked.")
    return value.strip() if isinstance(value, str) else ""


def _chosen(claim: object, sentence: str) -> tuple[Place, ...]:
    """Return the words of the sentence that make the claim; case may differ."""
    said = claim if isinstance(claim, str) else ""
    runs = runs_saying(sentence, said) or runs_saying(sentence, said, folded=True)
    if not runs:
        raise UnreadableError(
            "“claim” should be words of the sentence, copied in their order and without marks; "
            f"found “{str(claim or '')[:80]}”."
        )
    return tuple(runs)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e12


def _span(dimension: Dimension, said: object, text: str, passages: Mapping[int, str]) -> MarkedSpan:
    """Find marked words in their text or passage."""
    if not isinstance(said, dict) or not isinstance(said.get("words"), str):
        raise UnreadableError("Each of “value” should be an object with “words” and “label”.")
    number = said.get("passage", 0) if dimension.marks == "passages" else 0
    if not isinstance(number, int) or (number and number not in passages):
        raise UnreadableError(f"There is no passage {number}.")
    found = look_for(said["words"], passages.get(number, "") if number else text)
    if found.value == "none":
        where = f"passage {number}" if number else "the judged text"
        raise UnreadableError(f"The words “{said['words'][:80]}” do not stand in {where}.")
    label, severity = said.get("label", ""), said.get("severity", "")
    return MarkedSpan(number, found.start, found.end, str(label), str(severity))


def _most_probable(dimension: Dimension, said: object) -> tuple[str, float | None]:
    """Return the likeliest choice, of equals the lower, and the probability of the positive
    ones."""
    names = [choice.value for choice in dimension.choices]
    expected = f"“probabilities” should have a number from 0 to 1 for each of {', '.join(names)}."
    if not isinstance(said, dict) or {*said} != {*names}:
        raise UnreadableError(expected)
    shares: dict[str, float] = {}
    for name, share in said.items():
        if not _is_number(share) or not 0 <= share <= 1:
            raise UnreadableError(expected)
        shares[name] = float(share)
    whole = sum(shares.values())
    if whole < _LEAST_SHARE:
        return "", 0.0
    value = max(dimension.low_to_high, key=lambda name: shares[name])
    if dimension.unit_kind is UnitKind.PAIR:  # no choice is positive for one response
        return value, None
    positive = sum(shares[name] for name in names if name in dimension.positive)
    return value, positive / whole


def _quoted(said: object, passages: Mapping[int, str]) -> tuple[tuple[Quoted, ...], int]:
    """Return the quotes that are in their passages, and the number of the others."""
    if said is None:
        return (), 0
    if not isinstance(said, list):
        raise UnreadableError("“quotes” should be a list.")
    quotes: dict[Quoted, None] = {}
    unfound = 0
    for one in said[:MOST_QUOTES]:
        number = one.get("passage") if isinstance(one, dict) else None
        words = one.get("words") if isinstance(one, dict) else None
        if not isinstance(number, int) or not isinstance(words, str):
            raise UnreadableError("Each of “quotes” should have “passage”, a number, and “words”.")
        match = look_for(words, passages.get(number, ""))
        if match.value == "none":
            unfound += 1
        else:
            quotes[Quoted(number, match.start, match.end)] = None
    return tuple(quotes), unfound
