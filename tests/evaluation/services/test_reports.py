"""Reports in the background: built once, kept while the data stay, and not lost with a worker."""

from datetime import timedelta

import pytest
from django.utils import timezone

from annotate.content.judgments import record_judgment
from annotate.models import Flag, Judge, Judgment, Role, System
from annotate.people import members
from annotate.rating.standing import change_standing
from annotate.studies.lifecycle import write_guidelines
from annotate.work import jobs
from annotate.work.jobs import sending
from evaluation.models import Measure, Report
from evaluation.report_pages import lifecycle as reports
from evaluation.report_pages import requests
from evaluation.report_pages.data_state import changes, data_state
from evaluation.report_pages.lifecycle import draw_charts
from evaluation.reports import build as building
from evaluation.reports.build import build as build_report
from evaluation.reports.filters import Filters
from tests.annotate.loading import load, response
from tests.evaluation.desk import batch, gives, rater, unit
from tests.evaluation.made_up import build_it

pytestmark = pytest.mark.django_db

QUICK = Filters(resamples=20)


@pytest.fixture
def sent(monkeypatch):
    """The keys of the reports that a worker was told of."""
    keys = []

    def tell(task, queue, key):
        if task == "evaluation.build_report":
            keys.append(key)

    monkeypatch.setattr(sending, "send_message", tell)
    return keys


@pytest.fixture
def ask(sent, peaks, django_capture_on_commit_callbacks):
    """Asks for a report as a visitor of the page does."""

    def asked(filters=QUICK, **more):
        with django_capture_on_commit_callbacks(execute=True):
            return requests.report_state(peaks, filters, **{"order": True, **more})

    return asked


@pytest.fixture
def built(ask):
    """A report as it is when a worker is done with it."""

    def make(filters=QUICK):
        found = build_it(ask(filters).current.pk, worker="here")
        assert found.state == Report.State.DONE, found.error
        return found

    return make


def answer(study, value="no", key="s1", name="Simulated rater 7", note=""):
    judge = Judge.objects.get_or_create(
        study=study, name=name, defaults={"kind": Judge.Kind.SIMULATED}
    )[0]
    return record_judgment(
        judge=judge, unit=unit(study, key), dimension="citation_recall", value=value, note=note
    )


# One report for everybody -------------------------------------------------------------------------


def test_concurrent_requests_build_one_report(ask, sent):
    first, second = ask(), ask()
    assert first.current == second.current == Report.objects.get()
    assert sent == [first.current.pk]
    assert first.is_working
    assert first.shown is None


def test_the_older_one_is_read_until_the_new_one_is_there(built, ask, peaks):
    old = built()
    answer(peaks, "no")
    found = ask()
    assert found.shown == old
    assert found.changes == 1
    assert found.is_working
    assert found.current != old
    new = build_it(found.current.pk)
    found = ask()
    assert (found.current, found.shown, found.changes) == (new, new, 0)


def test_files_of_an_older_report_are_kept_for_a_time(built, ask, peaks, monkeypatch):
    monkeypatch.setattr(reports, "KEPT_BEFORE", 2)
    made = [built()]
    for value in ("no", "yes", "no"):
        answer(peaks, value)
        made.append(build_it(ask().current.pk))
    kept = list(Report.objects.order_by("pk"))
    assert kept == made[1:]
    assert all(report.charts.exists() for report in kept)
    assert ask().shown == made[-1]
    Report.objects.filter(pk=made[1].pk).update(read_at=timezone.now() - reports.KEPT_FOR)
    answer(peaks, "yes")
    last = build_it(ask().current.pk)
    assert list(Report.objects.order_by("pk")) == [*made[2:], last]


def test_while_one_is_built_another_is_not_begun(ask, sent, peaks):
    """Raters who go on working would otherwise have reports built without end."""
    first = ask().current
    answer(peaks, "no")
    assert ask().current == first
    assert sent == [first.pk]
    # It is built of the data as they are by then, and known as such.
    done = build_it(first.pk)
    found = ask()
    assert (found.current, found.changes) == (done, 0)


def test_of_many_choices_of_filters_the_last_ones_are_kept(built, monkeypatch):
    monkeypatch.setattr(reports, "KEPT", 2)
    for seed in range(4):
        built(Filters(resamples=20, seed=seed))
    seeds = Report.objects.order_by("pk").values_list("filters__seed", flat=True)
    assert list(seeds) == [2, 3]


# What makes a report old --------------------------------------------------------------------------


def measure(study):
    judge = study.judges.filter(kind="automatic").first()
    Measure.objects.create(judge=judge, response=study.responses.first(), name="length", value=3.0)


def flag(study):
    judge = study.judges.get(name="Simulated rater 7")
    Flag.objects.create(judge=judge, unit=unit(study, "s1"), reason="broken")


def adjudicate(study):
    gold = Judge.objects.create(study=study, kind=Judge.Kind.ADJUDICATED, name="adjudicated")
    record_judgment(judge=gold, unit=unit(study, "s1"), dimension="citation_recall", value="no")


def exclude_rater(study):
    change_standing(study.judges.get(kind="simulated"), Judge.Standing.EXCLUDED, reason="Too fast.")


def of_vermilion(study):
    return System.objects.filter(study=study, name="Vermilion")


CHANGES = {
    "answer of another rater": lambda study: answer(study, "yes", name="rater-2"),
    "other answer": lambda study: answer(study, "no"),
    "excluded rater": exclude_rater,
    "system that uses the metric": lambda study: of_vermilion(study).update(uses_autoais=True),
    "renamed system": lambda study: of_vermilion(study).update(name="Carmine"),
    "measure": measure,
    "flag": flag,
    "more responses": lambda study: load(study, [response("More.", question_id="q9")]),
    "replaced response": lambda study: load(study, [response("It is high [1].")], replace=True),
    "citation cap": lambda study: setattr(study, "citation_cap", 5),
    "primary judge": lambda study: setattr(study, "primary_judge", "autoais"),
    "guidelines": lambda study: write_guidelines(study, "Read twice.", None),
    "withdrawn answer": lambda study: study.judges.get(kind="simulated").judgments.first().delete(),
    "decision": adjudicate,
}


@pytest.mark.parametrize("change", CHANGES)
def test_change_of_a_number_makes_the_report_old(peaks, change):
    before = data_state(peaks)
    CHANGES[change](peaks)
    peaks.save()
    after = data_state(peaks)
    assert after != before
    assert changes(before, after) >= 1


def test_irrelevant_changes_keep_the_report_current(peaks, alice, oscar):
    before = data_state(peaks)
    peaks.description = "Other words."
    peaks.save()
    members.join(members.invite(peaks, role=Role.RATER, author=alice), oscar)
    change_standing(peaks.judges.get(kind="simulated"), Judge.Standing.PAUSED, reason="A rest.")
    made = batch(peaks)
    gives(made, rater(peaks, "rater-9"), state="active")
    peaks.judges.get(name="rater-9").delete()
    trainee = rater(peaks, "practice", kind=Judge.Kind.TRAINEE)
    record_judgment(judge=trainee, unit=unit(peaks, "s1"), dimension="citation_recall", value="no")
    answer(peaks, "yes", note="Plainly so.")  # the same answer again
    jobs.arrive("celery@one", ["default"])
    assert data_state(peaks) == before


def test_a_file_that_is_still_being_loaded_counts_when_it_is_there(peaks):
    before = data_state(peaks)
    upload = peaks.uploads.order_by("pk").last()
    judge = peaks.judges.get(kind="simulated")
    Judgment.objects.create(
        judge=judge, unit=unit(peaks, "r"), dimension="utility", value="4", upload=upload
    )
    published = upload.published_at
    loaded = data_state(peaks)
    assert loaded != before
    Judgment.objects.filter(dimension="utility").delete()
    loading = peaks.uploads.create(name="more.csv", size=1, digest="0" * 64)
    Judgment.objects.create(
        judge=judge, unit=unit(peaks, "r"), dimension="utility", value="4", upload=loading
    )
    assert data_state(peaks) == before
    loading.published_at = published
    loading.save()
    assert data_state(peaks) != before


# What goes wrong ----------------------------------------------------------------------------------


def test_a_fault_is_said_and_tried_again_when_asked(ask, sent, monkeypatch, peaks, caplog):
    with monkeypatch.context() as broken:
        broken.setattr(building, "build", _fail)
        report = build_it(ask().current.pk)
    assert report.state == Report.State.FAILED
    assert report.error.startswith("RuntimeError: out of luck.")
    assert "Try again" in report.error
    assert "out of luck" in caplog.text
    assert ask().has_failed
    again = requests.again(peaks, QUICK)
    assert again.pk == report.pk
    assert again.is_working
    assert again.error == ""
    assert build_it(again.pk).state == Report.State.DONE


def _fail(*args, **more):
    raise RuntimeError("out of luck")


def claimed(ask, worker="celery@there on elsewhere, process 1"):
    """A report in the hands of a worker that says no more."""
    report = ask().current
    assert jobs.claim(reports.REPORT, report.pk, worker=worker) is not None
    report.refresh_from_db()
    assert report.state == Report.State.BUILDING
    return report


def test_report_of_a_dead_worker_is_built_by_another(ask, sent):
    report = claimed(ask)
    jobs.sweep()
    assert sent == [report.pk]
    Report.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    jobs.sweep()
    assert sent == [report.pk, report.pk]
    assert build_it(report.pk).state == Report.State.DONE


def test_a_report_that_kills_its_workers_is_given_up(ask):
    report = claimed(ask)
    for _ in range(jobs.MOST_DEATHS):
        Report.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
        jobs.claim(reports.REPORT, report.pk, worker="celery@next")
    report.refresh_from_db()
    assert report.state == Report.State.FAILED
    assert "memory" in report.error


def test_worker_without_its_lease_writes_nothing(ask, monkeypatch):
    report = ask().current

    def taken_over(*args, **more):
        Report.objects.update(lease_token="another")
        return build_report(*args, **more)

    monkeypatch.setattr(building, "build", taken_over)
    found = build_it(report.pk)
    assert found.state == Report.State.BUILDING
    assert found.body == ""


def test_pictures_whose_message_was_lost_are_drawn_later(built, monkeypatch):
    told = []
    report = built()
    monkeypatch.setattr(reports, "send_to_draw", lambda report: told.append(report.pk))
    jobs.sweep()
    assert told == []
    Report.objects.update(sent_at=timezone.now() - 2 * jobs.PATIENCE)
    jobs.sweep()
    assert told == [report.pk]
    draw_charts(report.pk)
    jobs.sweep()
    assert told == [report.pk]


def test_how_far_it_has_come_is_noted(ask, monkeypatch):
    report = ask().current
    seen = []
    monkeypatch.setattr(reports, "SAVE_EVERY", 0)

    def look(data, filters, *, progress):
        for done, part in enumerate(("people", "headline"), 1):
            progress(part, done, 2)
            report.refresh_from_db()
            seen.append((report.phase, report.percent))
        return build_report(data, filters)

    monkeypatch.setattr(building, "build", look)
    assert build_it(report.pk).state == Report.State.DONE
    assert seen == [("Computing: agreement of people", 50), ("Computing: headline", 90)]
    report.refresh_from_db()
    assert report.percent == 100
