"""Where raters disagree: the measure, the queue, its filters and its order."""

import pytest
from django.db import connection
from django.urls import reverse
from django.utils import timezone

from annotate.content.counts import catch_up
from annotate.models import Batch, BatchItem, Judge, Unit, Upload
from annotate.protocol.distances import disagreement
from annotate.protocol.shipped import SHIPPED
from annotate.rating import dispute_page, disputes
from annotate.rating.disputes import decide, in_state, queue_of
from tests.annotate.loading import judgment, load, load_judgments, response
from tests.annotate.pages import visible
from tests.shared_rows import shared_rows


def votes(study, unit, dimension, values, **more):
    """One vote per value, of raters a, b, c …"""
    load_judgments(
        study,
        [
            judgment(unit, dimension, value, judge=f"rater {name}", **more)
            for name, value in zip("abcdefgh", values, strict=False)
        ],
    )


@shared_rows
def disputed(study):
    """s1: 2 yes, 1 no (8/9). s2: 1 yes, 2 no (8/9). s1.c1: full, none (1). Utility: 4, 5 (1/4).
    s2.c1: all full."""
    load(study, [response("High [1]. Higher [1][2].")])
    votes(study, "s1", "citation_recall", ["yes", "yes", "no"])
    votes(study, "s2", "citation_recall", ["yes", "no", "no"])
    votes(study, "s1.c1", "citation_support", ["full", "none"])
    votes(study, "s2.c1", "citation_support", ["full", "full"])
    votes(study, "r", "utility", ["4", "5"])
    return study


def unit(study, key, question="q1"):
    return Unit.objects.filter(
        response__study=study, response__question__external_id=question, key=key
    ).earliest("pk")


def shown(rows):
    keys = dict(Unit.objects.values_list("pk", "key"))
    return [(keys[d.unit_id], d.dimension.key) for d in rows]


# The measure -------------------------------------------------------------------------------------


def test_the_measure(subtests):
    for dimension, given, expected in [
        ("citation_recall", {"yes": 1}, 0),
        ("citation_recall", {"yes": 3}, 0),
        ("citation_recall", {"yes": 1, "no": 1}, 1),
        ("citation_recall", {"yes": 2, "no": 2}, 1),
        ("citation_recall", {"yes": 2, "no": 1}, 8 / 9),  # 2 * 2/3 * 1/3 / (1/2)
        ("citation_recall", {"yes": 4, "no": 1}, 16 / 25),
        ("citation_support", {"full": 1, "none": 1}, 1),
        ("citation_support", {"full": 1, "partial": 1}, 1 / 2),
        # pairs: full-partial 2 * 1/9 * 1/2, partial-none the same, full-none 2 * 1/9; over 1/2
        ("citation_support", {"full": 1, "partial": 1, "none": 1}, 8 / 9),
        ("utility", {"1": 1, "5": 1}, 1),
        ("utility", {"4": 1, "5": 1}, 1 / 4),
        ("utility", {"1": 1, "3": 1}, 1 / 2),
    ]:
        with subtests.test(dimension=dimension):
            asked, counts = SHIPPED[dimension], tuple(given.items())
            assert disagreement(asked, counts) == pytest.approx(expected)
            doubled = tuple((value, 2 * n) for value, n in counts)
            assert disagreement(asked, doubled) == pytest.approx(expected)


# The queue ---------------------------------------------------------------------------------------


def test_most_disputed_first_then_most_votes_then_as_loaded(disputed):
    rows = queue_of(disputed)
    assert shown(rows) == [
        ("s1.c1", "citation_support"),
        ("s1", "citation_recall"),
        ("s2", "citation_recall"),
        ("r", "utility"),
    ]
    utility = next(d for d in rows if d.dimension.key == "utility")
    assert utility.labels == [("Agree", 1), ("Strongly agree", 1)]
    assert utility.votes == (("4", 1), ("5", 1))
    recall = queue_of(disputed, dimension="citation_recall")
    assert shown(recall) == [("s1", "citation_recall"), ("s2", "citation_recall")]
    load(disputed, [response("High [1].", question="Again?", question_id="q2")])
    votes(disputed, "s1.c1", "citation_support", ["full", "none", "full", "none"], question_id="q2")
    first, second, *_ = queue_of(disputed)
    assert (first.measure, second.measure) == (1, 1)
    assert first.unit_id == unit(disputed, "s1.c1", "q2").pk
    assert second.unit_id == unit(disputed, "s1.c1").pk


@pytest.mark.parametrize("kind", Judge.Kind.values)
def test_only_answers_of_people_vote(disputed, kind):
    support = ("s2.c1", "citation_support")
    for reason in ("not asked", "withdrawn", "I cannot tell"):
        skipped = {"judge": f"rater {reason}", "skipped_reason": reason}
        load_judgments(disputed, [judgment(*support, "", **skipped)])
    assert support not in shown(queue_of(disputed))
    rows = [judgment(*support, "none", judge="another", judge_kind=kind)]
    load_judgments(disputed, rows)
    assert (support in shown(queue_of(disputed))) == (kind in {"human", "simulated"})


def test_excluded_raters_do_not_vote(disputed):
    Judge.objects.filter(name="rater b").update(standing="excluded")
    assert shown(queue_of(disputed)) == [("s1", "citation_recall"), ("s2", "citation_recall")]
    assert [d.votes for d in queue_of(disputed)] == [(("yes", 1), ("no", 1))] * 2


def test_replaced_unpublished_and_foreign_answers_are_no_dispute(disputed, elsewhere):
    assert not queue_of(elsewhere)
    uploads = Upload.objects.filter(name="judgments.csv", study=disputed)
    uploads.update(published_at=None)
    assert not queue_of(disputed)
    uploads.update(published_at=timezone.now())
    assert queue_of(disputed)
    load(disputed, [response("Low [1].")], replace=True)
    assert not queue_of(disputed)


def batch(study, units, dimensions, granularity="response"):
    made = Batch.objects.create(
        study=study,
        name=f"Batch {granularity} {len(units)}",
        dimensions=dimensions,
        raters_per_item=3,
        lease_minutes=30,
        granularity=granularity,
        state="open",
    )
    BatchItem.objects.bulk_create(
        BatchItem(batch=made, response=u.response, unit=u, shuffle=n, question_shuffle=n)
        for n, u in enumerate(units)
    )
    return made


def test_decided_disputes_leave_the_queue_and_stay_in_sight(disputed, bob):
    decide(unit(disputed, "s1"), "citation_recall", value="no", by=bob)
    rows = queue_of(disputed)
    assert ("s1", "citation_recall") not in shown(in_state(rows, ""))
    (decided,) = in_state(rows, "decided")
    assert (decided.decided_label, decided.is_open) == ("No", False)
    assert len(in_state(rows, "all")) == 4
    decide(unit(disputed, "s1"), "citation_recall", value="no", by=bob)
    Judge.objects.filter(name="rater c").update(standing="excluded")
    rows = queue_of(disputed)
    assert shown(in_state(rows, "decided")) == [("s1", "citation_recall")]
    assert ("s1", "citation_recall") not in shown(in_state(rows, ""))


def test_what_follows_is_the_next_open_one_and_after_the_last_the_first(disputed, bob):
    rows = queue_of(disputed)
    first, second, third, last = rows
    assert rows.following(first.key) == second
    assert rows.following(last.key) == first
    assert rows.following((0, "utility")) == first
    decide(unit(disputed, "s1"), "citation_recall", value="no", by=bob)
    following = queue_of(disputed).following(first.key)
    assert following is not None
    assert following.key == third.key
    for unit_key in ("s1", "s2"):
        decide(unit(disputed, unit_key), "citation_recall", value="no", by=bob)
    alone = queue_of(disputed, dimension="utility")
    assert len(alone) == 1
    assert alone.following(alone[0].key) is None
    assert queue_of(disputed, dimension="interpretable").following(alone[0].key) is None


# The page ----------------------------------------------------------------------------------------


@shared_rows
def client(bob, signed_in):
    return signed_in(bob)


def test_queue_page_shows_votes_and_own_batches_only(disputed, elsewhere, client):
    text = visible(client.get(reverse("disputes", args=["peaks"])).content.decode())
    assert "4 open" in text
    assert "2 × Yes , 1 × No" in text or "2 × Yes, 1 × No" in text
    assert "disagreement 89 %" in text
    assert "Vermilion" not in text
    theirs = batch(elsewhere, [unit(elsewhere, "r")], ["utility"])
    page = client.get(reverse("disputes", args=["peaks"]), {"batch": theirs.pk})
    assert len(page.context["rows"]) == 4
    assert theirs.name not in page.content.decode()


def test_what_the_answer_quotes_is_lit_in_the_passage_and_said(study, client, bob):
    citations = [
        {"start": 0, "end": 5, "passages": [1], "quote": "the highest peak of Germany"},
        {"start": 0, "end": 5, "passages": [2], "quote": "the lowest peak"},
    ]
    load(study, [response("High.", citations=citations)])
    votes(study, "s1", "citation_recall", ["yes", "no"])
    votes(study, "s1.c1", "citation_support", ["full", "none"])
    shown = dispute_page.open_dispute(study, unit(study, "s1"), SHIPPED["citation_recall"])
    lit = [run.text for s in shown.sources for p in s.pieces for run in p.runs if run.shared]
    assert lit == ["the highest peak of Germany"]
    assert [(quote.n, quote.said) for quote in shown.quotes] == [
        (1, "found word for word"),
        (2, "not found in this passage"),
    ]
    alone = dispute_page.open_dispute(study, unit(study, "s1.c1"), SHIPPED["citation_support"])
    assert [quote.n for quote in alone.quotes] == [1]
    client.force_login(bob)
    address = reverse("dispute", args=["peaks", shown.unit.pk, "citation_recall"])
    page = client.get(address).content.decode()
    assert "<mark>the highest peak of Germany</mark>" in page
    assert "Highlighted: quotes in the answer." in " ".join(visible(page).split())


def test_pages_hold_each_dispute_once_in_few_queries(
    study, client, monkeypatch, django_assert_max_num_queries
):
    monkeypatch.setattr(disputes, "PAGE", 20)
    address = reverse("disputes", args=["peaks"])
    assert "No open disputes" in visible(client.get(address).content.decode())
    load(study, [response(" ".join(["So [1]."] * 30))])
    rows = [
        judgment(f"s{n}", "citation_recall", value, judge=f"j{value}")
        for n in range(1, 31)
        for value in ("yes", "no")
    ]
    load_judgments(study, rows)
    catch_up(study)
    with django_assert_max_num_queries(11):
        first = client.get(address)
    assert len(first.context["rows"]) == 20
    last = client.get(address, {"page": 2})
    keys = [row.unit.key for page in (first, last) for row in page.context["rows"]]
    assert keys == [f"s{n}" for n in range(1, 31)]
    assert 'rel="next"' not in last.content.decode()


def test_an_index_has_the_queue_in_its_order(disputed):
    if connection.vendor != "sqlite":
        pytest.skip("PostgreSQL sorts what is short")
    for queue in (queue_of(disputed), queue_of(disputed, dimension="citation_recall")):
        for state in ("open", "decided"):
            assert "TEMP B-TREE" not in queue.rows(state).explain()
