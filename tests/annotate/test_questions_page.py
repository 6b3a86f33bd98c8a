"""The page of the questions: found by what is known of them, and described."""

from urllib.parse import urlencode

from django.urls import reverse

from annotate.models import AuditEntry, Question, Response
from tests.annotate.loading import load, response
from tests.annotate.pages import policy_faults, visible
from tests.shared_rows import shared_rows


@shared_rows
def described(study):
    """Two systems' answers to three questions, two of which are of a data set."""
    lines = [
        response(f"Answer {n} [1].", question=f"What is {n}?", question_id=f"q{n}", system=system)
        for n in (1, 2, 3)
        for system in ("Vermilion", "Quokka-9B")
    ]
    for line in lines[:4]:
        line["question"]["dataset"] = "asqa"
    lines[0]["question"]["metadata"] = {"hops": 2}
    load(study, lines)
    return study


@shared_rows
def browser(alice, signed_in):
    return signed_in(alice)


def address(**query):
    return reverse("questions", args=["peaks"]) + "?" + urlencode(query)


def known():
    return dict(Question.objects.order_by("pk").values_list("external_id", "metadata"))


def test_questions_are_listed_and_found_by_slice_and_words(described, browser):
    answer = browser.get(address())
    text = visible(answer.content.decode())
    for said in ("3 questions", "dataset=asqa", "hops=2"):
        assert said in text
    assert not policy_faults(answer.content.decode())
    for query, ids in (
        ({"slice": "dataset=asqa"}, ["q1", "q2"]),
        ({"slice": "hops=2"}, ["q1"]),
        ({"slice": "without"}, ["q3"]),
        ({"q": "q2"}, ["q2"]),
        ({"q": "is 3"}, ["q3"]),
        ({"slice": "dataset=none"}, ["q1", "q2", "q3"]),
    ):
        page = browser.get(address(**query)).context["page"]
        assert [question.external_id for question in page] == ids
        assert {question.systems for question in page} == {2}
    page = browser.get(reverse("responses", args=["peaks"]), {"slice": "hops=2"})
    assert {one.question.external_id for one in page.context["page"].responses} == {"q1"}
    assert "slice=hops" in page.context["query"]


def test_the_ticked_ones_are_described_and_no_answer_is_touched(described, browser):
    before = list(Response.objects.values())
    ticked = Question.objects.get(external_id="q3").pk
    told = {"key": "dataset", "value": "eli5", "of": "ticked", "question": [ticked]}
    answer = browser.post(address(), told, follow=True)
    assert "1 question changed." in visible(answer.content.decode())
    assert known()["q3"] == {"dataset": "eli5"}
    assert known()["q2"] == {"dataset": "asqa"}
    assert list(Response.objects.values()) == before
    entry = AuditEntry.objects.get(act="questions-described")
    assert entry.details == {"key": "dataset", "value": "eli5", "questions": 1}


def test_all_that_are_found_are_described_and_an_empty_value_takes_away(described, browser):
    told = {"key": "kind", "value": "who", "of": "all"}
    browser.post(address(slice="dataset=asqa"), told)
    assert [one.get("kind") for one in known().values()] == ["who", "who", None]
    browser.post(address(q="q1"), told | {"key": "hops", "value": ""})
    assert known()["q1"] == {"dataset": "asqa", "kind": "who"}


def test_unfit_descriptions_and_foreign_questions_change_nothing(described, elsewhere, browser):
    before = known()
    for sent, says in (
        ({"key": "a=b", "value": "x", "of": "all"}, "The key is a word"),
        ({"key": "kind", "value": "x", "of": "ticked"}, "Tick at least one question"),
    ):
        answer = browser.post(address(), sent)
        assert answer.status_code == 422
        assert says in visible(answer.content.decode())
    foreign = elsewhere.questions.get(external_id="q1")
    told = {"key": "dataset", "value": "x", "of": "ticked", "question": [foreign.pk]}
    browser.post(address(), told)
    foreign.refresh_from_db()
    assert foreign.metadata == {}
    assert known() == before
