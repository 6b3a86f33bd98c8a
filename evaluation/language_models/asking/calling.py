"""Make calls of a language model. Each call is made once, and its reply is stored before
use."""

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
from evaluation.judges.entailment.parallel import StopAsking, together
from evaluation.language_models.asking.prompts import Prompt
from evaluation.language_models.asking.scores import PLAIN, SamplingParams
from evaluation.language_models.asking.server_apis import Reply, Schema

STEP = 1.0
"""Seconds between two counts of the parts that ask."""


class Pacer:
    """A part's share, at least one, of the `at_once` calls that all parts make at a time."""

    def __init__(self, at_once: int, parts: Callable[[], int] = lambda: 1) -> None:
        self.most = max(1, at_once)
        self.sharing = 1
        """The number of parts that ask the server now."""

        self._parts = parts
        self._looked = float("-inf")

    def allowed(self) -> int:
        """Return how many calls may be under way now."""
        now = time.monotonic()
        if now - self._looked >= STEP:
            self._looked = now
            self.sharing = max(1, self._parts())
        return max(1, self.most // self.sharing)


READ_AT_ONCE = 40
"""Calls that are looked up and claimed at a time."""


class BatchPendingError(StopAsking):
    """The call is in an open batch and will be answered later."""


class Model(Protocol):
    @property
    def fingerprint(self) -> str:
        """Name the model and where it is."""
        ...

    def share(self, parts: int) -> None:
        """Set the number of parts that ask the same server."""
        ...

    def settle(self) -> None:
        """Store new knowledge of the server. Only the thread that stores replies calls it."""
        ...

    def ask(self, prompt: Prompt, schema: Schema, *, sampling: SamplingParams = PLAIN) -> Reply:
        """Return the model's reply. A `PairError` concerns this question only."""
        ...


class Calls(Protocol):
    """A store of replies."""

    def get_many(self, fingerprint: str, digests: Sequence[str]) -> Mapping[str, Reply]: ...

    def claim(self, fingerprint: str, digests: Sequence[str]) -> Collection[str]:
        """Claim and return the calls that are neither answered nor under way elsewhere."""
        ...

    def put(self, fingerprint: str, replies: Mapping[str, Reply]) -> Mapping[str, Reply]:
        """Store replies; return the stored ones, which are another worker's if those came first."""
        ...

    def let_go(self, fingerprint: str, digests: Sequence[str]) -> None:
        """Release claimed calls that have no reply."""
        ...

    def refuse_more(self) -> None:
        """Raise `StopAsking` if no further call may be made."""
        ...

    def refuse_to_wait(self, fingerprint: str, digests: Sequence[str]) -> None:
        """Raise `BatchPendingError` if any call is under way in a batch."""
        ...


class BatchSender(Protocol):
    """Sends calls as batches, which are answered later and cost less."""

    def asks_first(self, call: "Call") -> bool:
        """Return whether to make this call directly, to learn which parameters the server
        refuses."""
        ...

    def __call__(self, calls: Iterable["Call"]) -> Iterator["Call"]:
        """Send calls; yield those to make directly."""
        ...

    def refuse_to_wait(self) -> None:
        """Raise `BatchPendingError` if calls are in an open batch."""
        ...


@dataclass(frozen=True, slots=True)
class Call:
    prompt: Prompt
    schema: Schema
    sampling: SamplingParams = PLAIN

    @property
    def digest(self) -> str:
        told = [self.prompt.system, self.prompt.user, self.schema]
        said = json.dumps([*told, *self.sampling.named])
        return blake2b(said.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _one_of_each_first(calls: Sequence[Call]) -> list[Call]:
    """Put one call of each common beginning first: servers cache a beginning when they answer.
    Beginnings of a single call are not marked for caching."""
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
class _CallResult:
    call: Call
    said: Reply | str


class _CallSorter:
    """Sorts calls into answered ones, ours to make, and those under way elsewhere. Iterating
    yields calls to make. It may continue after its end when calls were added."""

    def __init__(
        self,
        calls: Calls,
        fingerprint: str,
        asked: Iterable[tuple[int, Call]],
        count: Count,
        hear: "OnReply",
    ) -> None:
        self._calls = calls
        self._fingerprint = fingerprint
        self._asked = iter(asked)
        self._count = count
        self._hear = hear
        self._seen: set[str] = set()
        self._failed: dict[str, str] = {}
        self._places: dict[str, list[int]] = {}
        """The places of calls that wait for a reply."""

        self._ours: set[str] = set()
        self._to_make: deque[Call] = deque()
        self._elsewhere: dict[str, Call] = {}
        self.done = 0

    def __iter__(self) -> "_CallSorter":
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
        """Return whether calls are under way elsewhere; take over answered and abandoned ones."""
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
        """Pass on a call's reply, or its final failure."""
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
        """Release the remaining claims."""
        if self._ours:
            self._calls.let_go(self._fingerprint, list(self._ours))


OnReply = Callable[[int, Reply | str], object]
"""Receives the place of a call, and its reply or the reason why there is none."""


class Caller:
    """Makes several calls at a time, and counts calls and tokens by wave."""

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
        """Tokens read and written in calls made here."""

        self.seconds = 0.0
        self.until: Callable[[], object] = lambda: None
        """Raises `StopAsking` when the time slice is over; no further call then begins."""

        self.post: BatchSender | None = None
        """Sends the calls that may wait."""

        self.pace = Pacer(at_once) if pace is None else pace
        self._calls = calls
        self._progress = progress
        self._worked = False

    def make(
        self,
        wave: str,
        calls: Iterable[tuple[int, Call]],
        hear: OnReply,
        *,
        may_wait: bool = False,
    ) -> None:
        """Answer each call, from the store or by the model, and pass the reply to `hear`.

        Calls are read lazily, so few are in memory. Hearing a reply may add calls to an iterator
        that has ended. With a `post`, calls that may wait are sent as batches, and
        `BatchPendingError` is raised.
        """
        self._tell(wave, 0)
        count = self.counts.setdefault(wave, Count())
        sorting = _CallSorter(self._calls, self.scorer.fingerprint, calls, count, hear)

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
        """Yield replies after storing them. On interruption, replies of calls under way are stored
        as well."""
        began, failed = time.perf_counter(), 0

        def keep(some: list[_CallResult]) -> list[tuple[str, Reply | str]]:
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

    def _ask(self, call: Call) -> "_CallResult":
        try:
            return _CallResult(
                call, self.scorer.ask(call.prompt, call.schema, sampling=call.sampling)
            )
        except PairError as problem:
            return _CallResult(call, f"{FAILED}: {problem}"[:REASON_CHARS])

    def _tell(self, wave: str, done: int) -> None:
        """Report progress without a total: calls are created while others are answered."""
        if self._progress is not None:
            self._progress(wave, done, 0)
