"""`generate`, as somebody types it."""

from io import StringIO
from ipaddress import ip_network

import pytest
from django.core.management import CommandError, call_command

from annotate.models import Response, System
from annotate.studies.lifecycle import create_study
from evaluation.generating import generations
from evaluation.generating.generation_job import work
from evaluation.language_models import connections
from evaluation.models import Connection, Generation
from tests.annotate.loading import load, response
from tests.evaluation.asking.fake import serving
from tests.evaluation.corpora import a_corpus

pytestmark = pytest.mark.django_db


@pytest.fixture
def bench(alice):
    made = create_study(name="Peaks", slug="peaks", preset="alce", owner=alice)
    load(made, [response("So [1].", question_id=f"q{n}", question=f"Why {n}?") for n in (1, 2)])
    return made


@pytest.fixture
def server(settings):
    settings.ATTEST_CALLED_NETWORKS = (ip_network("127.0.0.0/8"),)
    with serving(lambda told, schema: "It is high [1].") as found:
        made = Connection(name="lab", url=found.url("chat"), mode="chat", model="m-1")
        made.price_asked, made.price_written = 1, 2
        connections.save(made)
        yield found


def generate(*words):
    out = StringIO()
    call_command("generate", "peaks", *words, "--connection", "lab", stdout=out)
    return out.getvalue()


def test_a_system_is_made_here(bench, server):
    said = generate("vanilla", "--name", "New", "--option", "shots=0", "--seeds", "1", "2")
    assert "Paid for: 4 calls, 400 tokens read, 40 written; 0.0005 dollars" in said
    assert "New system: New\nVANILLA (Gao et al." in said
    assert "4 responses: answered" in said
    assert Response.objects.filter(system__name="New").count() == 4


@pytest.mark.parametrize("system", [("oracle",), ("vanilla", "--afterwards", "rerank")])
def test_a_scorer_that_nothing_leads_to_is_refused_at_once(bench, server, system):
    with pytest.raises(CommandError, match="no scorer “nonsense”; expected one of containment"):
        generate(*system, "--scorer", "nonsense")
    with pytest.raises(CommandError, match="choose a scorer of this machine"):
        generate(*system, "--scorer", "http")
    assert generate("vanilla", "--scorer", "http", "--dry-run"), "which nobody asks"


def test_as_short_as_can_be_by_the_model_and_a_corpus(
    bench, server, alice, settings, tmp_path, capsys
):
    settings.ATTEST_CORPORA_DIR = tmp_path / "corpora"
    a_corpus(bench, alice, name="Animals")
    call_command("generate", "peaks", "vanilla", "--model", "m-1", "--corpus", "Animals")
    assert "New system: VANILLA, m-1" in capsys.readouterr().out
    told = System.objects.get(name="VANILLA, m-1").description
    assert "made here by “m-1” from the corpus “Animals”" in told
    with pytest.raises(CommandError, match="has a system “VANILLA, m-1” already"):
        call_command("generate", "peaks", "vanilla", "--model", "m-1")
    other = Connection(name="Other lab", url=server.url("chat"), mode="chat", model="m-1")
    connections.save(other)
    with pytest.raises(CommandError, match="Several connections lead to “m-1”: Other lab, lab"):
        call_command("generate", "peaks", "summ", "--model", "m-1")
    with pytest.raises(CommandError, match="There is no connection “m-2”"):
        call_command("generate", "peaks", "summ", "--model", "m-2")


def test_queued_generation_waits_for_a_worker(bench, server):
    said = generate("vanilla", "--name", "New", "--queue", "--passages-of", "Vermilion")
    row = Generation.objects.get()
    assert said == f"Generation {row.pk} waits for a worker.\n"
    assert (row.state, row.by_operator, row.queue) == ("queued", True, "outside")
    assert row.settings["passages_of"] == System.objects.get(name="Vermilion").pk


def test_interrupted_generation_is_paused(bench, server, monkeypatch):
    def interrupted(key, **more):
        raise KeyboardInterrupt

    monkeypatch.setattr("evaluation.management.commands.generate.work", interrupted)
    with pytest.raises(KeyboardInterrupt):
        generate("vanilla", "--name", "New")
    row = Generation.objects.get()
    assert row.state == Generation.State.PAUSED
    generations.resume(row)
    done = work(row.pk)
    assert done
    assert done.state == Generation.State.DONE


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--option", "k=3"], "no option “k”"),
        (["--passages-of", "Nobody"], "There is no system “Nobody”"),
        (["--budget", "much"], "Expected a budget in dollars"),
        (["--examples", "/nowhere"], "cannot be read"),
        (["--corpus", "Wikipedia"], "There is no corpus “Wikipedia”"),
        (["--afterwards", "autoais"], "After VANILLA there may be"),
    ],
)
def test_invalid_generation_options_are_refused(bench, server, words, said):
    with pytest.raises(CommandError, match=said):
        generate("vanilla", "--name", "New", *words)
    assert not Generation.objects.exists()
