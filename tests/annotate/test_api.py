"""The JSON interface: a program brings a file, loads it, reads it and takes it out again."""

import json
from pathlib import Path

from django.core.files.base import ContentFile
from django.test import Client

from annotate.authentication import new_token
from annotate.models import Upload
from tests.annotate.loading import ZUGSPITZE, response
from tests.shared_rows import shared_rows

API = "/api/studies/"
UPLOADS = f"{API}peaks/uploads/"


@shared_rows
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


def test_cancelling_and_discarding(study, program, settings):
    settings.ATTEST_INLINE_UPLOAD_BYTES = 0
    upload = program.post(UPLOADS, {"file": file_of(response("High [1]."))}).json()
    assert upload["state"] == "received"
    assert program.post(f"{UPLOADS}{upload['id']}/cancel/").json()["state"] == "cancelled"
    assert program.post(f"{UPLOADS}{upload['id']}/discard/").json()["state"] == "discarded"
    assert not Path(Upload.objects.get(pk=upload["id"]).file.path).exists()
