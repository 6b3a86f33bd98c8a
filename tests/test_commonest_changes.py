"""A common change is made in one place: each test makes one and sees it everywhere."""

import re
from pathlib import Path

from bs4 import BeautifulSoup
from django.forms import model_to_dict
from django.urls import reverse
from django_filters import CharFilter

from annotate.content.api.systems import SystemSerializer
from annotate.content.judgments import judge_of
from annotate.models import Assignment, Role, Study
from annotate.people import members
from annotate.rating import assignments
from annotate.studies.audit_log import AuditLogFilter
from annotate.studies.forms.studies import StudySettingsForm
from annotate.studies.lifecycle import write_guidelines
from tests.annotate.desk import batch_of
from tests.shared_rows import shared_rows

ROOT = Path(__file__).resolve().parents[1]


@shared_rows
def browser(signed_in, alice, peaks):
    members.invite(peaks, role=Role.RATER, author=alice)
    write_guidelines(peaks, "Read slowly.", alice)
    return signed_in(alice)


def test_a_filter_of_a_list_is_one_line_for_pages_and_programs(browser, monkeypatch):
    name, told = "api-audit-log-list", reverse("audit-log", args=["peaks"])
    query = {"kind": "invitation"}
    refused = browser.get(reverse(name, args=["peaks"]), query)
    assert refused.status_code == 400
    added = CharFilter("kind", "iexact", label="Of which kind")
    monkeypatch.setitem(AuditLogFilter.base_filters, "kind", added)
    assert "Of which kind" in browser.get(told).content.decode()
    found = browser.get(reverse(name, args=["peaks"]), query).json()["entries"]
    every = browser.get(reverse(name, args=["peaks"])).json()["entries"]
    assert 0 < len(found) < len(every)


def test_a_field_of_the_api_is_one_name_in_its_serializer(browser, monkeypatch):
    field, address = "upload", reverse("api-systems-list", args=["peaks"])
    (before, *_) = browser.get(address).json()["systems"]
    assert field not in before
    fields = [*SystemSerializer.Meta.fields, field]
    monkeypatch.setattr(SystemSerializer.Meta, "fields", fields)
    (after, *_) = browser.get(address).json()["systems"]
    assert after.keys() - before.keys() == {field}


def test_a_field_of_a_study_is_one_name_in_its_form(browser, peaks, monkeypatch):
    """The page shows and saves it. The API takes the form's fields."""
    page, before = reverse("study-settings", args=["peaks"]), peaks.seed
    assert 'name="seed"' not in browser.get(page).content.decode()
    fields = [*StudySettingsForm.Meta.fields, "seed"]
    monkeypatch.setattr(StudySettingsForm.Meta, "fields", fields)
    monkeypatch.setattr(StudySettingsForm._meta, "fields", fields)  # type: ignore[misc]
    seed = Study._meta.get_field("seed").formfield()
    monkeypatch.setitem(StudySettingsForm.base_fields, "seed", seed)
    assert 'name="seed"' in browser.get(page).content.decode()
    kept = model_to_dict(peaks, fields=fields)
    browser.post(page, {name: value for name, value in kept.items() if value} | {"seed": "77"})
    peaks.refresh_from_db()
    assert peaks.seed == 77 != before


def test_the_texts_of_the_desk_stand_in_templates(signed_in, peaks, rita):
    """Every button of a task's page, but the answers, which protocols bring."""
    task = assignments.next_task(batch_of(peaks), judge_of(peaks, rita))
    assert isinstance(task, Assignment)
    address = reverse("task", args=["peaks", task.pk])
    page = BeautifulSoup(signed_in(rita).get(address).content, "html.parser")
    found = {next(tag.stripped_strings, "") for tag in page.select("main button")} - {""}
    assert {"Finish", "Back"} <= found
    written = re.compile(r"[>}]\s*([\w ]+?)\s*(?=[<{])")
    files = [written.findall(path.read_text()) for path in (ROOT / "templates").rglob("*.html")]
    assert {text for text in found if not any(text in texts for texts in files)} == set()
