"""The ways in which servers of language models are spoken to: OpenAI's chat and responses (which
vLLM, Ollama and llama.cpp's server speak, too), Anthropic's messages and Gemini's contents.

Each makes the body of a question and reads what comes back; nothing is sent from here. A server may
refuse a parameter that others know, as reasoning models refuse a temperature: what a refusal names
is left out or said differently from then on (`RefusedParameters`).
"""

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from evaluation.judges.entailment.posting import bearer
from evaluation.language_models.asking.prompts import CHARS_OF_TOKEN, Prompt
from evaluation.language_models.asking.refusals import RefusedParameters
from evaluation.language_models.asking.replies import storable
from evaluation.language_models.asking.scores import PLAIN, Manner, Token

Schema = Mapping[str, Any] | None
"""The form of an answer; none where it is free."""

NAME = "answer"

LEAST_REMEMBERED = 1_024
"""Tokens: as Anthropic documents it, none of its models remembers fewer."""

MOST_LIKELY = 20
"""So many of the likeliest tokens are asked for at each place: no server tells more."""

EFFORTS = ("minimal", "low", "medium", "high")
"""How hard a reasoning model can be told to think."""


class UnexpectedError(ValueError):
    """An answer of another form than the server's; says which form was expected."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model wrote, and what it cost. Without a text, `why` says what ended it."""

    text: str
    asked: int = 0
    written: int = 0
    """Tokens of the question and of the answer."""

    why: str = ""
    cached: int = 0
    """Tokens of the question that the server remembered."""

    likely: Mapping[str, float] | None = None
    """How probable each choice was where one was written, where that was asked for and shows."""


Parameters = Mapping[str, Mapping[str, Any]]
"""Optional parameters of a call by their names here, as a server is told each."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call of a model, and which parameters its server refuses (`refused`)."""

    model: str
    prompt: Prompt
    schema: Schema
    most_tokens: int
    refused: RefusedParameters
    manner: Manner = PLAIN

    def told(self, parameters: Parameters) -> dict[str, Any]:
        """Return the optional parameters that this call has and its server takes."""
        manner = self.manner
        wanted = {
            "temperature": True,
            "nucleus": manner.nucleus is not None,
            "stop": bool(manner.stop),
            "schema": self.schema is not None,
            "logprobs": manner.likely,
            "effort": bool(manner.effort),
        }
        found: dict[str, Any] = {}
        for name, said in parameters.items():
            if wanted[name] and name not in self.refused:
                found |= said
        return found


class Speech(ABC):
    """One way of speaking."""

    names: ClassVar[Mapping[str, Sequence[str]]]
    """For each optional parameter, the names by which a refusal calls it."""

    tells_likely = takes_effort = True
    """Whether servers say how probable what they write is; whether they are told how hard to
    think."""

    def address(self, url: str, model: str) -> str:
        """Where a question is posted."""
        return url

    def headers(self, key: str) -> dict[str, str]:
        """What says who asks."""
        return bearer(key)

    @abstractmethod
    def body(self, asked: ModelRequest) -> dict[str, Any]:
        """The question."""

    @abstractmethod
    def reply(self, answer: object) -> Reply:
        """What was answered; raises `UnexpectedError`."""

    def tokens(self, answer: object) -> list[Token]:
        """What was answered piece by piece; none where the server does not tell."""
        return []


class Chat(Speech):
    """Chat completions."""

    names = {
        "max_tokens": ("max_tokens", "max_completion_tokens"),
        "temperature": ("temperature",),
        "nucleus": ("top_p",),
        "stop": ("stop",),
        "schema": ("response_format", "json_schema"),
        "logprobs": ("logprobs", "top_logprobs"),
        "effort": ("reasoning_effort",),
    }

    def body(self, asked: ModelRequest) -> dict[str, Any]:
        manner = asked.manner
        most = "max_completion_tokens" if "max_tokens" in asked.refused else "max_tokens"
        schema = {"name": NAME, "strict": True, "schema": asked.schema}
        optional: Parameters = {
            "temperature": {"temperature": manner.temperature},
            "nucleus": {"top_p": manner.nucleus},
            "stop": {"stop": [*manner.stop]},
            "schema": {"response_format": {"type": "json_schema", "json_schema": schema}},
            "logprobs": {"logprobs": True, "top_logprobs": MOST_LIKELY},
            "effort": {"reasoning_effort": manner.effort},
        }
        return {
            "model": asked.model,
            "messages": [
                {"role": "system", "content": asked.prompt.system},
                {"role": "user", "content": asked.prompt.user},
            ],
            most: asked.most_tokens,
            **asked.told(optional),
        }

    def reply(self, answer: object) -> Reply:
        choice = _first(answer, "choices")
        message = choice.get("message")
        if not isinstance(message, dict):
            raise UnexpectedError("an object as choices[0].message")
        text, refusal = _spoken(message.get("content")), message.get("refusal")
        ended = {"length": CUT, "content_filter": REFUSED}.get(str(choice.get("finish_reason")), "")
        why = REFUSED if refusal else ended
        return _reply(text, why, _openai(answer, "prompt_tokens", "completion_tokens"))

    def tokens(self, answer: object) -> list[Token]:
        return _tokens(_at(_first(answer, "choices"), "logprobs", "content"))


class OpenAIResponses(Speech):
    """OpenAI's responses."""

    names = {
        "temperature": ("temperature",),
        "nucleus": ("top_p",),
        "schema": ("text.format", "json_schema", "text"),
        "logprobs": ("top_logprobs", "logprobs", "include"),
        "effort": ("reasoning.effort", "reasoning"),
    }

    def body(self, asked: ModelRequest) -> dict[str, Any]:
        manner = asked.manner
        form = {"type": "json_schema", "name": NAME, "strict": True, "schema": asked.schema}
        likely = {"include": ["message.output_text.logprobs"], "top_logprobs": MOST_LIKELY}
        optional: Parameters = {
            "temperature": {"temperature": manner.temperature},
            "nucleus": {"top_p": manner.nucleus},
            "schema": {"text": {"format": form}},
            "logprobs": likely,
            "effort": {"reasoning": {"effort": manner.effort}},
        }
        return {
            "model": asked.model,
            "instructions": asked.prompt.system,
            "input": asked.prompt.user,
            "max_output_tokens": asked.most_tokens,
            "store": False,
            **asked.told(optional),
        }

    def reply(self, answer: object) -> Reply:
        parts = answer.get("output") if isinstance(answer, dict) else None
        if not isinstance(parts, list):
            raise UnexpectedError("a list as output")
        texts, why = [], ""
        for part in parts:
            content = part.get("content") if isinstance(part, dict) else None
            for piece in content if isinstance(content, list) else []:
                if isinstance(piece, dict) and piece.get("type") == "output_text":
                    texts.append(str(piece.get("text", "")))
                elif isinstance(piece, dict) and piece.get("type") == "refusal":
                    why = REFUSED
        if _at(answer, "status") == "incomplete":
            filtered = _at(answer, "incomplete_details", "reason") == "content_filter"
            why = why or (REFUSED if filtered else CUT)
        tokens = _openai(answer, "input_tokens", "output_tokens")
        return _reply("".join(texts), why, tokens)

    def tokens(self, answer: object) -> list[Token]:
        pieces = [p for part in _list(_at(answer, "output")) for p in _list(_at(part, "content"))]
        return [token for piece in pieces for token in _tokens(_at(piece, "logprobs"))]


class Anthropic(Speech):
    """Anthropic's messages. A tool that the model must use holds the form of the answer."""

    names = {
        "temperature": ("temperature",),
        "nucleus": ("top_p",),
        "stop": ("stop_sequences",),
        "schema": ("tool_choice", "tools", "input_schema"),
    }
    tells_likely = takes_effort = False

    def headers(self, key: str) -> dict[str, str]:
        said = {"anthropic-version": "2023-06-01"}
        return said | ({"x-api-key": key} if key else {})

    def body(self, asked: ModelRequest) -> dict[str, Any]:
        tool = {"name": NAME, "description": "The answer.", "input_schema": asked.schema}
        stop = [one for one in asked.manner.stop if one.strip()]  # white space alone is refused
        optional: Parameters = {
            "temperature": {"temperature": asked.manner.temperature},
            "nucleus": {"top_p": asked.manner.nucleus},
            "stop": {"stop_sequences": stop} if stop else {},
            "schema": {"tools": [tool], "tool_choice": {"type": "tool", "name": NAME}},
        }
        return {
            "model": asked.model,
            "max_tokens": asked.most_tokens,
            "system": [_remembered(asked.prompt.system)],
            "messages": [{"role": "user", "content": self._content(asked.prompt)}],
            **asked.told(optional),
        }

    def reply(self, answer: object) -> Reply:
        parts = answer.get("content") if isinstance(answer, dict) else None
        if not isinstance(answer, dict) or not isinstance(parts, list):
            raise UnexpectedError("a list as content")
        used = [p for p in parts if isinstance(p, dict) and p.get("type") == "tool_use"]
        texts = [str(p.get("text", "")) for p in parts if isinstance(p, dict) and "text" in p]
        text = _written(used[0].get("input")) if used else "".join(texts)
        ended = {"max_tokens": CUT, "refusal": REFUSED}
        why = ended.get(str(answer.get("stop_reason")), "")
        remembered = _usage(answer, "usage", "cache_read_input_tokens")
        read = _usage(answer, "usage", "input_tokens") + remembered
        read += _usage(answer, "usage", "cache_creation_input_tokens")
        return _reply(text, why, (read, remembered, _usage(answer, "usage", "output_tokens")))

    def _content(self, prompt: Prompt) -> str | list[dict[str, Any]]:
        """In two where other questions begin as this one does, and that is worth remembering."""
        begun, rest = prompt.user[: prompt.begins], prompt.user[prompt.begins :]
        if not begun or len(prompt.system + begun) < LEAST_REMEMBERED * CHARS_OF_TOKEN:
            return prompt.user
        return [_remembered(begun), {"type": "text", "text": rest}]


def _remembered(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}


class Gemini(Speech):
    """Gemini's contents. The model stands in the address."""

    names = {
        "temperature": ("temperature",),
        "nucleus": ("topP", "top_p"),
        "stop": ("stopSequences", "stop_sequences"),
        "schema": (
            "response_json_schema",
            "responseJsonSchema",
            "response_schema",
            "responseSchema",
            "response_mime_type",
            "responseMimeType",
        ),
        "logprobs": ("responseLogprobs", "response_logprobs", "logprobs", "Logprobs"),
        "effort": ("thinkingLevel", "thinking_level", "thinkingConfig", "thinking_config"),
    }

    def address(self, url: str, model: str) -> str:
        is_whole = ":generateContent" in url
        return url if is_whole else f"{url.rstrip('/')}/models/{model}:generateContent"

    def headers(self, key: str) -> dict[str, str]:
        return {"x-goog-api-key": key} if key else {}

    def body(self, asked: ModelRequest) -> dict[str, Any]:
        manner = asked.manner
        form = {"responseMimeType": "application/json", "responseJsonSchema": asked.schema}
        optional: Parameters = {
            "temperature": {"temperature": manner.temperature},
            "nucleus": {"topP": manner.nucleus},
            "stop": {"stopSequences": [*manner.stop]},
            "schema": form,
            "logprobs": {"responseLogprobs": True, "logprobs": MOST_LIKELY},
            "effort": {"thinkingConfig": {"thinkingLevel": manner.effort}},
        }
        return {
            "systemInstruction": {"parts": [{"text": asked.prompt.system}]},
            "contents": [{"role": "user", "parts": [{"text": asked.prompt.user}]}],
            "generationConfig": {"maxOutputTokens": asked.most_tokens, **asked.told(optional)},
        }

    def reply(self, answer: object) -> Reply:
        feedback = answer.get("promptFeedback") if isinstance(answer, dict) else None
        if isinstance(feedback, dict) and feedback.get("blockReason"):
            return Reply("", why=REFUSED)
        candidate = _first(answer, "candidates")
        content = candidate.get("content")
        parts = content.get("parts") if isinstance(content, dict) else None
        texts = [
            str(part.get("text", ""))
            for part in (parts if isinstance(parts, list) else [])
            if isinstance(part, dict) and not part.get("thought")
        ]
        ended = str(candidate.get("finishReason", "STOP"))
        why = "" if ended == "STOP" else CUT if ended == "MAX_TOKENS" else REFUSED
        read, remembered, written, thought = (
            _usage(answer, "usageMetadata", name)
            for name in (
                "promptTokenCount", "cachedContentTokenCount", "candidatesTokenCount",
                "thoughtsTokenCount",
            )
        )  # fmt: skip
        return _reply("".join(texts), why, (read, remembered, written + thought))

    def tokens(self, answer: object) -> list[Token]:
        told = _at(_first(answer, "candidates"), "logprobsResult")
        chosen = _list(_at(told, "chosenCandidates"))
        others = [_list(_at(one, "candidates")) for one in _list(_at(told, "topCandidates"))]
        others += [[] for _ in range(len(chosen) - len(others))]
        each = zip(chosen, others, strict=False)
        return [_token(one, more, "logProbability") for one, more in each]


REFUSED = "the model declined to answer"
CUT = "the answer was cut off"

SPEECHES: Mapping[str, Speech] = {
    "chat": Chat(),
    "responses": OpenAIResponses(),
    "anthropic": Anthropic(),
    "gemini": Gemini(),
}


LOCAL = "local"
"""The mode of a model in a folder of this machine (`local.py`)."""

MODES = (*SPEECHES, LOCAL)


def _first(answer: object, name: str) -> dict[str, Any]:
    listed = answer.get(name) if isinstance(answer, dict) else None
    if not isinstance(listed, list) or not listed or not isinstance(listed[0], dict):
        raise UnexpectedError(f"an object as {name}[0]")
    return listed[0]


def _at(found: object, *path: str) -> object:
    """What stands in an object under names, one in the other; None where it does not."""
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _list(found: object) -> list[Any]:
    return found if isinstance(found, list) else []


def _tokens(told: object) -> list[Token]:
    """As OpenAI's servers tell them."""
    return [_token(one, _list(_at(one, "top_logprobs")), "logprob") for one in _list(told)]


def _token(chosen: object, others: list[Any], name: str) -> Token:
    """One piece, with how probable it and the others were; what cannot be read is left out."""
    likely: dict[str, float] = {}
    for one in (*others, chosen):
        text, log = _at(one, "token"), _at(one, name)
        if isinstance(text, str) and isinstance(log, int | float) and not math.isnan(log):
            likely[text] = math.exp(min(0.0, log))
    text = _at(chosen, "token")
    return Token(text if isinstance(text, str) else "", likely)


def _spoken(content: object) -> object:
    """What was written, where servers send it in pieces: what a model thought is none of it."""
    if not isinstance(content, list):
        return content
    return "".join(p["text"] for p in content if isinstance(_at(p, "text"), str))


def _written(said: object) -> str:
    return json.dumps(said, ensure_ascii=False)


def _reply(text: object, why: str, tokens: "_Tokens") -> Reply:
    if text is not None and not isinstance(text, str):
        raise UnexpectedError("a text as what was written")
    asked, cached, written = tokens
    return Reply(storable(text or ""), asked, written, why, min(cached, asked))


_Tokens = tuple[int, int, int]
"""Read, of them remembered, and written."""


def _usage(answer: object, *path: str) -> int:
    """A number of an answer, or 0 where it does not say."""
    found = _at(answer, *path)
    is_count = isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 2**31
    return int(found) if is_count else 0  # type: ignore[call-overload]


def _openai(answer: object, asked: str, written: str) -> _Tokens:
    remembered = _usage(answer, "usage", f"{asked}_details", "cached_tokens")
    return _usage(answer, "usage", asked), remembered, _usage(answer, "usage", written)
