"""Running an automatic judge over a study and writing what it finds.

The same judge again changes nothing where it finds the same, so a run that broke off is repeated.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
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

OF_PARTS = {"alce", "aliice"}
"""Judges of statements, or of the claims in them."""

OF_WHOLE_SYSTEMS = {"fluency"}
"""Judges that compare all of a system's responses with all references at once."""

NAME_CHARS = 500

Tell = Callable[[int], None]


@dataclass(slots=True)
class Outcome:
    """What a judge found, counted. `judge` is None until something was written: a judge that found
    nothing is none."""

    name: str
    judge: Judge | None = None
    responses: int = 0
    new: int = 0
    changed: int = 0
    unchanged: int = 0
    measures: int = 0
    not_judged: Counter[str] = field(default_factory=Counter)
    left_out: list[str] = field(default_factory=list)


def name_of(signature: str) -> str:
    """What the judge with this signature is called. A longer one than a name ends in its digest."""
    if len(signature) <= NAME_CHARS:
        return signature
    digest = blake2b(signature.encode(), digest_size=8).hexdigest()
    return f"{signature[: NAME_CHARS - 17]}|{digest}"


def automatic_judge(study: Study, signature: str) -> Judge:
    """The judge with this signature."""
    judge, _ = Judge.objects.get_or_create(
        study=study, name=name_of(signature), defaults={"kind": Judge.Kind.AUTOMATIC}
    )
    _refuse_another_kind(judge)
    return judge


def _refuse_another_kind(judge: Judge) -> None:
    if judge.kind != Judge.Kind.AUTOMATIC:
        raise Refused(f"A judge of another kind is called “{judge.name}” in this study.")


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
    signature = judge.signature
    name = signature.partition("|")[0]
    outcome = Outcome(name_of(signature))
    wanted = list(systems or System.objects.loaded().filter(study=study))
    outcome.left_out = [s.name for s in wanted if s.uses_autoais and name in OF_CITATIONS]
    taken = {s.pk for s in wanted if s.name not in outcome.left_out}
    if name in OF_PARTS:
        _refuse_undivided(study, name, taken)
    _refuse_other_claims(study, judge, taken)
    for namesake in Judge.objects.filter(study=study, name=outcome.name):
        _refuse_another_kind(namesake)
    items_of_all: Iterable[Item] = _items(study, taken)
    portion: int | None = PORTION
    if name in OF_WHOLE_SYSTEMS:
        items_of_all, portion = map(_text_alone, items_of_all), None
    for items in _portions(items_of_all, portion):
        verdicts = judge.judge(items)
        with transaction.atomic():
            outcome.judge = automatic_judge(study, signature)
            # Another process may run the same judge: one writes after the other.
            Judge.objects.select_for_update(no_key=True).get(pk=outcome.judge.pk)
            _write(outcome, outcome.judge, items, verdicts)
        outcome.responses += len(items)
        tell(outcome.responses)
    return outcome


def _refuse_undivided(study: Study, name: str, systems: set[int]) -> None:
    whole = Response.objects.current().filter(study=study, system__in=systems, segmentation="")
    if count := whole.count():
        raise Refused(
            f"{count:,} {'response is' if count == 1 else 'responses are'} not divided into "
            f"statements, about which “{name}” answers, since this study asks about whole "
            "responses only. Load the outputs into a study that asks about statements, or score "
            "their file with `evaluate`."
        )


def _refuse_other_claims(study: Study, judge: AutomaticJudge, systems: set[int]) -> None:
    """Claims are judged as they stand in the study: made, and by the judge's own parser."""
    if not judge.signature.startswith("aliice|"):
        return
    parser = getattr(judge, "parser", None)
    if parser is None:
        raise Refused(
            "Whole sentences are no claims of the study. Score a file by sentences with `evaluate`."
        )
    asked = Response.objects.current().filter(study=study, system__in=systems)
    missing = asked.filter(claim_division__isnull=True).count()
    if missing:
        of = "of 1 response are" if missing == 1 else f"of {missing:,} responses are"
        raise Refused(
            f"The claims {of} not made yet. Run this first: manage.py make_claims {study.slug}"
        )
    made = ClaimDivision.objects.filter(response__in=asked)
    signatures = set(made.values_list("signature", flat=True).distinct())
    if signatures - {claims_signature(parser)}:
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


def _text_alone(item: Item) -> Item:
    """The item without passages and statements, so that the memory holds a whole study's."""
    segmentation = replace(item.segmentation, statements=())
    return replace(item, segmentation=segmentation, passages=(), statements=())


def _portions(items: Iterable[Item], size: int | None) -> Iterator[list[Item]]:
    left = iter(items)
    while portion := list(islice(left, size)):
        yield portion


def _write(
    outcome: Outcome, judge: Judge, items: Sequence[Item], verdicts: Sequence[Verdict]
) -> None:
    """Write the verdicts on some responses, within a transaction."""
    units = _units(list({int(v.item) for v in verdicts if not _is_measure(v)}))
    now = timezone.now()
    judgments: list[Judgment] = []
    measures: list[Measure] = []
    for verdict in verdicts:
        if verdict.reason:
            outcome.not_judged[verdict.reason] += 1
        if _is_measure(verdict):
            measures.append(
                Measure(
                    judge_id=judge.pk,
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
                "version of Attest. Load it again into a new study."
            )
        judgments.append(
            Judgment(
                unit_id=unit,
                judge_id=judge.pk,
                dimension=verdict.dimension,
                value=verdict.value,
                skipped_reason=verdict.reason,
                score=verdict.score,
                created_at=now,
            )
        )
    found = sort_against_present(judgments)
    outcome.new += write_new(found.new)
    outcome.changed += replace_all(found.changed)
    outcome.unchanged += found.unchanged
    rows = {int(item.key) for item in items}
    Measure.objects.filter(judge=judge, response__in=rows).delete()
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
