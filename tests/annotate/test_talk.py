"""Asking the researchers about a question of a task: the thread, what is told, and who sees it."""

import csv

import pytest
from django.urls import reverse

from annotate.exchange.deletion import delete_study
from annotate.models import Example, Inquiry, InquiryMessage, Judge
from annotate.rating import inquiries, standing
from annotate.rating.batches import close_batch
from annotate.web.errors import Refused
from tests.annotate.deleting import gone
from tests.annotate.loading import load, response
from tests.annotate.pages import visible
from tests.annotate.rating import at, open_work, rater_in, take
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db
STEP = "s1:citation_recall"
OWN, OPEN = reverse("own-inquiries", args=["peaks"]), reverse("inquiries", args=["peaks"])
TOLD = "The researchers answered your question."


@shared_rows
def batch(study):
    load(study, [response("The Zugspitze is high [1].")])
    return open_work(study, raters_per_item=2)


@pytest.fixture
def task(signed_in, rita, batch):
    return take(signed_in(rita), batch)


def ask(client, task, text="Is “high” enough?", **more):
    sent = {"step": STEP, "ask": text, **more}
    return client.post(at(task, "task-ask"), sent, headers={"hx-request": "true"})


def text_at(client, address):
    return visible(client.get(address).content.decode())


def test_a_rater_asks_is_told_reads_and_writes_again(signed_in, rita, bob, task):
    rater, researcher = signed_in(rita), signed_in(bob)
    assert ask(rater, task).status_code == 200
    assert TOLD not in text_at(rater, at(task, "task"))
    assert "Rating 1 open: Messages" in text_at(researcher, reverse("study", args=["peaks"]))
    assert "Messages 1 open" in text_at(researcher, reverse("batches", args=["peaks"]))
    assert "Is “high” enough?" in text_at(researcher, OPEN)
    inquiry = Inquiry.objects.get()
    address = reverse("inquiry", args=["peaks", inquiry.pk])
    page = text_at(researcher, address)
    assert inquiry.judge.name in page
    assert "The Zugspitze is high." in page
    assert researcher.post(address, {"text": "It is."}).status_code == 302
    assert "No open questions" in text_at(researcher, OPEN)
    assert "Is “high” enough?" in text_at(researcher, f"{OPEN}?state=answered")
    for told in (at(task, "task"), reverse("desk", args=["peaks", task.batch_id])):
        assert TOLD in text_at(rater, told)
    read = text_at(rater, OWN)
    assert "new answer" in read
    assert "It is." in read
    assert TOLD not in text_at(rater, at(task, "task"))
    rater.post(reverse("own-inquiry", args=["peaks", inquiry.pk]), {"text": "Always?"})
    assert "Always?" in text_at(researcher, OPEN)
    assert [m.text for m in inquiry.messages.all()] == ["Is “high” enough?", "It is.", "Always?"]


def test_the_page_of_the_batch_says_how_many_wait(signed_in, rita, bob, study, batch, task):
    load(study, [response("It is long [1].", question_id="q2", question="How long?")])
    other = open_work(study, name="Other")
    researcher = signed_in(bob)
    own, others = (reverse("batch", args=["peaks", each.pk]) for each in (batch, other))
    assert "from raters" not in text_at(researcher, own)
    ask(signed_in(rita), task)
    assert "1 question from raters waits for an answer." in text_at(researcher, own)
    assert "from raters" not in text_at(researcher, others)
    listed = f"{OPEN}?batch={batch.pk}"
    assert listed in researcher.get(own).content.decode()
    assert "Is “high” enough?" in text_at(researcher, listed)
    assert "No open questions" in text_at(researcher, f"{OPEN}?batch={other.pk}")
    assert researcher.get(f"{OPEN}?batch={'9' * 30}").status_code == 404
    inquiries.answer(Inquiry.objects.get(), text="It is.", author=bob)
    assert "from raters" not in text_at(researcher, own)


def test_asking_again_goes_on_and_the_same_request_asks_once(signed_in, rita, task):
    client = signed_in(rita)
    for edit, text in (("a", "One?"), ("a", "One?"), ("b", "Two?")):
        ask(client, task, text, edit=edit)
    assert [m.text for m in Inquiry.objects.get().messages.all()] == ["One?", "Two?"]
    assert ask(client, task, " ").status_code == 422
    answer = client.post(at(task, "task-ask"), {"step": STEP, "ask": "Why?"})
    assert answer.url.endswith("?step=s1-citation_recall")
    assert "Question sent." in text_at(client, answer.url)


def test_what_is_refused_keeps_its_words(signed_in, rita, bob, task):
    client = signed_in(rita)
    ask(client, task)
    inquiry = Inquiry.objects.get()
    close_batch(task.batch)
    answer = client.post(at(task, "task-ask"), {"step": STEP, "ask": "And <now>?"})
    told = text_at(client, answer.url)
    assert "The batch is closed" in told
    assert "You wrote: “And <now>?”" in told
    standing.change_standing(inquiry.judge, Judge.Standing.EXCLUDED, reason="Two accounts.")
    address = reverse("own-inquiry", args=["peaks", inquiry.pk])
    refused = client.post(address, {"text": "And <later>?"})
    assert refused.status_code == 422
    html = refused.content.decode()
    assert "have ended your part" in html
    assert "autofocus>And &lt;later&gt;?</textarea>" in html
    assert inquiry.messages.count() == 1


def test_a_shared_answer_is_for_all_raters_without_names_and_an_example(
    signed_in, rita, bob, task, study
):
    ask(signed_in(rita), task)
    inquiry = Inquiry.objects.get()
    address = reverse("inquiry", args=["peaks", inquiry.pk])
    sent = {"text": "Yes: so it says.", "value": "yes"}
    refused = signed_in(bob).post(address, sent)
    assert refused.status_code == 422
    assert "Share the answer as well" in visible(refused.content.decode())
    assert signed_in(bob).post(address, sent | {"shared": "on"}).status_code == 302
    example = Example.objects.get()
    assert (example.unit.key, example.value, example.explanation) == ("s1", "yes", sent["text"])
    other = text_at(signed_in(rater_in(study, "robin")), OWN)
    assert "Is “high” enough?" in other
    assert "Yes: so it says." in other
    assert "No questions yet." in other
    for name in ("Rita", "Bob", "Vermilion"):
        assert name not in other
    inquiries.answer(inquiry, text="No, I was wrong.", author=bob, shared=True, value="no")
    example.refresh_from_db()
    assert (example.value, example.explanation) == ("no", "No, I was wrong.")


def test_raters_see_shared_answers_of_their_batches_only(signed_in, rita, bob, task, study):
    ask(signed_in(rita), task)
    inquiry = Inquiry.objects.get()
    inquiries.answer(inquiry, text="Only for you.", author=bob)
    robin = signed_in(rater_in(study, "robin"))
    page = text_at(robin, OWN)
    assert "Only for you." not in page
    assert "Is “high” enough?" not in page
    own = reverse("own-inquiry", args=["peaks", inquiry.pk])
    assert robin.post(own, {"text": "Me too."}).status_code == 404
    inquiries.answer(inquiry, text="For the link.", author=bob, shared=True)
    assert "For the link." in text_at(robin, OWN)
    batch = task.batch
    batch.audience = batch.Audience.LINK
    batch.save()
    assert "For the link." not in text_at(robin, OWN)


def test_nobody_asks_in_a_closed_batch_or_after_being_excluded(rita, task, signed_in):
    client = signed_in(rita)
    ask(client, task)
    inquiry = Inquiry.objects.get()
    close_batch(task.batch)
    assert ask(client, task).status_code == 422
    inquiries.follow_up(inquiry, text="Still?", author=rita)  # what was begun goes on
    inquiry.judge.standing = "excluded"
    with pytest.raises(Refused, match="have ended your part"):
        inquiries.follow_up(inquiry, text="And now?", author=rita)


def test_inquiries_are_written_out_and_go_with_what_they_are_about(
    signed_in, rita, bob, task, study
):
    ask(signed_in(rita), task)
    inquiries.answer(Inquiry.objects.get(), text="It is.", author=bob, shared=True)
    answer = signed_in(bob).get(reverse("download-inquiries", args=["peaks"]))
    rows = list(csv.DictReader(b"".join(answer).decode().splitlines()))
    assert [(r["batch"], r["unit"], r["from"], r["text"], r["shared"]) for r in rows] == [
        ("Round 1", "s1", "rater", "Is “high” enough?", ""),
        ("Round 1", "s1", "researcher", "It is.", "yes"),
    ]
    gone(delete_study(study))
    assert not Inquiry.objects.exists()
    assert not InquiryMessage.objects.exists()
