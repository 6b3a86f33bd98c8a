"""A common change is made in one place: each test makes one and sees it everywhere."""

from django.urls import reverse
from django_filters import CharFilter

from annotate.api.systems import SystemSerializer
from annotate.forms.filters import AuditLogFilter
from annotate.models import Role
from annotate.services.people import members
from annotate.services.studies import write_guidelines
from tests.beginnings import beginning


@beginning
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
