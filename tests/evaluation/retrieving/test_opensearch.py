"""Another engine is asked as it expects, and what it answers is checked."""

import json

import pytest
from django.core.management import CommandError, call_command

from annotate.web.errors import Refused
from evaluation.generating import corpora
from evaluation.generating.retrieval.opensearch import OpenSearch
from evaluation.generating.searching import retriever_of, search_here
from evaluation.judges.entailment import Door, ScorerError
from evaluation.language_models.connections import save
from evaluation.models import Connection, Corpus
from tests.evaluation.corpora import CLASSICS
from tests.evaluation.retrieving.fake_opensearch import LOGIN, opensearch

PASSAGES = [json.loads(line) for line in CLASSICS.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def server():
    with opensearch(PASSAGES) as state:
        yield state


def engine(server, **door):
    told = {"url": server.url, "key": LOGIN, "mode": "opensearch"} | door
    return OpenSearch(Door(**told), tries=2, sleep=lambda seconds: None)


def test_passages_are_found(server):
    first, second, empty = engine(server).search(["men created equal", "eternal summer", " "], 2)
    assert [one.key for one in first] == ["declaration-2", "gettysburg-1"]
    assert first[0].title == "Declaration of Independence (1776)"
    assert first[0].text.startswith("We hold these truths")
    assert first[0].score > first[1].score > 0
    assert second[0].key == "sonnet-18-2"
    assert empty == []
    assert [one["size"] for one in server.asked] == [2, 2]
    assert engine(server).search(["zebra"], 2) == [[]]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ((200, {"hits": {}}), "something else"),
        ((200, {"hits": {"hits": [{"_id": "a", "_score": 1.0, "_source": {}}]}}), "something else"),
        (
            (200, {"hits": {"hits": [{"_id": "a", "_score": None, "_source": {"text": "x"}}]}}),
            "something else",
        ),
        ((200, [1]), "something else"),
        ((404, {"error": "no such index"}), "refused the request"),
        ((401, {}), "refused the key"),
    ],
)
def test_unexpected_answers_of_the_engine_are_errors(server, answer, said):
    server.answers.append(answer)
    with pytest.raises(ScorerError, match=said):
        engine(server).search(["owls"], 1)


def test_the_address_must_be_that_of_a_search(server):
    with pytest.raises(ScorerError, match="ends in INDEX/_search"):
        engine(server, url="http://127.0.0.1/classics")


@pytest.mark.django_db
def test_a_corpus_asks_through_a_connection(server, study, bob, capsys):
    kept = Connection(name="Lab", url=server.url, mode="opensearch", inner=True, everybody=True)
    save(kept, key=LOGIN)
    made = corpora.connect(study, "Classics", "Lab", by=bob)
    assert (made.state, made.get_method_display()) == ("ready", "Asked of an OpenSearch server")
    assert retriever_of(made).search(["eternal summer"], 1)[0][0].key == "sonnet-18-2"
    assert LOGIN not in retriever_of(made).signature
    with pytest.raises(Refused, match="pages ask none"):
        search_here(made, "eternal summer", 1)
    call_command("make_corpus", "peaks", "Again", "--connection", "Lab")
    call_command("search_corpus", "peaks", "Again", "eternal summer", "-k", "1")
    assert '"sonnet-18-2"' in capsys.readouterr().out
    Connection.objects.update(everybody=False)
    with pytest.raises(Refused, match="no connection “Lab”"):
        retriever_of(made)
    for name, said in (("Lab", "already"), ("Other", "no connection “Nowhere”")):
        with pytest.raises(Refused, match=said):
            corpora.connect(study, "Classics" if name == "Lab" else name, "Nowhere", by=bob)
    with pytest.raises(CommandError, match="leave them out"):
        call_command("make_corpus", "peaks", "More", str(CLASSICS), "--connection", "Lab")
    corpora.remove(made)
    assert Corpus.objects.count() == 1
