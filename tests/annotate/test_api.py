"""The JSON interface: a program brings a file, loads it, reads it and takes it out again."""

import json
from pathlib import Path

import pytest
from django.core.files.base import ContentFile
from django.test import Client

from annotate.authentication import new_token
from annotate.models import Response, Upload
from tests.annotate.loading import SKY, ZUGSPITZE, response
from tests.beginnings import beginning

API = "/api/studies/"
UPLOADS = f"{API}peaks/uploads/"


@beginning
def program(bob):
    """A program of bob's, which sends his token and has no cookies."""
    return Client(headers={"authorization": f"Bearer {new_token(bob, 'script')}"})


def file_of(*lines, name="own.jsonl"):
    return ContentFile("".join(json.dumps(line) + "\n" for line in lines).encode(), name=name)


def test_a_file_from_upload_to_export(study, program):
    made = program.post(UPLOADS, {"file": file_of(response("High [1]. Cold [2].", run="7"))})
    assert made.status_code == 201
    upload = made.json()
    assert (upload["state"], upload["format"], upload["findings"]["statements"]) == (
        "ready",
        "attest",
        2,
    )
    done = program.post(f"{UPLOADS}{upload['id']}/confirm/").json()
    assert (done["state"], done["result"]["responses"]) == ("done", 1)
    assert program.get(f"{UPLOADS}{upload['id']}/").json()["state"] == "done"
    assert [u["name"] for u in program.get(UPLOADS).json()["uploads"]] == ["own.jsonl"]

    listed = program.get(f"{API}peaks/responses/").json()
    assert (listed["total"], listed["more"], listed["after"]) == (1, False, None)
    row = listed["responses"][0]
    assert (row["system"], row["run"], row["question"]) == ("Vermilion", "7", ZUGSPITZE)
    one = program.get(f"{API}peaks/responses/{row['id']}/").json()
    assert [unit["key"] for unit in one["units"]] == ["r", "s1", "s2", "s1.c1", "s2.c1"]
    assert [unit["passage"] for unit in one["units"]][3:] == [1, 2]
    assert [passage["n"] for passage in one["passages"]] == [1, 2]

    exported = b"".join(program.get(f"{API}peaks/outputs.jsonl").streaming_content)
    assert json.loads(exported)["output"] == "High [1]. Cold [2]."
    table = b"".join(program.get(f"{API}peaks/judgments.csv").streaming_content)
    assert table.startswith(b"study,system,run,question_id,unit,dimension,judge")


def test_studies_and_systems(peaks, elsewhere, program):
    found = program.get(API).json()["studies"]
    assert [(row["slug"], row["role"]) for row in found] == [("peaks", "researcher")]
    assert program.get(f"{API}peaks/").json()["preset"] == "alce"
    systems = program.get(f"{API}peaks/systems/").json()["systems"]
    assert {row["name"] for row in systems} == set(peaks.systems.values_list("name", flat=True))


def test_paging_and_filters(study, program):
    lines = [
        response(f"Text {n} [1].", question_id=f"q{n}", question=f"{SKY} {n}") for n in range(30)
    ]
    upload = program.post(UPLOADS, {"file": file_of(*lines)}).json()
    program.post(f"{UPLOADS}{upload['id']}/confirm/")
    first = program.get(f"{API}peaks/responses/").json()
    second = program.get(f"{API}peaks/responses/", {"after": first["after"]}).json()
    ids = [row["id"] for row in (*first["responses"], *second["responses"])]
    assert ids == list(Response.objects.order_by("pk").values_list("pk", flat=True))
    assert second["after"] is None
    assert program.get(f"{API}peaks/responses/", {"q": "Text 17"}).json()["total"] == 1


def test_checking_again_under_another_name(study, program):
    item = {"question": ZUGSPITZE, "output": "High [1].", "docs": [{"title": "Z", "text": "High."}]}
    file = ContentFile(json.dumps([item]).encode(), name="mine.json")
    upload = program.post(UPLOADS, {"file": file}).json()
    assert upload["findings"]["systems"] == {"mine": 1}
    again = program.post(f"{UPLOADS}{upload['id']}/again/", {"system": "Ours", "run": "2"}).json()
    assert (again["state"], again["findings"]["systems"]) == ("ready", {"Ours": 1})


def test_cancelling_and_discarding(study, program, settings):
    settings.ATTEST_INLINE_UPLOAD_BYTES = 0
    upload = program.post(UPLOADS, {"file": file_of(response("High [1]."))}).json()
    assert upload["state"] == "received"
    assert program.post(f"{UPLOADS}{upload['id']}/cancel/").json()["state"] == "cancelled"
    assert program.post(f"{UPLOADS}{upload['id']}/discard/").json()["state"] == "discarded"
    assert not Path(Upload.objects.get(pk=upload["id"]).file.path).exists()


@pytest.mark.parametrize(
    ("data", "status", "code"),
    [
        ({}, 400, "invalid"),
        ({"file": ContentFile(b"\x00\x01", name="x.json")}, 409, "refused"),
        ({"file": ContentFile(b"", name="x.json")}, 400, "invalid"),
        ({"file": ContentFile(b"[]", name="x.json"), "format": "xml"}, 400, "invalid"),
        ({"file": ContentFile(b"[]", name="x.json"), "system": "x" * 201}, 400, "invalid"),
    ],
)
def test_refused_files_have_one_shape_of_error(study, program, data, status, code):
    answer = program.post(UPLOADS, data)
    assert answer.status_code == status
    error = answer.json()["error"]
    assert error["code"] == code
    assert error["message"]
    assert set(error) == {"code", "message", "details"}


def test_a_bad_file_is_not_loaded(study, program):
    upload = program.post(UPLOADS, {"file": file_of({**response("High."), "output": 3})}).json()
    assert upload["state"] == "invalid"
    assert upload["findings"]["problems"][0]["where"] == "line 1, field output"
    answer = program.post(f"{UPLOADS}{upload['id']}/confirm/")
    assert (answer.status_code, answer.json()["error"]["code"]) == (409, "refused")
    assert not Response.objects.exists()


def test_a_token_that_was_deleted(study, bob, program):
    bob.api_tokens.all().delete()
    answer = program.get(API)
    assert (answer.status_code, answer.json()["error"]["code"]) == (401, "authentication_failed")
