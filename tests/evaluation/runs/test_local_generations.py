"""Systems made here by a small model with random weights, in a folder, through the same code."""

import re
from typing import Any

import pytest

from annotate.models import Question, Response, System
from annotate.web.errors import Refused
from evaluation.generating.generation_previews import preview
from evaluation.generating.generation_settings import GenerationSettings
from evaluation.language_models import connections
from evaluation.models import Connection, Entailment, Generation
from tests.evaluation.asking.fake import serving
from tests.evaluation.runs.test_generations import made, worked

State = Generation.State


def test_a_model_of_this_machine_makes_a_system_by_the_same_code(bench, tmp_path):
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


def test_the_encoder_of_this_machine_puts_candidates_in_order_and_is_named(bench, lab):
    def answer(told, schema):
        return "Answer: mountains\nDocument: 1"

    options = {"ranked_by": "meaning", "read": "1"}
    with serving(answer) as server:
        connection = lab(server)
        more = {"options": options, "questions": 1}
        row = made(bench, system="retrieve_then_read", **more)
        given = GenerationSettings(**row.settings)
        with pytest.raises(Refused, match="pages ask none"):
            preview(bench, given, connection, by_page=True)
        (prompt,) = preview(bench, given, connection).first[0].prompts
        row = worked(row)
    assert (row.state, row.queue) == (State.DONE, "entailment"), row.error
    (call,) = server.calls
    assert prompt.user in call.told
    description = System.objects.get(name="New").description
    assert "|ranked_by:meaning|" in description
    assert "|by:embeddings|pooling:mean|" in description


def test_oracle_asks_a_scorer_which_passages_entail_claims_and_names_it(bench, lab):
    Question.objects.update(references={"claims": ["the Zugspitze"]})
    given: dict[str, Any] = {"options": {"shots": "0", "ndoc": "1"}, "scorer": "containment"}
    with serving(lambda told, schema: "It is high [1].") as server:
        connection = lab(server)
        row = made(bench, system="oracle", questions=1, **given)
        settings = GenerationSettings(**row.settings)
        with pytest.raises(Refused, match="pages ask none"):
            preview(bench, settings, connection, by_page=True)
        row = worked(row)
        Question.objects.update(references={"answer": "Zugspitze"})
        assert preview(bench, settings, connection, by_page=True).without == 0
    assert row.state == State.DONE, row.error
    (one,) = Response.objects.filter(system__name="New")
    assert one.sources.count() == 1
    assert not one.system.uses_autoais
    assert re.search(r"passages:\w+\|by:\S*containment", one.system.description)
    assert Entailment.objects.count() == 2, "each passage and claim once"
