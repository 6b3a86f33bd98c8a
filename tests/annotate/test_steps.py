"""The questions of a task, in the order of the protocol."""

from collections import Counter
from dataclasses import replace
from itertools import product

import pytest

from annotate.exchange.deletion import delete_batch
from annotate.models import Batch, Judgment, Unit
from annotate.protocol.dimensions import UnitKind
from annotate.protocol.shipped import PUBLISHED, SHIPPED
from annotate.protocol.steps import NOT_ASKED, WITHDRAWN, order_steps, unanswered
from annotate.rating.batches.plan import UnitRow, asked_units
from annotate.rating.task_steps import steps_of
from annotate.studies.lifecycle import create_study
from annotate.studies.wordings import save_dimension
from tests.annotate.loading import PASSAGES, load, load_peaks, response
from tests.annotate.rating import open_work
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db

EVERY = [d for d in SHIPPED.values() if not d.writes]
WRITING = list(SHIPPED.values())


def keys(steps):
    return [step.key for step in steps]


def only_item(study, **options):
    batch = open_work(study, **options)
    return batch, batch.items.get()


def steps_in(study, **options):
    return steps_of(*only_item(study, **options))


def test_alce_walks_from_the_answer_to_each_citation(study):
    load(study, [response("The Zugspitze is high [1]. No peak is higher [2][1].")])
    steps = steps_in(study)
    assert keys(steps) == [
        "r:utility",
        "s1:citation_recall",
        "s1.c1:citation_support",
        "s2:citation_recall",
        "s2.c1:citation_support",
        "s2.c2:citation_support",
    ]
    assert [[source.n for source in step.sources] for step in steps] == [
        [],
        [1],
        [1],
        [2, 1],
        [2],
        [1],
    ]


def test_statements_and_citations_without_a_passage_are_not_asked_about(study):
    load(study, [response("It is high [7]. Nobody cites this. This [2] is there [8][2].")])
    steps = steps_in(study)
    assert keys(steps) == [
        "r:utility",
        "s3:citation_recall",
        "s3.c1:citation_support",
        "s3.c3:citation_support",
    ]
    assert [source.n for source in steps[1].sources] == [2], "in sight once"
    delete_batch(Batch.objects.get())
    only = steps_in(study, dimensions=["citation_support"])
    assert keys(only) == ["s3.c1:citation_support", "s3.c3:citation_support"]


def test_citations_beyond_the_cap_are_not_asked_about(study):
    load(study, [response("Air scatters light [1][2][3][4].", passages=PASSAGES)])
    steps = steps_in(study)
    assert keys(steps)[-3:] == [f"s1.c{n}:citation_support" for n in (1, 2, 3)]
    assert [source.n for source in steps[1].sources] == [1, 2, 3]
    study.citation_cap = 1
    study.save()
    assert keys(steps_of(Batch.objects.get(), Batch.objects.get().items.get()))[-2:] == [
        "s1:citation_recall",
        "s1.c1:citation_support",
    ]


@pytest.fixture
def claims(study):
    """A response whose second statement has two atomic claims with citations of their own."""
    text = "The Zugspitze is high [1]. It is in Germany [1] and cold [2]."
    load(study, [response(text, system="Claimant")])
    found = study.responses.get()
    statement = found.units.get(key="s2")
    sources = {source.n: source for source in found.sources.all()}

    def unit(kind, key, parent, ordinal, **more):
        return Unit.objects.create(
            response=found,
            kind=kind,
            key=key,
            parent=parent,
            ordinal=ordinal,
            text=key,
            start=0,
            end=1,
            **more,
        )

    for n in (1, 2):
        claim = unit(UnitKind.CLAIM, f"s2.a{n}", statement, n)
        unit(UnitKind.CLAIM_CITATION, f"s2.a{n}.c1", claim, 1, number=n, source=sources[n])
    bare = unit(UnitKind.CLAIM, "s2.a3", statement, 3)
    unit(UnitKind.CLAIM_CITATION, "s2.a3.c1", bare, 1, number=9)
    left_out = {"interpretable", "attributable", "claim_words"}
    study.dimensions = [key for key in SHIPPED.asked if key in PUBLISHED and key not in left_out]
    study.save()
    return study


def test_a_batch_counts_by_these_rules(subtests, claims):
    """A batch counts its questions without making them: the same units, as many of each."""
    load_peaks(claims)
    load(
        claims, [response("Mountains are old. They are high [1].", question_id="q9", question="?")]
    )
    assert claims.responses.count() == 6
    recalls = [d for d in EVERY if "recall" in d.key]
    some_dimensions = (EVERY, EVERY[:1], WRITING, recalls, [*EVERY, OF_EVERY])
    for found in claims.responses.all():
        units, sources = found.units.order_by("pk"), list(found.sources.all())
        rows = [UnitRow(*row) for row in units.values_list(*UnitRow._fields)]
        for some, cap in product(some_dimensions, (1, 2, 3)):
            with subtests.test(dimensions=len(some), cap=cap):
                steps = order_steps(list(units), sources, some, cap=cap)
                counted = {row.pk: n for row, n in asked_units(rows, some, cap=cap)}
                assert counted == Counter(step.unit.pk for step in steps)


OF_EVERY = replace(
    SHIPPED["citation_recall"], key="fluent", question="Is it fluent?", sight="nothing", every=True
)


def test_a_question_may_be_put_to_every_statement(study):
    load(study, [response("Mountains are old. The Zugspitze is high [1]. It is so [9].")])
    of_every = {"all passages": replace(OF_EVERY, key="contra", sight="all"), "none": OF_EVERY}
    for one in of_every.values():
        save_dimension(study, one)
    batch, item = only_item(study)
    found = steps_of(batch, item)
    delete_batch(batch)
    assert keys(found) == [
        "r:utility", "s1:contra", "s1:fluent",
        "s2:citation_recall", "s2:contra", "s2:fluent", "s2.c1:citation_support",
        "s3:contra", "s3:fluent",
    ]  # fmt: skip
    assert [len(s.sources) for s in found if s.unit.key == "s1"] == [2, 0]
    single = open_work(
        study, name="Single", granularity="unit", dimensions=["contra", "citation_support"]
    )
    assert sorted(single.items.values_list("unit__key", flat=True)) == ["s1", "s2", "s2.c1", "s3"]


@shared_rows
def ais(alice):
    made = create_study(name="Short", slug="short", preset="ais", owner=alice)
    load(made, [response("2,962 metres")])
    return made


def said(step, value="", skipped=""):
    return {
        (step.unit.pk, step.dimension.key): Judgment(
            unit=step.unit, dimension=step.dimension.key, value=value, skipped_reason=skipped
        )
    }


def test_withdrawn_answer_is_missing_and_skipped_one_is_not(ais):
    first, second = steps_in(ais)
    for reason in (NOT_ASKED, WITHDRAWN):
        answers = said(first, "yes") | said(second, skipped=reason)
        assert second.answer(answers) is None
        assert unanswered([first, second], answers) == [second]
    answers = said(first, "yes") | said(second, skipped="I cannot tell")
    assert unanswered([first, second], answers) == []
    assert order_steps([], [], EVERY, cap=3) == []


def test_one_passage_that_supports_what_all_together_do_not_is_a_contradiction(study):
    load(study, [response("The Zugspitze is high [1]. No peak is higher [2][1].")])
    _, whole, part, other, *_ = steps = steps_in(study)
    assert part.whole == whole.key
    assert [step.is_only for step in steps if step.whole] == [True, False, False]
    for recall, support, is_one in (("no", "full", True), ("no", "partial", False)):
        assert part.contradicts(said(whole, recall) | said(part, support)) is is_one
    assert not part.contradicts(said(whole, "yes") | said(part, "full"))
    assert not part.contradicts(said(other, "no") | said(part, "full"))
    assert not whole.contradicts(said(whole, "no"))
