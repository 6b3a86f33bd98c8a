"""Tables: waiting for a mapping, and by program."""

from django.core.files.uploadedfile import SimpleUploadedFile

from annotate import uploads
from annotate.models import Upload
from tests.cases import each
from tests.formats.tables.making import MAPPING, RECORDS, as_csv
from tests.uploads.steps import State, loaded, receive

HERE = "/api/studies/things/uploads/"


def sent(client, **more):
    return client.post(HERE, {"file": SimpleUploadedFile("a.csv", as_csv(RECORDS)), **more})


def test_a_table_without_one_comes_back_with_a_guess(browser):
    answer = sent(browser).json()
    assert (answer["state"], answer["mapping"]) == ("invalid", None)
    assert [column["name"] for column in answer["columns"]["columns"]][:2] == ["id", "ask"]
    assert answer["columns"]["guess"]["columns"]["ask"] == "question"
    again = browser.post(
        f"{HERE}{answer['id']}/again/",
        {"mapping": answer["columns"]["guess"]},
        content_type="application/json",
    )
    assert (again.status_code, again.json()["state"]) == (200, "ready")


def test_qrels_are_refused_with_the_right_tool(browser):
    content = b"q1\t0\td1\t2\nq1\t0\td2\t0\n"
    answer = browser.post(HERE, {"file": SimpleUploadedFile("qrels.tsv", content)})
    assert answer.status_code == 409
    assert "the tool “Measure retrieval”" in answer.json()["error"]["message"]
    assert not Upload.objects.exists()


@each(
    ("mapping", "said"),
    [
        ("{", "valid JSON"),
        ("[]", "Expected an object with attest_mapping: 1"),
        ('{"attest_mapping": 1, "rows": "outputs", "columns": {"a": "x"}}', "one of question"),
        ('{"attest_mapping": 1, "rows": "outputs", "columns": {"a": "question"}}', "output"),
    ],
)
def test_a_mapping_that_cannot_be_used(browser, mapping, said):
    answer = sent(browser, mapping=mapping)
    assert answer.status_code == 400
    assert said in answer.content.decode()
    assert not Upload.objects.exists()


def test_another_kind_of_file_takes_no_mapping(browser, study):
    from tests.uploads.files import responses

    upload = receive(study, responses(1), "a.jsonl")
    uploads.start(upload)
    answer = browser.post(
        f"{HERE}{upload.pk}/again/", {"mapping": MAPPING.as_json()}, content_type="application/json"
    )
    assert answer.status_code == 409
    assert "is no table" in answer.json()["error"]["message"]


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
