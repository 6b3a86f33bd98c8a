"""Each format's example comes in from the page, by command and by program, and brings the same."""

import io
from collections.abc import Callable

import pytest
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.test import Client

from annotate.authentication import new_token
from annotate.formats import FORMATS
from annotate.models import Response, Study, Unit, Upload, User

OUTPUTS = [key for key, each in FORMATS.items() if each.kind == "outputs" and not each.mapped]


def as_page(study: Study, owner: User, name: str, content: bytes, tmp_path) -> None:
    client = Client()
    client.force_login(owner)
    at = f"/studies/{study.slug}/uploads/"
    answer = client.post(at, {"file": ContentFile(content, name=name), "mode": "auto"})
    assert answer.status_code == 302, answer.content.decode()
    client.post(f"{answer['Location']}confirm/")


def as_command(study: Study, owner: User, name: str, content: bytes, tmp_path) -> None:
    (tmp_path / name).write_bytes(content)
    call_command("import_outputs", study.slug, str(tmp_path / name), stdout=io.StringIO())


def as_program(study: Study, owner: User, name: str, content: bytes, tmp_path) -> None:
    client = Client(headers={"authorization": f"Bearer {new_token(owner, 'script')}"})
    at = f"/api/studies/{study.slug}/uploads/"
    made = client.post(at, {"file": ContentFile(content, name=name)})
    assert made.status_code == 201, made.content.decode()
    client.post(f"{at}{made.json()['id']}/confirm/", {}, content_type="application/json")


DOORS: list[Callable[..., None]] = [as_page, as_command, as_program]


def brought(study: Study) -> list[tuple]:
    """What a study holds, without what is of its rows alone."""
    rows = Response.objects.current().filter(study=study).order_by("question__external_id", "pk")
    return [
        (
            row.system.name,
            row.question.text,
            row.text,
            [(s.n, s.external_id, s.url, s.passage.text) for s in row.sources.order_by("n")],
            list(Unit.objects.filter(response=row).order_by("pk").values_list("key", "text")),
        )
        for row in rows
    ]


@pytest.mark.parametrize("key", OUTPUTS)
def test_an_example_comes_in_by_each_door(key, make_study, alice, tmp_path):
    content = FORMATS[key].example.encode()
    found = []
    for door in DOORS:
        study = make_study(door.__name__.replace("_", "-"))
        study.memberships.create(user=alice, role="owner")
        door(study, alice, f"example{FORMATS[key].extensions[0]}", content, tmp_path)
        upload = Upload.objects.get(study=study)
        assert (upload.format, upload.state) == (key, "done"), upload.findings
        found.append(brought(study))
    assert found[0]
    assert found[0] == found[1] == found[2]
