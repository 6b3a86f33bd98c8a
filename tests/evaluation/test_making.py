"""Systems and claims that workers make: asked for on a page or by a program, watched, cancelled,
tried again, and followed up where a worker is killed."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from annotate.models import AuditEntry, Response, System, Unit, Upload
from annotate.web.bulk import insert
from annotate.web.errors import Refused
from annotate.work import jobs
from evaluation.generating import new_systems, tool_jobs
from evaluation.models import ClaimDivision, Making
from evaluation.runs import making, parsed_claims
from tests.annotate.loading import load, response
from tests.annotate.pages import policy_faults, visible
from tests.evaluation.runs.doing import worked

pytestmark = pytest.mark.django_db

SAMPLES = ["The moon is high [1].", "Zugspitze is the highest peak [1]."]
ASKED = {"system": "Vermilion", "way": "rerank", "name": "Best", "scorer": "containment"}
OF_THE_FORM = {**ASKED, "variant": "released"}
CITED = {"system": "Vermilion", "way": "postcite", "name": "Cited"}


@pytest.fixture
def sampled(study):
    load(study, [response(SAMPLES[0], metadata={"samples": SAMPLES})])
    return study


def ordered(browser, what="post-edit", **asked):
    answer = browser.post(
        reverse("api-makings-list", args=["peaks"]),
        {"what": what, "options": asked},
        content_type="application/json",
    )
    assert answer.status_code == 201, answer.content
    return Making.objects.get(pk=answer.json()["id"])


def texts(name):
    found = Response.objects.current().filter(system__name=name)
    return list(found.values_list("text", flat=True))


def killed(made, monkeypatch, place, name):
    """Its worker dies at a place; another may take it up."""

    def die(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(place, name, die)
        with pytest.raises(KeyboardInterrupt):
            making.work(made.pk)
    made.refresh_from_db()
    assert made.state == "queued"


def test_from_the_form_to_the_new_system(sampled, browser):
    page = browser.get(reverse("making-new", args=["peaks", "post-edit"]), {"system": "Vermilion"})
    assert policy_faults(page.content.decode()) == []
    assert 'value="Vermilion" selected>Vermilion</option>' in page.content.decode()
    answer = browser.post(reverse("making-new", args=["peaks", "post-edit"]), OF_THE_FORM)
    made = Making.objects.get()
    address = reverse("making", args=["peaks", made.pk])
    assert answer.url == address
    waiting = browser.get(address).content.decode()
    assert 'hx-trigger="every 2s"' in waiting
    assert "No worker is running for the queue “default”" in visible(waiting)
    assert worked(made).state == "done", made.error
    assert texts("Best") == [SAMPLES[1]]
    done = browser.get(address).content.decode()
    assert "hx-trigger" not in done
    assert reverse("system", args=["peaks", System.objects.get(name="Best").pk]) in done
    assert tool_jobs.USES_AUTOAIS in visible(done)
    acts = AuditEntry.objects.filter(act="making-ordered")
    assert acts.get().details == {"what": "post-edit"}


def test_a_name_that_is_taken_is_refused_at_once(sampled, browser):
    again = {**OF_THE_FORM, "name": "Vermilion"}
    answer = browser.post(reverse("making-new", args=["peaks", "post-edit"]), again)
    assert answer.status_code == 422
    assert "has a system “Vermilion” already" in visible(answer.content.decode())
    assert not Making.objects.exists()


def test_a_program_asks_as_the_form_does(sampled, browser):
    made = ordered(browser, **ASKED)
    assert made.options["by"] == "recall"
    assert ordered(browser, **ASKED).pk == made.pk  # while it is made, the same is the same
    worked(made)
    told = browser.get(reverse("api-makings-detail", args=["peaks", made.pk])).json()
    assert (told["state"], told["title"]) == ("done", "Post-edit a system: Best")
    assert told["made"] == System.objects.get(name="Best").pk
    assert told["page"] == reverse("system", args=["peaks", told["made"]])
    assert "1 response: another sample is the output now" in " ".join(told["said"])
    listed = browser.get(reverse("api-makings-list", args=["peaks"])).json()["makings"]
    assert [one["id"] for one in listed] == [made.pk]
    assert browser.delete(reverse("api-makings-detail", args=["peaks", made.pk])).status_code == 204
    assert texts("Best") == [SAMPLES[1]]


@pytest.mark.parametrize("folder", ["/etc", "anything"])
def test_no_folder_is_named_that_the_operator_did_not_list(sampled, browser, folder):
    asked = {"what": "post-edit", "options": {**CITED, "encoder": folder}}
    address = reverse("api-makings-list", args=["peaks"])
    answer = browser.post(address, asked, content_type="application/json")
    assert answer.status_code == 409
    assert "is no model that runs may use here" in answer.content.decode()


def test_another_worker_waits_and_makes_it_anew(sampled, browser, monkeypatch):
    """One dies when the file is kept and nothing is loaded: what it left is taken back, once it is
    sure that nobody is at it."""
    made = ordered(browser, **ASKED)
    killed(made, monkeypatch, new_systems, "load")
    left = Upload.objects.get(pk=made.result["upload"])
    past = timezone.now() - timedelta(days=1)
    naps = []

    def nap(_):
        naps.append(left.pk)
        Upload.objects.filter(pk=left.pk).update(created_at=past)

    monkeypatch.setattr("time.sleep", nap)
    assert worked(made).state == "done", made.error
    assert naps == [left.pk]
    assert texts("Best") == [SAMPLES[1]]
    left.refresh_from_db()
    assert (left.state, left.system) == (Upload.State.DISCARDED, "")
    assert System.objects.get(name="Best").pk == made.result["key"]


def test_cancelled_while_it_is_edited(sampled, browser, monkeypatch):
    """Whoever edits notices before anything is kept."""
    made = ordered(browser, **ASKED)
    store = new_systems.store

    def late(*words):
        making.cancel(Making.objects.get(pk=made.pk))
        return store(*words)

    monkeypatch.setattr(new_systems, "store", late)
    assert worked(made).state == "cancelled"
    assert not System.objects.filter(name="Best").exists()
    assert not Upload.objects.filter(system="Best").exists()
    monkeypatch.undo()
    assert browser.post(reverse("making-retry", args=["peaks", made.pk])).status_code == 302
    assert worked(made).state == "done", made.error
    assert texts("Best") == [SAMPLES[1]]


def test_loaded_system_cannot_be_cancelled(sampled, browser, monkeypatch):
    """It is too late: it stays, and is said to be made."""
    made = ordered(browser, **ASKED)
    killed(made, monkeypatch, tool_jobs, "_made_system")
    with pytest.raises(Refused, match="The new system is there already"):
        making.cancel(made)
    assert worked(made).state == "done"
    with pytest.raises(Refused, match="Nothing to cancel: it is done"):
        making.cancel(made)


def test_three_dead_workers_end_it_and_nothing_is_left(sampled, browser, monkeypatch):
    made = ordered(browser, **ASKED)
    killed(made, monkeypatch, new_systems, "load")
    for _ in range(jobs.MOST_DEATHS):
        assert jobs.claim(making.MAKING, made.pk) is not None
        Making.objects.filter(pk=made.pk).update(lease_until=timezone.now() - timedelta(seconds=1))
        jobs.sweep_rows(making.MAKING, timezone.now())
    made.refresh_from_db()
    assert made.state == "failed"
    assert "was killed 3 times" in made.error
    assert not System.objects.filter(name="Best").exists()


def test_its_file_is_no_further_work(sampled, browser, settings):
    settings.ATTEST_STUDY_WORK = 1
    made = ordered(browser, **ASKED)
    refused = browser.post(reverse("making-new", args=["peaks", "claims"]))
    assert "at most 1 are allowed" in visible(refused.content.decode())
    assert worked(made).state == "done", made.error


def test_claims_are_made_once_whoever_dies(study, browser, monkeypatch):
    load(
        study,
        [response(f"Rain falls [{n}].", question=f"{n}?", question_id=f"q{n}") for n in (1, 2)],
    )
    made = ordered(browser, "claims")
    assert made.queue == "entailment"
    monkeypatch.setattr(parsed_claims, "PORTION", 1)
    portions: list[ClaimDivision] = []

    def dies_at_the_second(rows):
        insert(rows)
        portions.extend(row for row in rows if isinstance(row, ClaimDivision))
        if len(portions) == 2:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(parsed_claims, "insert", dies_at_the_second)
        with pytest.raises(KeyboardInterrupt):
            making.work(made.pk)
    assert ClaimDivision.objects.count() == 1
    assert worked(made).state == "done", made.error
    assert ClaimDivision.objects.count() == 2
    assert Unit.objects.filter(kind="claim").count() == 2
    assert made.result["lines"][1].startswith("2 responses with 2 claims")
    page = browser.get(reverse("making", args=["peaks", made.pk])).content.decode()
    assert f'href="{reverse("responses", args=["peaks"])}"' in page


def test_each_queue_has_its_own_turn(sampled, browser):
    """A worker of one queue takes nothing that belongs to another."""
    slow, quick = ordered(browser, "claims"), ordered(browser, **ASKED)
    assert [*jobs.in_turn(making.MAKING, quick.pk, queue="default")] == [quick.pk, quick.pk]
    assert [*jobs.in_turn(making.MAKING, slow.pk, queue="entailment")] == [slow.pk, slow.pk]
