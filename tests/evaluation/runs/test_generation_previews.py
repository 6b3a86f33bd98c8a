"""What a generation will cost, and what it then costs."""

from evaluation.models import Generation
from evaluation.running.generation_previews import preview
from evaluation.running.generation_settings import GenerationSettings
from tests.evaluation.asking.fake import serving
from tests.evaluation.runs.test_generations import bench, lab, made, worked

__all__ = ["bench", "lab"]
State = Generation.State


def test_what_is_read_anew_is_counted_before_and_no_second_answer(bench, lab):
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
