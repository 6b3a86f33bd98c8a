"""Puts questions to a language model: each call once, kept before anything is made of it."""

import json
import time
from collections import deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from itertools import islice
from typing import Any, Protocol, TypeVar

from annotate.outgoing import EVERY, wait
from evaluation.asking.examples import NO_EXAMPLES, Examples
from evaluation.asking.fences import fenced
from evaluation.asking.pace import Pace
from evaluation.asking.prompts import Prompt, Style, prompt_for
from evaluation.asking.replies import CANNOT, UnreadableError, read_reply, schema_of
from evaluation.asking.scores import (
    PLAIN,
    UNSCORED,
    Manner,
    Outcome,
    Scoring,
    most_said,
    positive_share,
)
from evaluation.asking.speech import Reply, Schema
from evaluation.entailment.asker import FAILED, REASON_CHARS, TOO_MANY, Count
from evaluation.entailment.loading import PairError, ScorerError
from evaluation.entailment.parallel import together
from evaluation.entailment.posting import BusyError
from evaluation.judges.items import Asked, Item

UNREADABLE = "the model's answer cannot be read"
ASKED, REPAIRED = "questions", "repairs"
"""The waves of calls."""

CHARS_OF_TOKEN = 4
"""About so many in most languages with spaces; for estimates."""

READ_AT_ONCE = 40
"""Calls that are looked up together, and claimed."""

SHOWN = 2_000
"""So much of an unreadable answer is shown to the model that is to repair it."""


class Model(Protocol):
    """What is asked."""

    @property
    def fingerprint(self) -> str:
        """Which model it is, and where."""
        ...

    def ask(
        self,
        prompt: Prompt,
        schema: Schema,
        *,
        manner: Manner = PLAIN,
        since: float | None = None,
    ) -> Reply:
        """What it answers. A `PairError` is about this question alone; a `BusyError` puts it off,
        to be asked again with its `since`."""
        ...


class Calls(Protocol):
    """Keeps what models answered."""

    @property
    def counts(self) -> bool:
        """Whether no further call is to begin before an answer is kept, and so counted."""
        ...

    def get_many(self, fingerprint: str, digests: Sequence[str]) -> Mapping[str, Reply]:
        """Those that are known."""
        ...

    def claim(self, fingerprint: str, digests: Sequence[str]) -> Collection[str]:
        """Those that nobody else has under way or has had answered: they are ours to make."""
        ...

    def put(self, fingerprint: str, replies: Mapping[str, Reply]) -> Mapping[str, Reply]:
        """Keep some for good, at once; what is kept, which is another's where that was first."""
        ...

    def let_go(self, fingerprint: str, digests: Sequence[str]) -> None:
        """Leave claimed ones to others: they have no answer."""
        ...

    def refuse_more(self) -> None:
        """Raise where no further call is to be made."""
        ...


@dataclass(frozen=True, slots=True)
class Question:
    """A question about a unit of an item."""

    item: Item
    asked: Asked


@dataclass(frozen=True, slots=True)
class _Call:
    prompt: Prompt
    schema: dict[str, Any]
    manner: Manner = PLAIN
    since: float | None = None
    """When it was asked first, where the server has put it off."""

    @property
    def digest(self) -> str:
        told = [self.prompt.system, self.prompt.user, self.schema]
        said = json.dumps([*told, *self.manner.named])
        return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class _Said:
    call: _Call
    said: Reply | str | BusyError


class _Queue:
    """Calls to make; those that a busy server put off come first."""

    def __init__(self, calls: Iterable[_Call]) -> None:
        self._rest = iter(calls)
        self._first: deque[_Call] = deque()

    def again(self, calls: Iterable[_Call]) -> None:
        self._first.extend(calls)

    def __iter__(self) -> "_Queue":
        return self

    def __next__(self) -> _Call:
        return self._first.popleft() if self._first else next(self._rest)


class _Sorting:
    """Sorts calls as they come: answered before, ours to make, or under way elsewhere."""

    def __init__(
        self, calls: Calls, fingerprint: str, asked: Iterable[tuple[int, _Call]], count: Count
    ) -> None:
        self._calls = calls
        self._fingerprint = fingerprint
        self._asked = asked
        self._count = count
        self._seen: set[str] = set()
        self._failed: dict[str, str] = {}
        self._places: dict[str, list[int]] = {}
        """Of those that wait for an answer."""

        self._ours: set[str] = set()
        self._ready: list[tuple[int, Reply | str]] = []
        self.elsewhere: dict[str, _Call] = {}

    def to_make(self) -> Iterator[_Call]:
        """Those that are ours to make."""
        for some in _by(READ_AT_ONCE, self._asked):
            self._count.asked += len(some)
            open_ones: dict[str, _Call] = {}
            for place, call in some:
                digest = call.digest
                if digest in self._failed:
                    self._ready.append((place, self._failed[digest]))
                    continue
                if digest not in self._places:
                    open_ones[digest] = call
                self._places.setdefault(digest, []).append(place)
            new = open_ones.keys() - self._seen
            self._seen |= new
            self._count.unique += len(new)
            self._count.cached += len(new & self._take(open_ones))
            yield from self._claimed(open_ones)

    def look_again(self) -> Iterator[_Call]:
        """What others had under way: answered by now, or ours since they gave it up."""
        open_ones, self.elsewhere = self.elsewhere, {}
        self._count.cached += len(self._take(open_ones))
        yield from self._claimed(open_ones)

    def _take(self, open_ones: dict[str, _Call]) -> set[str]:
        known = self._calls.get_many(self._fingerprint, list(open_ones))
        for digest, reply in known.items():
            del open_ones[digest]
            self.has(digest, reply)
        return set(known)

    def _claimed(self, open_ones: Mapping[str, _Call]) -> Iterator[_Call]:
        ours = self._calls.claim(self._fingerprint, list(open_ones)) if open_ones else ()
        self._ours.update(ours)
        for digest, call in open_ones.items():
            if digest in ours:
                yield call
            else:
                self.elsewhere[digest] = call

    def has(self, digest: str, reply: Reply | str) -> None:
        """A call has its answer, or none for good."""
        if isinstance(reply, str):
            self._failed[digest] = reply
        else:
            self._ours.discard(digest)
        self._ready += [(place, reply) for place in self._places.pop(digest, ())]

    def taken(self) -> list[tuple[int, Reply | str]]:
        """What has become ready."""
        ready, self._ready = self._ready, []
        return ready

    def let_go(self) -> None:
        """Nothing more is made: others may."""
        if self._ours:
            self._calls.let_go(self._fingerprint, list(self._ours))


class ModelAsker:
    """Asks a model about units, several at a time, and counts calls and tokens, wave by wave."""

    lengths = None

    def __init__(
        self,
        speaker: Model,
        calls: Calls,
        style: Style,
        *,
        guidelines: str = "",
        examples: Examples = NO_EXAMPLES,
        scoring: Scoring = UNSCORED,
        vary: Callable[[Question], Question] = lambda question: question,
        at_once: int = 4,
        pace: Pace | None = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> None:
        self.scorer = speaker
        self.style = style
        self.guidelines = guidelines
        self.examples = examples
        self.scoring = scoring
        self.counts: dict[str, Count] = {}
        self.tokens = [0, 0]
        """Those asked and written in calls that were made here."""

        self.seconds = 0.0
        self.pace = Pace(at_once) if pace is None else pace
        self._calls = calls
        self._vary = vary
        self._progress = progress
        self._worked = False

    def answer(self, questions: Iterable[Question]) -> list[Outcome]:
        """What the model says to each question, in their order. They are looked at when it is their
        turn, so that whoever makes them may do so while others are asked."""
        asked: list[tuple[Question, Manner]] = []
        found: dict[int, Outcome] = {}
        wrong: dict[int, tuple[str, str]] = {}

        def in_turn() -> Iterator[tuple[int, _Call]]:
            for question in questions:
                for manner, call in self._calls_of(question):
                    asked.append((question, manner))
                    yield len(asked) - 1, call

        def read(wave: str, calls: Iterable[tuple[int, _Call]]) -> None:
            wrong.clear()
            with closing(self._replies(wave, calls)) as replies:
                for place, reply in replies:
                    try:
                        found[place] = self._read(*asked[place], reply)
                    except UnreadableError as fault:
                        found[place] = f"{UNREADABLE}: {fault}"
                        wrong[place] = (_text_of(reply)[:SHOWN], str(fault))

        read(ASKED, in_turn())
        if again := dict(wrong):
            calls = (
                (place, _repair(self._call(*asked[place]), *of)) for place, of in again.items()
            )
            read(REPAIRED, calls)
        return list(self._joined(asked, found))

    def _joined(
        self, asked: Sequence[tuple[Question, Manner]], found: Mapping[int, Outcome]
    ) -> Iterator[Outcome]:
        """One outcome for each question, whatever number of calls it took."""
        first = 0
        while first < len(asked):
            dimension = asked[first][0].asked.dimension
            after = first + len(self.scoring.manners(dimension))
            yield most_said(dimension, [found[place] for place in range(first, after)])
            first = after

    def count(self, questions: Iterable[Question]) -> int:
        """Count calls, where nothing is asked yet; about how many tokens the new ones ask."""
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
        self, questions: Sequence[Question], fingerprint: str
    ) -> list[tuple[Prompt, Reply | None]]:
        """The prompt of each question, and what was answered to it before, of several samples to
        the first. No model is loaded to know which one it is."""
        calls = [call for question in questions for _, call in islice(self._calls_of(question), 1)]
        known = self._calls.get_many(fingerprint, [call.digest for call in calls])
        return [(call.prompt, known.get(call.digest)) for call in calls]

    def _calls_of(self, question: Question) -> Iterator[tuple[Manner, _Call]]:
        plain = self._call(question, PLAIN)
        for manner in self.scoring.manners(question.asked.dimension):
            yield manner, replace(plain, manner=manner)

    def _call(self, question: Question, manner: Manner) -> _Call:
        varied, style = self._vary(question), self.style
        asked = varied.asked
        examples = self.examples.about(asked.dimension.key, question.item.question_id)
        prompt = prompt_for(style, varied.item, asked, self.guidelines, examples)
        numbers = [passage.number for passage in asked.passages]
        shares = self._asks_shares(asked)
        schema = schema_of(asked.dimension, numbers, reason_first=style.reason_first, shares=shares)
        return _Call(prompt, schema, manner)

    def _asks_shares(self, asked: Asked) -> bool:
        return self.style.shares and asked.dimension.is_choice

    def _read(self, question: Question, manner: Manner, reply: Reply | str) -> Outcome:
        if isinstance(reply, str):
            return reply
        if reply.why:
            return reply.why
        asked = question.asked
        passages = {passage.number: passage.text for passage in asked.passages}
        shares = self._asks_shares(asked)
        found = read_reply(asked.dimension, reply.text, asked.text, passages, shares=shares)
        if not manner.likely:
            return found
        return replace(found, score=positive_share(asked.dimension, reply.likely or {}))

    def _replies(
        self, wave: str, calls: Iterable[tuple[int, _Call]]
    ) -> Generator[tuple[int, Reply | str], None, None]:
        """What was answered to each call, now or before, or why it has no answer, with the call's
        place. Prompts are made when it is their turn, so that few stand in memory."""
        self._tell(wave, 0)
        count = self.counts.setdefault(wave, Count())
        sorting = _Sorting(self._calls, self.scorer.fingerprint, calls, count)
        done = 0
        try:
            made = self._made(sorting.to_make(), count)
            with closing(made):
                for some in made:
                    for digest, reply in some:
                        sorting.has(digest, reply)
                    self._worked = self._worked or count.cached > 0
                    for each in sorting.taken():
                        done += 1
                        yield each
                    self._tell(wave, done)
            yield from sorting.taken()
            while sorting.elsewhere:
                wait(EVERY)
                with closing(self._made(sorting.look_again(), count)) as made:
                    for some in made:
                        for digest, reply in some:
                            sorting.has(digest, reply)
                yield from sorting.taken()
        finally:
            sorting.let_go()

    def _made(
        self, calls: Iterable[_Call], count: Count
    ) -> Generator[list[tuple[str, Reply | str]], None, None]:
        """Calls as they are answered, each kept first; what is under way when it is broken off is
        kept, too."""
        began, failed = time.perf_counter(), 0
        queue = _Queue(calls)

        def keep(some: list[_Said]) -> list[tuple[str, Reply | str]]:
            put_off = [one.call for one in some if isinstance(one.said, BusyError)]
            queue.again(put_off)
            replies = {o.call.digest: o.said for o in some if isinstance(o.said, Reply)}
            kept = self._calls.put(self.scorer.fingerprint, replies) if replies else {}
            if replies:
                self.pace.answered()
            for reply in replies.values():
                self.tokens = [self.tokens[0] + reply.asked, self.tokens[1] + reply.written]
            count.computed += len(replies)
            without = [(o.call.digest, o.said) for o in some if isinstance(o.said, str)]
            count.failed += len(without)
            return [*kept.items(), *without]

        def at_once() -> int:
            self._calls.refuse_more()
            return self.pace.allowed()

        def ahead(one: _Said) -> bool:
            return not self._calls.counts and not isinstance(one.said, BusyError)

        asking = together(self._ask, queue, at_once=at_once, late=keep, ahead=ahead)
        with closing(asking):
            for some in asking:
                found = keep(some)
                self._worked = self._worked or any(isinstance(said, Reply) for _, said in found)
                failures = [said for _, said in found if isinstance(said, str)]
                failed += len(failures)
                if failed >= TOO_MANY and not self._worked:
                    raise ScorerError(f"{failures[0]} So it was with the first {failed} questions.")
                self.seconds += time.perf_counter() - began
                began = time.perf_counter()
                yield found

    def _ask(self, call: _Call) -> "_Said":
        try:
            ask = partial(self.scorer.ask, manner=call.manner, since=call.since)
            return _Said(call, ask(call.prompt, call.schema))
        except BusyError as problem:
            self.pace.refused(problem.after)
            return _Said(replace(call, since=problem.since), problem)
        except PairError as problem:
            return _Said(call, f"{FAILED}: {problem}"[:REASON_CHARS])

    def _tell(self, wave: str, done: int) -> None:
        """How many are known is not said: they are made while others are asked."""
        if self._progress is not None:
            self._progress(wave, done, 0)


Thing = TypeVar("Thing")


def _by(size: int, things: Iterable[Thing]) -> Iterator[list[Thing]]:
    rest = iter(things)
    while some := list(islice(rest, size)):
        yield some


def _text_of(reply: Reply | str) -> str:
    return reply if isinstance(reply, str) else reply.text


def _repair(call: _Call, written: str, fault: str) -> _Call:
    """The same question, with what was written and what is wrong with it."""
    more = (
        f"\n\nYour answer before was:\n\n{fenced(written[:SHOWN])}\n\n"
        f"It could not be read: {fault} Answer again, in the form that is asked for."
    )
    return replace(call, prompt=replace(call.prompt, user=call.prompt.user + more))


def why_not(outcome: Outcome) -> str:
    """Why a question has no value; empty where it has one."""
    if isinstance(outcome, str):
        return outcome[:REASON_CHARS]
    return "" if outcome.value else CANNOT
