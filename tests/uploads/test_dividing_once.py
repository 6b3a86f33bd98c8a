"""An output is divided once on its way from the check to the load, and loads as if it were not."""

import pytest

from annotate.formats.division import divide_record
from annotate.models import Response, Unit
from annotate.services import uploads
from annotate.services.bulk import maker_of
from annotate.services.uploads import dividing
from annotate.services.uploads.study_index import digest_of, texts_digest
from tests.uploads.files import lines, response
from tests.uploads.steps import check, work

FILE = lines(*(response(n, system="Alpha") for n in range(1, 6)))


@pytest.fixture
def divided(monkeypatch):
    """The outputs that were really divided."""
    dividing._kept.clear()
    seen = []
    really = divide_record

    def counted(record, division):
        seen.append(record.output)
        return really(record, division)

    monkeypatch.setattr(dividing, "divide_record", counted)
    yield seen
    dividing._kept.clear()


def accept(upload):
    uploads.accept(upload, replace=False, keep_good=False)
    assert work(upload).state == upload.State.DONE, upload.error


def loaded_rows():
    fields = ("response__question__external_id", "kind", "key", "text", "start", "end", "number")
    return list(Unit.objects.order_by("pk").values_list(*fields))


def test_the_load_takes_what_the_check_divided(study, divided):
    upload = check(study, FILE, "o.jsonl")
    assert len(divided) == len(dividing._kept) == 5
    accept(upload)
    assert len(divided) == 5
    assert dividing._kept == {}
    assert Response.objects.count() == 5


def test_another_process_divides_again_and_finds_the_same(study, make_study, divided):
    accept(check(study, FILE, "o.jsonl"))
    first = loaded_rows()
    other = check(make_study("others"), FILE, "o.jsonl")
    dividing._kept.clear()
    accept(other)
    assert len(divided) == 15
    assert loaded_rows() == first * 2


def test_what_was_kept_for_another_reading_is_not_taken(study, make_study, divided):
    check(study, FILE, "o.jsonl")
    strict = make_study("strict")
    strict.reading = "strict"
    strict.save(update_fields=["reading"])
    accept(check(strict, FILE, "o.jsonl"))
    assert len(divided) == 10
    assert all("reading:strict" in row.segmentation for row in Response.objects.all())
    assert len(dividing._kept) == 5


def test_there_is_an_end_of_what_is_kept(study, divided, monkeypatch):
    monkeypatch.setattr(dividing, "MOST_KEPT", 1_000)
    upload = check(study, FILE, "o.jsonl")
    assert 0 < len(dividing._kept) < 5
    assert sum(map(len, dividing._kept.values())) <= 1_000
    accept(upload)
    assert Response.objects.count() == 5


def test_a_row_that_is_made_fast_is_the_same(db):
    given = {"response_id": 1, "kind": "statement", "key": "s1", "ordinal": 1, "start": 0, "end": 2}
    fast, slow = maker_of(Unit)(**given), Unit(**given)
    names = [field.attname for field in Unit._meta.concrete_fields]
    assert [getattr(fast, name) for name in names] == [getattr(slow, name) for name in names]
    assert fast._state.adding
    one, other = (maker_of(Response)(run="1") for _ in range(2))
    assert one.metadata == {}
    assert one.metadata is not other.metadata
    assert one.created_at <= other.created_at


@pytest.mark.parametrize("texts", [("Title", "A text."), ('"\\', "\n\t\x07é😀\u2028"), ("", "")])
def test_digests_of_texts_are_those_of_values(texts):
    assert texts_digest(*texts) == digest_of(*texts)
