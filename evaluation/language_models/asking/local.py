"""A language model in a folder of this machine, used without a server.

The form of an answer is enforced while it is generated. For choices, the likeliest value is taken,
and probabilities are those of the values. Free text such as reasons is generated until it ends.
Numbers, lists and marked words are generated freely and read like a server's reply. Quotes of
passages are not requested.
"""

import copy
import json
import math
import re
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

import torch
from jinja2 import TemplateError
from transformers import AutoModelForCausalLM

from annotate.work.outgoing import look
from evaluation.judges.entailment.door import Door
from evaluation.judges.entailment.loading import PairError
from evaluation.judges.entailment.pretrained import Pretrained
from evaluation.judges.entailment.scorer import fingerprint_of
from evaluation.language_models.asking.prompts import Prompt
from evaluation.language_models.asking.replies import storable
from evaluation.language_models.asking.scores import PLAIN, SamplingParams
from evaluation.language_models.asking.server_apis import CUT, Reply, Schema

REASON_TOKENS = 200
"""The largest number of tokens of a reason."""

_ENDS = re.compile(r'(?<!\\)(?:\\\\)*"')
"""A quotation mark that is not escaped."""

USUAL_POSITIONS = 4_096
"""Context size of models whose configuration has none."""


class LocalModel:
    """Asks one model, one question at a time. Its weights are loaded when first needed."""

    def __init__(self, door: Door, *, most_tokens: int = 4_000) -> None:
        self._door = door
        self._most = most_tokens
        self._one = threading.Lock()
        self._pretrained = Pretrained(AutoModelForCausalLM, door.url)

    @cached_property
    def fingerprint(self) -> str:
        """Name the connection and the model's files."""
        parts: list[tuple[str, object]] = [("speaker", 1), ("mode", "local"), *self._door.identity]
        return fingerprint_of([*parts, *self._pretrained.identity(), ("most", self._most)])

    def share(self, parts: int) -> None:
        """Do nothing: each process has its own model."""

    def settle(self) -> None:
        """Do nothing: a local model refuses no parameters."""

    def ask(self, prompt: Prompt, schema: Schema, *, sampling: SamplingParams = PLAIN) -> Reply:
        """Return the model's reply. A `PairError` concerns this prompt only."""
        with self._one, torch.inference_mode():
            told = self._told(prompt)
            room = self._positions - len(told)
            if room < 1:
                raise PairError(
                    f"The model reads {self._positions:,} tokens; this prompt has {len(told):,}."
                )
            fields: Mapping[str, Any] = schema["properties"] if schema is not None else {}
            if fields and all(_is_held(name, field) for name, field in fields.items()):
                reply, likely = self._in_form(told, fields)
                return replace(reply, likely=likely) if sampling.likely else reply
            how = sampling if schema is None else PLAIN
            written, ended = self._written(told, min(self._most, room), how)
            return self._reply(told, written, "" if ended else CUT)

    def _in_form(
        self, told: list[int], fields: Mapping[str, Any]
    ) -> tuple[Reply, dict[str, float]]:
        """Return a reply in the schema, and the probability of each choice if there are choices."""
        said: dict[str, Any] = {}
        shares: dict[str, float] = {}
        for name, field in fields.items():
            before = json.dumps(said, ensure_ascii=False)[:-1] + (", " if said else "")
            before = f'{before}"{name}": '
            if name == "quotes":
                said[name] = []
            elif name == "probabilities":
                said[name] = self._shares(told, before, [*field["properties"]])
            elif "enum" in field:
                shares = self._shares(told, before, field["enum"])
                said[name] = max(shares, key=lambda value: shares[value])
            else:
                start = told + self._tokens(f'{before}"')
                most = min(REASON_TOKENS, self._positions - len(start))
                written, ended = self._written(start, most, until=_until_quote)
                said[name] = _unescaped(written)
                if name == "claim" and not ended:
                    return self._reply(told, json.dumps(said, ensure_ascii=False), CUT), shares
        return self._reply(told, json.dumps(said, ensure_ascii=False)), shares

    def _shares(self, told: list[int], before: str, values: Sequence[str]) -> dict[str, float]:
        """Return the model's probability of each value as the next text."""
        start = told + self._tokens(before)
        found = self._next(start, None)
        logs = []
        for value in values:
            tokens = self._tokens(json.dumps(value, ensure_ascii=False))
            self._refuse_longer(len(start) + len(tokens))
            past = copy.deepcopy(found.past_key_values)
            more = self._next(tokens[:-1], past).logits[0] if tokens[1:] else found.logits[0][:0]
            logits = torch.cat([found.logits[0][-1:], more]).float().log_softmax(-1)
            logs.append(sum(float(row[token]) for row, token in zip(logits, tokens, strict=True)))
        likeliest = max(logs)
        shares = [math.exp(log - likeliest) for log in logs]
        return {v: share / sum(shares) for v, share in zip(values, shares, strict=True)}

    def _written(
        self,
        start: list[int],
        most: int,
        sampling: SamplingParams = PLAIN,
        *,
        until: Callable[[str], str] | None = None,
    ) -> tuple[str, bool]:
        """Generate text until its end or an end token; return the text, and whether it ended.
        `until` cuts a text at its end."""
        until = until or (sampling.until_stop if sampling.stop else None)
        tokens: list[int] = []
        past, given = None, start
        chance = torch.Generator().manual_seed(sampling.sample)
        for _ in range(most):
            found = self._next(given, past)
            past, token = found.past_key_values, _taken(found.logits[0, -1], sampling, chance)
            if token in self._ends:
                return self._text(tokens), True
            tokens.append(token)
            given = [token]
            if until is not None and (text := self._text(tokens)) != (cut := until(text)):
                return cut, True
        return self._text(tokens), False

    def _next(self, tokens: list[int], past: Any) -> Any:
        look()
        given = torch.tensor([tokens], device=self._pretrained.device)
        return self._pretrained.model(input_ids=given, past_key_values=past, use_cache=True)

    def _refuse_longer(self, length: int) -> None:
        if length > self._positions:
            raise PairError(
                f"The model reads {self._positions:,} tokens, and this prompt is longer."
            )

    def _told(self, prompt: Prompt) -> list[int]:
        tokenizer = self._pretrained.tokenizer
        system, user = self._as_words(prompt.system), self._as_words(prompt.user)
        if not tokenizer.chat_template:
            return self._tokens(f"{system}\n\n{user}\n\n")
        both = [{"role": "system", "content": system}, {"role": "user", "content": user}]
        template = partial(
            tokenizer.apply_chat_template, add_generation_prompt=True, tokenize=False
        )
        try:
            return self._tokens(template(both))
        except TemplateError:  # the model has no system role
            return self._tokens(template([{"role": "user", "content": f"{system}\n\n{user}"}]))

    def _as_words(self, text: str) -> str:
        """Break up special tokens in a text, so that passages cannot end or begin a turn."""
        for sign in self._signs:
            text = text.replace(sign, f"{sign[0]} {sign[1:]}")
        return text

    @cached_property
    def _signs(self) -> list[str]:
        """Return the model's special tokens, the longest first."""
        tokenizer = self._pretrained.tokenizer
        added = (one.content for one in tokenizer.added_tokens_decoder.values() if one.special)
        return sorted({*added, *tokenizer.all_special_tokens}, key=lambda one: (-len(one), one))

    def _tokens(self, text: str) -> list[int]:
        found: list[int] = self._pretrained.tokenizer.encode(text, add_special_tokens=False)
        return found

    def _text(self, tokens: list[int]) -> str:
        return str(self._pretrained.tokenizer.decode(tokens, skip_special_tokens=True))

    def _reply(self, told: list[int], text: str, why: str = "") -> Reply:
        return Reply(storable(text), len(told), len(self._tokens(text)), why)

    def tokens_of(self, prompt: Prompt) -> int:
        return len(self._told(prompt))

    @property
    def reads(self) -> int:
        """Return the largest prompt in tokens, with room for the reply."""
        return self._positions - min(self._most, self._positions // 2)

    @cached_property
    def _positions(self) -> int:
        found = getattr(self._pretrained.config, "max_position_embeddings", None)
        return int(found or USUAL_POSITIONS)

    @cached_property
    def _ends(self) -> set[int]:
        """Return the tokens that end a reply."""
        said = self._pretrained.model.generation_config.eos_token_id
        found = said if isinstance(said, list) else [said]
        return {one for one in (*found, self._pretrained.tokenizer.eos_token_id) if one is not None}


def _taken(logits: Any, sampling: SamplingParams, chance: torch.Generator) -> int:
    """Return the next token: the likeliest, or one drawn from the nucleus."""
    if not sampling.temperature:
        return int(logits.argmax())
    shares = (logits.float().cpu() / sampling.temperature).softmax(-1)
    if sampling.nucleus is not None:
        ordered, places = shares.sort(descending=True)
        ordered[ordered.cumsum(-1) - ordered >= sampling.nucleus] = 0
        return int(places[torch.multinomial(ordered, 1, generator=chance)])
    return int(torch.multinomial(shares, 1, generator=chance))


def _until_quote(text: str) -> str:
    """Return the text of a JSON string before its closing quote."""
    found = _ENDS.search(text)
    return text[: found.end() - 1] if found else text


def _unescaped(written: str) -> str:
    """Return the value of a JSON string; the text itself if it is none."""
    try:
        return str(json.loads(f'"{written}"'))
    except ValueError:
        return written


def _is_held(name: str, field: Mapping[str, Any]) -> bool:
    """Return whether the form of a field is enforced."""
    return name in ("quotes", "probabilities") or field.get("type") == "string"
