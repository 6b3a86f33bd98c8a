"""A check promises how a file will be divided; other settings of the study end the promise."""

import pytest
from django.urls import reverse

from annotate import uploads
from annotate.studies.lifecycle import change_study, read_strictly
from annotate.studies.wordings import set_active
from annotate.text import Division
from annotate.web.errors import Refused
from tests.cases import each
from tests.uploads.files import lines, response, responses
from tests.uploads.steps import State, check, work

CHANGED = "The study's settings changed since the check. Check the file again."


def change(study, **changes):
    if "dimensions" in changes:
        return set_active(study, changes["dimensions"])
    names = ("name", "description", "raters_per_unit", "citation_cap")
    present = {name: getattr(study, name) for name in (*names, "division", "shared_words")}
    return change_study(study, **{**present, **changes})


@each(
    "changes",
    [
        {"division": Division("all", "strict")},
        {"division": Division("all", splitter="full-stop")},
        {"division": Division("first")},
        {"division": Division("all", language="de")},
        {"dimensions": ["utility"]},
    ],
    ids=["reading", "splitter", "lines", "language", "no statements"],
)
def test_a_file_that_would_be_divided_otherwise_now(study, changes):
    upload = check(study, responses(2), "r.jsonl")
    change(study, **changes)
    with pytest.raises(Refused, match="Check the file again"):
        uploads.accept(upload)
    upload.refresh_from_db()
    assert upload.state == State.READY
    uploads.check_again(upload, system="", run="", mode="auto")
    uploads.accept(upload)
    assert work(upload).state == State.DONE


@each(
    "changes",
    [
        {"name": "Other"},
        {"raters_per_unit": 7},
        {"citation_cap": 1},
        {"dimensions": ["utility", "citation_recall"]},
    ],
)
def test_other_settings_do_not_divide_again(study, changes):
    upload = check(study, responses(2), "r.jsonl")
    change(study, **changes)
    uploads.accept(upload)
    assert work(upload).state == State.DONE


def test_the_page_offers_to_check_again(study, browser):
    line = response(1, output="Round. [1] Blue [2].")
    upload = check(study, lines(line), "r.jsonl", run="7")
    address = reverse("upload", args=["things", upload.pk])
    confirm = reverse("upload-confirm", args=["things", upload.pk])
    assert CHANGED not in browser.get(address).content.decode().replace("&#x27;", "'")
    read_strictly(study)
    page = browser.get(address)
    assert CHANGED in page.content.decode()
    assert confirm not in page.content.decode()
    assert "settings changed" in browser.post(confirm, follow=True).content.decode()
    assert study.responses.count() == 0
    again = reverse("upload-again", args=["things", upload.pk])
    assert f'action="{again}"' in page.content.decode()
    browser.post(again, {"system": "", "run": "7", "mode": "auto"})
    assert confirm in browser.get(address).content.decode()
    browser.post(confirm)
    assert study.responses.get().run == "7"
