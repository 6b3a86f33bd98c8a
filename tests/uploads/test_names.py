"""The names of systems that a check shows: new ones, ones nearly the same, and blanks."""

from django.urls import reverse

from annotate.studies.lifecycle import change_system
from tests.uploads.files import lines, response, responses
from tests.uploads.steps import State, check, loaded, warnings


def test_display_name_does_not_change_a_systems_identity(study, browser):
    loaded(study, responses(1), "r.jsonl")
    system = study.systems.get()
    form = {"name": system.name, "display_name": "Ours", "description": ""}
    browser.post(reverse("system", args=["things", system.pk]), form)
    upload = check(study, lines(response(1), response(2)), "r.jsonl")
    assert (upload.findings["unchanged"], upload.findings["new_systems"]) == (1, [])
    loaded(study, lines(response(3)), "s.jsonl")
    assert study.systems.get().title == "Ours"
    for name in ("systems", "responses"):
        html = browser.get(reverse(name, args=["things"])).content.decode()
        assert "<bdi>Ours</bdi>" in html
        assert "<bdi>System A</bdi>" not in html


def test_no_two_systems_are_shown_under_one_name(study, browser):
    loaded(study, lines(response(1), response(1, system="Other")), "r.jsonl")
    one = study.systems.get(name="System A")
    address = reverse("system", args=["things", one.pk])
    form = {"name": "System A", "display_name": "Other", "description": ""}
    answer = browser.post(address, form)
    assert "Another system of this study is called “Other”." in answer.content.decode()
    other = study.systems.get(name="Other")
    change_system(other, name="Other", display_name="Theirs", description="", uses_autoais=False)
    assert browser.post(address, form).status_code == 302
    assert {system.title for system in study.systems.all()} == {"Other", "Theirs"}


def test_a_name_in_other_capitals_is_warned_of(study):
    loaded(study, responses(1), "r.jsonl")
    upload = check(study, lines(response(1, system="SYSTEM a"), response(2)), "s.jsonl")
    assert warnings(upload) == {"capitals": 1}
    (warning,) = upload.findings["warnings"]
    assert warning["places"] == ["“SYSTEM a”, present: “System A”"]
    assert warning["message"] == ("system whose name differs from a present one only in capitals")
    assert upload.findings["new_systems"] == ["SYSTEM a"]
    assert upload.state == State.READY
