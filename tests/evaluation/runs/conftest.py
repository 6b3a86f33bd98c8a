"""A study whose answers have several statements, scorers that fail, and real workers."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from annotate.models import Question, Study
from evaluation.judges.entailment import SCORERS, ScorerSpec
from evaluation.judges.fluency import Fluency
from evaluation.runs import judge_making
from tests.annotate.loading import load, response
from tests.evaluation.runs.stacks import EMBEDDED, Stacks
from tests.evaluation.runs.worlds import World
from tests.shared_rows import shared_rows

QUESTIONS = 6

# By containment, the first statement is in the first passage alone, the second in none, the third
# in both: `metres` stands nowhere, `Zugspitze` in both.
OUTPUT = (
    "The Zugspitze is the highest peak of Germany [1]. It is 2,962 metres [1]. Zugspitze [1][2]."
)


@shared_rows
def loaded(study: Study) -> Study:
    load(study, [response(OUTPUT)])
    return study


@pytest.fixture(autouse=True)
def failing_scorers(monkeypatch: pytest.MonkeyPatch) -> None:
    judge_making._scorer.cache_clear()
    for name in ("stumbling", "absent", "late", "broken"):
        path = f"tests.evaluation.runs.scorers:{name.title()}"
        spec = ScorerSpec(key=name, scorer=path, about="fails")
        monkeypatch.setitem(SCORERS.shipped, name, spec)


@pytest.fixture
def mauve(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The package that computes MAUVE; how many texts it was given each time."""
    asked: list[int] = []

    def compute_mauve(**arguments: Any) -> SimpleNamespace:
        asked.append(len(arguments["p_text"]))
        return SimpleNamespace(mauve=0.5)

    monkeypatch.setitem(sys.modules, "mauve", SimpleNamespace(compute_mauve=compute_mauve))
    monkeypatch.setattr(Fluency, "_identity", {"model": "made-up"})
    for question in Question.objects.all():
        question.references = {"answer": "It is high."}
        question.save()
    return asked


@shared_rows
def peaks_too(loaded: Study) -> Study:
    """Two more responses in the same study, so that a run has several parts."""
    others = [
        response("No peak is higher [1].", question="Which is higher?", question_id="q2"),
        response("It is a peak [2].", question="What is it?", question_id="q3"),
    ]
    load(loaded, others)
    return loaded


@pytest.fixture(scope="module")
def stacks(tmp_path_factory):
    made = Stacks(tmp_path_factory.mktemp("stacks"))
    yield made
    made.close()


@pytest.fixture
def world(request, stacks, tmp_path):
    """A world on the embedded stack, unless the test names others."""
    stack = stacks.open(getattr(request, "param", EMBEDDED), tmp_path)
    try:
        made = World(stack, tmp_path)
        try:
            yield made
        finally:
            made.close()
    finally:
        stack.close()


@pytest.fixture
def bench(study):
    """A study with six questions, of which one system brings passages."""
    lines = [
        response("So [1].", question=f"How high is peak {n}?", question_id=f"q{n}")
        for n in range(1, QUESTIONS + 1)
    ]
    load(study, lines)
    return study


def says(told: str, schema: object) -> str:
    assert schema is None
    return "It is 2,962 m high [1]."


@pytest.fixture
def server(serve):
    """A server that answers by `says`."""
    return serve(says)
