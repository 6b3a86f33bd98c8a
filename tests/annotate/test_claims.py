"""Claims that raters write: the units they are judged as, and what is stored."""

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from annotate.content import overview
from annotate.models import Evidence, Inquiry, Judgment, PastJudgment, Unit
from annotate.protocol.steps import NOT_ASKED, unanswered
from annotate.rating import answering, task_page
from annotate.rating.answering import record_passages_seen, save_answer
from annotate.rating.assignments import finish
from annotate.rating.batches import Selection, create_batch, preview
from annotate.rating.examples import add_example
from annotate.rating.task_steps import steps_of
from annotate.studies.lifecycle import create_study
from annotate.web.errors import Refused
from tests.annotate.cups import CUPS, GLASS, PARSED, PLASTIC, cups_of, parsers_claims, task_of
from tests.annotate.loading import load, response
from tests.annotate.rating import answer, open_work, rater_in, saved, take
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db


@shared_rows
def cups(alice):
    return cups_of(alice)


@shared_rows
def task(cups):
    return task_of(open_work(cups))


def steps(task):
    return {step.key: step for step in steps_of(task.batch, task.item)}


def write(task, key, words):
    return save_answer(task, steps(task)[f"{key}:claim_words"], value="yes", words=words)


def test_each_group_of_marks_has_a_unit_with_its_citations(cups, alice):
    found = Unit.objects.filter(kind__startswith="claim").order_by("pk")
    assert [(u.key, u.start, u.end, u.number) for u in found] == [
        ("s1.g1", 26, 29, None),
        ("s1.g2", 41, 47, None),
        ("s2.g1", 58, 61, None),
        ("s1.g1.c1", 26, 29, 1),
        ("s1.g2.c1", 41, 44, 2),
        ("s1.g2.c2", 44, 47, 1),
        ("s2.g1.c1", 58, 61, 2),
    ]
    assert found[0].text == "Cups can be made of glass or plastic."
    text = "Cups are red [1] and blue."
    spans = [{"start": 0, "end": 23, "passages": [2]}, {"start": 0, "end": 4, "passages": [2]}]
    load(cups, [response(text, citations=spans, system="Spans")])
    found = Unit.objects.filter(kind="claim_citation", response__system__name="Spans")
    assert [(u.key, u.number, text[u.start : u.end]) for u in found.order_by("pk")] == [
        ("s1.g1.c1", 2, "Cups"),
        ("s1.g2.c1", 1, "[1]"),
        ("s1.g3.c1", 2, "Cups are red [1] and bl"),
    ]


def test_all_claims_are_written_before_the_first_passage_is_seen(task):
    assert list(steps(task)) == [
        "r:utility",
        "s1.g1:claim_words",
        "s1.g2:claim_words",
        "s2.g1:claim_words",
        "s1.g1:claim_recall",
        "s1.g1.c1:claim_support",
        "s1.g2:claim_recall",
        "s1.g2.c1:claim_support",
        "s1.g2.c2:claim_support",
        "s2.g1:claim_recall",
        "s2.g1.c1:claim_support",
        "r:pf_utility",
    ]
    assert [s.key for s in unanswered(list(steps(task).values()), {})] == [
        "r:utility",
        "s1.g1:claim_words",
        "s1.g2:claim_words",
        "s2.g1:claim_words",
        "r:pf_utility",
    ]


def test_claim_needs_words_before_it_is_judged(task):
    for words in ("", "0-2", "400-900", "here"):
        with pytest.raises(Refused, match="Choose the words"):
            write(task, "s1.g1", words)
    with pytest.raises(Refused, match="not asked after your earlier answer"):
        save_answer(task, steps(task)["s1.g1:claim_recall"], value="yes")
    assert not Judgment.objects.exists()


def test_answers_and_marks_go_when_the_words_of_their_claim_change(task):
    write(task, "s1.g1", GLASS)
    write(task, "s1.g2", PLASTIC)
    for key, value in (
        ("s1.g1:claim_recall", "yes"),
        ("s1.g1.c1:claim_support", "full"),
        ("s1.g2:claim_recall", "yes"),
    ):
        step = steps(task)[key]
        save_answer(task, step, value=value)
        answering.mark(task, step, step.sources[0], (0, 4))
    write(task, "s1.g1", GLASS)
    assert saved(task, "s1.g1:claim_recall").value == "yes", "the same words change nothing"
    assert Evidence.objects.count() == 3
    write(task, "s1.g1", "0-19")
    assert saved(task, "s1.g1:claim_recall").skipped_reason == NOT_ASKED
    assert saved(task, "s1.g1.c1:claim_support").skipped_reason == NOT_ASKED
    assert saved(task, "s1.g2:claim_recall").value == "yes"
    assert [mark.unit.key for mark in Evidence.objects.all()] == ["s1.g2"]
    before = PastJudgment.objects.get(judgment=saved(task, "s1.g1:claim_words"))
    assert before.claim["text"] == "Cups can be made of glass"


def test_answer_or_mark_about_other_words_of_a_claim_is_refused(task):
    write(task, "s1.g1", GLASS)
    write(task, "s1.g1", "0-19")
    recall, support = (steps(task)[key] for key in ("s1.g1:claim_recall", "s1.g1.c1:claim_support"))
    with pytest.raises(Refused, match="now reads “Cups can be made of”"):
        save_answer(task, recall, value="yes", about=GLASS)
    with pytest.raises(Refused, match="now reads"):
        save_answer(task, support, value="full", about=GLASS)
    with pytest.raises(Refused, match="now reads"):
        answering.mark(task, recall, recall.sources[0], (0, 4), about=GLASS)
    assert not Judgment.objects.filter(dimension__in=["claim_recall", "claim_support"]).exists()
    save_answer(task, recall, value="no", about="0-4 5-19")
    assert saved(task, "s1.g1:claim_recall").value == "no"
    answering.mark(task, recall, recall.sources[0], (0, 4), about="0-19")
    assert Evidence.objects.count() == 1
    save_answer(task, steps(task)["s1.g1:claim_words"], value="no")
    with pytest.raises(Refused, match="not asked after your earlier answer"):
        answering.mark(task, recall, recall.sources[0], (0, 4))


def test_what_arrived_before_the_words_changed_may_arrive_again(task):
    write(task, "s1.g1", GLASS)
    recall = steps(task)["s1.g1:claim_recall"]
    save_answer(task, recall, value="yes", edit="e1", about=GLASS)
    write(task, "s1.g1", "0-19")
    save_answer(task, recall, value="yes", edit="e1", about=GLASS)
    assert saved(task, "s1.g1:claim_recall").skipped_reason == NOT_ASKED


def test_what_stands_once_passages_came_are_the_words_too(cups):
    task = task_of(open_work(cups, fixes_first=True))
    write(task, "s1.g1", GLASS)
    record_passages_seen(task)
    with pytest.raises(Refused, match="You have seen the passages"):
        write(task, "s1.g1", "0-19")
    step = steps(task)["s1.g1:claim_words"]
    save_answer(task, step, value="yes", words=GLASS, note="sure")
    assert saved(task, "s1.g1:claim_words").claim["text"] == "Cups can be made of glass"
    assert saved(task, "s1.g1:claim_words").note == "sure"
    settled = task_page.task_of(task).step(step.name)
    assert settled is not None
    shown = render_to_string("desk/claims.html", {"step": settled, "claim": settled.claim})
    assert shown.count("disabled") == shown.count('name="words"') > 0


# The parser's proposal ---------------------------------------------------------------------------


def proposing(cups, *claims):
    parsers_claims(cups, *claims)
    return task_of(open_work(cups, claims_from="parser"))


def chosen(task, name):
    step = task_page.task_of(task).step(name)
    assert step is not None
    return [word.text for word in step.claim.words if word.is_chosen]


def test_what_the_parser_proposes_is_chosen_already_and_stored_as_seen(cups):
    task = proposing(
        cups,
        *PARSED,
    )
    assert chosen(task, "s1-g2-claim_words") == [*["Cups", "can", "be", "made", "of", "plastic."]]
    assert chosen(task, "s2-g1-claim_words") == [], "of this sentence the parser has no claim"
    assert saved(task, "s1.g2:claim_words") is None, "what nobody took is nobody's claim"
    write(task, "s1.g2", "29-37")
    assert saved(task, "s1.g2:claim_words").claim == {
        "text": "plastic.",
        "spans": [[29, 37]],
        "proposal": "Cups can be made of plastic",
    }
    assert chosen(task, "s1-g2-claim_words") == ["plastic."]


def test_proposals_need_claims_of_a_parser_with_the_same_marks(cups):
    with pytest.raises(Refused, match="make_claims cups"):
        create_batch(cups, name="Work", claims_from="parser")
    whole = "Cups can be made of glass or plastic"
    task = proposing(cups, ("s1.a1", whole, [1, 2, 1]))
    for name in ("s1-g1-claim_words", "s1-g2-claim_words"):
        assert " ".join(chosen(task, name)) == f"{whole}."
    Unit.objects.filter(kind="claim_citation", key__startswith="s1.a1.").exclude(number=2).delete()
    assert chosen(task, "s1-g1-claim_words") == []


# Batches -----------------------------------------------------------------------------------------


def test_a_batch_of_claim_writing_takes_what_has_positional_citations(cups):
    load(
        cups,
        [
            response("All at the end [1].", question_id="q2", question="What else?"),
            response("All at the end [1].", system="Other"),
            response(
                "Rain [1] falls [2].", system="Other", question_id="q2", question="What else?"
            ),
        ],
    )
    with pytest.raises(Refused, match="one task must be a whole response"):
        create_batch(cups, name="Work", granularity="unit")
    counts = preview(cups, Selection())
    assert (counts.questions, counts.responses, counts.tasks) == (2, 2, 2)
    batch = create_batch(cups, name="Work")
    assert batch.selection["positional"] is True
    assert set(batch.items.values_list("response__positional", flat=True)) == {True}
    every = preview(cups, Selection(positional=False), dimensions=["utility"])
    assert every.responses == 0, "this is asked in the other batch"


def test_responses_that_were_loaded_before_get_their_units(alice, signed_in):
    study = create_study(
        name="Cups", slug="cups", preset="custom", dimensions=["claim_recall"], owner=alice
    )
    load(study, [response(CUPS), response("All at the end [1].", system="Other")])
    assert not Unit.objects.filter(kind="claim").exists()
    for _ in range(2):
        path = reverse("dimensions-arrange", args=["cups"])
        signed_in(alice).post(path, {"ask": "claim_words"})
    study.refresh_from_db()
    assert study.dimensions == ["claim_words", "claim_recall"]
    keys = Unit.objects.filter(kind="claim").order_by("pk").values_list("key", flat=True)
    assert list(keys) == ["s1.g1", "s1.g2", "s2.g1", "s1.g1"]


def test_in_ones_own_claim_nothing_is_marked_as_unsupported(cups, signed_in):
    """Its words may change; passages that convince are marked as ever."""
    client = signed_in(rater_in(cups, "anna"))
    task = take(client, open_work(cups))
    for words in ("", GLASS):
        if words:
            answer(client, task, "s1.g1:claim_words", "yes", words=words)
        page = client.get(reverse("task", args=["cups", task.pk])).content.decode()
        assert page.count("data-judged") == 1, "but for the question about the whole answer"
    step = steps(task)["s1.g1:claim_recall"]
    with pytest.raises(Refused, match="A claim of one's own"):
        answering.mark(task, step, None, (0, 4))
    assert answering.mark(task, step, step.sources[0], (0, 4)).source == step.sources[0]


def test_claims_that_each_writes_anew_are_no_examples(cups, alice, signed_in):
    client = signed_in(rater_in(cups, "anna"))
    task = take(client, open_work(cups))
    sent = {"step": "s1.g1:claim_words", "ask": "All of it?"}
    client.post(reverse("task-ask", args=["cups", task.pk]), sent)
    address = reverse("inquiry", args=["cups", Inquiry.objects.get().pk])
    assert "an example" not in signed_in(alice).get(address).content.decode()
    unit = Unit.objects.get(key="s1.g1")
    with pytest.raises(Refused, match="writes their own claim"):
        add_example(unit, "claim_words", value="yes", explanation="So it is.", by=alice)
    page = signed_in(alice).get(reverse("dispute", args=["cups", unit.pk, "claim_words"]))
    assert "Use as example" not in page.content.decode()


def test_progress_counts_the_claims_that_batches_ask_about(cups):
    """With a batch of either sort the claims of both are to be judged; what is written, where
    people write."""

    def units():
        found = {row.dimension.key: row.units for row in overview.progress(cups)}
        return [found[key] for key in ("claim_words", "claim_recall", "claim_support")]

    parsers_claims(cups, *PARSED)
    assert units() == [3, 3, 4], "without a batch, those that the study asks about"
    judges_the_parser = create_batch(cups, name="P", dimensions=["claim_recall", "claim_support"])
    assert units() == [0, 2, 3], "nobody writes any"
    writes = open_work(cups)
    assert units() == [3, 5, 7]
    judges_the_parser.delete()
    task = task_of(writes)
    for key in ("s1.g1", "s1.g2", "s2.g1"):
        write(task, key, GLASS if key == "s1.g1" else "0-4 5-8")
        save_answer(task, steps(task)[f"{key}:claim_recall"], value="yes")
    finish(task)
    [row] = [r for r in overview.progress(cups) if r.dimension.key == "claim_recall"]
    assert (row.units, row.judged) == (3, 3)
