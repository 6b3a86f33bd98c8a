"""Any table as an upload: its columns are looked at, mapped, and loaded as any other outputs."""

from annotate import uploads
from annotate.models import Response
from tests.formats.tables.making import (
    MAPPING,
    RECORDS,
    as_csv,
)
from tests.uploads.steps import State, check, loaded, problems, receive, work


def test_a_table_without_a_mapping_waits_for_one(study):
    upload = check(study, as_csv(RECORDS), "things.csv")
    assert upload.is_unmapped
    assert upload.state == State.INVALID
    assert "a mapping of the table's columns" in problems(upload)[0]
    columns = (upload.columns or {})["columns"]
    assert [column["name"] for column in columns] == ["id", "ask", "says", "ctx", "by"]
    assert columns[1]["samples"] == ["How high?", "Where?"]
    uploads.check_again(upload, system="", run="", mode="auto", mapping=MAPPING)
    assert upload.state == State.READY
    uploads.accept(upload)
    assert work(upload).state == State.DONE
    assert Response.objects.current().count() == 2


def test_a_large_table_without_a_mapping_needs_no_worker(study, settings, sent):
    settings.ATTEST_INLINE_UPLOAD_BYTES = 0
    upload = receive(study, as_csv(RECORDS), "things.csv")
    uploads.start(upload)
    assert (upload.state, sent) == (State.INVALID, [])


def test_kind_of_rows_can_be_chosen(study):
    loaded(study, as_csv(RECORDS), "a.csv", mapping=MAPPING)
    upload = receive(study, as_csv(RECORDS), "b.csv", format="table-judgments")
    assert (upload.format, upload.mapping) == ("table-judgments", None)
    assert (upload.columns or {})["guess"]["rows"] == "judgments"
