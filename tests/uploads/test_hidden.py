"""Nothing of an upload is seen anywhere before it is published as a whole."""

import re

import pytest

from annotate import uploads
from annotate.models import Response, System, User
from annotate.studies.lifecycle import create_study
from annotate.uploads import loading
from tests.cases import each
from tests.shared_rows import shared_rows
from tests.uploads.files import judged, judgments, lines, passage, response, responses
from tests.uploads.leasing import Killed, kill
from tests.uploads.steps import State, check, loaded

SECRET = "Zanzibar"


def killed_before_publishing(upload):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(loading, "_publish", kill)
        with pytest.raises(Killed):
            uploads.work(upload.pk)


def secret(number):
    return response(
        number,
        system=f"{SECRET} system",
        question={"id": f"{SECRET}-{number}", "text": f"What is {SECRET} {number}?"},
        output=f"{SECRET} {number} is round [1].",
        passages=[{"n": 1, **passage(SECRET)}],
    )


@shared_rows
def owner():
    return User.objects.create_user(username="owner@example.org", name="Owner", is_researcher=True)


@shared_rows
def half_loaded(owner):
    """A study with two responses, and an upload that is written but not published."""
    study = create_study(name="Things", slug="things", preset="alce", owner=owner)
    loaded(study, responses(2), "r.jsonl")
    upload = check(study, lines(*(secret(n) for n in range(5))), "secret.jsonl")
    uploads.accept(upload)
    killed_before_publishing(upload)
    upload.refresh_from_db()
    assert upload.state == State.LOADING
    assert Response.objects.count() == 7
    return study


PLACES = [
    *(f"/studies/things/{page}" for page in (
        "", "progress/", "systems/", "responses/", f"responses/?q={SECRET}", "members/",
        "settings/", "delete/", "data/", "data/outputs.jsonl", "data/judgments.csv",
        "data/judgments.jsonl", "guidelines/", "uploads/",
    )),
    *(f"/api/studies/{path}" for path in (
        "", "things/", "things/systems/", "things/responses/", "things/outputs.jsonl",
        "things/judgments.csv", f"things/responses/?q={SECRET}",
    )),
]  # fmt: skip


def text_at(client, address):
    answer = client.get(address)
    assert answer.status_code == 200
    body = b"".join(answer.streaming_content) if answer.streaming else answer.content
    return body.decode()


@each("address", PLACES)
def test_unpublished_upload_is_hidden(half_loaded, owner, client, address):
    client.force_login(owner)
    text = text_at(client, address).replace(f"?q={SECRET}", "").replace(f'value="{SECRET}"', "")
    text = re.sub(rf"q={SECRET}[^\"]*", "", text)
    text = text.replace(f"search: <bdi>{SECRET}</bdi>", "")  # what was asked
    assert SECRET not in text


def test_its_responses_and_system_have_no_page(half_loaded, owner, client):
    client.force_login(owner)
    system = System.objects.get(name__startswith=SECRET)
    assert client.get(f"/studies/things/systems/{system.pk}/").status_code == 404
    hidden = Response.objects.filter(system__name__startswith=SECRET).first()
    assert hidden
    assert client.get(f"/studies/things/responses/{hidden.pk}/").status_code == 404
    shown = Response.objects.exclude(system__name__startswith=SECRET).first()
    assert shown
    assert client.get(f"/studies/things/responses/{shown.pk}/").status_code == 200


def test_the_counts_leave_it_out(half_loaded, owner, client):
    client.force_login(owner)
    loaded_now = client.get("/studies/things/").context["loaded"]
    assert (loaded_now.responses, loaded_now.systems, loaded_now.questions) == (2, 1, 2)
    assert (loaded_now.statements, loaded_now.citations) == (4, 4)
    assert client.get("/studies/").context["rows"][0].responses == 2
    page = client.get("/studies/things/responses/").context["page"]
    assert page.total == 2


def test_the_same_question_shows_no_unpublished_answer(owner, client):
    study = create_study(name="Things", slug="things", preset="alce", owner=owner)
    loaded(study, responses(1), "r.jsonl")
    upload = check(study, responses(1, system=SECRET), "secret.jsonl")
    uploads.accept(upload)
    killed_before_publishing(upload)
    client.force_login(owner)
    shown = Response.objects.get(system__name="System A")
    answer = client.get(f"/studies/things/responses/{shown.pk}/")
    assert SECRET not in answer.content.decode()


def test_unpublished_judgments_are_not_counted(owner, client):
    study = create_study(name="Things", slug="things", preset="alce", owner=owner)
    loaded(study, responses(1), "r.jsonl")
    rows = [judged(1, "s1", "citation_recall", "yes", judge=SECRET, note=SECRET)]
    upload = check(study, judgments(*rows), "j.csv")
    uploads.accept(upload)
    killed_before_publishing(upload)
    client.force_login(owner)
    shown = Response.objects.get()
    for page in ("", "progress/", f"responses/{shown.pk}/", "data/", "data/judgments.csv"):
        assert SECRET not in text_at(client, f"/studies/things/{page}"), page
    assert "No judgments yet" in text_at(client, "/studies/things/data/")
    rows = client.get("/studies/things/progress/").context["rows"]
    assert sum(row.judged + row.by_people for row in rows) == 0
