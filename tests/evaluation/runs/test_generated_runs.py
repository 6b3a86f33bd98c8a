"""Systems made here with several seeds, and lists: how they stand in the study and its reports."""

from django.core.management import call_command

from annotate.models import Response
from evaluation.models import Generation
from evaluation.reporting.gathering import gather
from evaluation.reports.build import build
from evaluation.reports.filters import Filters
from tests.evaluation.asking.fake import serving
from tests.evaluation.runs.test_generations import bench, lab, made, says, worked

__all__ = ["bench", "lab"]

State = Generation.State


def test_three_seeds_are_three_runs(bench, lab):
    with serving(says) as server:
        lab(server)
        row = worked(made(bench, seeds=(1, 2, 3), questions=2))
    assert row.total == row.answered == len(server.calls) == 6
    runs = Response.objects.filter(system__name="New").values_list("run", flat=True)
    assert sorted(runs) == ["1", "1", "2", "2", "3", "3"]


def test_lists_are_loaded_as_lists(bench, lab):
    with serving(lambda told, schema: "Zugspitze [1], Watzmann [2].") as server:
        lab(server)
        row = worked(made(bench, options={"shots": "1", "form": "list"}, questions=1))
    assert row.state == State.DONE, row.error
    one = Response.objects.get(system__name="New")
    assert one.is_list
    statements = one.units.filter(kind="statement").order_by("ordinal")
    ends = [text.rpartition(" ")[2] for text in statements.values_list("text", flat=True)]
    assert ends == ["Zugspitze", "Watzmann"]
    assert "List accurate answers" in server.calls[0].told


def test_reports_have_mean_and_deviation_over_seeds(bench, lab):
    """Of one question and three seeds: two answers hold its answer, one does not."""
    pairs = {"qa_pairs": [{"short_answers": ["2,962 m"]}]}
    bench.questions.filter(external_id="q1").update(references=pairs)
    said = iter(["It is 2,962 m high [1].", "Nobody knows.", "It is 2,962 m high."])
    bench.questions.exclude(external_id="q1").delete()
    with serving(lambda told, schema: next(said)) as server:
        lab(server)
        row = worked(made(bench, seeds=(1, 2, 3), options={"at_once": "1"}))
    assert row.state == State.DONE, row.error
    call_command("run_judge", "peaks", "correctness")
    found = build(gather(bench), Filters(resamples=50))
    [new] = [one for one in found["systems"]["rows"] if one["system"] == "New"]
    [over] = [one for key, one in new["over_runs"].items() if key.endswith("/em_recall")]
    # (1 + 0 + 1) / 3, and the root of (2 · (1/3)² + (2/3)²) / 2
    assert over == {"runs": 3, "mean": 0.666667, "sd": 0.57735, "reason": ""}
