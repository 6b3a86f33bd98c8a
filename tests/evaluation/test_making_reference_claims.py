"""Claims of long references, made by a language model: each call once, all of them or none loaded;
people then check them."""

import pytest
from django.urls import reverse

from annotate.models import Question, Unit, Upload
from annotate.studies.lifecycle import create_study
from evaluation.generating import new_systems, tool_jobs
from evaluation.language_models.asking.calling import Caller
from evaluation.language_models.asking.claims import LongReference, reference_claims
from evaluation.language_models.asking.server_apis import CUT, Reply
from evaluation.models import Making
from evaluation.runs import making
from tests.annotate.loading import load, response
from tests.annotate.pages import visible
from tests.annotate.rating import open_work
from tests.evaluation.asking.fake import Kept
from tests.evaluation.generating.talking import Answering
from tests.evaluation.runs.doing import worked

SKY = "Air scatters blue light. At dusk light takes a longer way."
WRITTEN = "1. Air scatters blue light.\n2. At dusk light takes a longer way.\n"


def test_the_prompt_has_question_and_answer_and_a_cut_line_is_left_out():
    answers = iter([Reply("Air scatters.\nAt dusk li", 1, 1, CUT), Reply("", 1, 0, "declined")])
    model = Answering(lambda prompt: next(answers))
    longs = [(7, LongReference("Why is the sky blue?", SKY)), (9, LongReference("Why?", "So."))]
    found = reference_claims(Caller(model, Kept(), at_once=1), longs, 3)
    assert found == {7: ["Air scatters."], 9: []}
    prompt, sampling = model.asked[0]
    assert prompt.user == f"Question: Why is the sky blue?\n\nAnswer: {SKY}"
    assert "at most 3" in prompt.system
    assert sampling.temperature == 0


def asked(key, text, references):
    return {"question": {"id": key, "text": text, "references": references}}


@pytest.fixture
def study(alice):
    made = create_study(name="Check", slug="check", preset="reference_check", owner=alice)
    rows = (
        asked("q1", "Why is the sky blue?", {"answer": SKY}),
        asked("q2", "Why?", {"annotations": [{"long_answer": "So it is."}]}),
        asked("q3", "Who?", {"answer": "She.", "claims": ["She did."]}),
        asked("q4", "When?", {"answers": [["1889"]]}),
    )
    load(made, [response(f"So {n} [1].") | row for n, row in enumerate(rows)])
    return made


def ordered(browser, **sent):
    given = {"model_connection": "lab", "many": 3, **sent}
    answer = browser.post(reverse("making-new", args=["check", "reference-claims"]), given)
    assert answer.status_code == 302, visible(answer.content.decode())
    return Making.objects.get()


def claims():
    rows = Question.objects.order_by("external_id").values_list("external_id", "references")
    return {key: references.get("claims") for key, references in rows}


def says(told, schema):
    return WRITTEN if "sky" in told else "So it is."


@pytest.mark.django_db
def test_from_the_form_to_what_people_are_asked(study, serve, signed_in, alice):
    browser = signed_in(alice)
    server = serve(says)
    made = worked(ordered(browser))
    assert len(server.calls) == made.calls == 2
    assert (made.state, made.queue) == ("done", "outside"), made.error
    assert claims() == {
        "q1": ["Air scatters blue light.", "At dusk light takes a longer way."],
        "q2": ["So it is."],
        "q3": ["She did."],
        "q4": None,
    }
    one = Question.objects.get(external_id="q1")
    assert one.references["claims_made_by"].startswith("reference_claims|many:3|")
    assert one.references_upload == Upload.objects.latest("pk")
    page = visible(browser.get(reverse("making", args=["check", made.pk])).content.decode())
    assert "3 claims of 2 references." in page
    open_work(study, raters_per_item=1)
    assert Unit.objects.filter(kind="reference_claim").count() == 4


@pytest.mark.django_db
def test_a_killed_worker_pays_for_nothing_twice_and_loads_once(
    study, serve, signed_in, alice, monkeypatch
):
    browser = signed_in(alice)
    server = serve(says)
    made = ordered(browser)

    def die(*_):
        raise KeyboardInterrupt

    for place in (
        (new_systems, "load"),
        (tool_jobs, "_made_claims"),
    ):  # before it is loaded, and right after
        with monkeypatch.context() as patch:
            patch.setattr(*place, die)
            patch.setattr(new_systems, "may_be_active", lambda upload: False)
            with pytest.raises(KeyboardInterrupt):
                making.work(made.pk)
    assert worked(made).state == "done", made.error
    assert len(server.calls) == 2
    assert claims()["q2"] == ["So it is."]
    assert Upload.objects.filter(format="references-jsonl", state="done").count() == 1
    assert made.result["lines"][0] == "3 claims of 2 references."


@pytest.mark.django_db
def test_where_nothing_is_to_be_asked_it_says_so(study, serve, signed_in, alice):
    Question.objects.filter(external_id__in=["q1", "q2"]).delete()
    serve(says)
    answer = signed_in(alice).post(
        reverse("making-new", args=["check", "reference-claims"]),
        {"model_connection": "lab", "many": 3},
    )
    assert answer.status_code == 422
    assert "No question has a reference answer with a text" in visible(answer.content.decode())
