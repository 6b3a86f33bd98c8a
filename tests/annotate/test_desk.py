"""The desk through its addresses: starting, answering, changing."""

import pytest
from django.urls import reverse

from annotate.models import Evidence, Flag
from annotate.rating.batches import close_batch
from annotate.rating.task_page import preview_of, task_of
from tests.annotate.loading import load, response
from tests.annotate.rating import answer, at, finish, open_work, rater_in, saved, take
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db

VERMILION_1 = [
    ("r:utility", "4"),
    ("s1:citation_recall", "yes"),
    ("s1.c1:citation_support", "full"),
    ("s2:citation_recall", "no"),
    ("s2.c1:citation_support", "partial"),
    ("s2.c2:citation_support", "none"),
]


@shared_rows
def one_task(study):
    """A batch with the one response of Vermilion's to q1."""
    load(study, [response("The Zugspitze is 2,962 metres high [1]. No peak is higher [1][2].")])
    return open_work(study)


def test_a_whole_task_is_saved_answer_by_answer_and_finished(signed_in, rita, one_task):
    client = signed_in(rita)
    task = take(client, one_task)
    for number, (step, value) in enumerate(VERMILION_1):
        reply = answer(client, task, step, value, edit=f"e{number}", base="")
        assert reply.status_code == 200
        assert f'data-edit="e{number}"' in reply.content.decode()
    reply = finish(client, task)
    assert reply.headers["HX-Redirect"] == reverse("desk", args=["peaks", one_task.pk])
    task.refresh_from_db()
    assert task.state == "done"
    assert {(j.unit.key + ":" + j.dimension, j.value) for j in task.judge.judgments.all()} == set(
        VERMILION_1
    )
    page = client.get(reply.headers["HX-Redirect"]).content.decode()
    assert "Everything in this batch has all its ratings." in page


def test_finishing_is_refused_while_a_question_is_open(signed_in, rita, one_task):
    client = signed_in(rita)
    task = take(client, one_task)
    answer(client, task, "r:utility", "4")
    reply = finish(client, task)
    assert reply.status_code == 422
    assert "5 dimensions are still to be answered" in reply.content.decode()
    task.refresh_from_db()
    assert task.state == "active"


def test_a_stale_tab_is_shown_the_newer_answer_and_overwrites_nothing(signed_in, rita, one_task):
    client = signed_in(rita)
    task = take(client, one_task)
    answer(client, task, "s1:citation_recall", "yes", edit="a", base="")
    answer(client, task, "s1:citation_recall", "no", edit="b", base="a")
    reply = answer(client, task, "s1:citation_recall", "yes", note="sure", edit="c", base="a")
    assert reply.status_code == 409
    page = reply.content.decode()
    assert "Answered in another window" in page
    assert "Keep “No”" in page
    assert "Use “Yes”" in page
    assert saved(task, "s1:citation_recall").value == "no"
    again = answer(client, task, "s1:citation_recall", "yes", edit="d", base="b")
    assert again.status_code == 200
    assert [p.value for p in saved(task, "s1:citation_recall").history.all()] == ["yes", "no"]


def test_a_lost_session_is_said_to_the_script_and_loses_nothing(signed_in, client, rita, one_task):
    task = take(signed_in(rita), one_task)
    reply = answer(client, task, "r:utility", "4", edit="a", base="")
    assert reply.status_code == 401
    assert answer(signed_in(rita), task, "r:utility", "4", edit="a", base="").status_code == 200


def test_nobody_answers_in_the_task_of_another(signed_in, rita, one_task, bob):
    task = take(signed_in(rita), one_task)
    nina = rater_in(one_task.study, "nina")
    for user in (nina, bob):
        assert answer(signed_in(user), task, "r:utility", "4").status_code == 404
        assert signed_in(user).get(at(task, "task")).status_code == 404


def test_a_skip_needs_a_reason_and_counts_as_answered(signed_in, rita, one_task):
    client = signed_in(rita)
    task = take(client, one_task)
    assert answer(client, task, "r:utility").status_code == 422
    assert answer(client, task, "r:utility", skip="I cannot tell").status_code == 200
    assert saved(task, "r:utility").skipped_reason == "I cannot tell"
    for step, value in VERMILION_1[1:]:
        answer(client, task, step, value)
    assert finish(client, task).status_code == 200


def test_answers_of_a_done_task_change_until_the_batch_closes(signed_in, rita, one_task):
    client = signed_in(rita)
    task = take(client, one_task)
    for step, value in VERMILION_1:
        answer(client, task, step, value)
    finish(client, task)
    assert answer(client, task, "r:utility", "1").status_code == 200
    task.refresh_from_db()
    assert task.state == "done"
    close_batch(one_task)
    reply = answer(client, task, "r:utility", "5")
    assert reply.status_code == 422
    assert "closed" in reply.content.decode()
    assert saved(task, "r:utility").value == "1"
    page = client.get(at(task, "task")).content.decode()
    assert "The batch is closed, so answers cannot change any more." in page


def test_a_flag_is_set_changed_and_taken_back(signed_in, rita, one_task):
    client = signed_in(rita)
    task = take(client, one_task)
    for reason in ("broken", "offensive"):
        client.post(at(task, "task-flag"), {"step": "s1:citation_recall", "reason": reason})
    flag = Flag.objects.get()
    assert (flag.unit.key, flag.reason, flag.withdrawn_at) == ("s1", "offensive", None)
    client.post(at(task, "task-flag"), {"step": "s1:citation_recall", "reason": ""})
    flag.refresh_from_db()
    assert flag.withdrawn_at is not None
    reply = client.post(
        at(task, "task-flag"),
        {"step": "s1:citation_recall", "reason": "boring"},
        headers={"hx-request": "true"},
    )
    assert reply.status_code == 422


def test_evidence_is_stored_as_offsets_of_the_passage(signed_in, rita, one_task):
    client = signed_in(rita)
    task = take(client, one_task)
    place = {"step": "s1:citation_recall", "source": "1"}
    for start, end in ((0, 12), (3, 10)):
        client.post(at(task, "task-evidence"), place | {"start": start, "end": end})
    assert [mark.text for mark in Evidence.objects.all()] == ["At 2,962 m t", "2,962 m"]
    for wrong in ({"source": "2"}, {"end": "9999"}, {"start": "12", "end": "12"}, {"start": "x"}):
        reply = client.post(
            at(task, "task-evidence"),
            place | {"start": "0", "end": "5"} | wrong,
            headers={"hx-request": "true"},
        )
        assert reply.status_code == 422, wrong
    client.post(at(task, "task-evidence"), place | {"start": "0", "end": "12", "clear": "1"})
    assert Evidence.objects.get().text == "2,962 m"


@pytest.mark.parametrize(
    "sent",
    [
        {"step": "s9:citation_recall", "value": "yes"},
        {"step": "s1:utility", "value": "3"},
        {"step": "s1:citation_recall", "value": "needed"},
        {"step": "s1.c1:citation_support", "value": "needed"},
        {"step": "", "value": "yes"},
    ],
)
def test_what_does_not_belong_to_the_form_is_refused(signed_in, rita, one_task, sent):
    client = signed_in(rita)
    task = take(client, one_task)
    reply = client.post(at(task, "task-answer"), sent, headers={"hx-request": "true"})
    assert reply.status_code == 422
    assert not task.judge.judgments.exists()


@pytest.mark.parametrize("seconds", ["nan", "inf", "-3", "much", "1e99"])
def test_a_time_that_cannot_be_is_left_out(signed_in, rita, one_task, seconds):
    client = signed_in(rita)
    task = take(client, one_task)
    assert answer(client, task, "r:utility", "4", seconds=seconds).status_code == 200
    assert saved(task, "r:utility").seconds is None


def test_without_its_script_the_form_goes_from_step_to_step(signed_in, rita, one_task):
    client = signed_in(rita)
    task = take(client, one_task)
    sent = {"step": "r:utility", "value": "4", "base": "", "after": "s1-citation_recall"}
    reply = client.post(at(task, "task-answer"), sent)
    assert reply.url == f"{at(task, 'task')}?step=s1-citation_recall"
    page = client.get(reply.url).content.decode()
    shown = page[page.index('id="step-s1-citation_recall"') :].partition(">")[0]
    assert "hidden" not in shown
    stale = client.post(at(task, "task-answer"), sent | {"value": "2"}, follow=True)
    assert saved(task, "r:utility").value == "2"  # its first answer had no name either
    assert stale.status_code == 200


@pytest.mark.parametrize("words", ["withdrawn", " not asked "])
def test_a_raters_own_words_are_no_mark_of_an_open_question(one_task, rita, signed_in, words):
    browser = signed_in(rita)
    task = take(browser, one_task)
    assert answer(browser, task, "r:utility", skip=words).status_code == 200
    assert saved(task, "r:utility").skipped_reason == f"({words.strip()})"
    assert "r-utility" not in task_of(task).missing


# What is judged without passages, and contradictions ---------------------------------------------


@shared_rows
def fixing(one_task):
    one_task.fixes_first = True
    one_task.save()
    return one_task


def test_the_first_answer_stands_once_passages_were_seen(signed_in, rita, fixing):
    client = signed_in(rita)
    task = take(client, fixing)
    shown = client.get(at(task, "task") + "?step=s1-citation_recall")
    assert shown.context["current"].name == "r-utility", "the first question comes first"
    assert "This answer is locked once you see the passages" in shown.content.decode()
    assert answer(client, task, "r:utility", "4", edit="a").status_code == 200
    assert answer(client, task, "r:utility", "3", edit="b").status_code == 200
    assert client.post(at(task, "task-seen")).status_code == 200
    refused = answer(client, task, "r:utility", "5", edit="c")
    assert refused.status_code == 422
    assert "You have seen the passages" in refused.content.decode()
    assert answer(client, task, "r:utility", withdraw="1", edit="d").status_code == 422
    assert answer(client, task, "r:utility", "4", edit="a").status_code == 200, "it came before"
    assert answer(client, task, "r:utility", "3", note="dull", edit="e").status_code == 200
    assert (saved(task, "r:utility").value, saved(task, "r:utility").note) == ("3", "dull")
    page = client.get(at(task, "task") + "?step=r-utility").content.decode()
    assert page.count("disabled>") == 5


def test_passages_are_seen_by_opening_or_answering_a_question_about_them(signed_in, rita, fixing):
    client = signed_in(rita)
    task = take(client, fixing)
    client.get(at(task, "task"))
    task.refresh_from_db()
    assert task.passages_at is None
    answer(client, task, "r:utility", "4")
    client.get(at(task, "task"))
    task.refresh_from_db()
    first = task.passages_at
    assert first is not None
    answer(client, task, "s1:citation_recall", "yes")
    task.refresh_from_db()
    assert task.passages_at == first


def test_a_contradiction_is_told_without_the_script_too(signed_in, rita, one_task):
    client = signed_in(rita)
    task = take(client, one_task)

    def send(step, value):
        sent = {"step": step, "value": value}
        return client.post(at(task, "task-answer"), sent, follow=True).content.decode()

    told = "Both are kept; go back to change one."
    assert told not in send("s1:citation_recall", "no")
    assert told in send("s1.c1:citation_support", "full")
    assert told not in send("s1.c1:citation_support", "partial")
    assert told not in send("s2.c1:citation_support", "full")
    assert told in send("s2:citation_recall", "no")


def test_full_support_is_proposed_only_by_the_setting_and_for_the_only_passage(one_task, rita):
    item = one_task.items.get()
    assert not any(step.proposed_by for step in preview_of(one_task, item).steps)
    one_task.proposes_support = True
    found = {step.step.key: step.proposed_by for step in preview_of(one_task, item).steps}
    assert {key: by for key, by in found.items() if by} == {
        "s1.c1:citation_support": "s1:citation_recall=yes"
    }
