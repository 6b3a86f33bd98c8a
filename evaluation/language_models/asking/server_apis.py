"""Adapters of model servers: OpenAI's chat and responses, Anthropic's messages, Gemini's
contents.

vLLM, Ollama and llama.cpp's server use OpenAI's forms. Each adapter makes the body of a request and
reads the reply; nothing is sent from here. Parameters that a server refuses, such as the
temperature of reasoning models, are omitted or renamed from then on (`RefusedParameters`).
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
from evaluation.language_models.asking.scores import PLAIN, SamplingParams, Token

Schema = Mapping[str, Any] | None
"""The JSON schema of a reply; None for free text."""

NAME = "answer"

LEAST_REMEMBERED = 1_024
"""Tokens of the shortest prompt that Anthropic's models cache, as documented."""

MOST_LIKELY = 20
"""Requested alternatives of each token; servers allow no more."""

EFFORTS = ("minimal", "low", "medium", "high")
"""Reasoning efforts."""


class UnexpectedError(ValueError):
    """A reply in another form; says which was expected."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A model's text and its cost. Without a text, `why` is the reason."""

    text: str
    asked: int = 0
    written: int = 0
    """Tokens of the question and of the answer."""

    why: str = ""
    cached: int = 0
    """Tokens of the question from the server's cache."""

    likely: Mapping[str, float] | None = None
    """The probability of each choice, if requested and known."""


Parameters = Mapping[str, Mapping[str, Any]]
"""Optional parameters by our name, each in the server's form."""


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One call, with the parameters that its server refuses."""

    model: str
    prompt: Prompt
    schema: Schema
    most_tokens: int
    refused: RefusedParameters
    sampling: SamplingParams = PLAIN

    def told(self, parameters: Parameters) -> dict[str, Any]:
        """Return the optional parameters that this call has and its server takes."""
        sampling = self.sampling
        wanted = {
            "temperature": True,
            "nucleus": sampling.nucleus is not None,
            "stop": bool(sampling.stop),
            "schema": self.schema is not None,
            "logprobs": sampling.likely,
            "effort": bool(sampling.effort),
        }
        found: dict[str, Any] = {}
        for name, said in parameters.items():
            if wanted[name] and name not in self.refused:
                found |= said
        return found


class ServerAPI(ABC):
    """The form of one kind of server."""

    names: ClassVar[Mapping[str, Sequence[str]]]
    """For each optional parameter, the names by which a refusal calls it."""

    tells_likely = takes_effort = True
    """Whether servers return token probabilities, and accept a reasoning effort."""

    def address(self, url: str, model: str) -> str:
        """Return the address for questions."""
        return url

    def headers(self, key: str) -> dict[str, str]:
        """Return the headers with the key."""
        return bearer(key)

    @abstractmethod
    def body(self, asked: ModelRequest) -> dict[str, Any]:
        """Return the request body."""

    @abstractmethod
    def reply(self, answer: object) -> Reply:
        """Read a reply; raise `UnexpectedError`."""

    def tokens(self, answer: object) -> list[Token]:
        """Return the tokens of a reply; empty if the server omits them."""
        return []


class Chat(ServerAPI):
    """OpenAI's chat completions."""

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
        sampling = asked.sampling
        most = "max_completion_tokens" if "max_tokens" in asked.refused else "max_tokens"
        schema = {"name": NAME, "strict": True, "schema": asked.schema}
        optional: Parameters = {
            "temperature": {"temperature": sampling.temperature},
            "nucleus": {"top_p": sampling.nucleus},
            "stop": {"stop": [*sampling.stop]},
            "schema": {"response_format": {"type": "json_schema", "json_schema": schema}},
            "logprobs": {"logprobs": True, "top_logprobs": MOST_LIKELY},
            "effort": {"reasoning_effort": sampling.effort},
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


class OpenAIResponses(ServerAPI):
    """OpenAI's responses."""

    names = {
        "temperature": ("temperature",),
        "nucleus": ("top_p",),
        "schema": ("text.format", "json_schema", "text"),
        "logprobs": ("top_logprobs", "logprobs", "include"),
        "effort": ("reasoning.effort", "reasoning"),
    }

    def body(self, asked: ModelRequest) -> dict[str, Any]:
        sampling = asked.sampling
        form = {"type": "json_schema", "name": NAME, "strict": True, "schema": asked.schema}
        likely = {"include": ["message.output_text.logprobs"], "top_logprobs": MOST_LIKELY}
        optional: Parameters = {
            "temperature": {"temperature": sampling.temperature},
            "nucleus": {"top_p": sampling.nucleus},
            "schema": {"text": {"format": form}},
            "logprobs": likely,
            "effort": {"reasoning": {"effort": sampling.effort}},
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
        if not isinstance(_at(answer, "output"), list):
            raise UnexpectedError("a list as output")
        pieces = _pieces(answer)
        texts = [str(p.get("text", "")) for p in pieces if _at(p, "type") == "output_text"]
        why = REFUSED if any(_at(p, "type") == "refusal" for p in pieces) else ""
        if _at(answer, "status") == "incomplete":
            filtered = _at(answer, "incomplete_details", "reason") == "content_filter"
            why = why or (REFUSED if filtered else CUT)
        tokens = _openai(answer, "input_tokens", "output_tokens")
        return _reply("".join(texts), why, tokens)

    def tokens(self, answer: object) -> list[Token]:
        return [token for piece in _pieces(answer) for token in _tokens(_at(piece, "logprobs"))]


def _pieces(answer: object) -> list[Any]:
    return [p for part in _list(_at(answer, "output")) for p in _list(_at(part, "content"))]


class Anthropic(ServerAPI):
    """Anthropic's messages. A required tool enforces the form of the reply."""

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
        stop = [one for one in asked.sampling.stop if one.strip()]  # servers refuse white space
        optional: Parameters = {
            "temperature": {"temperature": asked.sampling.temperature},
            "nucleus": {"top_p": asked.sampling.nucleus},
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
        parts = _at(answer, "content")
        if not isinstance(parts, list):
            raise UnexpectedError("a list as content")
        used = [p for p in parts if isinstance(p, dict) and p.get("type") == "tool_use"]
        texts = [str(p.get("text", "")) for p in parts if isinstance(p, dict) and "text" in p]
        written = json.dumps(used[0].get("input"), ensure_ascii=False) if used else "".join(texts)
        ended = {"max_tokens": CUT, "refusal": REFUSED}
        why = ended.get(str(_at(answer, "stop_reason")), "")
        remembered = _usage(answer, "usage", "cache_read_input_tokens")
        read = _usage(answer, "usage", "input_tokens") + remembered
        read += _usage(answer, "usage", "cache_creation_input_tokens")
        return _reply(written, why, (read, remembered, _usage(answer, "usage", "output_tokens")))

    def _content(self, prompt: Prompt) -> str | list[dict[str, Any]]:
        """Split the prompt for caching if others share its beginning and it is long enough."""
        begun, rest = prompt.user[: prompt.begins], prompt.user[prompt.begins :]
        if not begun or len(prompt.system + begun) < LEAST_REMEMBERED * CHARS_OF_TOKEN:
            return prompt.user
        return [_remembered(begun), {"type": "text", "text": rest}]


def _remembered(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}


class Gemini(ServerAPI):
    """Gemini's contents. The model is part of the address."""

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
        sampling = asked.sampling
        form = {"responseMimeType": "application/json", "responseJsonSchema": asked.schema}
        optional: Parameters = {
            "temperature": {"temperature": sampling.temperature},
            "nucleus": {"topP": sampling.nucleus},
            "stop": {"stopSequences": [*sampling.stop]},
            "schema": form,
            "logprobs": {"responseLogprobs": True, "logprobs": MOST_LIKELY},
            "effort": {"thinkingConfig": {"thinkingLevel": sampling.effort}},
        }
        return {
            "systemInstruction": {"parts": [{"text": asked.prompt.system}]},
            "contents": [{"role": "user", "parts": [{"text": asked.prompt.user}]}],
            "generationConfig": {"maxOutputTokens": asked.most_tokens, **asked.told(optional)},
        }

    def reply(self, answer: object) -> Reply:
        if _at(answer, "promptFeedback", "blockReason"):
            return Reply("", why=REFUSED)
        candidate = _first(answer, "candidates")
        parts = _list(_at(candidate, "content", "parts"))
        texts = [
            str(part.get("text", ""))
            for part in parts
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

SERVER_APIS: Mapping[str, ServerAPI] = {
    "chat": Chat(),
    "responses": OpenAIResponses(),
    "anthropic": Anthropic(),
    "gemini": Gemini(),
}


LOCAL = "local"
"""The mode of a model in a folder of this machine (`local.py`)."""

MODES = (*SERVER_APIS, LOCAL)


def _first(answer: object, name: str) -> dict[str, Any]:
    first = next(iter(_list(_at(answer, name))), None)
    if not isinstance(first, dict):
        raise UnexpectedError(f"an object as {name}[0]")
    return first


def _at(found: object, *path: str) -> object:
    """Return the value at a path of names in nested objects, or None."""
    for name in path:
        found = found.get(name) if isinstance(found, dict) else None
    return found


def _list(found: object) -> list[Any]:
    return found if isinstance(found, list) else []


def _tokens(told: object) -> list[Token]:
    """Read tokens in OpenAI's form."""
    return [_token(one, _list(_at(one, "top_logprobs")), "logprob") for one in _list(told)]


def _token(chosen: object, others: list[Any], name: str) -> Token:
    """Read a token and its alternatives; unreadable ones are skipped."""
    likely: dict[str, float] = {}
    for one in (*others, chosen):
        text, log = _at(one, "token"), _at(one, name)
        if isinstance(text, str) and isinstance(log, int | float) and not math.isnan(log):
            likely[text] = math.exp(min(0.0, log))
    text = _at(chosen, "token")
    return Token(text if isinstance(text, str) else "", likely)


def _spoken(content: object) -> object:
    """Join content that a server sends in pieces; thoughts are dropped."""
    if not isinstance(content, list):
        return content
    return "".join(p["text"] for p in content if isinstance(_at(p, "text"), str))


def _reply(text: object, why: str, tokens: "_Tokens") -> Reply:
    if text is not None and not isinstance(text, str):
        raise UnexpectedError("a text as what was written")
    asked, cached, written = tokens
    return Reply(storable(text or ""), asked, written, why, min(cached, asked))


_Tokens = tuple[int, int, int]
"""Tokens read, of these from the cache, and written."""


def _usage(answer: object, *path: str) -> int:
    """Return a token count of a reply, or 0."""
    found = _at(answer, *path)
    is_count = isinstance(found, int) and not isinstance(found, bool) and 0 <= found < 2**31
    return int(found) if is_count else 0  # type: ignore[call-overload]


def _openai(answer: object, asked: str, written: str) -> _Tokens:
    remembered = _usage(answer, "usage", f"{asked}_details", "cached_tokens")
    return _usage(answer, "usage", asked), remembered, _usage(answer, "usage", written)
