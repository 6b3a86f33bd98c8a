"""Limits and numbers of passages follow from the kind of answer, the data and the context, where
nobody says otherwise."""

import json

import pytest
from django.urls import reverse

from annotate.models import Question
from annotate.web.errors import Refused
from evaluation.generating.generation_settings import GenerationSettings, proposed, with_proposals
from evaluation.generating.systems.shipped import SYSTEMS
from evaluation.models import Connection, Generation
from tests.evaluation.runs.test_generations import made, worked

LISTS = {"answers": [["Zugspitze"], ["Watzmann"]]}


def told(study, system, connection=None, **more):
    return dict(proposed(study, GenerationSettings(system, "lab", **more), connection))


@pytest.mark.parametrize(
    ("system", "context", "ndoc"),
    [
        ("vanilla", 2_000, "3"), ("vanilla", 4_000, None), ("vanilla", 8_192, "10"),
        ("vanilla", 128_000, "20"), ("summ", 2_048, "5"), ("snippet", 4_096, None),
        ("interact", 8_000, "20"), ("oracle", 128_000, None), ("positional", 128_000, None),
        ("vanilla", 0, None),
    ],
)  # fmt: skip
def test_as_many_passages_as_the_context_has_room_for(bench, system, context, ndoc):
    assert told(bench, system, context=context).get("ndoc") == ndoc
    said = {"ndoc": "7"}
    assert "ndoc" not in told(bench, system, context=context, options=said)


@pytest.mark.parametrize(
    ("reads", "ndoc"),
    [(2_048, "3"), (None, None), ("many", None), (-1, None), (float("inf"), None)],
)
def test_a_model_of_this_machine_says_itself_how_much_it_reads(bench, tmp_path, reads, ndoc):
    here = Connection(name="here", mode="local", url=str(tmp_path))
    assert told(bench, "vanilla", here) == {}
    (tmp_path / "config.json").write_text(json.dumps({"max_position_embeddings": reads}))
    assert told(bench, "vanilla", here).get("ndoc") == ndoc
    (tmp_path / "config.json").write_text("[]")
    assert told(bench, "vanilla", here) == {}
    assert told(bench, "vanilla", here, context=16_000)["ndoc"] == "20"
    (tmp_path / "config.json").write_text(json.dumps({"max_position_embeddings": 2_048}))
    assert told(bench, "vanilla", here, context=16_000)["ndoc"] == "3", "it reads no more"


@pytest.mark.parametrize(("system", "most"), [("vanilla", 4_300), ("retrieve_then_read", 4_050)])
def test_a_model_that_thinks_has_room_for_it(bench, system, most):
    thinks = {"effort": "low"}
    assert told(bench, system, options=thinks)["most_tokens"] == str(most)
    settings = GenerationSettings(system, "lab", options=thinks, context=4_000)
    with pytest.raises(Refused, match="longer than what one call writes"):
        with_proposals(bench, settings, None)


@pytest.mark.parametrize("system", [key for key, one in SYSTEMS.items() if "form" in one.takes])
def test_where_references_are_lists_a_list_is_asked_for_within_its_limit(bench, system):
    Question.objects.filter(study=bench).update(references=LISTS)
    shared = {"summ", "snippet", "interact", "inlinesearch"}
    limit = {} if system in shared else {"most_tokens": "200"}
    assert told(bench, system) == {"form": "list", **limit}
    assert told(bench, system, options={"form": "prose"}) == {}
    Question.objects.filter(external_id="q2").update(references={"claims": ["It is high."]})
    assert told(bench, system) == {}


def test_systems_that_show_short_forms_have_them_written_once_for_all(bench, serve):
    Question.objects.filter(study=bench).update(references=LISTS)

    def answer(told, schema):
        short = "Summarise in one or two sentences" in told
        return "At 2,962 m." if short else "End" if "Check:" in told else "Zugspitze [1]"

    server = serve(answer)
    for system in ("summ", "interact"):
        worked(made(bench, system, system=system, options={"shots": "0"}, questions=1))
    asked = [call.told for call in server.calls if "Summarise in one" in call.told]
    assert len(asked) == len({*asked}) == 2


def test_generation_uses_the_options_shown_in_the_form(bench, server, signed_in, alice):
    address = reverse("generation-new", args=[bench.slug])
    given = {"system": "vanilla", "connection": "lab", "scorer": "coverage", "name": "New"}
    browser = signed_in(alice)
    shown = browser.post(address, given | {"context": "2000", "preview": "yes"})
    form = shown.context["form"]
    sent = {name: form[name].value() or "" for name in ("options", "filled")}
    assert sent["options"] == "ndoc=3"
    changed = given | sent | {"context": "16000"}
    anew = browser.post(address, changed | {"preview": "yes"}).context["form"]
    assert anew["options"].value() == "ndoc=20"
    browser.post(address, changed | {"begin": "yes"})
    assert Generation.objects.get().settings["options"] == {"ndoc": "3"}
