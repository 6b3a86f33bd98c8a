"""Deciding a dispute: one judge of its own, its history, conflicts, and the page."""

import threading

import pytest
from django.db import connection
from django.urls import reverse

from annotate.models import Evidence, Flag, Judge, Judgment, PastJudgment, Unit
from annotate.protocol.steps import WITHDRAWN
from annotate.services import counts
from annotate.services.errors import Refused
from annotate.services.judgments import Conflict
from annotate.services.rating.adjudication import (
    adjudicated_judge,
    decide,
    present_judge,
    take_back,
)
from tests.annotate.loading import judgment, load, load_judgments, response
from tests.annotate.pages import policy_faults, visible
from tests.beginnings import beginning

pytestmark = pytest.mark.postgresql

RECALL = "citation_recall"


@beginning
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


@beginning
def s1(disputed):
    return Unit.objects.select_related("response__study").get(key="s1")


@beginning
def client(bob, signed_in):
    return signed_in(bob)


@pytest.fixture
def address(s1):
    return reverse("dispute", args=["peaks", s1.pk, RECALL])


def decision():
    return Judgment.objects.get(judge__kind="adjudicated")


# The judge ---------------------------------------------------------------------------------------


def test_one_judge_per_study_made_at_first_need(disputed, elsewhere):
    assert present_judge(disputed) is None
    judge = adjudicated_judge(disputed)
    assert (judge.name, judge.kind, judge.user) == ("adjudicated", "adjudicated", None)
    assert adjudicated_judge(disputed) == judge == present_judge(disputed)
    assert adjudicated_judge(elsewhere).study == elsewhere


def test_a_judge_of_another_kind_keeps_its_name(disputed):
    Judge.objects.create(study=disputed, name="adjudicated", kind="reference")
    made = adjudicated_judge(disputed)
    assert (made.name, made.kind) == ("adjudicated-2", "adjudicated")
    assert adjudicated_judge(disputed) == made


def test_what_a_file_brought_back_is_gone_on_with(disputed):
    load_judgments(
        disputed,
        [judgment("s1", RECALL, "no", judge="adjudicated", judge_kind="adjudicated")],
    )
    assert adjudicated_judge(disputed).judgments.get().value == "no"


@pytest.mark.django_db(transaction=True)
def test_several_at_once_make_one(study):
    found, errors = [], []

    def run():
        try:
            found.append(adjudicated_judge(study).pk)
        except Exception as error:  # noqa: BLE001  (told below)
            errors.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(set(found)) == 1
    assert Judge.objects.filter(study=study, kind="adjudicated").count() == 1


# Deciding ----------------------------------------------------------------------------------------


def test_a_decision_is_the_judges_answer_with_its_author(s1, bob):
    saved = decide(s1, RECALL, value="no", note="  It does not.  ", by=bob)
    assert (saved.value, saved.note, saved.given_by) == ("no", "It does not.", "bob")
    assert saved.judge.kind == "adjudicated"
    assert Judgment.objects.filter(judge__kind="simulated", unit=s1).count() == 3


def test_another_decision_keeps_the_earlier_one(s1, alice, bob):
    first = decide(s1, RECALL, value="no", by=bob)
    second = decide(s1, RECALL, value="yes", by=alice, base=first.edit)
    assert (second.pk, second.value, second.given_by) == (first.pk, "yes", "alice")
    past = PastJudgment.objects.get(judgment=second)
    assert (past.value, past.given_by) == ("no", "bob")


def test_the_same_again_changes_nothing(s1, alice, bob):
    decide(s1, RECALL, value="no", by=bob, base="")
    again = decide(s1, RECALL, value="no", by=alice, base="")
    assert again.given_by == "bob"
    assert PastJudgment.objects.count() == 0


def test_two_who_decide_otherwise_are_told(s1, alice, bob):
    decide(s1, RECALL, value="no", by=bob, base="")
    with pytest.raises(Conflict):
        decide(s1, RECALL, value="yes", by=alice, base="")
    with pytest.raises(Conflict):
        take_back(s1, RECALL, by=alice, base="")
    assert decision().value == "no"


def test_a_decision_can_be_taken_back_and_given_again(s1, bob):
    first = decide(s1, RECALL, value="no", by=bob)
    back = take_back(s1, RECALL, by=bob, base=first.edit)
    assert (back.value, back.skipped_reason) == ("", WITHDRAWN)
    again = decide(s1, RECALL, value="yes", by=bob, base=back.edit)
    assert again.value == "yes"
    assert [p.value for p in PastJudgment.objects.all()] == ["no", ""]


def test_what_cannot_be_decided_is_refused(disputed, s1, bob):
    for value, dimension in (("maybe", RECALL), ("", RECALL), ("full", "citation_support")):
        with pytest.raises(Refused):
            decide(s1, dimension, value=value, by=bob)
    load(disputed, [response("Low [1].")], replace=True)
    s1.response.refresh_from_db()
    with pytest.raises(Refused, match="replaced"):
        decide(s1, RECALL, value="no", by=bob)
    assert not Judgment.objects.filter(judge__kind="adjudicated").exists()


# The page ----------------------------------------------------------------------------------------


def test_votes_notes_and_times_stand_side_by_side(client, address):
    page = client.get(address).content.decode()
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
    ):
        assert said in text, said


def test_the_adjudicator_decides_blind(client, address):
    page = client.get(address).content.decode()
    for hidden in ("Vermilion", "autoais", "0.83", "entailed"):
        assert hidden not in page
    assert "You decide blind" in page


def test_the_statement_is_lit_and_only_its_passages_are_shown(client, address):
    page = client.get(address)
    assert page.content.decode().count('class="statement lit"') == 1
    assert [s.source.n for s in page.context["opened"].sources] == [1]


def test_no_passages_for_questions_asked_without_them(disputed, client):
    whole = Unit.objects.get(key="r")
    page = client.get(reverse("dispute", args=["peaks", whole.pk, "utility"]))
    assert page.context["opened"].sources == ()
    assert "without passages in sight" in page.content.decode()


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


def test_excluded_raters_are_left_out_and_counted(client, address):
    Judge.objects.filter(name="rater b").update(standing="excluded")
    text = visible(client.get(address).content.decode())
    assert "1 judgment of excluded raters or in unfinished tasks is left out" in text
    assert "Not in so many words" not in text
    assert "1 × Yes" in text
    assert "1 × No" in text


def test_skips_and_flags_are_shown_and_what_was_taken_back_is_not(disputed, client, address, s1):
    load_judgments(
        disputed,
        [
            judgment("s1", RECALL, "", judge="rater d", skipped_reason="too hard"),
            judgment("s1", RECALL, "", judge="rater e", skipped_reason="withdrawn"),
        ],
    )
    judge = Judge.objects.get(name="rater d")
    Flag.objects.create(judge=judge, unit=s1, reason="broken", note="cut off")
    text = visible(client.get(address).content.decode())
    assert "skipped: too hard" in text
    assert "rater e" not in text
    assert "Broken text" in text
    assert "cut off" in text


def test_saving_leads_to_the_next_dispute_and_at_last_back(client, address, s1):
    second = Unit.objects.get(key="s2")
    following = reverse("dispute", args=["peaks", second.pk, RECALL])
    answer = client.post(f"{address}?state=all", {"value": "no", "base": "", "note": "So."})
    assert answer.url == f"{following}?state=all"
    last = client.post(answer.url, {"value": "yes", "base": ""}, follow=True)
    assert last.redirect_chain == [(f"{reverse('disputes', args=['peaks'])}?state=all", 302)]
    assert "last open dispute" in last.content.decode()
    assert {j.given_by for j in Judgment.objects.filter(judge__kind="adjudicated")} == {"bob"}


def test_who_decided_is_shown_and_the_form_holds_the_decision(client, address, s1, alice):
    decide(s1, RECALL, value="no", note="Read it twice.", by=alice)
    page = client.get(address).content.decode()
    text = visible(page)
    assert "Decided: No by alice" in text
    assert "Read it twice." in text
    chosen = page.split('value="no"')[1].split(">")[0]
    assert "checked" in chosen


def test_taking_back_through_the_page(client, address, s1, bob):
    saved = decide(s1, RECALL, value="no", by=bob)
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


def test_nothing_chosen_is_said(client, address):
    answer = client.post(address, {"base": ""})
    assert answer.status_code == 422
    assert "Choose an answer." in answer.content.decode()
    assert not Judgment.objects.filter(judge__kind="adjudicated").exists()


def test_a_question_that_does_not_fit_is_not_found(client, s1):
    for dimension in ("utility", "beauty"):
        assert client.get(reverse("dispute", args=["peaks", s1.pk, dimension])).status_code == 404


def test_a_replaced_response_cannot_be_decided(disputed, client, address):
    load(disputed, [response("Low [1].")], replace=True)
    assert "was replaced" in client.get(address).content.decode()
    answer = client.post(address, {"value": "no", "base": ""})
    assert answer.status_code == 422


def test_queries_do_not_grow_with_votes(disputed, client, address, django_assert_max_num_queries):
    rows = [judgment("s1", RECALL, "yes", judge=f"more {n}", note="Yes.") for n in range(20)]
    load_judgments(disputed, rows)
    counts.catch_up(disputed)
    with django_assert_max_num_queries(23):
        page = client.get(address)
    assert len(page.context["opened"].votes) == 23
