"""Making a new system of a study out of one that is there: wholly or not at all."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from django.utils.text import slugify

from annotate.exchange.streams import response_records
from annotate.formats import ResponseRecord, write_response
from annotate.models import Study, System
from annotate.text import Division
from annotate.web.errors import Refused
from evaluation.generating.new_systems import (
    load,
    named,
    received,
    refuse_taken,
    take_back_what_was_left,
)
from evaluation.generating.postediting import Editing, passages
from evaluation.generating.postediting.passages import ByAutoAIS
from evaluation.generating.postediting.postcite import Postcite
from evaluation.generating.postediting.ranking import Bm25, Embeddings
from evaluation.generating.postediting.rerank import NO_SAMPLES, ByProbability, ByRecall
from evaluation.judges import AutomaticJudge
from evaluation.judges.alce import Alce
from evaluation.judges.autoais import AutoAIS

SUFFIX = ".post_edit.jsonl"
"""How the files of new systems are called, by which those of a killed command are found."""

PORTION = 500
"""Responses edited together: a scorer is asked about all of them at once."""

Tell = Callable[[int], None]
Keep = Callable[..., object]

WAYS = {
    "rerank": "Keep the best of the samples of each response",
    "postcite": "Cite passages for statements that cite nothing",
    "rerank-passages": "Put the passages of each response in order",
}
"""Each way, and what it does."""


def editing_by(
    way: str,
    division: Division,
    judge: Callable[[str], AutomaticJudge],
    *,
    by: str = "recall",
    encoder: str = "",
) -> Editing:
    """A way of editing, with what it asks: `judge` makes the judge of a name."""
    if way == "postcite":
        return Postcite(Embeddings(encoder) if encoder else Bm25(), division)
    asked = judge_asked(way, by)
    if asked is None:
        return ByProbability()
    if asked == "alce":
        return ByRecall(cast(Alce, judge(asked)), division)
    return ByAutoAIS(cast(AutoAIS, judge(asked)), division)


def judge_asked(way: str, by: str) -> str | None:
    """The judge that a way asks about entailment, if it asks one."""
    if way == "rerank-passages":
        return "autoais"
    return "alce" if way == "rerank" and by == "recall" else None


@dataclass(slots=True)
class PostEdited:
    """The new system, and what became of how many responses."""

    system: System
    outcomes: Counter[str] = field(default_factory=Counter)


def post_edit(
    old: System,
    editing: Editing,
    *,
    name: str,
    tell: Tell = lambda done: None,
    keep: Keep = lambda **known: None,
) -> PostEdited:
    """A new system called `name` with every response of the old one after editing.

    The old system stays as it is. `tell` hears how many responses are done. `keep` is told what is
    about to be loaded, in the transaction that begins it. The new one counts as having used the
    metric itself where entailment decided, or where the old one did.
    """
    name = refuse_name(old.study, name)
    outcomes: Counter[str] = Counter()
    with TemporaryDirectory(prefix="attest-") as folder:
        path = Path(folder) / f"{slugify(name) or 'system'}{SUFFIX}"
        with path.open("w", encoding="utf-8", newline="") as handle:
            for record in _edited(old, editing, outcomes, tell):
                handle.write(write_response(replace(record, system=name)))
        if not outcomes:
            raise Refused(f"“{old.name}” has no responses.")
        _refuse_the_same_again(old, outcomes)
        system = _announced(old, editing, name)
        upload = received(system, path, SUFFIX, lambda made: keep(upload=made, outcomes=outcomes))
    load(upload)
    return PostEdited(system, outcomes)


def refuse_name(study: Study, name: str) -> str:
    """The name, unless the new system cannot have it."""
    name = named(name)
    take_back_what_was_left(study, SUFFIX)
    refuse_taken(study, name, SUFFIX)
    return name


def _refuse_the_same_again(old: System, outcomes: Counter[str]) -> None:
    """A system that could not be edited at all would be the old one under another name."""
    if set(outcomes) == {NO_SAMPLES}:
        raise Refused(
            f"No response of “{old.name}” brings samples. Upload them in the metadata of its "
            "responses, as a list called samples."
        )
    if set(outcomes) <= passages.LEFT:
        found = ", ".join(f"{why} ({count:,})" for why, count in outcomes.most_common())
        raise Refused(f"No response of “{old.name}” has passages to put in order: {found}.")


def _edited(
    old: System, editing: Editing, outcomes: Counter[str], tell: Tell
) -> Iterator[ResponseRecord]:
    records = (
        record
        for portion in response_records(old.study)
        for response, record in portion
        if response.system_id == old.pk
    )
    while some := list(islice(records, PORTION)):
        try:
            edited = editing.edit(some)
        except ValueError as error:
            raise Refused(str(error)) from None
        for one in edited:
            outcomes[one.outcome] += 1
            yield one.record
        tell(outcomes.total())


def _announced(old: System, editing: Editing, name: str) -> System:
    return System(
        study=old.study,
        name=name,
        description=f"Made from “{old.name}”. {editing.description} Signature: {editing.signature}",
        uses_autoais=editing.asks_entailment or old.uses_autoais,
    )
