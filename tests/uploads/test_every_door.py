"""The page, the command and the client load the same file alike."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import httpx
from attest_client import Attest
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.test import Client

from annotate.authentication import new_token
from annotate.exchange.streams import question_lines
from annotate.formats import FORMATS, recognise
from annotate.formats.tables.mapping import ColumnMapping
from annotate.models import Judgment, Question, Response, Study, Unit, Upload, User
from config.wsgi import application
from tests.cases import each
from tests.formats.tables.making import MAPPING, RECORDS, as_csv
from tests.open_database import one_connection
from tests.uploads.test_mapping_page import sent

FIRST = {
    "judgments": ["attest"],
    "judgments-jsonl": ["attest"],
    "references": ["attest"],
    "references-jsonl": ["attest"],
    "trec-support": ["trec-rag"],
    "trec-nuggets": ["trec-rag"],
    "trec-assignments": ["trec-rag", "trec-nuggets"],
    "captures": ["answers"],
}
"""What a study has before the examples of the formats that bring no outputs."""

ABOUT_OUTPUTS = ("judgments-jsonl", "references", "captures")


def as_page(study: Study, owner: User, path: Path, mapping: ColumnMapping | None = None) -> None:
    client = Client()
    client.force_login(owner)
    at = f"/studies/{study.slug}/uploads/"
    file = ContentFile(path.read_bytes(), name=path.name)
    answer = client.post(at, {"file": file, "mode": "auto"})
    assert answer.status_code == 302, answer.content.decode()
    upload = Upload.objects.filter(study=study).latest("pk")
    if mapping is not None:
        said = {f"given-{name}": text for name, text in mapping.given.items()}
        seen = (upload.columns or {})["columns"]
        values = [v for c in seen if mapping.columns.get(c["name"]) == "value" for v in c["values"]]
        said |= {f"value-{n}": mapping.values.get(v, "") for n, v in enumerate(values)}
        at_columns = f"{at}{upload.pk}/columns/?rows={mapping.rows}"
        answer = client.post(at_columns, {**sent(mapping, upload), **said})
        assert answer.status_code == 302, answer.content.decode()
    client.post(f"{at}{upload.pk}/confirm/", {"replace": "on"})


def as_command(study: Study, owner: User, path: Path, mapping: ColumnMapping | None = None) -> None:
    key = recognise(path)
    judged = key is not None and FORMATS[key].kind == "judgments"
    judged |= mapping is not None and mapping.rows == "judgments"
    command = "import_judgments" if judged else "import_outputs"
    saved: list[str] = []
    if mapping is not None:
        beside = path.with_suffix(".mapping.json")
        beside.write_text(json.dumps(mapping.as_json()), "utf-8")
        saved = ["--mapping", str(beside)]
    call_command(command, study.slug, str(path), "--replace", *saved, stdout=io.StringIO())


def as_client(study: Study, owner: User, path: Path, mapping: ColumnMapping | None = None) -> None:
    token, given = new_token(owner, "client"), mapping.as_json() if mapping else None
    to_server = httpx.WSGITransport(application)
    attest = Attest("http://testserver", token, transport=to_server)
    with one_connection(), attest:
        attest.study(study.slug).upload(path, given, replace=True)


DOORS: list[Callable[..., None]] = [as_page, as_command, as_client]


def brought(study: Study) -> list[tuple]:
    """What a study holds, without what is of its rows alone."""
    rows = Response.objects.current().filter(study=study).order_by("question__external_id", "pk")
    alone = [(line,) for line in question_lines(study)]
    return alone + [
        (
            row.system.name,
            row.question.text,
            row.text,
            [(s.n, s.external_id, s.url, s.passage.text) for s in row.sources.order_by("n")],
            list(Unit.objects.filter(response=row).order_by("pk").values_list("key", "text")),
        )
        for row in rows
    ]


def studies_of(make_study, owner):
    """A study for each door."""
    for door in DOORS:
        study = make_study(door.__name__.replace("_", "-"))
        study.memberships.create(user=owner, role="owner")
        yield door, study


def said_of(study: Study) -> list[tuple]:
    """What was judged, and what is known of questions."""
    judged = Judgment.objects.filter(judge__study=study).order_by("unit__response", "pk")
    known = Question.objects.filter(study=study).order_by("external_id")
    return [
        *judged.values_list("judge__name", "judge__kind", "unit__key", "dimension", "value"),
        *known.values_list("external_id", "references"),
    ]


@each("key", ABOUT_OUTPUTS)
def test_later_files_load_by_page_command_and_api(key, make_study, alice, tmp_path):
    found = []
    for door, study in studies_of(make_study, alice):
        for one in (*FIRST[key], key):
            before = [*brought(study), *said_of(study)]
            path = tmp_path / f"{one}{FORMATS[one].extensions[0]}"
            path.write_text(FORMATS[one].example, "utf-8")
            door(study, alice, path)
            upload = Upload.objects.filter(study=study).latest("pk")
            assert (upload.format, upload.state) == (one, "done"), upload.findings
        found.append([*brought(study), *said_of(study)])
        assert found[-1] != before, "nothing came in"
    assert found[0] == found[1] == found[2]


def test_a_table_and_judgments_of_it_come_in_by_each_door(make_study, alice, tmp_path):
    table, judgments = tmp_path / "things.csv", tmp_path / "judgments.csv"
    table.write_bytes(as_csv(RECORDS))
    judgments.write_text(
        "system,question_id,unit,dimension,judge,judge_kind,value\n"
        "S,q1,s1,citation_recall,Ada,human,yes\n"
        "S,q2,s1,citation_recall,Ada,human,no\n",
        "utf-8",
    )
    found = []
    for door, study in studies_of(make_study, alice):
        door(study, alice, table, MAPPING)
        door(study, alice, judgments)
        uploads = Upload.objects.filter(study=study).order_by("pk")
        assert [(one.format, one.state) for one in uploads] == [
            ("table", "done"),
            ("judgments", "done"),
        ]
        said = Judgment.objects.filter(judge__study=study).order_by("pk")
        judged = said.values_list("judge__name", "unit__key", "dimension", "value")
        found.append((brought(study), list(judged)))
    assert [value for *_, value in found[0][1]] == ["yes", "no"]
    assert found[0] == found[1] == found[2]
