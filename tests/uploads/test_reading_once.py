"""A file is read and divided once on its way to the load, and loads as if it were not."""

import marshal
from functools import partial
from pathlib import Path

import pytest
from django.db import transaction

from annotate.formats import FORMATS, read
from annotate.formats.division import divide_record
from annotate.formats.records import PassageRecord, QuestionRecord, ResponseRecord, Where
from annotate.models import Passage, Response, Unit
from annotate.segment import Segmentation
from annotate.services import uploads
from annotate.services.bulk import BulkTable
from annotate.services.uploads import dividing, kept
from annotate.services.uploads.chunks import (
    Chunk,
    Divided,
    chunks,
    open_reader,
)
from annotate.services.uploads.study_index import digest_of, texts_digest
from tests.cases import each
from tests.uploads.files import lines, response
from tests.uploads.steps import check, work

FILE = lines(*(response(n, system="Alpha") for n in range(1, 6)))


@pytest.fixture
def divided(monkeypatch):
    """The outputs that were really divided."""
    seen = []
    really = divide_record

    def counted(record, division):
        seen.append(record.output)
        return really(record, division)

    monkeypatch.setattr(dividing, "divide_record", counted)
    monkeypatch.setattr(kept, "_last", None)
    return seen


@pytest.fixture
def opened(monkeypatch):
    """The uploads whose file a load read again."""
    seen = []
    really = open_reader

    def counted(upload):
        seen.append(upload.pk)
        return really(upload)

    monkeypatch.setattr(kept, "open_reader", counted)
    return seen


def accept(upload):
    uploads.accept(upload, replace=False, keep_good=False)
    assert work(upload).state == upload.State.DONE, upload.error


def loaded_rows():
    names = ("response__question__external_id", "kind", "key", "text", "start", "end", "number")
    return list(Unit.objects.order_by("pk").values_list(*names))


def test_the_load_takes_what_the_check_read_and_divided(study, divided, opened):
    accept(check(study, FILE, "o.jsonl"))
    assert len(divided) == 5
    assert opened == []
    assert kept._last is None
    assert Response.objects.count() == 5


def test_another_process_reads_again_and_finds_the_same(
    study, make_study, divided, opened, monkeypatch
):
    accept(check(study, FILE, "o.jsonl"))
    first = loaded_rows()
    other = check(make_study("others"), FILE, "o.jsonl")
    monkeypatch.setattr(kept, "_last", None)
    accept(other)
    assert len(divided) == 15
    assert opened == [other.pk]
    assert loaded_rows() == first * 2


def test_what_was_kept_of_another_upload_is_not_taken(study, make_study, divided, opened):
    first = check(study, FILE, "o.jsonl")
    strict = make_study("strict")
    strict.reading = "strict"
    strict.save(update_fields=["reading"])
    accept(check(strict, FILE, "o.jsonl"))
    assert len(divided) == 10
    assert all("reading:strict" in row.segmentation for row in Response.objects.all())
    accept(first)
    assert opened == [first.pk]


def test_what_was_kept_by_other_limits_is_not_taken(study, divided, opened, settings):
    upload = check(study, FILE, "o.jsonl")
    settings.ATTEST_MAX_PASSAGES -= 1
    accept(upload)
    assert opened == [upload.pk]


@pytest.mark.parametrize("fault", ["room", "disk"])
def test_what_cannot_be_kept_is_read_again(study, divided, opened, monkeypatch, fault):
    if fault == "room":
        monkeypatch.setattr(kept, "MOST_KEPT", 1_000)
    else:
        full = partial(Path("/dev/full").open, "wb")
        monkeypatch.setattr("tempfile.TemporaryFile", full)
    upload = check(study, FILE, "o.jsonl")
    accept(upload)
    assert opened == [upload.pk]
    assert Response.objects.count() == 5


def test_values_that_are_none_of_json_are_not_kept(study):
    passage = PassageRecord(1, "", "Text.", metadata={"odd": object()})
    record = ResponseRecord(Where(line=1), QuestionRecord("Why?"), "So.", passages=(passage,))
    keeping = kept.KeptChunks(check(study, FILE, "o.jsonl"))
    keeping.add(Chunk(responses=[record]), 1)
    keeping.add(Chunk(), 2)
    assert not keeping.is_whole


@each("key", sorted(FORMATS))
def test_what_any_format_holds_is_kept_as_it_is(tmp_path, key):
    path = tmp_path / "file"
    example = FORMATS[key].example
    path.write_text(example, encoding="utf-8")
    for chunk in chunks(read(path, key)):
        chunk.divided = [Divided("en", divide_record(each)) for each in chunk.responses]
        there = marshal.loads(marshal.dumps(kept._chunk.packed(chunk)))
        again = kept._chunk.unpacked(there)
        assert again == chunk
        assert all(isinstance(each.found, Segmentation) for each in again.divided)


@each("count", [1, 166, 167, 400])
def test_rows_of_one_statement_or_several_are_all_written_in_order(study, count):
    table = BulkTable(Passage, "study_id", "digest", "title", "text")
    rows = [(study.pk, f"d{n}", f"Title {n}", f"Text {n}.") for n in range(count)]
    with transaction.atomic():
        keys = [*table.insert(rows)]
    written = Passage.objects.order_by("pk").values_list("study_id", "digest", "title", "text")
    assert [*written] == rows
    assert [*Passage.objects.order_by("pk").values_list("pk", flat=True)] == keys


@each("texts", [("Title", "A text."), ('"\\', "\n\t\x07é😀\u2028"), ("", "")])
def test_digests_of_texts_are_those_of_values(texts):
    assert texts_digest(*texts) == digest_of(*texts)
