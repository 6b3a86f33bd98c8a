"""A client of one language model behind an address."""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

from annotate.work.outgoing import wait
from evaluation.judges.entailment import Door, ScorerError
from evaluation.judges.entailment.loading import PairError
from evaluation.judges.entailment.posting import (
    DeniedError,
    NotJSONError,
    Server,
    ServerRefusedError,
    without,
)
from evaluation.judges.entailment.scorer import fingerprint_of
from evaluation.language_models.asking.prompts import CHARS_OF_TOKEN, Prompt
from evaluation.language_models.asking.refusals import (
    RefusedParameters,
    ServerHabits,
    refused_after,
)
from evaluation.language_models.asking.scores import PLAIN, SamplingParams, likely_values
from evaluation.language_models.asking.server_apis import (
    CUT,
    SERVER_APIS,
    ModelRequest,
    Reply,
    Schema,
    UnexpectedError,
)

MOST_BYTES = 4_000_000


class Memory(Protocol):
    """Stores which parameters a server took and refused, for other processes."""

    def read(self) -> ServerHabits: ...

    def keep(self, known: ServerHabits) -> None: ...


class ModelClient:
    """Asks one model. Refused parameters are remembered, in `Memory` if there is one."""

    threshold = 0.5

    def __init__(
        self,
        door: Door,
        *,
        most_tokens: int = 4_000,
        timeout: float = 300.0,
        tries: int = 6,
        per_minute: int = 0,
        effort: str = "",
        sleep: Callable[[float], None] = wait,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        if door.mode not in SERVER_APIS:
            raise ScorerError(
                f"{door.called} does not speak as language models do; "
                f"expected one of the modes {', '.join(SERVER_APIS)}."
            )
        if not door.model:
            raise ScorerError(f"{door.called} needs the model that is to answer.")
        self._speech = SERVER_APIS[door.mode]
        self._model = door.model
        self._most_tokens = most_tokens
        self._effort = effort
        self._door = door
        self.server = Server(
            replace(door, url=self._speech.address(door.url, door.model)),
            timeout=timeout,
            tries=tries,
            per_minute=per_minute,
            sleep=sleep,
            clock=clock,
            headers=self._speech.headers,
        )
        self._refused: RefusedParameters = frozenset()
        self._taken: frozenset[str] = frozenset()
        self._kept = ServerHabits()
        self._memory: Memory | None = None
        self._changing = threading.Lock()

    @property
    def fingerprint(self) -> str:
        """Name the connection or address, and the model."""
        parts: list[tuple[str, object]] = [
            ("speaker", 1),
            ("mode", self._door.mode),
            *self._door.identity,
            ("model", self._model),
            ("most", self._most_tokens),
            *([("effort", self._effort)] if self._effort else []),
        ]
        return fingerprint_of(parts)

    def share(self, parts: int) -> None:
        """Set the number of parts that share the connection's rate limit."""
        self.server.pace.sharing = parts

    def recall(self, memory: Memory) -> None:
        """Load what other processes learned of the server, and drop the rest."""
        self._memory = memory
        with self._changing:
            self._kept = memory.read()
            self._refused, self._taken = self._kept.refused, self._kept.taken

    def settle(self) -> None:
        """Store new knowledge of the server."""
        known = ServerHabits(self._refused, self._taken)
        if self._memory is not None and known != self._kept:
            self._memory.keep(known)
            self._kept = known

    def ask(self, prompt: Prompt, schema: Schema, *, sampling: SamplingParams = PLAIN) -> Reply:
        """Return the model's reply. A `PairError` concerns this question only."""
        while True:
            refused = self._refused
            try:
                asked = self._body(prompt, schema, sampling, refused)
                answer = self.server.post(asked, most_bytes=MOST_BYTES)
            except (ServerRefusedError, DeniedError) as refusal:
                self._learn(refusal, refused)
                continue
            except NotJSONError as error:
                raise PairError(str(error)) from None
            taken = self._told(schema, sampling, refused)
            with self._changing:
                self._taken |= taken
            told = len(prompt.system + prompt.user) // CHARS_OF_TOKEN
            reply = self.read(answer, told, values_of(schema, sampling))
            text = reply.text if schema is not None else sampling.until_stop(reply.text)
            if text == reply.text:
                return reply
            # Text after a stop sequence is not part of the reply.
            return replace(reply, text=text, why="" if reply.why == CUT else reply.why)

    def is_known(self, schema: Schema, sampling: SamplingParams) -> bool:
        """Return whether the server has taken all parameters of such a question before."""
        return self._told(schema, sampling, self._refused) <= self._taken

    def _told(
        self, schema: Schema, sampling: SamplingParams, refused: RefusedParameters
    ) -> frozenset[str]:
        """Return the optional parameters of a question, with the values that some models fix."""
        say = partial(self._body, Prompt("", ""), schema, sampling)
        said, values = (
            say(refused),
            {"temperature": sampling.temperature, "effort": self._effort},
        )
        told = (one for one in self._speech.names if say(refused | {one}) != said)
        return frozenset(f"{one}={values[one]}" if one in values else one for one in told)

    def body(self, prompt: Prompt, schema: Schema, sampling: SamplingParams) -> dict[str, Any]:
        """Return the request body of a question, without refused parameters."""
        return self._body(prompt, schema, sampling, self._refused)

    def _body(
        self, prompt: Prompt, schema: Schema, sampling: SamplingParams, refused: RefusedParameters
    ) -> dict[str, Any]:
        how = replace(sampling, effort=self._effort)
        return self._speech.body(
            ModelRequest(self._model, prompt, schema, self._most_tokens, refused, how)
        )

    def read(self, answer: object, told: int, values: Sequence[str] | None) -> Reply:
        """Read a reply and remove the key from it, which some servers repeat.

        Token counts that the server omits are estimated, so that budgets always end. With `values`,
        the probability of each value is read as well.
        """
        try:
            reply = self._speech.reply(answer)
        except UnexpectedError as error:
            # This concerns one question; other replies may be valid.
            raise PairError(str(self.server.unexpected(str(error), answer))) from None
        if self._door.key:
            reply = replace(reply, text=without(self._door.key, reply.text))
        if not reply.asked and not reply.written:
            reply = replace(reply, asked=told, written=len(reply.text) // CHARS_OF_TOKEN)
        if values is None:
            return reply
        return replace(reply, likely=likely_values(self._speech.tokens(answer), values))

    def _learn(self, refusal: ServerRefusedError | DeniedError, refused: RefusedParameters) -> None:
        """Remember a refused parameter; raise the refusal of anything else."""
        more = refused_after(self._speech.names, refusal.said, refused)
        with self._changing:
            if self._refused != refused:
                return  # another question learned it meanwhile
            if more is None:
                raise refusal
            self._refused = more


def values_of(schema: Schema, sampling: SamplingParams) -> Sequence[str] | None:
    """Return the values whose probabilities are requested, or None."""
    if schema is None or not sampling.likely:
        return None
    values: list[str] = schema["properties"]["value"]["enum"]
    return values
