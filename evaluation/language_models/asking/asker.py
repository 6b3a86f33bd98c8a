"""Ask a language model questions about units, and read its replies."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeVar

from evaluation.judges.entailment.asker import FAILED, REASON_CHARS, Count
from evaluation.judges.items import FormQuestion, Item
from evaluation.language_models.asking.calling import (
    READ_AT_ONCE,
    Call,
    Caller,
    Calls,
    Model,
    Pacer,
)
from evaluation.language_models.asking.examples import NO_EXAMPLES, Examples, fenced
from evaluation.language_models.asking.prompts import (
    CHARS_OF_TOKEN,
    Prompt,
    PromptStyle,
    prompt_for,
)
from evaluation.language_models.asking.replies import (
    CANNOT,
    UnreadableError,
    in_stored_order,
    read_reply,
    schema_of,
)
from evaluation.language_models.asking.scores import (
    PLAIN,
    UNSCORED,
    Outcome,
    SamplingParams,
    Scoring,
    majority_answer,
    positive_share,
)
from evaluation.language_models.asking.server_apis import CUT, REFUSED, Reply

UNREADABLE = "the model's answer cannot be read"
ASKED, REPAIRED = "questions", "repairs"
"""The names of the waves of calls."""

SHOWN = 2_000
"""Characters of an unreadable reply that the model sees again to repair it."""


@dataclass(frozen=True, slots=True)
class ItemQuestion:
    """A question about a unit of an item."""

    item: Item
    asked: FormQuestion


class ModelAsker(Caller):
    """Asks a model about units."""

    def __init__(
        self,
        speaker: Model,
        calls: Calls,
        style: PromptStyle,
        *,
        guidelines: str = "",
        examples: Examples = NO_EXAMPLES,
        scoring: Scoring = UNSCORED,
        vary: Callable[[ItemQuestion], ItemQuestion] = lambda question: question,
        at_once: int = 4,
        pace: Pacer | None = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> None:
        super().__init__(speaker, calls, at_once=at_once, pace=pace, progress=progress)
        self.style = style
        self.guidelines = guidelines
        self.examples = examples
        self.scoring = scoring
        self._vary = vary

    def answer(self, questions: Iterable[ItemQuestion]) -> list[Outcome]:
        """Return the model's answer to each question, in order. Questions are read lazily, while
        earlier ones are asked."""
        asked: list[tuple[ItemQuestion, SamplingParams]] = []
        outcomes: dict[int, Outcome] = {}
        unreadable: dict[int, tuple[str, str]] = {}

        def in_turn() -> Iterator[tuple[int, Call]]:
            for question in questions:
                for sampling, call in self._calls_of(question):
                    asked.append((question, sampling))
                    yield len(asked) - 1, call

        def hear(place: int, reply: Reply | str) -> None:
            try:
                outcomes[place] = self._read(*asked[place], reply)
            except UnreadableError as fault:
                outcomes[place] = f"{UNREADABLE}: {fault}"
                unreadable[place] = (_text_of(reply)[:SHOWN], str(fault))

        self.make(ASKED, in_turn(), hear, may_wait=True)
        if again := dict(unreadable):
            unreadable.clear()
            calls = (
                (place, _repair(self._call(*asked[place]), *of)) for place, of in again.items()
            )
            self.make(REPAIRED, calls, hear)
        return list(self._joined(asked, outcomes))

    def _joined(
        self, asked: Sequence[tuple[ItemQuestion, SamplingParams]], outcomes: Mapping[int, Outcome]
    ) -> Iterator[Outcome]:
        """Yield one outcome for each question, from one or more calls."""
        first = 0
        while first < len(asked):
            dimension = asked[first][0].asked.dimension
            after = first + len(self.scoring.samplings(dimension))
            yield majority_answer(dimension, [outcomes[place] for place in range(first, after)])
            first = after

    def count(self, questions: Iterable[ItemQuestion]) -> int:
        """Count calls without making any; return the approximate number of tokens of new ones."""
        count = self.counts.setdefault(ASKED, Count())
        seen: set[str] = set()
        chars = 0
        calls = (call for question in questions for _, call in self._calls_of(question))
        for some in _by(READ_AT_ONCE, calls):
            new = {call.digest: len(call.prompt.system) + len(call.prompt.user) for call in some}
            count.asked += len(some)
            new = {digest: size for digest, size in new.items() if digest not in seen}
            seen.update(new)
            count.unique += len(new)
            known = self._calls.get_many(self.scorer.fingerprint, list(new))
            count.cached += len(known)
            chars += sum(size for digest, size in new.items() if digest not in known)
        return chars // CHARS_OF_TOKEN

    def told(
        self, questions: Sequence[ItemQuestion], fingerprint: str
    ) -> list[tuple[Prompt, Reply | None]]:
        """Return the prompt of each question and its stored reply, the first of several samples.
        No model is loaded."""
        calls = [call for question in questions for _, call in islice(self._calls_of(question), 1)]
        known = self._calls.get_many(fingerprint, [call.digest for call in calls])
        return [(call.prompt, known.get(call.digest)) for call in calls]

    def _calls_of(self, question: ItemQuestion) -> Iterator[tuple[SamplingParams, Call]]:
        plain = self._call(question, PLAIN)
        for sampling in self.scoring.samplings(question.asked.dimension):
            yield sampling, replace(plain, sampling=sampling)

    def _call(self, question: ItemQuestion, sampling: SamplingParams) -> Call:
        varied, style = self._vary(question), self.style
        asked = varied.asked
        examples = self.examples.about(asked.dimension.key, question.item.question_id)
        prompt = prompt_for(style, varied.item, asked, self.guidelines, examples)
        numbers = [passage.number for passage in asked.passages]
        shares = self._asks_shares(asked)
        schema = schema_of(asked.dimension, numbers, reason_first=style.reason_first, shares=shares)
        return Call(prompt, schema, sampling)

    def _asks_shares(self, asked: FormQuestion) -> bool:
        return self.style.shares and asked.dimension.is_choice

    def _read(
        self, question: ItemQuestion, sampling: SamplingParams, reply: Reply | str
    ) -> Outcome:
        if isinstance(reply, str):
            return reply
        if reply.why:
            return reply.why
        asked, dimension = question.asked, question.asked.dimension
        passages = {passage.number: passage.text for passage in asked.passages}
        shares = self._asks_shares(asked)
        mirrored = bool(asked.mirrored)
        if mirrored:  # of equals, the lower one in the stored order
            dimension = replace(dimension, low_to_high=dimension.low_to_high[::-1])
        answer = read_reply(dimension, reply.text, asked.text, passages, shares=shares)
        if sampling.likely:
            answer = replace(answer, score=positive_share(dimension, reply.likely or {}))
        return in_stored_order(asked.dimension, answer) if mirrored else answer


Thing = TypeVar("Thing")


def _by(size: int, things: Iterable[Thing]) -> Iterator[list[Thing]]:
    rest = iter(things)
    while some := list(islice(rest, size)):
        yield some


def _text_of(reply: Reply | str) -> str:
    return reply if isinstance(reply, str) else reply.text


def _repair(call: Call, written: str, fault: str) -> Call:
    """Return the question again, with the unreadable reply and its fault."""
    more = (
        f"\n\nYour answer before was:\n\n{fenced(written[:SHOWN])}\n\n"
        f"It could not be read: {fault} Answer again, in the form that is asked for."
    )
    return replace(call, prompt=replace(call.prompt, user=call.prompt.user + more))


def why_not(outcome: Outcome) -> str:
    """Return why a question has no value; empty if it has one."""
    if isinstance(outcome, str):
        return outcome[:REASON_CHARS]
    return "" if outcome.value else CANNOT


TEXTS = {
    "failed": FAILED,
    "unreadable": UNREADABLE,
    "cannot_tell": CANNOT,
    "cut_off": CUT,
    "declined": REFUSED,
}


def code_of(reason: str) -> str:
    """Return the code of a reason; a reason without a code is its own."""
    return next((code for code, text in TEXTS.items() if reason.startswith(text)), reason)


def text_of(code: str, first: str) -> str:
    """Return a reason in words; the details of the first one are an example for all."""
    text = TEXTS.get(code, code)
    detail = first.removeprefix(text).removeprefix(": ") if first.startswith(text) else ""
    return f"{text}, first: {detail}" if detail else text
