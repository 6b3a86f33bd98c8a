"""A program makes a study, fills it, has it judged, and writes over nothing that others changed."""

import base64
import json

import pytest
from django.core.files.base import ContentFile
from django.test import Client

from annotate.authentication import new_token
from annotate.models import Batch, Judgment, Membership, Scope, SharedCount, Study
from tests.annotate.loading import response
from tests.shared_rows import shared_rows

API = "/api/studies/"


class Program:
    """Sends JSON with a token."""

    def __init__(self, user, **options):
        self.client = Client(headers={"authorization": f"Bearer {new_token(user, 'x', **options)}"})

    def ask(self, method, path, data=None, **headers):
        body = "" if data is None else json.dumps(data)
        return self.client.generic(
            method, f"{API}{path}", body, "application/json", headers=headers
        )

    def get(self, path):
        return self.ask("GET", path)

    def post(self, path, **data):
        return self.ask("POST", path, data)

    def bring(self, slug, line):
        file = ContentFile(json.dumps(line).encode(), name="x.jsonl")
        upload = self.client.post(f"{API}{slug}/uploads/", {"file": file}).json()
        self.post(f"{slug}/uploads/{upload['id']}/confirm/")


@shared_rows
def program(alice):
    return Program(alice)


def test_a_study_from_nothing_to_a_rating(program, rita):
    made = program.post("", name="Lakes", slug="lakes", preset="alce").json()
    assert (made["slug"], made["role"]) == ("lakes", "owner")
    link = program.post("lakes/invitations/", role="rater", label="pilot").json()
    rater = Client()
    rater.force_login(rita)
    assert rater.post(link["path"]).status_code == 302
    assert [one["username"] for one in program.get("lakes/members/").json()["members"]] == [
        "alice",
        "rita",
    ]
    program.bring("lakes", response("It is deep [1]."))
    batch = program.post("lakes/batches/", name="All").json()
    program.post(f"lakes/batches/{batch['id']}/open/")

    desk = Program(rita, scopes=[Scope.READ, Scope.RATE])
    assert [one["left"] for one in desk.get("lakes/desk/").json()["batches"]] == [1]
    task = desk.post(f"lakes/desk/batches/{batch['id']}/next/").json()["task"]
    assert "Vermilion" not in json.dumps(task)
    while step := next((s for s in task["steps"] if s["is_open"]), None):
        value = step["choices"][0]["value"]
        done = desk.post(f"lakes/desk/tasks/{task['id']}/answer/", step=step["step"], value=value)
        assert done.json()["value"] == value
        task = desk.get(f"lakes/desk/tasks/{task['id']}/").json()
    assert desk.post(f"lakes/desk/tasks/{task['id']}/finish/").json()["state"] == "done"
    assert {one.judge.user for one in Judgment.objects.select_related("judge")} == {rita}
    after = desk.post(f"lakes/desk/batches/{batch['id']}/next/").json()
    assert (after["task"], after["why_not"]) == (None, "all yours done")


def test_what_was_changed_meanwhile_is_not_written_over(study, program, bob):
    read = program.get("peaks/")
    stale = {"If-Match": read["ETag"]}
    other = Program(bob).ask("PATCH", "peaks/", {"raters_per_unit": 5})
    assert other.json()["raters_per_unit"] == 5
    refused = program.ask("PATCH", "peaks/", {"raters_per_unit": 2}, **stale)
    assert (refused.status_code, refused.json()["error"]["code"]) == (412, "changed_meanwhile")
    assert program.ask("DELETE", "peaks/", **stale).status_code == 412
    assert Study.objects.get(slug="peaks").raters_per_unit == 5
    fresh = {"If-Match": program.get("peaks/")["ETag"]}
    changed = program.ask("PATCH", "peaks/", {"raters_per_unit": 2}, **fresh)
    assert changed.json()["raters_per_unit"] == 2
    assert changed["ETag"] == program.get("peaks/")["ETag"] != read["ETag"]


def test_the_tag_of_what_came_compressed_is_the_same(peaks, program):
    gzip = {"Accept-Encoding": "gzip"}
    read = program.ask("GET", "peaks/", **gzip)
    assert read["Content-Encoding"] == "gzip"
    stale = {"If-Match": read["ETag"], **gzip}
    assert program.ask("PATCH", "peaks/", {"name": "Hills"}, **stale).status_code == 200
    assert program.ask("PATCH", "peaks/", {"name": "Dales"}, **stale).status_code == 412


def test_deleting_and_putting_back(peaks, program):
    removal = program.ask("DELETE", "peaks/").json()
    assert program.get("peaks/").status_code == 404
    listed = program.client.get("/api/deleted/").json()["deleted"]
    assert [one["id"] for one in listed] == [removal["id"]]
    assert program.client.post(f"/api/deleted/{removal['id']}/back/").status_code == 204
    assert program.get("peaks/").status_code == 200


def test_a_token_for_one_study_makes_and_puts_back_no_other(peaks, alice, program):
    removal = program.ask("DELETE", "peaks/").json()
    program.post("", name="Lakes", preset="ais")
    narrow = Program(alice, study=Study.objects.get(slug="lakes"))
    assert narrow.client.get("/api/deleted/").json()["deleted"] == []
    assert narrow.client.post(f"/api/deleted/{removal['id']}/back/").status_code == 404
    assert narrow.post("", name="More", preset="ais").status_code == 403


def test_a_dispute_is_decided_once(peaks, program):
    first = program.get("peaks/disputes/?state=all").json()["disputes"]
    unit = peaks.responses.first().units.get(key="s1").pk
    path = f"peaks/disputes/{unit}/citation_recall/"
    decided = program.post(path, value="no", note="It is not there.").json()
    assert (decided["value"], decided["given_by"]) == ("no", "alice")
    late = program.post(path, value="yes", base="somebody-elses")
    assert (late.status_code, late.json()["error"]["code"]) == (412, "changed_meanwhile")
    assert program.get(path).json()["decided"]["value"] == "no"
    now = program.get("peaks/disputes/?state=all").json()["disputes"]
    assert len(now) == len({(one["unit"], one["dimension"]) for one in [*first, *now]})
    assert program.post(path, take_back=True).json()["value"] == ""


def test_a_batch_changes_until_it_is_closed(peaks, program):
    batch = program.post("peaks/batches/", name="First").json()
    path = f"peaks/batches/{batch['id']}/"
    assert program.ask("PATCH", path, {"lease_minutes": 7}).json()["lease_minutes"] == 7
    Batch.objects.filter(pk=batch["id"]).update(state="closed")
    assert program.ask("PATCH", path, {"lease_minutes": 9}).status_code == 409


@pytest.mark.parametrize("query", ["q=", "archived=", "after=", "limit=&q=Peaks"])
def test_a_filter_without_a_value_finds_nothing(study, program, query):
    refused = program.get(f"?{query}")
    assert (refused.status_code, refused.json()["error"]["code"]) == (400, "invalid")
    assert "Leave it out instead." in refused.content.decode()


def test_a_post_that_is_sent_twice_is_done_once(study, program, bob):
    def invite(label, who=program):
        key = {"Idempotency-Key": "first"}
        return who.ask("POST", "peaks/invitations/", {"label": label}, **key)

    made, again = invite("pilot"), invite("pilot")
    assert (made.status_code, again.status_code) == (201, 201)
    assert again.json() == made.json()
    assert again["Idempotency-Replayed"] == "true"
    assert study.invitations.count() == 1
    assert invite("another").json()["error"]["code"] == "refused"
    assert invite("pilot", Program(bob)).json()["id"] != made.json()["id"]


def test_a_post_is_answered_again_only_to_those_who_may_still_ask(study, program, bob):
    researcher, key = Program(bob), {"Idempotency-Key": "mine"}

    def invite(who):
        return who.ask("POST", "peaks/invitations/", {}, **key)

    made = invite(researcher)
    assert made.status_code == 201
    program.post("", name="Lakes", slug="lakes", preset="ais")
    lakes = Study.objects.get(slug="lakes")
    Membership.objects.create(study=lakes, user=bob, role="researcher")
    assert invite(Program(bob, study=lakes)).status_code == 404
    assert invite(Program(bob)).json()["id"] != made.json()["id"]
    Membership.objects.filter(study=study, user=bob).delete()
    assert invite(researcher).status_code == 404


def test_another_file_of_the_same_name_and_size_is_another_post(study, program):
    def bring(text):
        file = ContentFile(json.dumps(response(text)).encode(), name="x.jsonl")
        path = f"{API}peaks/uploads/"
        return program.client.post(path, {"file": file}, headers={"Idempotency-Key": "file"})

    first = bring("It is deep [1].").json()
    assert bring("It is deep [1].").json() == first
    assert bring("It is flat [1].").json()["error"]["code"] == "refused"
    program.post(f"peaks/uploads/{first['id']}/confirm/")
    assert study.responses.get().text == "It is deep [1]."


def test_a_refused_post_is_tried_anew(study, program):
    key = {"Idempotency-Key": "once"}
    assert program.ask("POST", "peaks/batches/", {"name": "All"}, **key).status_code == 409
    line = json.dumps(response("It is deep [1].")).encode()
    upload = program.client.post(
        f"{API}peaks/uploads/", {"file": ContentFile(line, name="x.jsonl")}
    )
    program.post(f"peaks/uploads/{upload.json()['id']}/confirm/")
    assert program.ask("POST", "peaks/batches/", {"name": "All"}, **key).status_code == 201
    assert program.ask("POST", "peaks/batches/", {"name": "All"}, **key).status_code == 201
    assert study.batches.count() == 1


def test_a_kept_answer_is_not_to_be_read_in_the_database(study, program):
    key = {"Idempotency-Key": "link"}
    path = program.ask("POST", "peaks/invitations/", {}, **key).json()["path"]
    rows = SharedCount.objects.values_list("value", flat=True)
    assert rows
    assert not [one for one in rows if path.encode() in base64.b64decode(one)]


def test_a_token_for_one_study_makes_no_other(alice, peaks):
    bound = Program(alice, study=peaks)
    assert bound.get("peaks/").status_code == 200
    assert bound.post("", name="Lakes", preset="alce").status_code == 403
    assert bound.post("peaks/copy/", name="Peaks again").status_code == 403
    assert Study.objects.count() == 1
