"""Running an automatic judge over a study and writing what it finds.

The same judge again changes nothing where it finds the same, so a run that broke off is repeated.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import islice

from django.db import transaction
from django.utils import timezone

from annotate.dimensions import DIMENSIONS, UnitKind
from annotate.exports import response_records
from annotate.models import Judge, Judgment, Response, Study, System, Unit
from annotate.services.bulk import insert
from annotate.services.errors import Refused
from annotate.services.judgments import replace_all, sort_against_present, write_new
from evaluation.claims import claims_signature
from evaluation.judges import Item, Verdict, item_of
from evaluation.judges import Judge as AutomaticJudge
from evaluation.judges.items import WHOLE
from evaluation.models import ClaimDivision, Measure

PORTION = 2_000
"""Responses judged together: each wave of questions is asked over all of them."""

OF_CITATIONS = {"autoais", "alce", "aliice"}
"""Judges whose score a system that used the metric itself does not get."""

OF_WHOLE_SYSTEMS = {"fluency"}
"""Judges that compare all of a system's responses with all references at once."""

NAME_CHARS = 500

Tell = Callable[[int], None]


@dataclass(slots=True)
class Outcome:
    """What a judge found, counted."""

    judge: Judge
    responses: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    measures: int = 0
    not_judged: Counter[str] = field(default_factory=Counter)
    left_out: list[str] = field(default_factory=list)


def automatic_judge(study: Study, signature: str) -> Judge:
    """The judge with this signature. A signature longer than a name ends in its digest."""
    name = signature
    if len(name) > NAME_CHARS:
        digest = blake2b(signature.encode(), digest_size=8).hexdigest()
        name = f"{signature[: NAME_CHARS - 17]}|{digest}"
    judge, _ = Judge.objects.get_or_create(
        study=study, name=name, defaults={"kind": Judge.Kind.AUTOMATIC}
    )
    if judge.kind != Judge.Kind.AUTOMATIC:
        raise Refused(f"A judge of another kind is called “{name}” in this study.")
    return judge


def judge_study(
    study: Study,
    judge: AutomaticJudge,
    *,
    systems: Sequence[System] = (),
    tell: Tell = lambda done: None,
) -> Outcome:
    """Judge every response that counts, or those of some systems, and write the verdicts.

    `tell` hears how many responses are done. Systems that used the metric themselves are left out
    of judges of citations, for their score is never shown.
    """
    _refuse_other_claims(study, judge)
    outcome = Outcome(automatic_judge(study, judge.signature))
    name = judge.signature.partition("|")[0]
    wanted = list(systems or System.objects.loaded().filter(study=study))
    outcome.left_out = [s.name for s in wanted if s.uses_autoais and name in OF_CITATIONS]
    taken = {s.pk for s in wanted if s.name not in outcome.left_out}
    portion = None if name in OF_WHOLE_SYSTEMS else PORTION
    for items in _portions(_items(study, taken), portion):
        _write(outcome, items, judge.judge(items))
        outcome.responses += len(items)
        tell(outcome.responses)
    return outcome


def _refuse_other_claims(study: Study, judge: AutomaticJudge) -> None:
    """Claims are judged as they stand in the study: made, and by the judge's own parser."""
    if not judge.signature.startswith("aliice|"):
        return
    parser = getattr(judge, "parser", None)
    if parser is None:
        raise Refused(
            "Whole sentences are no claims of the study. Score a file by sentences with `evaluate`."
        )
    made = ClaimDivision.objects.filter(response__study=study, response__live=True)
    signatures = set(made.values_list("signature", flat=True))
    if not signatures:
        raise Refused("The study's claims are not made yet: run make_claims first.")
    if signatures != {claims_signature(parser)}:
        raise Refused(
            f"The study's claims were made by {', '.join(sorted(signatures))}. Use that parser."
        )


def _items(study: Study, systems: set[int]) -> Iterator[Item]:
    for records in response_records(study):
        for response, record in records:
            if response.system_id in systems:
                yield _item(study, response, record)


def _item(study: Study, response: Response, record: object) -> Item:
    return item_of(
        record,  # type: ignore[arg-type]
        str(response.pk),
        reading=study.reading,  # type: ignore[arg-type]  # the database checks it
        splitter=study.splitter,
    )


def _portions(items: Iterator[Item], size: int | None) -> Iterator[list[Item]]:
    while portion := list(islice(items, size)):
        yield portion


def _write(outcome: Outcome, items: Sequence[Item], verdicts: Sequence[Verdict]) -> None:
    units = _units([int(item.key) for item in items])
    now = timezone.now()
    judgments: list[Judgment] = []
    measures: list[Measure] = []
    for verdict in verdicts:
        if verdict.reason:
            outcome.not_judged[verdict.reason] += 1
        if _is_measure(verdict):
            measures.append(
                Measure(
                    judge_id=outcome.judge.pk,
                    response_id=int(verdict.item),
                    name=verdict.dimension,
                    value=verdict.score,
                    reason=verdict.reason,
                )
            )
            continue
        unit = units.get((int(verdict.item), verdict.unit))
        if unit is None:
            raise Refused(
                f"Response {verdict.item} has no unit {verdict.unit}: it was divided by another "
                "version of Attest, or its claims are not made yet. Load it again into a new study."
            )
        judgments.append(
            Judgment(
                unit_id=unit,
                judge_id=outcome.judge.pk,
                dimension=verdict.dimension,
                value=verdict.value,
                skipped_reason=verdict.reason,
                score=verdict.score,
                created_at=now,
            )
        )
    with transaction.atomic():
        found = sort_against_present(judgments)
        outcome.new += write_new(found.new)
        outcome.changed += replace_all(found.changed)
        outcome.unchanged += found.unchanged
        rows = {int(item.key) for item in items}
        Measure.objects.filter(judge=outcome.judge, response__in=rows).delete()
        outcome.measures += insert(measures)


def _is_measure(verdict: Verdict) -> bool:
    """Whether it is a number about the response, and no answer that people give about its units.

    ALCE's claim recall is about the reference's claims, ALiiCE's about those of the response.
    """
    dimension = DIMENSIONS.get(verdict.dimension)
    if dimension is None:
        return True
    return verdict.unit == WHOLE and dimension.unit_kind != UnitKind.RESPONSE


def _units(responses: Sequence[int]) -> dict[tuple[int, str], int]:
    found: dict[tuple[int, str], int] = {}
    for first in range(0, len(responses), 500):
        rows = Unit.objects.filter(response__in=responses[first : first + 500])
        found.update({(r, key): pk for r, key, pk in rows.values_list("response_id", "key", "pk")})
    return found
