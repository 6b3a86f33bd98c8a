"""A corpus: received, indexed under a lease, searched, cancelled, removed; nothing is left."""

from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings
from django.core.files.storage import default_storage
from django.urls import reverse
from django.utils import timezone

from annotate.exchange.deletion import delete_study, remove_now
from annotate.exchange.deletion import work as remove_rows
from annotate.models import AuditEntry
from annotate.text.corpus import CorpusBuilder
from annotate.uploads import storing
from annotate.web.errors import Refused
from annotate.work.jobs import claim, sweep
from evaluation.generating import corpora
from evaluation.generating.searching import retriever_of
from evaluation.models import Corpus, CorpusFile, Making
from evaluation.runs import making
from tests.evaluation.corpora import a_corpus, a_file, lines, received
from tests.evaluation.entailment.tiny_models import bert

MEANT = ["rain falls on the old town", "snow", "the first people see a cold river in the north"]

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, settings):
    settings.ATTEST_CORPORA_DIR = tmp_path / "corpora"
    settings.MEDIA_ROOT = tmp_path / "uploads"


def folders():
    root = settings.ATTEST_CORPORA_DIR
    return sorted(path.name for path in root.iterdir()) if root.is_dir() else []


def kept_files():
    return [name for name in storing.kept_names() if "-corpus-" in name]


def test_a_corpus_is_indexed_and_searched_and_its_files_go(study, bob):
    made = a_corpus(study, bob)
    assert (made.state, made.passages, made.error) == ("ready", 2, "")
    assert made.kept_bytes > 0
    assert folders() == [made.folder]
    assert not kept_files()
    ((best,), none) = retriever_of(made).search(["where do foxes sleep", "zebra"], 1)
    assert (best.key, best.title, best.url) == ("f1", "Foxes", "https://example.org/f")
    assert none == []
    acts = list(AuditEntry.objects.filter(kind="corpus").values_list("act", "about"))
    assert acts == [("corpus-made", "Animals")]


@pytest.mark.parametrize(
    ("content", "name", "said"),
    [
        (b'{"id": "a"}\n[\n', "bad.jsonl", "bad.jsonl, line 1"),
        (b'{"id": "a", "text": "x"}\n{"id": "a", "text": "y"}\n', "a.jsonl", "found “a” twice"),
        (b"\xff\xfe", "a.txt", "expected UTF-8 text"),
        (b" ", "a.txt", "no passages"),
    ],
)
def test_bad_files_fail_whole_and_say_why(study, bob, content, name, said):
    made = a_corpus(study, bob, a_file(content, name))
    assert made.state == "failed"
    assert said in made.error
    assert not folders()
    corpora.remove(made)
    assert not kept_files()
    assert not CorpusFile.objects.exists()


def test_refused_files_of_a_corpus_leave_nothing(study, bob, settings):
    received(study, bob)
    before = kept_files()
    settings.ATTEST_MAX_UPLOAD_BYTES = 200
    cases: list[tuple[str, dict[str, Any]]] = [
        ("already", {}),
        ("visible signs", {"name": " "}),
        ("words a passage", {"name": "Other", "words": 1}),
        ("is empty", {"name": "Other", "files": [a_file(b"")]}),
        ("at most 200", {"name": "Other", "files": [a_file(b"x" * 201)]}),
    ]
    for said, how in cases:
        with pytest.raises(Refused, match=said):
            received(study, bob, *how.pop("files", ()), **how)
    assert kept_files() == before
    assert Corpus.objects.count() == 1


def test_quotas_count_what_corpora_keep(study, bob, settings):
    made = a_corpus(study, bob)
    settings.ATTEST_STUDY_BYTES = made.kept_bytes + 1
    with pytest.raises(Refused, match=f"{made.kept_bytes:,} bytes of files"):
        received(study, bob, name="More")
    corpora.remove(made)
    settings.ATTEST_STUDY_BYTES = 10_000
    received(study, bob, name="More")
    settings.ATTEST_STUDY_WORK = 1
    with pytest.raises(Refused, match="other work, and this is one more"):
        received(study, bob, name="Still more")


def test_cancelled_indexing_writes_nothing(study, bob, monkeypatch):
    made = received(study, bob)
    monkeypatch.setattr(corpora, "REPORT_INTERVAL", 0.0)
    build = CorpusBuilder.build

    def cancelled_meanwhile(self, passages, *, report_progress):
        corpora.cancel(made)
        report_progress(1)
        return build(self, passages)

    monkeypatch.setattr(CorpusBuilder, "build", cancelled_meanwhile)
    assert corpora.work(made.pk)
    made.refresh_from_db()
    assert made.state == "cancelled"
    assert not folders()
    assert len(kept_files()) == 1, "to be indexed again"
    monkeypatch.undo()
    corpora.again(made)
    assert made.state == "ready"
    with pytest.raises(Refused, match="it is ready"):
        corpora.again(made)
    with pytest.raises(Refused, match="Nothing to cancel"):
        corpora.cancel(made)


def test_files_of_a_dead_worker_are_removed_and_three_deaths_fail(study, bob):
    made = received(study, bob)
    left = settings.ATTEST_CORPORA_DIR / f"{made.pk}-dead"
    for deaths in (1, 2, 3):
        assert claim(corpora.CORPUS, made.pk)
        left.mkdir(parents=True, exist_ok=True)
        past = timezone.now() - timedelta(seconds=1)
        Corpus.objects.filter(pk=made.pk).update(lease_until=past)
        sweep()
        made.refresh_from_db()
        assert made.deaths == deaths
    assert made.state == "failed"
    assert "killed 3 times" in made.error
    corpora.again(made)
    assert folders() == [made.folder]
    assert not left.exists()


def test_with_a_study_go_its_corpora(study, bob, alice):
    made, waiting = a_corpus(study, bob), received(study, bob, name="Waiting")
    removal = delete_study(study, by=alice)
    waiting.refresh_from_db()
    assert waiting.state == "cancelled"
    assert folders() == [made.folder], "it may be put back"
    remove_now(removal)
    remove_rows(removal.pk)
    assert not Corpus.objects.exists()
    assert not folders()
    assert not kept_files()


def test_files_and_folders_without_a_row_are_swept(study, bob):
    """Those of a corpus that waits are its own, for however long."""
    waiting, made = received(study, bob), a_corpus(study, bob, name="Made")
    default_storage.save("2026/01/peaks-corpus-lost", a_file())
    (settings.ATTEST_CORPORA_DIR / "9-lost").mkdir()
    later = timezone.now() + timedelta(hours=25)
    storing.sweep(later)
    corpora.sweep_folders(timezone.now())
    assert folders() == sorted([made.folder, "9-lost"])
    corpora.sweep_folders(later)
    assert folders() == [made.folder]
    assert kept_files() == [waiting.files.get().file.name]


def test_an_index_that_is_not_on_this_disk_is_said(study, bob, settings, tmp_path):
    made = a_corpus(study, bob)
    settings.ATTEST_CORPORA_DIR = tmp_path / "other"
    with pytest.raises(Refused, match="not on this machine's disk"):
        retriever_of(made)
    with pytest.raises(Refused, match="is waiting to be indexed"):
        retriever_of(received(study, bob, name="Waiting"))


@pytest.fixture(scope="module")
def encoder(tmp_path_factory):
    return str(bert(tmp_path_factory.mktemp("encoder")))


@pytest.mark.parametrize("method", ["dense", "hybrid"])
def test_a_worker_searches_by_meaning(study, bob, signed_in, encoder, method):
    records = [{"id": f"p{n}", "text": text} for n, text in enumerate(MEANT)]
    how = {"method": method, "encoder": encoder, "by_operator": True}
    corpus = a_corpus(study, bob, a_file(lines(records)), name="Meant", **how)
    client = signed_in(bob)
    page = client.get(reverse("corpus", args=["peaks", corpus.pk])).content.decode()
    address = f"{reverse('making-new', args=['peaks', 'search'])}?corpus=Meant"
    assert address in page
    assert ("Try a search" in page) == (method == "hybrid")
    assert 'value="Meant" selected' in client.get(address).content.decode()
    sent = {"corpus": "Meant", "query": MEANT[1], "k": 2}
    client.post(reverse("making-new", args=["peaks", "search"]), sent)
    made = Making.objects.get()
    assert made.queue == "entailment"
    making.work(made.pk)
    made.refresh_from_db()
    assert made.state == "done", made.error
    [found] = made.result["tables"]
    first, _ = found["rows"]
    assert found["columns"] == ["Rank", "Passage", "Id", "Score"], "no passage has a title"
    assert first[:3] == [1, MEANT[1], "p1"]
    assert made.result["lines"][0] == "2 passages found"
    assert retriever_of(corpus).signature in made.result["lines"][1]
    shown = client.get(reverse("making", args=["peaks", made.pk])).content.decode()
    assert f'<td dir="auto">{MEANT[1]}</td>' in shown


def test_an_encoder_is_named_by_operators_or_listed(study, bob, encoder, settings):
    for said, how in (
        ("asks no encoder", {"encoder": encoder}),
        ("needs a sentence encoder", {"method": "dense"}),
        ("no model that runs may use", {"method": "dense", "encoder": encoder}),
    ):
        with pytest.raises(Refused, match=said):
            received(study, bob, **how)
    settings.ATTEST_MODELS = [encoder]
    assert received(study, bob, method="dense", encoder=encoder).state == "queued"
    lost = a_corpus(study, bob, name="Lost", method="dense", encoder="/nowhere", by_operator=True)
    assert lost.state == "failed"
    assert "no folder" in lost.error
    assert not folders()
