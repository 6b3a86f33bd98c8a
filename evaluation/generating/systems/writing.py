"""Responses of a system to many questions: conversations, then the editing of answers."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from annotate.formats.records import PassageRecord, ResponseRecord, Where
from annotate.text import find_marks
from annotate.text.search_result import Found
from evaluation.generating.postediting import Editing
from evaluation.generating.postediting.rerank import KEPT, SAMPLES
from evaluation.generating.systems.alce import READ_IN_PART
from evaluation.generating.systems.context_window import LEFT_OUT, SHORTENED
from evaluation.generating.systems.conversations import (
    CUT_OFF,
    NO_ANSWER,
    SHORT_FORMS_CUT_OFF,
    Ask,
    Conversation,
    Subject,
    UnansweredError,
    WrittenAnswer,
    run_conversations,
)
from evaluation.generating.systems.options import ADDED_LATER, LIST, Options
from evaluation.generating.systems.spec import RERANK, USES_AUTOAIS, Inputs, SystemSpec
from evaluation.generating.systems.wording import VERSION
from evaluation.language_models.asking.calling import Caller
from evaluation.language_models.asking.scores import SamplingParams

ANSWERS, SAMPLED, READ_AGAIN = "answers", "samples", "answers from the attribution"
"""The waves of calls."""

SAMPLES_OF_SEED = 100
"""More samples than a question ever has, so that no two seeds share one."""

OF_SAMPLES = "of_samples"
"""The key of the notes on each sample in the metadata."""

NOT_READ_AGAIN = "not_read_again"
"""The key of why an answer was not read again from its attribution."""

LIMITED = {
    CUT_OFF: "the answer was cut off at most_tokens",
    SHORT_FORMS_CUT_OFF: "short forms of passages were cut off at most_tokens",
    LEFT_OUT: "passages were left out, which the context had no room for",
    SHORTENED: "a passage was shown in part, for which the context had no room",
    READ_IN_PART: "passages were made shorter from a part, for which the context had no room",
}
"""The outcome for each note of a limit."""

NO_PASSAGES = "the question has no passages"
NO_GOLD = "the question has neither answers as strings nor claims"


@dataclass(frozen=True, slots=True)
class Decoding:
    """The temperature of a model, and its nucleus."""

    temperature: float = 0.5
    nucleus: float | None = None

    def sampling(self, seed: int, sample: int, one: Ask) -> SamplingParams:
        """Return how one call is made; without randomness it is the same for seeds and samples."""
        if not one.drawn or not self.temperature:
            return SamplingParams(heat=0.0, stop=one.stop)
        drawn = seed * SAMPLES_OF_SEED + sample
        return SamplingParams(
            sample=drawn, heat=self.temperature, nucleus=self.nucleus, stop=one.stop
        )

    @property
    def signature(self) -> str:
        """The decoding as a system's signature names it."""
        nucleus = "" if self.nucleus is None else f"|nucleus:{self.nucleus:g}"
        return f"temperature:{self.temperature:g}{nucleus}"


@dataclass(slots=True)
class ResponseWriter:
    """Write a system's responses for one seed. `editing` carries out `afterwards`."""

    spec: SystemSpec
    inputs: Inputs
    caller: Caller
    decoding: Decoding
    afterwards: str = ""
    editing: Editing | None = None
    samples: int = 1
    system: str = ""
    run: str = ""
    tell: Callable[[Subject, WrittenAnswer], object] = lambda subject, written: None
    """Called with each answer before it is edited."""

    outcomes: Counter[str] = field(default_factory=Counter)

    def write(self, subjects: Sequence[Subject]) -> list[ResponseRecord]:
        """Return a response to each question, in order."""
        many = self.samples if self.afterwards == RERANK else 1
        written: dict[int, WrittenAnswer] = {}
        keys = range(len(subjects) * many)
        conversations = ((key, self._talk(subjects[key // many])) for key in keys)
        self._converse(ANSWERS if many == 1 else SAMPLED, conversations, subjects, written, many)
        each = [[written[key] for key in keys[n : n + many]] for n in keys[::many]]
        records = [
            self._record(subject, *_merged(some))
            for subject, some in zip(subjects, each, strict=True)
        ]
        if self.editing is not None:
            records = self._edited(records, self.editing)
            if self.spec.again is not None:
                records = self._read_again(subjects, records)
        self.outcomes.update(_outcome(record) for record in records)
        self.outcomes.update(said for record in records for said in _limited(record))
        return [_named(_kept(record, self.spec.keeps)) for record in records]

    def _talk(self, subject: Subject) -> Conversation:
        if self.spec.needs_passages and not subject.found:
            return _none(NO_PASSAGES)
        if self.spec.needs_answers and not self.inputs.has_gold_answers(subject):
            return _none(NO_GOLD)
        return self.spec.conversation(subject, self.inputs)

    def _converse(
        self,
        wave: str,
        conversations: Iterable[tuple[int, Conversation]],
        subjects: Sequence[Subject],
        written: dict[int, WrittenAnswer],
        many: int = 1,
    ) -> None:
        def sampling(key: int, one: Ask) -> SamplingParams:
            return self.decoding.sampling(self.inputs.seed, key % many + 1, one)

        def done(key: int, found: WrittenAnswer) -> None:
            written[key] = found
            if wave != READ_AGAIN:  # the answer is there already
                self.tell(subjects[key // many], found)

        run_conversations(self.caller, wave, conversations, sampling, done)

    def _record(
        self, subject: Subject, first: WrittenAnswer, outputs: Sequence[str]
    ) -> ResponseRecord:
        samples = {SAMPLES: list(outputs)} if outputs else {}
        numbered = enumerate(first.passages, 1)
        return ResponseRecord(
            where=Where(),
            question=subject.question,
            output=first.output,
            system=self.system,
            run=self.run,
            passages=tuple(_passage(number, one) for number, one in numbered),
            is_list=self.inputs.options.form == LIST,
            metadata={**first.notes, **samples},
        )

    def _edited(self, records: Sequence[ResponseRecord], editing: Editing) -> list[ResponseRecord]:
        """Edit the answers; questions without an answer stay as they are."""
        open_ones = [n for n, one in enumerate(records) if NO_ANSWER not in one.metadata]
        edited = editing.edit([records[n] for n in open_ones])
        self.outcomes.update(f"{self.afterwards}: {one.outcome}" for one in edited)
        found = list(records)
        for n, one in zip(open_ones, edited, strict=True):
            found[n] = one.record
        return found

    def _read_again(
        self, subjects: Sequence[Subject], records: Sequence[ResponseRecord]
    ) -> list[ResponseRecord]:
        again = self.spec.again
        assert again is not None
        written: dict[int, WrittenAnswer] = {}
        open_ones = [n for n, one in enumerate(records) if one.passages]
        conversations = (
            (n, again(subjects[n], self.inputs, _found(records[n].passages[0]))) for n in open_ones
        )
        self._converse(READ_AGAIN, conversations, subjects, written)
        return [
            self._anew(subjects[n], record, written[n]) if n in written else record
            for n, record in enumerate(records)
        ]

    def _anew(
        self, subject: Subject, record: ResponseRecord, found: WrittenAnswer
    ) -> ResponseRecord:
        """Return the answer that was read again, or keep the earlier one if there is none."""
        if NO_ANSWER in found.notes:
            why = found.notes[NO_ANSWER]
            return replace(record, metadata={**record.metadata, NOT_READ_AGAIN: why})
        return self._record(subject, found, ())


def signature_of(
    spec: SystemSpec,
    options: Options,
    decoding: Decoding,
    *,
    seeds: Sequence[int],
    examples: str,
    model: str,
    passages: str,
    limits: Sequence[str] = (),
) -> str:
    """Identify everything that can change what a system writes."""
    values = {name: getattr(options, name) for name in spec.takes}
    taken = (f"{name}:{one}" for name, one in values.items() if ADDED_LATER.get(name) != one)
    parts = (
        "generated", spec.key, *taken, f"examples:{examples}", f"passages:{passages}",
        f"seeds:{','.join(map(str, seeds))}", decoding.signature, *limits, model,
        f"v:{VERSION}",
    )  # fmt: skip
    return "|".join(parts)


def uses_autoais(afterwards: str) -> bool:
    """Whether entailment decides on the answer or passage."""
    return afterwards in USES_AUTOAIS


def _none(why: str) -> Conversation:
    yield []
    raise UnansweredError(why)


def _passage(number: int, one: Found) -> PassageRecord:
    return PassageRecord(number, one.title, one.text, one.key, one.url)


def _found(one: PassageRecord) -> Found:
    return Found(one.external_id, one.text, 0.0, one.title, one.url)


def _merged(some: Sequence[WrittenAnswer]) -> tuple[WrittenAnswer, list[str]]:
    """Return the first of several samples with the passages of all, and the renumbered outputs.

    The outputs of unanswered samples are empty.
    """
    if len(some) == 1:
        return some[0], []
    passages = list(dict.fromkeys(one for written in some for one in written.passages))
    numbers = {one: number for number, one in enumerate(passages, 1)}
    outputs = [_renumbered(one.output, one.passages, numbers) for one in some]
    answered = any(NO_ANSWER not in one.notes for one in some)
    notes = {OF_SAMPLES: [dict(one.notes) for one in some]} if answered else some[0].notes
    return WrittenAnswer(outputs[0], tuple(passages), notes), outputs


def _renumbered(output: str, passages: Sequence[Found], numbers: Mapping[Found, int]) -> str:
    """Renumber the marks of an output by `numbers`.

    A mark without a passage gets a number after all of them.
    """
    pieces, done = [], 0
    for mark in find_marks(output):
        cited = tuple(
            numbers[passages[n - 1]] if 0 < n <= len(passages) else n and n + len(numbers)
            for n in mark.numbers
        )
        text = mark.text if cited == mark.numbers else f"[{', '.join(map(str, cited))}]"
        pieces += [output[done : mark.start], text]
        done = mark.end
    return "".join([*pieces, output[done:]])


def _kept(record: ResponseRecord, keeps: str) -> ResponseRecord:
    """Return the response without passages that were only candidates."""
    if keeps == "first":
        return replace(record, passages=record.passages[:1])
    if keeps == "cited":
        cited = {number for mark in find_marks(record.output) for number in mark.numbers}
        return replace(record, passages=tuple(one for one in record.passages if one.n in cited))
    return record


def _named(record: ResponseRecord) -> ResponseRecord:
    """Return the response with its question's id only: the rest may have changed meanwhile."""
    return replace(record, question=replace(record.question, references={}, metadata={}))


def _limited(record: ResponseRecord) -> list[str]:
    """Return the effects of limits on an answer; of several samples, on the kept one."""
    notes = record.metadata
    if OF_SAMPLES in notes:
        notes = notes[OF_SAMPLES][notes.get(KEPT, 1) - 1]
    notes = {**notes, **notes.get("counts", {})}
    return [said for name, said in LIMITED.items() if notes.get(name)]


def _outcome(record: ResponseRecord) -> str:
    if NO_ANSWER in record.metadata:
        return f"no answer: {record.metadata[NO_ANSWER]}"[:200]
    return "answered" if record.output.strip() else "empty answer"
