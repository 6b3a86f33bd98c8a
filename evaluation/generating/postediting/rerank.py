"""Keep one of several samples of a response: the best cited, or the most probable.

Gao et al. (2023), https://arxiv.org/abs/2305.14627, on reranking: of four samples the one with the
highest citation recall.

Samples are in the record's metadata under `samples`: a list of outputs, or of objects with `output`
and an optional `probability`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isfinite, isnan
from typing import Any

from annotate.formats.division import FIRST_LINE
from annotate.formats.records import ResponseRecord
from annotate.text import Division, division_signature
from evaluation.generating.postediting import Edited
from evaluation.judges import Item, item_of, summarise
from evaluation.judges.alce import RECALL, Alce

SAMPLES, KEPT = "samples", "kept_sample"
"""Keys of the metadata: the samples and, after editing, the number of the kept one."""

NO_SAMPLES = "no samples, left as it was"
SAME, ANOTHER = "the output was the best sample", "another sample is the output now"
VERSION = 1

UNDEFINED = -1.0
"""Below every recall: a sample without a statement is kept only if there is no other."""


class SampleError(ValueError):
    """Samples that cannot be read or compared; the message says where and why."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One possible output of the system."""

    output: str
    probability: float | None = None


def samples_of(record: ResponseRecord) -> tuple[Sample, ...]:
    """Return the samples of a record."""
    given = record.metadata.get(SAMPLES)
    if given is None:
        return ()
    if not isinstance(given, list):
        raise SampleError(f"{_place(record)}: expected a list of samples, found {given!r:.60}.")
    return tuple(_sample(record, n, value) for n, value in enumerate(given, 1))


def _sample(record: ResponseRecord, n: int, value: Any) -> Sample:
    if isinstance(value, str):
        return Sample(value)
    if isinstance(value, Mapping) and isinstance(value.get("output"), str):
        probability = value.get("probability")
        if probability is None or _is_number(probability):
            return Sample(value["output"], probability)
        raise SampleError(
            f"{_place(record)}, sample {n}: expected a number as probability, "
            f"found {probability!r:.60}."
        )
    raise SampleError(
        f"{_place(record)}, sample {n}: expected an output, or an object with an output, "
        f"found {value!r:.60}."
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and isfinite(value)


def _place(record: ResponseRecord) -> str:
    name = record.question.external_id or record.question.text[:60]
    return f"The response to “{name}”"


class ByProbability:
    """Keep the sample with the highest probability, or logarithm of it."""

    signature = f"rerank|by:probability|v:{VERSION}"
    description = "Of each response's samples the one with the highest probability was kept."
    asks_entailment = False

    def edit(self, records: Sequence[ResponseRecord]) -> list[Edited]:
        """Give each record its most probable sample as output."""
        return [_kept(record, _probabilities(record)) for record in records]


def _probabilities(record: ResponseRecord) -> list[float]:
    found = []
    for n, sample in enumerate(samples_of(record), 1):
        if sample.probability is None:
            raise SampleError(f"{_place(record)}, sample {n}: it has no probability.")
        found.append(sample.probability)
    return found


class ByRecall:
    """Keep the sample with the best citation recall, as the judge `alce` finds it."""

    asks_entailment = True
    description = "Of each response's samples the one with the best citation recall was kept."

    def __init__(self, judge: Alce, division: Division = FIRST_LINE) -> None:
        self.judge = judge
        self.division = division

    @property
    def signature(self) -> str:
        """Identify everything that can change which sample is kept."""
        division = division_signature(self.division)
        return f"rerank|by:{RECALL}|{division}|v:{VERSION}|{self.judge.signature}"

    def edit(self, records: Sequence[ResponseRecord]) -> list[Edited]:
        """Give each record its best cited sample as output; all samples are judged together."""
        samples = [samples_of(record) for record in records]
        items = [
            item
            for place, (record, own) in enumerate(zip(records, samples, strict=True))
            for number, sample in enumerate(own)
            if (item := self._item(record, sample, f"{place}.{number}")) is not None
        ]
        verdicts = self.judge.judge(items)
        summary = summarise("alce", items, verdicts, variant=self.judge.variant)
        recall = {
            item.key: figures[RECALL].value
            for item, figures in zip(items, summary.per_item, strict=True)
        }
        return [
            _kept(record, [_known(recall.get(f"{place}.{n}")) for n in range(len(own))])
            for place, (record, own) in enumerate(zip(records, samples, strict=True))
        ]

    def _item(self, record: ResponseRecord, sample: Sample, key: str) -> Item | None:
        """Return the sample as an item, or None if its text cannot be divided."""
        changed = _with_output(record, sample.output)
        try:
            return item_of(changed, key, self.division)
        except ValueError:
            return None


def _known(value: float | None) -> float:
    return UNDEFINED if value is None or isnan(value) else value


def _with_output(record: ResponseRecord, output: str) -> ResponseRecord:
    """Return the record with this output, without the file's division of the earlier one."""
    if output == record.output:
        return record
    return replace(record, output=output, statements=None, citations=())


def _kept(record: ResponseRecord, scores: Sequence[float]) -> Edited:
    """Return the record with the sample of the highest score; of equal ones, the first."""
    if not scores:
        return Edited(record, NO_SAMPLES)
    best = scores.index(max(scores))
    output = samples_of(record)[best].output
    metadata = {k: v for k, v in record.metadata.items() if k != SAMPLES} | {KEPT: best + 1}
    made = replace(_with_output(record, output), metadata=metadata)
    return Edited(made, SAME if output == record.output else ANOTHER)
