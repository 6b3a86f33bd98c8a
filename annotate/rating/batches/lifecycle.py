"""Create, change, open, close and delete batches."""

from collections.abc import Sequence
from dataclasses import asdict, replace
from decimal import Decimal
from typing import Any, TypedDict, Unpack

from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Count, Max
from django.utils import timezone

from annotate.content.units import WholeUnit, create_units
from annotate.models import (
    PEOPLE,
    Assignment,
    Batch,
    BatchItem,
    Judge,
    Study,
    System,
    Unit,
    User,
)
from annotate.protocol.dimensions import Dimension, UnitKind, is_written
from annotate.rating import gold as known_answers
from annotate.rating.batches.plan import BatchPlan, chosen_dimensions, plan_batch, task_granularity
from annotate.rating.batches.selection import (
    GOLD_KINDS,
    Selection,
    draw,
    overlapping_batches,
    quoted,
    selection_of,
)
from annotate.rating.places import items_to_rate
from annotate.studies.lifecycle import refuse_archived
from annotate.web import audit
from annotate.web.bulk import insert
from annotate.web.errors import Refused

MOST = {"raters": 1_000, "minutes": 10_080}
"""Most raters per task; most minutes of a task's lease (a week)."""


FIXED = ("purpose", "granularity", "claims_from", "order", "seed")
"""Fields of a design besides its terms, selection and dimensions."""

LATER = ("slices", "any_answer", "answers", "positional", "pairs")
"""Fields of a selection that are stored only if set."""


class BatchTerms(TypedDict, total=False):
    """The fields of a batch that can change later."""

    name: str
    raters_per_item: int
    lease_minutes: int
    tasks_per_rater: int | None
    fixes_first: bool
    proposes_support: bool
    audience: str
    consent: str
    completion_code: str
    completion_url: str
    screen_out_code: str
    screen_out_url: str
    pay_per_hour: Decimal | None
    pay_currency: str
    gold_percent: int
    gold_mark: int
    gold_least: int
    shows_gold_share: bool
    qualification: Batch | None
    pass_mark: int
    max_rounds: int | None


def refuse_overlap(batch: Batch, stays: str) -> None:
    """Refuse if other batches have taken its responses since it was closed or deleted."""
    if batch.is_practice:
        return
    others = overlapping_batches(batch.study, batch.dimension_list, but=batch.pk)
    same = "unit" if batch.is_about_pairs else "response"
    shared = BatchItem.objects.filter(
        **{"batch__in": others, f"{same}__in": batch.items.order_by().values(same)}
    )
    names = sorted(set(shared.order_by().values_list("batch__name", flat=True).distinct()))
    if names:
        raise Refused(
            f"{quoted(names)} asks the same about some of these responses, so this batch stays "
            f"{stays}. Make a new one of other responses."
        )


def create_batch(
    study: Study,
    *,
    author: User | None = None,
    purpose: str = Batch.Purpose.WORK,
    selection: Selection | None = None,
    dimensions: Sequence[str] | None = None,
    granularity: str = Batch.Granularity.RESPONSE,
    claims_from: str = Batch.ClaimsFrom.NOTHING,
    order: str = Batch.Order.SHUFFLE,
    seed: int = 0,
    gold: Judge | None = None,
    **terms: Unpack[BatchTerms],
) -> Batch:
    """Create a draft batch with all its items. Samples are drawn from `seed`.

    Missing terms, or None, take the default of the study, installation or model.
    """
    chosen = replace(selection or Selection(), seed=seed)
    asked = chosen_dimensions(study, dimensions, granularity)
    granularity = task_granularity(asked, granularity)
    batch = Batch(
        study=study,
        purpose=purpose,
        created_by=author,
        dimensions=[dimension.key for dimension in asked],
        granularity=granularity,
        claims_from=claims_from,
        order=order,
        seed=seed,
        gold=gold,
        raters_per_item=study.raters_per_unit,
        lease_minutes=settings.ATTEST_LEASE_MINUTES,
    )
    _set(batch, terms)
    _refuse_impossible(batch, chosen)
    _save_with_items(batch, chosen, asked)
    return batch


def carry_designs(study: Study, into: Study, *, author: User | None) -> None:
    """Copy the design of every batch to another study, as drafts without tasks.

    Practice is copied first, because others refer to it. Dimensions that the other study lacks are
    left out.
    """
    carried: dict[int | None, Batch] = {}
    for batch in study.batches.select_related("gold").order_by("purpose", "pk"):
        dimensions = [key for key in batch.dimensions if key in into.dimensions]
        if not dimensions:
            continue
        known_by = {"known_by": batch.gold.name} if batch.gold else {}
        terms = {name: getattr(batch, name) for name in BatchTerms.__annotations__}
        carried[batch.pk] = Batch.objects.create(
            study=into,
            created_by=author,
            selection=batch.selection | known_by,
            dimensions=dimensions,
            **{name: getattr(batch, name) for name in FIXED},
            **terms | {"qualification": carried.get(batch.qualification_id)},
        )


def is_undrawn(batch: Batch) -> bool:
    """Whether the batch is a design without tasks."""
    return batch.state == Batch.State.DRAFT and not batch.items.exists()


def has_gold(batch: Batch) -> bool:
    """Whether the batch has gold, or would have if drawn."""
    if is_undrawn(batch):
        return bool(batch.selection.get("gold_listed") or batch.selection.get("gold_count"))
    return batch.items.filter(is_gold=True).exists()


def draw_tasks(batch: Batch) -> Batch:
    """Create a design's tasks from the study's current data."""
    with transaction.atomic():
        locked = _locked(batch)
        if not is_undrawn(locked):
            raise Refused("This batch has its tasks already.")
        knowing = locked.study.judges.filter(kind__in=GOLD_KINDS)
        locked.gold = locked.gold or knowing.filter(name=locked.selection.get("known_by")).first()
        asked = chosen_dimensions(locked.study, locked.dimensions, locked.granularity)
        chosen = selection_of(locked)
        _refuse_impossible(locked, chosen)
        _save_with_items(locked, chosen, asked)
    return locked


def _set(batch: Batch, terms: BatchTerms) -> None:
    for name, value in terms.items():
        if value is not None or batch._meta.get_field(name).null:
            setattr(batch, name, value)
    batch.name = batch.name.strip()


@transaction.atomic
def _save_with_items(batch: Batch, chosen: Selection, asked: Sequence[Dimension]) -> None:
    is_new = batch.pk is None
    # Batches created at once wait here, so that they do not take the same responses.
    Study.objects.select_for_update(no_key=True).get(pk=batch.study_id)
    _refuse_taken_name(batch)
    plan = plan_batch(batch.study, chosen, asked, batch.granularity, batch.gold, batch.purpose)
    _refuse_empty(plan)
    _refuse_without_proposals(batch, plan)
    batch.selection = _stored_selection(batch.study, chosen, plan.taken.systems)
    _save_named(batch)
    rows = _items(batch, plan)
    for first in range(0, len(rows), 2_000):
        insert(rows[first : first + 2_000])
    act, by = ("batch-made", batch.created_by) if is_new else ("batch-drawn", None)
    audit.note(act, batch, by=by, items=len(rows))


def _refuse_empty(plan: BatchPlan) -> None:
    if plan.count(gold=False):
        return
    taken = plan.taken
    if taken.elsewhere and not taken.work:
        raise Refused(
            f"All that could be taken is in {quoted(taken.others)}, where the same is asked. "
            "Ask other dimensions, or choose other systems."
        )
    if not taken.work and taken.unpaired:
        raise Refused("No question was answered by every chosen system: choose fewer systems.")
    raise Refused("Nothing would be in this batch: choose more questions, or other ones.")


def _refuse_without_proposals(batch: Batch, plan: BatchPlan) -> None:
    """Refuse to propose the parser's claims before they are created."""
    if batch.claims_from != Batch.ClaimsFrom.PARSER:
        return
    claims = Unit.objects.filter(response__in=plan.named, kind=UnitKind.CLAIM)
    if not any(not is_written(key) for key in claims.values_list("key", flat=True).distinct()):
        raise Refused(
            "The parser's claims are not made yet, so there is nothing to propose: "
            f"manage.py make_claims {batch.study.slug}"
        )


def _stored_selection(
    study: Study, selection: Selection, systems: Sequence[System]
) -> dict[str, Any]:
    """Return the selection as stored: by names, since ids mean nothing elsewhere."""
    others = dict(study.batches.values_list("pk", "name"))
    stored = {name: value for name, value in asdict(selection).items() if name not in LATER}
    stored |= {name: value for name in LATER if (value := getattr(selection, name))}
    if selection.is_positional(study):
        stored["positional"] = True
    return {
        **stored,
        "systems": [system.name for system in systems],
        "apart_from": [others[pk] for pk in selection.apart_from if pk in others],
    }


def _refuse_impossible(batch: Batch, selection: Selection) -> None:
    if not batch.name:
        raise Refused("Give the batch a name.")
    if batch.gold is not None and (
        batch.gold.kind not in GOLD_KINDS or batch.gold.study_id != batch.study_id
    ):
        raise Refused("Known answers are reference or adjudicated labels of this study.")
    if batch.writes_claims and batch.granularity == Batch.Granularity.UNIT:
        raise Refused("Who writes a claim judges it, so one task must be a whole response.")
    if selection.pairs and not batch.is_about_pairs:
        raise Refused("A number of pairs per question needs a question about pairs.")
    has_gold = bool(selection.gold_listed or selection.gold_count)
    if batch.is_practice:
        if has_gold or batch.gold_percent:
            raise Refused("In practice every answer is known; gold is for rating.")
        if batch.qualification is not None:
            raise Refused("Practice cannot ask for other practice first.")
    _refuse_terms(batch, has_gold=has_gold)


def _refuse_terms(batch: Batch, *, has_gold: bool) -> None:
    """Refuse terms that do not fit question_shuffles, on creation and on change."""
    if (batch.gold_percent or batch.gold_mark) and not has_gold:
        raise Refused("Gold among the work needs gold questions: list them, or draw some.")
    if has_gold and not batch.gold_percent:
        raise Refused("Say how much of the work is gold: at least 1 percent.")
    practice = batch.qualification
    if practice is not None and (
        not practice.is_practice or practice.study_id != batch.study_id or practice == batch
    ):
        raise Refused("The practice that is asked for is not one of this study.")
    if batch.gold_percent > 50:
        raise Refused("At most 50 percent of the work can be gold.")
    if max(batch.gold_mark, batch.pass_mark) > 100:
        raise Refused("Marks are percentages: at most 100.")
    if batch.pay_per_hour is not None and not (batch.pay_per_hour > 0 and batch.pay_currency):
        raise Refused("Pay is an amount above 0 in a currency, such as 9.50 and GBP.")
    for name, value in (("raters", batch.raters_per_item), ("minutes", batch.lease_minutes)):
        if not 1 <= value <= MOST[name]:
            raise Refused(f"The number of {name} must be from 1 to {MOST[name]:,}, not {value}.")


def _save_named(batch: Batch) -> None:
    try:
        with transaction.atomic():
            batch.save()
    except IntegrityError:
        _refuse_taken_name(batch)
        raise


def _refuse_taken_name(batch: Batch) -> None:
    if batch.study.batches.filter(name=batch.name).exclude(pk=batch.pk).exists():
        raise Refused(f"A batch of this study is called “{batch.name}” already.")


def _items(batch: Batch, plan: BatchPlan) -> list[BatchItem]:
    question_shuffles: dict[str, int] = {}
    rows = []
    created = _created_units(batch.study, plan)
    for task in plan.tasks:
        named = plan.named[task.response]
        question = named.question
        if question not in question_shuffles:
            question_shuffles[question] = draw(batch.seed, "together", question)
        rows.append(
            BatchItem(
                batch_id=batch.pk,
                response_id=task.response,
                unit_id=created.get((task.response, task.of), task.unit),
                is_gold=task.is_gold,
                shuffle=draw(batch.seed, "item", question, named.system, named.run, task.key),
                question_shuffle=question_shuffles[question],
            )
        )
    return rows


def _created_units(study: Study, plan: BatchPlan) -> dict[WholeUnit, int]:
    """Create the units that did not exist when the batch was planned. Return their ids."""
    pairs = [(task.response, task.of) for task in plan.tasks if task.kind == UnitKind.PAIR]
    wanted = {UnitKind.PAIR: pairs, UnitKind.REFERENCE_CLAIM: plan.claims}
    return {
        of: key
        for kind, some in wanted.items()
        if some
        for of, key in create_units(study, kind, some).items()
    }


def change_batch(batch: Batch, terms: BatchTerms) -> Batch:
    """Change the terms of a draft or open batch."""
    with transaction.atomic():
        locked = _locked(batch)
        if locked.state == Batch.State.CLOSED:
            raise Refused("The batch is closed. Open it again to change it.")
        most = _most_ratings(locked)
        if terms["raters_per_item"] < most:
            raise Refused(
                f"Something in this batch has {most} finished rating{'s' if most > 1 else ''} "
                "already; fewer cannot be asked for."
            )
        _set(locked, terms)
        if not locked.name:
            raise Refused("Give the batch a name.")
        if locked.is_practice and (locked.qualification or locked.gold_percent):
            raise Refused("Practice neither asks for other practice nor holds gold.")
        _refuse_terms(locked, has_gold=has_gold(locked))
        _save_named(locked)
        audit.note("batch-changed", locked)
    return locked


def _most_ratings(batch: Batch) -> int:
    rows = batch.assignments.filter(
        state=Assignment.State.DONE, item__is_gold=False, judge__kind__in=PEOPLE
    ).exclude(judge__standing=Judge.Standing.EXCLUDED)
    if batch.is_practice:
        return 0
    counts = rows.order_by().values("item").annotate(n=Count("pk"))
    return counts.aggregate(most=Max("n"))["most"] or 0


def _locked(batch: Batch) -> Batch:
    rows = Batch.objects.select_for_update(of=("self",)).select_related("study", "gold")
    return rows.get(pk=batch.pk)


def open_batch(batch: Batch) -> Batch:
    """Open a draft or reopen a closed batch. The time of the first opening is kept."""
    with transaction.atomic():
        refuse_archived(Study.objects.select_for_update(no_key=True).get(pk=batch.study_id))
        locked = _locked(batch)
        if locked.is_open:
            return locked
        if is_undrawn(locked):
            raise Refused("This is a design, without a task yet: draw its tasks first.")
        if not items_to_rate(locked).exists():
            raise Refused("Nothing is in this batch that could be rated.")
        practice = locked.qualification
        if practice is not None and practice.state == Batch.State.DRAFT:
            raise Refused(f"Open the practice “{practice.name}” first: raters have to pass it.")
        _refuse_without_known_answers(locked)
        if locked.state == Batch.State.CLOSED:
            refuse_overlap(locked, "closed")
        locked.state = Batch.State.OPEN
        locked.opened_at = locked.opened_at or timezone.now()
        locked.closed_at = None
        locked.save(update_fields=["state", "opened_at", "closed_at"])
        audit.note("batch-opened", locked)
    return locked


def _refuse_without_known_answers(batch: Batch) -> None:
    """Gold and practice can be scored only with at least one gold answer."""
    lacking = without_known_answers(batch)
    if not lacking:
        return
    names = [f"{i.response.question.external_id} ({i.response.system.name})" for i in lacking]
    raise Refused(f"No answer is known yet for {quoted(names)}. Write the known answers first.")


def without_known_answers(batch: Batch) -> list[BatchItem]:
    """Return practice or gold items without any gold answer."""
    items = known_answers.items_with_gold(batch)
    known = known_answers.known_steps(batch, items)
    return [item for item in items if not known[item.pk]]


def close_batch(batch: Batch) -> Batch:
    """Close an open batch. Answers stay, and no more tasks are assigned."""
    with transaction.atomic():
        locked = _locked(batch)
        if locked.state == Batch.State.DRAFT:
            raise Refused("The batch is a draft: it was never open.")
        if locked.is_open:
            locked.state, locked.closed_at = Batch.State.CLOSED, timezone.now()
            locked.save(update_fields=["state", "closed_at"])
            audit.note("batch-closed", locked)
    return locked


def refuse_to_delete(batch: Batch) -> None:
    """Refuse to delete a batch with raters. Judgments are kept in any case."""
    raters = batch.assignments.exclude(judge__kind__in=GOLD_KINDS)
    if raters.exists() or batch.rounds.exists() or batch.enrolments.exists():
        raise Refused("Raters took part in this batch. Close it instead of deleting it.")
    asking = batch.opens.first()
    if asking is not None:
        raise Refused(f"“{asking.name}” asks for this practice. Change that first.")
