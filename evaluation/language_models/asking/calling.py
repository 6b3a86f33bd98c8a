"""Makes calls of a language model: each once, kept before anything is made of it."""

import json
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from hashlib import blake2b
from itertools import chain, islice
from typing import Protocol

from annotate.work.outgoing import EVERY, wait
from evaluation.judges.entailment.asker import FAILED, REASON_CHARS, TOO_MANY, Count
from evaluation.judges.entailment.loading import PairError, ScorerError
from evaluation.judges.entailment.parallel import Enough, together
from evaluation.language_models.asking.pacer import Pacer
from evaluation.language_models.asking.prompts import Prompt
from evaluation.language_models.asking.scores import PLAIN, Manner
from evaluation.language_models.asking.speech import Reply, Schema

READ_AT_ONCE = 40
"""Calls that are looked up together, and claimed."""


class SentError(Enough):
    """What is needed is out in a batch, and answered later: nobody is to wait for it here."""


class Model(Protocol):
    @property
    def fingerprint(self) -> str:
        """Which model it is, and where."""
        ...

    def share(self, parts: int) -> None:
        """Hear how many ask the same."""
        ...

    def settle(self) -> None:
        """Have kept what was learned of its server. Called by whoever keeps answers, and no other
        thread."""
        ...

    def ask(
        self,
        prompt: Prompt,
        schema: Schema,
        *,
        manner: Manner = PLAIN,
    ) -> Reply:
        """What it answers. A `PairError` is about this question alone."""
        ...


class Calls(Protocol):
    """Keeps what models answered."""

    def get_many(self, fingerprint: str, digests: Sequence[str]) -> Mapping[str, Reply]: ...

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
        """Raise `Enough` where no further call is to be made."""
        ...

    def refuse_to_wait(self, fingerprint: str, digests: Sequence[str]) -> None:
        """Raise `SentError` where somebody has any of them under way in a batch."""
        ...


class Post(Protocol):
    """Sends calls as batches, which are answered later and for less."""

    def asks_first(self, call: "Call") -> bool:
        """Whether it is to be made here before the others, since it tells the server what it might
        not take."""
        ...

    def __call__(self, calls: Iterable["Call"]) -> Iterator["Call"]:
        """Send them; those that are to be made here."""
        ...

    def refuse_to_wait(self) -> None:
        """Raise `SentError` where any are out."""
        ...


@dataclass(frozen=True, slots=True)
class Call:
    prompt: Prompt
    schema: Schema
    manner: Manner = PLAIN

    @property
    def digest(self) -> str:
        told = [self.prompt.system, self.prompt.user, self.schema]
        said = json.dumps([*told, *self.manner.named])
        return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _one_of_each_first(calls: Sequence[Call]) -> list[Call]:
    """Of calls that begin alike, one before the others: a server that remembers how a prompt began
    does so once it answers. Of a beginning that no other has, nothing is said."""
    begun = [
        (call.prompt.system, call.prompt.user[: call.prompt.begins], json.dumps(call.schema))
        for call in calls
    ]
    often, seen = Counter(begun), set[tuple[str, str, str]]()
    first, later = list[Call](), list[Call]()
    for call, key in zip(calls, begun, strict=True):
        if not call.prompt.begins:
            first.append(call)
        elif often[key] == 1:
            first.append(replace(call, prompt=replace(call.prompt, begins=0)))
        else:
            (later if key in seen else first).append(call)
            seen.add(key)
    return first + later


@dataclass(frozen=True, slots=True)
class _Said:
    call: Call
    said: Reply | str


class _Sorting:
    """Sorts calls as they come: answered before, ours to make, or under way elsewhere. Iterating
    gives those that are ours to make; where it has ended, it goes on once there are more."""

    def __init__(
        self,
        calls: Calls,
        fingerprint: str,
        asked: Iterable[tuple[int, Call]],
        count: Count,
        hear: "Hear",
    ) -> None:
        self._calls = calls
        self._fingerprint = fingerprint
        self._asked = iter(asked)
        self._count = count
        self._hear = hear
        self._seen: set[str] = set()
        self._failed: dict[str, str] = {}
        self._places: dict[str, list[int]] = {}
        """Of those that wait for an answer."""

        self._ours: set[str] = set()
        self._to_make: deque[Call] = deque()
        self._elsewhere: dict[str, Call] = {}
        self.done = 0

    def __iter__(self) -> "_Sorting":
        return self

    def __next__(self) -> Call:
        while not self._to_make:
            if not (some := list(islice(self._asked, READ_AT_ONCE))):
                raise StopIteration
            self._sort(some)
        return self._to_make.popleft()

    def _sort(self, some: Sequence[tuple[int, Call]]) -> None:
        self._count.asked += len(some)
        open_ones: dict[str, Call] = {}
        for place, call in some:
            digest = call.digest
            if digest in self._failed:
                self._tell([place], self._failed[digest])
                continue
            if digest not in self._places:
                open_ones[digest] = call
            self._places.setdefault(digest, []).append(place)
        new = open_ones.keys() - self._seen
        self._seen |= new
        self._count.unique += len(new)
        self._count.cached += len(new & self._take(open_ones))
        self._claim(open_ones)

    def look_again(self) -> bool:
        """Whether others have any under way: what they had is answered by now, or is ours since
        they gave it up."""
        if not self._elsewhere:
            return False
        self._calls.refuse_to_wait(self._fingerprint, list(self._elsewhere))
        wait(EVERY)
        open_ones, self._elsewhere = self._elsewhere, {}
        self._count.cached += len(self._take(open_ones))
        self._claim(open_ones)
        return True

    def _take(self, open_ones: dict[str, Call]) -> set[str]:
        known = self._calls.get_many(self._fingerprint, list(open_ones))
        for digest, reply in known.items():
            del open_ones[digest]
            self.has(digest, reply)
        return set(known)

    def _claim(self, open_ones: Mapping[str, Call]) -> None:
        ours = self._calls.claim(self._fingerprint, list(open_ones)) if open_ones else ()
        self._ours.update(ours)
        mine = [call for digest, call in open_ones.items() if digest in ours]
        self._to_make.extend(_one_of_each_first(mine))
        self._elsewhere |= {d: call for d, call in open_ones.items() if d not in ours}

    def has(self, digest: str, reply: Reply | str) -> None:
        """A call has its answer, or none for good."""
        if isinstance(reply, str):
            self._failed[digest] = reply
        else:
            self._ours.discard(digest)
        self._tell(self._places.pop(digest, ()), reply)

    def _tell(self, places: Sequence[int], reply: Reply | str) -> None:
        for place in places:
            self.done += 1
            self._hear(place, reply)

    def let_go(self) -> None:
        """Nothing more is made: others may."""
        if self._ours:
            self._calls.let_go(self._fingerprint, list(self._ours))


Hear = Callable[[int, Reply | str], object]
"""Is told what was answered to the call of a place, or why it has no answer."""


class Caller:
    """Makes calls, several at a time, and counts them and their tokens, wave by wave."""

    lengths = None

    def __init__(
        self,
        speaker: Model,
        calls: Calls,
        *,
        at_once: int = 4,
        pace: Pacer | None = None,
        progress: Callable[[str, int, int], None] | None = None,
    ) -> None:
        self.scorer = speaker
        self.counts: dict[str, Count] = {}
        self.tokens = [0, 0]
        """Those asked and written in calls that were made here."""

        self.seconds = 0.0
        self.until: Callable[[], object] = lambda: None
        """Raises `Enough` where others have their turn: no further call begins then."""

        self.post: Post | None = None
        """What sends calls that may wait."""

        self.pace = Pacer(at_once) if pace is None else pace
        self._calls = calls
        self._progress = progress
        self._worked = False

    def make(
        self,
        wave: str,
        calls: Iterable[tuple[int, Call]],
        hear: Hear,
        *,
        may_wait: bool = False,
    ) -> None:
        """Have each call answered, now or before; `hear` is told of each, with its place. Calls
        are looked at when it is their turn, so that few stand in memory; and what is heard may
        bring further ones, where they are an iterator that goes on after it has ended. Those that
        may wait are sent where there is a post; that is a `SentError`, once all are."""
        self._tell(wave, 0)
        count = self.counts.setdefault(wave, Count())
        sorting = _Sorting(self._calls, self.scorer.fingerprint, calls, count, hear)

        def made(some: Iterable[Call]) -> None:
            with closing(self._made(some, count)) as found:
                for several in found:
                    for digest, reply in several:
                        sorting.has(digest, reply)
                    self._worked = self._worked or count.cached > 0
                    self._tell(wave, sorting.done)

        post = self.post if may_wait else None
        try:
            while True:
                if post is None:
                    made(sorting)
                else:
                    rest: Iterable[Call] = sorting
                    for first in islice(sorting, 1):
                        if post.asks_first(first):
                            made([first])
                        else:
                            rest = chain([first], sorting)
                    made(post(rest))
                    post.refuse_to_wait()
                if not sorting.look_again():
                    break
        finally:
            sorting.let_go()

    def _made(
        self, calls: Iterable[Call], count: Count
    ) -> Generator[list[tuple[str, Reply | str]], None, None]:
        """Calls as they are answered, each kept first; what is under way when it is broken off is
        kept, too."""
        began, failed = time.perf_counter(), 0

        def keep(some: list[_Said]) -> list[tuple[str, Reply | str]]:
            replies = {o.call.digest: o.said for o in some if isinstance(o.said, Reply)}
            kept = self._calls.put(self.scorer.fingerprint, replies) if replies else {}
            if replies:
                self.scorer.settle()
            for reply in replies.values():
                self.tokens = [self.tokens[0] + reply.asked, self.tokens[1] + reply.written]
            count.computed += len(replies)
            without = [(o.call.digest, o.said) for o in some if isinstance(o.said, str)]
            count.failed += len(without)
            return [*kept.items(), *without]

        def at_once() -> int:
            self._calls.refuse_more()
            self.until()
            allowed = self.pace.allowed()
            self.scorer.share(self.pace.sharing)
            return allowed

        asking = together(self._ask, calls, at_once=at_once, late=keep)
        with closing(asking):
            for some in asking:
                found = keep(some)
                self._worked = self._worked or any(isinstance(said, Reply) for _, said in found)
                failures = [said for _, said in found if isinstance(said, str)]
                failed += len(failures)
                if failed >= TOO_MANY and not self._worked:
                    raise ScorerError(f"{failures[0]} So it was with the first {failed} prompts.")
                self.seconds += time.perf_counter() - began
                began = time.perf_counter()
                yield found

    def _ask(self, call: Call) -> "_Said":
        try:
            return _Said(call, self.scorer.ask(call.prompt, call.schema, manner=call.manner))
        except PairError as problem:
            return _Said(call, f"{FAILED}: {problem}"[:REASON_CHARS])

    def _tell(self, wave: str, done: int) -> None:
        """How many are known is not said: they are made while others are asked."""
        if self._progress is not None:
            self._progress(wave, done, 0)
