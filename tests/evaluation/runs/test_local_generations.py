"""Systems made here by a small model with random weights, in a folder, through the same code."""

from annotate.models import Response, System
from evaluation.models import Connection, Generation
from evaluation.outside import connections
from tests.evaluation.runs.test_generations import bench, made, worked  # noqa: F401 - a fixture

State = Generation.State


def test_a_model_of_this_machine_makes_a_system_by_the_same_code(bench, tmp_path):  # noqa: F811
    from tests.evaluation.entailment.tiny_models import gpt

    folder = gpt(tmp_path)
    connections.save(Connection(name="lab", url=str(folder), mode="local"))
    connections.lend(Connection.objects.get(), everybody=True, studies=[], people=[])
    options = {"shots": "0", "most_tokens": "8"}
    row = worked(made(bench, options=options, questions=2, seeds=(1, 2)))
    assert row.state == State.DONE, row.error
    assert row.queue == "entailment"
    assert Response.objects.filter(system__name="New").count() == 4
    told = System.objects.get(name="New").description
    assert "temperature:1|nucleus:0.95" in told
    assert "the local model" in told


def test_a_local_model_is_told_no_more_than_it_reads_by_its_own_tokens(bench, tmp_path):  # noqa: F811
    from tests.evaluation.entailment.tiny_models import gpt

    folder = gpt(tmp_path)
    connections.save(Connection(name="lab", url=str(folder), mode="local"))
    connections.lend(Connection.objects.get(), everybody=True, studies=[], people=[])
    row = made(bench, options={"shots": "0", "most_tokens": "8"}, questions=1, context=150)
    row = worked(row)
    (one,) = Response.objects.filter(system__name="New")
    cut = {"left_out_for_length", "shortened_for_length"} & one.metadata.keys()
    assert cut or "longer than the model reads" in one.metadata["no_answer"]
