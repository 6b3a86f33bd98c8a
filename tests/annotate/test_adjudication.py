"""Deciding a dispute: one judge of its own, its history, conflicts, and the page."""

import pytest
from django.urls import reverse

from annotate.content.judgments import Conflict
from annotate.models import Evidence, Judge, Judgment, PastJudgment, Unit
from annotate.protocol.steps import WITHDRAWN
from annotate.rating.disputes import adjudicated_judge, decide, take_back
from annotate.web.errors import Refused
from tests.annotate.concurrency import at_once
from tests.annotate.loading import judgment, load, load_judgments, response
from tests.annotate.pages import policy_faults, visible
from tests.shared_rows import shared_rows

RECALL = "citation_recall"


@shared_rows
def disputed(study):
    load(study, [response("High [1]. Higher [1][2].")])
    rows = [
        judgment("s1", RECALL, value, judge=name, note=note, seconds=seconds)
        for value, name, note, seconds in (
            ("yes", "rater a", "It says 2,962 m.", "12"),
            ("no", "rater b", "Not in so many words.", "75"),
            ("no", "rater c", "", ""),
        )
    ]
    rows += [judgment("s2", RECALL, value, judge=f"rater {value}") for value in ("yes", "no")]
    rows.append(
        judgment(
            "s1", RECALL, "yes", judge="autoais|tiny", judge_kind="automatic", score="0.83",
            note="entailed",
        )
    )  # fmt: skip
    load_judgments(study, rows)
    return study


@shared_rows
def s1(disputed):
    return Unit.objects.select_related("response__study").get(key="s1")


@shared_rows
def client(bob, signed_in):
    return signed_in(bob)


@pytest.fixture
def address(s1):
    return reverse("dispute", args=["peaks", s1.pk, RECALL])


def decision():
    return Judgment.objects.get(judge__kind="adjudicated")


# The judge ---------------------------------------------------------------------------------------


def test_a_judge_of_another_kind_keeps_its_name(disputed):
    Judge.objects.create(study=disputed, name="adjudicated", kind="reference")
    made = adjudicated_judge(disputed)
    assert (made.name, made.kind) == ("adjudicated-2", "adjudicated")
    assert adjudicated_judge(disputed) == made


@pytest.mark.django_db(transaction=True)
def test_judge_of_decisions_is_made_once_under_concurrency(study):
    outcomes = at_once([lambda: adjudicated_judge(study).pk] * 6)
    assert {type(outcome) for outcome in outcomes} == {int}, outcomes
    assert len({*outcomes}) == 1
    assert Judge.objects.filter(study=study, kind="adjudicated").count() == 1


# Deciding ----------------------------------------------------------------------------------------


def test_decision_is_kept_with_its_author_and_history(s1, alice, bob):
    first = decide(s1, RECALL, value="no", note="  It does not.  ", by=bob, base="")
    assert (first.value, first.note, first.given_by) == ("no", "It does not.", "bob")
    assert first.judge.kind == "adjudicated"
    assert Judgment.objects.filter(judge__kind="simulated", unit=s1).count() == 3
    again = decide(s1, RECALL, value="no", note="It does not.", by=alice, base="")
    assert again.given_by == "bob"
    assert PastJudgment.objects.count() == 0
    with pytest.raises(Conflict):
        decide(s1, RECALL, value="yes", by=alice, base="")
    with pytest.raises(Conflict):
        take_back(s1, RECALL, by=alice, base="")
    assert decision().value == "no"
    second = decide(s1, RECALL, value="yes", by=alice, base=first.edit)
    assert (second.pk, second.value, second.given_by) == (first.pk, "yes", "alice")
    past = PastJudgment.objects.get(judgment=second)
    assert (past.value, past.given_by) == ("no", "bob")
    back = take_back(s1, RECALL, by=bob, base=second.edit)
    assert (back.value, back.skipped_reason) == ("", WITHDRAWN)
    again = decide(s1, RECALL, value="no", by=bob, base=back.edit)
    assert again.value == "no"
    assert [p.value for p in PastJudgment.objects.order_by("pk")] == ["no", "yes", ""]


def test_what_cannot_be_decided_is_refused(disputed, s1, bob, client, address):
    for value, dimension in (("maybe", RECALL), ("", RECALL), ("full", "citation_support")):
        with pytest.raises(Refused):
            decide(s1, dimension, value=value, by=bob)
    load(disputed, [response("Low [1].")], replace=True)
    s1.response.refresh_from_db()
    with pytest.raises(Refused, match="replaced"):
        decide(s1, RECALL, value="no", by=bob)
    assert "replaced this one" in client.get(address).content.decode()
    assert client.post(address, {"value": "no", "base": ""}).status_code == 422
    assert not Judgment.objects.filter(judge__kind="adjudicated").exists()


# The page ----------------------------------------------------------------------------------------


def test_page_shows_votes_and_cited_passages_but_no_system(client, address, s1):
    answer = client.get(address)
    page = answer.content.decode()
    text = visible(page)
    assert policy_faults(page) == []
    for said in (
        "1 × Yes",
        "2 × No",
        "rater a",
        "“It says 2,962 m.”",
        "12 s",
        "1 min 15 s",
        "Do the cited passages, taken together, fully support the statement?",
        "How high is the Zugspitze?",
        "disagreement 89 %",
        "You decide blind",
    ):
        assert said in text, said
    for hidden in ("Vermilion", "autoais", "0.83", "entailed"):
        assert hidden not in page
    assert page.count('class="statement lit"') == 1
    assert [s.source.n for s in answer.context["opened"].sources] == [1]
    whole = Unit.objects.get(key="r")
    answer = client.get(reverse("dispute", args=["peaks", whole.pk, "utility"]))
    assert answer.context["opened"].sources == ()
    assert "answer this question without passages" in answer.content.decode()
    for dimension in ("utility", "beauty"):
        assert client.get(reverse("dispute", args=["peaks", s1.pk, dimension])).status_code == 404


def test_citations_that_are_not_asked_about_show_their_passage(study, client):
    load(
        study,
        [response("High [1][2][3][4].", passages=tuple((f"P{n}", f"Text {n}.") for n in range(4)))],
    )
    fourth = Unit.objects.get(key="s1.c4")
    page = client.get(reverse("dispute", args=["peaks", fourth.pk, "citation_support"]))
    assert [s.source.n for s in page.context["opened"].sources] == [4]


def test_what_raters_marked_is_lit_and_named_with_them(client, address, s1):
    source = s1.response.sources.get(n=1)
    marks = {"judge": Judge.objects.get(name="rater a"), "unit": s1, "dimension": RECALL}
    for start, end in ((3, 10), (0, 2)):
        Evidence.objects.create(**marks, source=source, start=start, end=end)
    Evidence.objects.create(**marks, start=4, end=13)
    page = client.get(address)
    html = page.content.decode()
    assert "<mark>2,962 m</mark>" in html
    said = s1.text[4:13]
    assert f'<mark class="unsupported">{said}</mark>' in html
    vote = next(v for v in page.context["opened"].votes if v.judgment.judge.name == "rater a")
    assert [(lit.why, lit.n, lit.text) for lit in vote.lit] == [
        ("unsupported", None, said),
        ("evidence", 1, "At"),
        ("evidence", 1, "2,962 m"),
    ]


def test_saving_leads_to_the_next_dispute_and_at_last_back(client, address, s1):
    second = Unit.objects.get(key="s2")
    following = reverse("dispute", args=["peaks", second.pk, RECALL])
    answer = client.post(f"{address}?state=all", {"value": "no", "base": "", "note": "So."})
    assert answer.url == f"{following}?state=all"
    last = client.post(answer.url, {"value": "yes", "base": ""}, follow=True)
    assert last.redirect_chain == [(f"{reverse('disputes', args=['peaks'])}?state=all", 302)]
    assert "last open dispute" in last.content.decode()
    assert {j.given_by for j in Judgment.objects.filter(judge__kind="adjudicated")} == {"bob"}


def test_decision_is_shown_in_the_form_and_taken_back(client, address, s1, alice):
    answer = client.post(address, {"base": ""})
    assert answer.status_code == 422
    assert "Choose an answer." in answer.content.decode()
    assert not Judgment.objects.filter(judge__kind="adjudicated").exists()
    saved = decide(s1, RECALL, value="no", note="Read it twice.", by=alice)
    page = client.get(address).content.decode()
    text = visible(page)
    assert "Decided: No by alice" in text
    assert "Read it twice." in text
    chosen = page.split('value="no"')[1].split(">")[0]
    assert "checked" in chosen
    answer = client.post(address, {"take_back": "1", "base": saved.edit}, follow=True)
    assert "open again" in answer.content.decode()
    assert decision().skipped_reason == WITHDRAWN
    assert answer.context["opened"].decided is None


def test_a_conflict_is_shown_with_what_one_chose(client, address, s1, alice):
    decide(s1, RECALL, value="no", by=alice)
    answer = client.post(address, {"value": "yes", "base": "", "note": "Mine."})
    assert answer.status_code == 409
    text = visible(answer.content.decode())
    assert "alice decided this in the meantime: No" in text
    assert "Mine." in text
    assert decision().value == "no"
    again = client.post(address, {"value": "yes", "base": decision().edit})
    assert again.status_code == 302
    assert decision().value == "yes"
