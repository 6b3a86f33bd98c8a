"""Examples in a prompt: drawn from labels, never of the same question, left out of the numbers."""

import re
from html import unescape

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotate.models import Judge, Judgment, Question, Unit
from annotate.protocol.signatures import judge_title
from annotate.rating.examples import add_example
from annotate.web.errors import Refused
from evaluation.judges.settings import JudgeSettings
from evaluation.labels.trained_on import units_left_out
from evaluation.language_models.asking.examples import (
    Examples,
    LabelledUnit,
    PromptExample,
    drawn,
    examples_text,
    fenced,
)
from evaluation.models import Run, TrainedScorer
from evaluation.report_pages.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from evaluation.runs import lifecycle as runs
from evaluation.runs.trials import shown
from tests.annotate.loading import load, response
from tests.evaluation.asking.test_model_runs import ASKED
from tests.evaluation.runs.doing import finished, plan_it
from tests.shared_rows import shared_rows


def labelled(count, questions, values=("yes", "no")):
    return [
        LabelledUnit(number, values[number % len(values)], f"q{number % questions}")
        for number in range(count)
    ]


def test_as_many_stand_with_every_question_and_each_value_as_often(subtests):
    for count, questions in [(60, 30), (60, 7), (9, 9), (40, 2)]:
        with subtests.test(count=count, questions=questions):
            order = drawn(labelled(count, questions), 4, seed=1)
            for question in {one.question for one in labelled(count, questions)}:
                left = [one.value for one in order if one.question != question][:4]
                assert len(left) == 4
                if questions > 2:  # of two questions in turn, one has all that is yes
                    assert left.count("yes") in (1, 2, 3)
            assert len(order) <= 4 * 10
            assert len({one.unit for one in order}) == len(order)
            assert drawn(labelled(count, questions), 4, seed=1) == order


def test_examples_of_the_same_question_are_left_out():
    def example(question, dimension="d"):
        return PromptExample(dimension, question, f"{question}?", "text", (), "`yes` (Yes)", "")

    known = Examples(
        guidelines=(example("q1"), example("q2")),
        drawn=(example("q1"), example("q3"), example("q4"), example("q5"), example("q6", "e")),
        number=2,
        digest="d" * 16,
    )
    assert [one.question for one in known.about("d", "q1")] == ["q2", "q3", "q4"]
    assert [one.question for one in known.about("d", "q3")] == ["q1", "q2", "q1", "q4"]
    assert examples_text([]) == ""


@shared_rows
def rated(peaks):
    """Twenty questions; people found every third one not attributable."""
    load(
        peaks,
        [
            response(f"Answer {n} [1].", question=f"Peak {n}?", question_id=f"x{n:02}")
            for n in range(20)
        ],
    )
    peaks.dimensions = ["attributable"]
    peaks.save()
    rita = Judge.objects.create(study=peaks, kind="simulated", name="rita")
    rows = Unit.objects.filter(key="r", response__question__external_id__startswith="x")
    for n, unit in enumerate(rows.order_by("pk")):
        value = "yes" if n % 3 else "no"
        Judgment.objects.create(judge=rita, unit=unit, dimension="attributable", value=value)
    return peaks


def yes(examples_text, schema):
    return {"value": "yes", "reason": "", "quotes": []}


def shown_in(call):
    """What the systems were asked in each example of a prompt."""
    return re.findall(r"What the system was asked:\n\n<material-\w+>\n(.+)\n", call.told)


@pytest.mark.django_db
def test_drawn_examples_stand_in_prompts_and_are_left_out_of_the_numbers(rated, serve):
    server = serve(yes)
    run = finished(rated, examples=4, **ASKED)
    assert run.state == Run.State.DONE, run.error
    judge = Judge.objects.get(name__startswith="model|")
    kept = TrainedScorer.objects.get()
    assert judge.name.startswith(f"model|shown:{kept.fingerprint}|examples:4|speaker:1|")
    assert judge_title(judge.name) == "Language model, m-1, 4 examples"
    for call in server.calls:
        shown = shown_in(call)
        assert len(shown) == 4
        [asked] = [q for q in Question.objects.all() if f"asked\n\n{fenced(q.text)}\n" in call.told]
        assert asked.text not in shown
        assert call.told.count("People's answer: `no` (") in (1, 2, 3)
    left_out = units_left_out(judge)
    assert len(left_out) == 5
    report = build(gather(rated), Filters(resamples=20))
    [ours] = [one["id"] for one in report["judges"] if one["name"] == judge.name]
    [row] = [row for row in report["agreement"] if row["judge"] == ours]
    assert row["units"] == 20 - 5


@pytest.mark.django_db
def test_a_trial_shows_the_examples_of_each_question(rated, serve, alice, signed_in, capsys):
    """They are others about the questions that stand as examples themselves."""
    serve(yes)
    terms = {"connection": "lab", "examples": 2, "dry_run": 20, "prompts_only": True}
    call_command("run_judge", rated.slug, "model", **terms)
    systems = {one.prompt.system for one in shown(Run.objects.get())}
    assert len(systems) > 1
    page = signed_in(alice).get(reverse("run", args=[rated.slug, Run.objects.get().pk]))
    for said in (capsys.readouterr().out, unescape(page.content.decode())):
        assert not [one for one in systems if one not in said]
        assert "Once for all units" not in said


@pytest.mark.django_db
def test_the_examples_of_the_guidelines_stand_in_prompts(rated, serve):
    [unit] = Unit.objects.filter(key="r", response__question__external_id="x01")
    add_example(unit, "attributable", value="no", explanation="It says less.", by=None)
    server = serve(yes)
    finished(rated, guideline_examples=True, **ASKED)
    judge = Judge.objects.get(name__startswith="model|")
    assert units_left_out(judge) == {unit.pk}
    assert "examples of the guidelines" in judge_title(judge.name)
    without = [call for call in server.calls if not shown_in(call)]
    assert len(without) == 1  # the question that it is about
    assert "Peak 1?" in without[0].told
    others = [call for call in server.calls if call is not without[0]]
    assert all("Why: It says less." in call.told for call in others)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"examples": 41}, "up to 40 examples; found 41"),
        ({"examples": 3}, "no labels to draw examples from"),
        ({"guideline_examples": True}, "The guidelines have no example"),
    ],
)
def test_unavailable_examples_are_refused(peaks, serve, given, words):
    serve(yes)
    Judgment.objects.all().delete()
    settings = JudgeSettings("model", "coverage", connection="lab", **given)
    with pytest.raises(Refused, match=words):
        runs.create(peaks, settings, by_operator=True, queued=False)


@pytest.mark.django_db
def test_an_example_that_is_gone_ends_the_run(rated, serve):
    serve(yes)
    settings = JudgeSettings("model", "coverage", connection="lab", examples=2)
    run = runs.create(rated, settings, by_operator=True, queued=False)
    kept = TrainedScorer.objects.get()
    kept.agreement["shown"]["drawn"][0][0] = 999_999
    kept.save()

    assert "was deleted" in plan_it(run.pk).error
