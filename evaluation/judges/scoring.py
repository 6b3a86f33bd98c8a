"""Judge a file of outputs without a database, for `manage.py evaluate`."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from annotate.formats import Reader
from annotate.formats.division import OutputTally
from annotate.formats.records import Problem, ResponseRecord, Where
from annotate.text import Division, SplitterError
from evaluation.judges import (
    AutomaticJudge,
    Item,
    Metric,
    Summary,
    Variant,
    item_of,
    metrics_of,
    summarise,
)
from evaluation.judges.entailment import Asker
from evaluation.judges.figures import Figures


@dataclass(frozen=True, slots=True)
class Outputs:
    """The responses of a file with their places, and the problems of other records."""

    items: tuple[Item, ...]
    places: tuple[Where, ...]
    problems: tuple[Problem, ...]
    tally: OutputTally


def read_outputs(reader: Reader, division: Division, *, name: str) -> Outputs:
    """Read a whole file; `name` is the system's if the file has none."""
    items: list[Item] = []
    places: list[Where] = []
    tally = OutputTally()
    problems: list[Problem] = []
    for record in reader:
        if isinstance(record, Problem):
            problems.append(record)
        elif isinstance(record, ResponseRecord):
            try:
                item = item_of(record, str(len(items) + 1), division)
            except SplitterError:
                raise  # not the file's fault: no record can be divided
            except ValueError as error:
                field = "output" if record.statements is None else "sentences"
                where = Where(record.where.line, record.where.index, field)
                expected = "an output that can be divided into statements"
                problems.append(Problem(where, expected, str(error)))
            else:
                items.append(item)
                tally.add(record, item.segmentation)
                places.append(record.where)
    # The file's suggestions are known only after reading it.
    system, run = reader.suggested_system or name, reader.suggested_run
    named = [replace(i, system=i.system or system, run=i.run or run) for i in items]
    return Outputs(tuple(named), tuple(places), tuple(problems), tally)


def unread_notes(tally: OutputTally) -> Iterator[str]:
    """Yield notes on outputs that are not read or not judged."""
    if tally.cut:
        outputs = "1 output has" if tally.cut == 1 else f"{tally.cut:,} outputs have"
        share = 100 * tally.lost_words / tally.words
        yield (
            f"{outputs} text after the first line, which is not read, {tally.lost_words:,} words "
            f"of {tally.words:,} ({share:.1f} %). --lines all reads it."
        )
    if spans := tally.lost_spans:
        given = "1 citation" if spans == 1 else f"{spans:,} citations"
        yield f"{given} given as spans, which only --lines all reads."
    if parts := [f"{part['count']:,} {part['message']}" for part in tally.parts()]:
        yield f"Not judged: {', '.join(parts)}."


@dataclass(frozen=True, slots=True)
class Scores:
    """The figures of a file, of each system in it, and of each response."""

    judge: str
    variant: Variant
    signature: str
    outputs: Outputs
    summary: Summary
    systems: Mapping[str, Summary]

    def shown(self) -> list[Metric]:
        """Return the metrics with a number for some response; all metrics if there is none."""
        every = metrics_of(self.judge)
        defined = [metric for metric in every if self.summary.judged(metric.key)]
        return defined or every

    def as_json(self, asker: Asker | None) -> dict[str, Any]:
        """Return all figures, shares from 0 to 1. Undefined figures have their reason."""
        keys = [metric.key for metric in self.shown()]
        aggregate = self.summary.aggregate
        found: dict[str, Any] = {
            "aggregate": _values(aggregate, keys),
            "per_item": list(self._responses(keys)),
            "signature": self.signature,
            "judge": self.judge,
            "variant": self.variant,
            "responses": len(self.outputs.items),
            "judged": {key: self.summary.judged(key) for key in keys},
        }
        if reasons := _reasons(aggregate, keys):
            found["reasons"] = reasons
        if len(self.systems) > 1:
            found["systems"] = {
                name: _values(own.aggregate, keys) for name, own in self.systems.items()
            }
        if asker is not None:
            found["pairs"] = {
                wave: {
                    "asked": count.asked,
                    "different": count.unique,
                    "cached": count.cached,
                    "computed": count.computed,
                }
                for wave, count in asker.counts.items()
            }
            if asker.lengths is not None:
                found["lengths"] = asdict(asker.lengths)
        return found

    def _responses(self, keys: Sequence[str]) -> Iterator[dict[str, Any]]:
        rows = zip(self.outputs.items, self.outputs.places, self.summary.per_item, strict=True)
        for item, where, figures in rows:
            row: dict[str, Any] = {
                "place": str(where),
                "question_id": item.question_id,
                "question": item.question,
                "system": item.system,
                "run": item.run,
                **_values(figures, keys),
            }
            if reasons := _reasons(figures, keys):
                row["reasons"] = reasons
            yield row


def score(outputs: Outputs, name: str, judge: AutomaticJudge, variant: Variant) -> Scores:
    """Judge all responses of a file in common waves."""
    items = outputs.items
    verdicts = judge.judge(items)
    summary = summarise(name, items, verdicts, variant=variant)
    by_system: dict[str, list[Item]] = {}
    for item in items:
        by_system.setdefault(item.system, []).append(item)
    systems = {
        system: summarise(name, own, verdicts, variant=variant) for system, own in by_system.items()
    }
    divisions = dict.fromkeys(item.segmentation.signature for item in items)
    signature = "; ".join([judge.signature, *divisions])
    return Scores(name, variant, signature, outputs, summary, systems)


def _values(figures: Figures, keys: Sequence[str]) -> dict[str, float | None]:
    return {key: figures[key].value for key in keys if key in figures}


def _reasons(figures: Figures, keys: Sequence[str]) -> dict[str, str]:
    return {key: figures[key].reason for key in keys if key in figures and figures[key].reason}
