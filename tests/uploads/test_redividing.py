"""Dividing what a study holds again, by another setting."""

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotate import uploads
from annotate.exchange import streams
from annotate.models import Judge, Judgment, Response, Study, System, Unit, Upload
from annotate.text import Division
from annotate.uploads.redividing import divide_again
from annotate.web.errors import Refused
from tests.shared_rows import shared_rows
from tests.uploads.files import lines, response
from tests.uploads.steps import State, check, loaded, work

pytestmark = pytest.mark.postgresql

TEXT = "Round [1].\n\n- Blue [1]\n- Old"


@shared_rows
def lined(study):
    """A study that read the first lines of two answers."""
    study.lines = "first"
    study.save()
    second = response(2) | {"output": "One line [1]."}
    loaded(study, lines(response(1) | {"output": TEXT}, second), "r.jsonl")
    return study


def texts(study):
    units = Unit.objects.filter(response__in=Response.objects.current().filter(study=study))
    statements = units.filter(kind="statement").order_by("response__question", "ordinal")
    return list(statements.values_list("text", flat=True))


def again(study, division=Division("all")):  # noqa: B008 - it is frozen
    return divide_again(study, division, streams.output_lines(study), None)


def test_all_lines_are_read_after_it_is_accepted(lined):
    assert texts(lined) == ["Round.", "One line."]
    upload = again(lined)
    assert upload.state == State.READY
    assert (upload.findings["changed"], upload.findings["detached_judgments"]) == (2, 0)
    assert texts(lined) == ["Round.", "One line."]
    uploads.confirm(upload)
    upload.refresh_from_db()
    assert upload.state == State.DONE
    assert texts(lined) == ["Round.", "Blue", "Old", "One line."]
    assert Study.objects.get().division == Division("all")


def test_judgments_that_would_be_lost_are_counted_and_kept(lined):
    judge = Judge.objects.create(study=lined, name="ann", kind="human")
    unit = Unit.objects.get(key="s1", text="Round.")
    Judgment.objects.create(unit=unit, judge=judge, dimension="citation_recall", value="yes")
    upload = again(lined)
    assert upload.findings["detached_judgments"] == 1
    uploads.confirm(upload)
    assert not Judgment.objects.current().exists()
    assert Judgment.objects.get().unit == unit


ORDER = "order it again in the study's settings"


def test_newer_answers_stop_a_division(lined):
    upload = again(lined)
    loaded(lined, lines(response(3)), "later.jsonl")
    with pytest.raises(Refused, match=ORDER):
        uploads.confirm(upload)
    assert Study.objects.get().lines == "first"


def test_answers_replaced_meanwhile_stop_a_division(lined):
    upload = again(lined)
    loaded(lined, lines(response(2) | {"output": "Newer [1]."}), "later.jsonl", replace=True)
    with pytest.raises(Refused, match=ORDER):
        uploads.confirm(upload)
    Upload.objects.filter(pk=upload.pk).update(state=State.QUEUED)
    upload = work(upload)
    assert upload.state == State.FAILED
    assert ORDER in upload.error
    assert texts(lined) == ["Round.", "Newer."]
    assert Study.objects.get().lines == "first"


def test_a_system_that_was_renamed_since_is_not_there_twice(lined):
    upload = again(lined)
    System.objects.update(name="Other")
    uploads.confirm(upload)
    upload.refresh_from_db()
    assert upload.state == State.FAILED
    assert list(System.objects.values_list("name", flat=True)) == ["Other"]


def test_statements_of_the_file_stay(lined):
    given = response(3) | {"statements": [{"text": "Thing 3 is round", "passages": [1]}]}
    loaded(lined, lines(given), "given.jsonl")
    upload = again(lined)
    assert (upload.findings["changed"], upload.findings["unchanged"]) == (2, 1)


def test_running_load_blocks_a_division(lined):
    other = check(lined, lines(response(3)), "later.jsonl")
    uploads.accept(other)
    with pytest.raises(Refused, match="A file is being loaded"):
        again(lined)
    assert work(other).state == State.DONE
    assert again(lined).state == State.READY


def test_division_keeps_the_answers_own_names(lined):
    upload = again(lined)
    uploads.check_again(upload, system="Other", run="9", mode="list")
    assert (upload.findings["new"], upload.findings["changed"]) == (0, 2)
    uploads.confirm(upload)
    assert texts(lined) == ["Round.", "Blue", "Old", "One line."]


def test_indivisible_answers_leave_the_study_unchanged(lined):
    flood = response(3) | {"output": "A [1]. " * 3000 + "B [Source 1]. " * 3000}
    loaded(lined, lines(flood), "flood.jsonl")
    upload = again(lined)
    assert upload.state == State.INVALID
    with pytest.raises(Refused, match="1 answer cannot be divided so"):
        uploads.confirm(upload, keep_good=True)
    assert Study.objects.get().lines == "first"


def test_tasks_that_batches_would_lose_are_counted(lined):
    call_command("create_batch", "things", "First")
    (warning,) = again(lined).findings["warnings"]
    assert (warning["kind"], warning["count"], warning["places"]) == ("tasks", 2, ["“First”"])


def test_the_page_says_what_changes(lined, browser):
    upload = again(lined, Division("all", language="de"))
    assert upload.division_changes == [
        (
            "lines",
            "The first line alone, as ALCE's released code",
            "All lines, with their headings, lists and tables",
        ),
        ("language", "by the script", "de"),
    ]
    page = browser.get(reverse("upload", args=[lined.slug, upload.pk])).content.decode()
    assert "from “by the script” to “de”" in page
    assert "Change the system" not in page
