"""What limits did to answers is kept with them and counted."""

import pytest

from annotate.models import Response
from evaluation.generating.generation_previews import preview
from evaluation.generating.generation_settings import GenerationSettings
from evaluation.models import Generation
from tests.evaluation.asking.fake import Said, serving
from tests.evaluation.runs.test_generations import made, worked

State = Generation.State
CUT = "the answer was cut off at most_tokens"


@pytest.mark.parametrize(
    ("system", "text", "cut"),
    [
        ("posthoc", "2,962 m\nThat is what the surveyors of", False),
        ("posthoc", "\n\nIt is the height that the surv", True),
        ("retrieve_then_read", "Answer: 2,962 m\nDocument: 1\n\nThe docum", False),
        ("retrieve_then_read", "Answer: 2,962 m\nDocument: 1", True),
        ("retrieve_then_read", "Answer: 2,962 m\nThe document is", True),
        ("llm_as_retriever", "Answer: 2,962 m\nPage: Zugspitze\nIt is the hi", False),
        ("llm_as_retriever", "Answer: 2,962 m\nPage: https://en.wikipedia.org/wi", True),
    ],
)
def test_of_short_answers_nothing_is_cut_off_behind_the_lines_that_are_wanted(
    bench, serve, system, text, cut
):
    serve(lambda told, schema: Said(text=text, ended="cut"))
    row = worked(made(bench, system=system, questions=1))
    assert row.outcome == {"answered": 1} | ({CUT: 1} if cut else {})


def test_of_samples_the_one_that_stayed_counts(bench, serve):
    best = "The Zugspitze is the highest peak of Germany [1]."

    def answer(told, schema):
        return Said(text="It is made of", ended="cut") if next(counts) % 2 else best

    counts = iter(range(1000))
    serve(answer)
    more = {"afterwards": "rerank", "samples": 2, "scorer": "containment", "questions": 2}
    row = worked(made(bench, options={"at_once": "1"}, **more))
    assert row.state == State.DONE, row.error
    assert CUT not in row.outcome
    (one, _) = Response.objects.filter(system__name="New")
    assert one.metadata["of_samples"] == [{}, {"cut_off": 1}]


def test_second_reading_is_estimated_and_is_no_second_answer(bench, lab):
    said = "Answer: 2,962 m\nDocument: 1"
    with serving(lambda told, schema: said) as server:
        connection = lab(server)
        more = {"afterwards": "autoais", "scorer": "containment", "questions": 2}
        row = made(bench, system="retrieve_then_read", **more)
        told = preview(bench, GenerationSettings(**row.settings), connection)
        row = worked(row)
    assert row.state == State.DONE, row.error
    assert told.cost.calls == len(server.calls) == 4
    assert len(told.first[0].prompts) == 2
    assert (row.answered, row.total, row.outcome["answered"]) == (2, 2, 2)
