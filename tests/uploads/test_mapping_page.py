"""The page that says which column of a table is what."""

import json

import pytest
from django.core.files.storage import default_storage
from django.core.files.uploadedfile import SimpleUploadedFile

from annotate import uploads
from annotate.models import Judge, Judgment, Response, Upload
from annotate.web.errors import Refused
from tests.formats.tables.making import (
    JUDGED,
    JUDGING,
    MAPPING,
    RATED,
    RATING,
    RECORDS,
    as_csv,
    as_lines,
    as_parquet,
    mapping,
    zipped,
)
from tests.uploads.steps import loaded, receive

RAGAS = [
    {"user_input": "Why?", "retrieved_contexts": ["Since."], "response": "Since [1]."},
    {"user_input": "When?", "retrieved_contexts": ["Then."], "response": "Then [1]."},
]


def bring(browser, content, name="things.csv", **more):
    data = {"file": SimpleUploadedFile(name, content), "mode": "auto", **more}
    return browser.post("/studies/things/uploads/", data)


def sent(mapping, upload, **more):
    """The form as a browser sends it."""
    columns = upload.columns["columns"]
    chosen = {f"column-{n}": mapping.columns.get(c["name"], "") for n, c in enumerate(columns)}
    return {**chosen, "mode": "auto", **more}


def test_a_table_is_asked_about_and_loaded(browser):
    answer = bring(browser, as_csv(RECORDS))
    upload = Upload.objects.get()
    address = f"/studies/things/uploads/{upload.pk}/columns/"
    assert answer["Location"] == address
    page = browser.get(address).content.decode()
    assert "<bdi>How high?</bdi>" in page
    assert "All 2 rows of the file" in page, "question and answer are guessed by what they hold"
    form = sent(MAPPING, upload)
    tried = browser.post(address, {**form, "try": "1"}).content.decode()
    assert "All 2 rows of the file" in tried
    assert '<h3 class="question"' in tried
    upload.refresh_from_db()
    assert upload.mapping is None, "trying keeps nothing"
    assert browser.get(f"/studies/things/uploads/{upload.pk}/mapping.json").status_code == 404
    part = browser.post(address, form, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert "All 2 rows of the file" in part
    answer = browser.post(address, form)
    assert answer["Location"] == f"/studies/things/uploads/{upload.pk}/"
    upload = Upload.objects.get()
    assert (upload.state, upload.mapping) == ("ready", MAPPING.as_json())
    browser.post(f"/studies/things/uploads/{upload.pk}/confirm/")
    assert Response.objects.current().count() == 2
    assert browser.get(address)["Location"] == f"/studies/things/uploads/{upload.pk}/"


NOT_QUITE_RAGAS = [
    {"user_input": "How high?", "retrieved_contexts": ["It is high."], "generated": "High [1]."},
    {"user_input": "Where?", "retrieved_contexts": ["It is there."], "generated": "There [1]."},
]


def test_unreadable_file_of_a_format_can_be_read_as_a_table(browser):
    bring(browser, as_lines(NOT_QUITE_RAGAS), "r.jsonl")
    upload = Upload.objects.get()
    address = f"/studies/things/uploads/{upload.pk}/"
    assert (upload.format, upload.state) == ("ragas", "invalid")
    page = browser.get(address).content.decode()
    assert "No record can be read as RAGAS samples" in page
    assert "Read as table" in page
    answer = browser.post(f"{address}as-table/")
    assert answer["Location"] == f"{address}columns/"
    upload.refresh_from_db()
    assert (upload.format, upload.is_unmapped, upload.findings) == ("table", True, {})
    assert "This is a table. Map its columns first." in browser.get(address).content.decode()
    said = mapping(
        given={"system": "S"},
        user_input="question",
        retrieved_contexts="passage",
        generated="output",
    )
    browser.post(f"{address}columns/", sent(said, upload, system="S"))
    browser.post(f"{address}confirm/")
    assert Response.objects.current().count() == 2


def test_a_file_that_is_gone_is_no_table(browser):
    bring(browser, as_lines(NOT_QUITE_RAGAS), "r.jsonl")
    upload = Upload.objects.get()
    default_storage.delete(str(upload.file.name))
    page = browser.get(f"/studies/things/uploads/{upload.pk}/")
    assert page.status_code == 200
    assert "Read as table" not in page.content.decode()


def test_the_mapping_is_offered_again_and_saved_as_a_file(browser, study):
    loaded(study, as_csv(RECORDS), "a.csv", mapping=MAPPING)
    answer = bring(browser, as_parquet([{**RECORDS[0], "by": "T"}]), "b.parquet")
    upload = Upload.objects.order_by("-pk")[0]
    assert answer["Location"] == f"/studies/things/uploads/{upload.pk}/"
    assert upload.state == "ready"
    page = browser.get(f"/studies/things/uploads/{upload.pk}/columns/").content.decode()
    assert "As in an earlier file with these columns" in page
    file = browser.get(f"/studies/things/uploads/{upload.pk}/mapping.json")
    assert json.loads(file.content) == MAPPING.as_json()
    assert 'filename="things-mapping.json"' in file["Content-Disposition"]


def test_a_mapping_comes_with_the_file(browser):
    held = json.dumps(MAPPING.as_json()).encode()
    bring(browser, as_csv(RECORDS), mapping=SimpleUploadedFile("m.json", held))
    assert Upload.objects.get().state == "ready"
    for wrong, message in (
        (b"{", "Expected a mapping as JSON"),
        (b"[]", "an object with attest_mapping"),
    ):
        answer = bring(browser, as_csv(RECORDS), mapping=SimpleUploadedFile("m.json", wrong))
        assert answer.status_code == 422
        assert message in answer.content.decode()


def test_judgments_with_what_their_values_mean(browser, study):
    loaded(study, as_csv(RECORDS), "a.csv", mapping=MAPPING)
    upload = receive(study, as_csv(JUDGED), "j.csv")
    uploads.start(upload)
    address = f"/studies/things/uploads/{upload.pk}/columns/"
    form = sent(JUDGING, upload, **{"given-judge_kind": "human", "value-0": "yes"})
    tried = browser.post(f"{address}?rows=judgments", {**form, "try": "1"}).content.decode()
    assert "field v: expected" in tried, "what 0 means is not said"
    form["value-1"] = "no"
    browser.post(f"{address}?rows=judgments", form)
    upload.refresh_from_db()
    assert (upload.state, upload.format) == ("ready", "table-judgments")
    assert upload.mapping == JUDGING.as_json()


def test_several_value_columns_have_their_own_dimension(browser, study):
    loaded(study, as_csv(RECORDS), "a.csv", mapping=MAPPING)
    rows = [{**row, "first": row["utility"]} for row in RATED]
    upload = receive(study, as_csv(rows), "j.csv")
    uploads.start(upload)
    address = f"/studies/things/uploads/{upload.pk}/columns/?rows=judgments"
    page = browser.get(address).content.decode()
    assert 'name="about-2-dimension"' in page
    assert 'value="Ada"' in page, "as the column is called"
    form = sent(RATING, upload, **{f"given-{key}": said for key, said in RATING.given.items()})
    form |= {"column-5": "value"}
    tried = browser.post(address, {**form, "try": "1"}).content.decode()
    assert 'name="about-5-judge"' in tried
    assert "Still needed: Dimension" in tried
    form["column-5"] = ""
    for n, said in zip((2, 3, 4), RATING.about.values(), strict=True):
        form |= {f"about-{n}-{key}": text for key, text in said.items()}
    held = browser.post(address, {**form, "try": "1"}).context["form"].values
    form |= {f"value-{n}": RATING.values.get(value, "") for n, value in enumerate(held)}
    browser.post(address, form)
    upload.refresh_from_db()
    assert (upload.state, upload.mapping) == ("ready", RATING.as_json() | {
        "columns": {**RATING.columns, "first": ""},
    })  # fmt: skip
    browser.post(f"/studies/things/uploads/{upload.pk}/confirm/")
    assert Judgment.objects.count() == 5


def test_the_passages_may_come_later(browser, study):
    rows = [{"ask": "Who?", "says": "Ada [1].", "ids": ["p1"]}]
    columns = mapping(ask="question", says="output", ids="passage_id")
    upload = receive(study, as_lines(rows), "a.jsonl", mapping=columns)
    uploads.start(upload)
    address = f"/studies/things/uploads/{upload.pk}/columns/"
    kept = []
    for text in ("Nothing.", "Ada did."):
        held = SimpleUploadedFile("p.csv", as_csv([{"id": "p1", "text": text}]))
        browser.post(address, {**sent(columns, upload), "passages": held})
        kept.append(Upload.objects.get().passages_file.name)
    upload = Upload.objects.get()
    assert (upload.state, upload.passages_name) == ("ready", "p.csv")
    assert [default_storage.exists(str(name)) for name in kept] == [False, True]
    browser.post(f"/studies/things/uploads/{upload.pk}/confirm/")
    assert Response.objects.get().sources.get().passage.text == "Ada did."
    held = SimpleUploadedFile("p.csv", as_csv([{"id": "p1", "text": "Late."}]))
    with pytest.raises(Refused, match="This upload is loaded"):
        uploads.give_passages(Upload.objects.get(), held)


def test_slow_preview_is_skipped(browser, study, settings):
    upload = receive(study, zipped(a__csv=as_csv(RECORDS)), "a.zip", mapping=MAPPING)
    uploads.start(upload)
    address = f"/studies/things/uploads/{upload.pk}/columns/"
    assert "All 2 rows" in browser.get(address).content.decode()
    settings.ATTEST_INLINE_UPLOAD_BYTES = 10
    assert "The file is large" in browser.get(address).content.decode()


def test_cells_are_shown_as_text(browser, study):
    upload = receive(study, as_csv([{"says": "S [1].", "<b>ask</b>": "<script>1</script>?"}]))
    uploads.start(upload)
    page = browser.get(f"/studies/things/uploads/{upload.pk}/columns/").content.decode()
    assert "<script>1" not in page
    assert "<b>ask" not in page
    assert "&lt;script&gt;1" in page


def test_columns_missing_in_a_stored_mapping_are_offered(browser):
    bring(browser, as_csv(RECORDS))
    things = Upload.objects.get()
    browser.post(f"/studies/things/uploads/{things.pk}/columns/", sent(MAPPING, things))
    browser.post(f"/studies/things/uploads/{things.pk}/confirm/")
    plain = {
        "system": "S", "question_id": "q1", "unit": "s1", "dimension": "citation_recall",
        "judge": "Ada", "judge_kind": "human", "value": "yes",
    }  # fmt: skip
    said = mapping("judgments", **{name: name for name in plain})
    old = mapping("judgments", **{name: name for name in plain}, standing="", counted="")
    rows = [plain | {"standing": "excluded", "counted": "excluded"}]
    bring(browser, as_parquet(rows), "said.parquet")
    upload = Upload.objects.latest("pk")
    address = f"/studies/things/uploads/{upload.pk}/"
    browser.post(f"{address}columns/?rows=judgments", sent(old, upload))
    upload.refresh_from_db()
    assert upload.passed_over == {"standing": "standing", "counted": "counted"}
    page = browser.get(address).content.decode()
    assert "The mapping skips <bdi>standing, counted</bdi>, which say more" in page
    assert f'href="{address}columns/?whole=1"' in page
    form = browser.get(f"{address}columns/?whole=1").context["form"]
    assert form.before.columns == {**said.columns, "standing": "standing", "counted": "counted"}
    whole = sent(form.before, upload)
    browser.post(f"{address}columns/?rows=judgments", whole)
    upload.refresh_from_db()
    assert (upload.passed_over, upload.state) == ({}, "ready")
    assert "leaves out" not in browser.get(address).content.decode()
    browser.post(f"{address}confirm/")
    assert Judge.objects.get(name="Ada").standing == "excluded"
