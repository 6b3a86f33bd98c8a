"""The client for Python, against a server of its own."""

import json
import tracemalloc
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import httpx
import pandas as pd
import pytest
from attest_client import GUESS, Attest, AttestError, FailedError
from attest_client.command import main
from attest_client.sending import as_file

from annotate.authentication import new_token
from annotate.content.judgments import judge_of
from annotate.models import ApiToken, Study
from annotate.models import Batch as BatchRow
from annotate.rating.assignments import next_task
from annotate.studies.lifecycle import create_study

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.django_db(transaction=True)

HIGH = "Peak {0} is {0}00 metres high, says the survey."

ROWS = [
    {
        "question": {"id": f"q{n}", "text": f"How high is peak {n}?"},
        "system": system,
        "output": f"Peak {n} is {n}00 metres high [1].",
        "passages": [{"n": 1, "title": f"Peak {n}", "text": text}],
    }
    for n in range(1, 7)
    for system, text in (
        ("Careful", "Boats are rowed on the lake." if n == 1 else HIGH.format(n)),
        ("Careless", HIGH.format(n) if n == 1 else "Boats are rowed on the lake."),
    )
]


@pytest.fixture(autouse=True)
def at_once(settings):
    """Work is done while it is asked for."""
    settings.CELERY_TASK_ALWAYS_EAGER = True


@pytest.fixture
def token(alice):
    create_study(name="Peaks", slug="peaks", preset="alce", owner=alice)
    return new_token(alice, "client")


@pytest.fixture
def attest(live_server, token):
    with Attest(live_server.url, token) as entered:
        yield entered


def test_outputs_go_in_a_judge_judges_and_numbers_come_out(attest):
    study = attest.study("peaks")
    assert [one.slug for one in attest.studies()] == ["peaks"]
    told = []
    upload = study.upload(ROWS, progress=lambda what, share: told.append((what, share)))
    assert upload.state == "done"
    assert told[-1] == ("load of rows.jsonl", 1.0)
    assert [one.name for one in study.systems()] == ["Careful", "Careless"]
    run = study.run("alce", wait=True, progress=lambda what, share: told.append((what, share)))
    assert (run.state, told[-1]) == ("done", (f"run {run.id}", 1.0))
    judgments = study.judgments()
    frame = judgments.to_pandas()
    assert len(frame) == len(judgments) > 0
    assert {"citation_recall", "citation_support"} <= set(frame["dimension"])
    report = study.report({"resamples": 50})
    table = report.table("systems")
    recall = table[table["key"] == "citation_recall"].set_index("system")
    assert recall.loc["Careful", "value"] > recall.loc["Careless", "value"]
    assert recall.loc["Careful", "low"] <= recall.loc["Careful", "value"]
    assert report.headline
    assert study.run("alce").state == "done"


def test_a_table_is_loaded_by_its_mapping(attest):
    frame = pd.DataFrame(
        {
            "question": [f"How high is peak {n}?" for n in range(3)],
            "system": ["Tabled"] * 3,
            "reply": [f"Peak {n} is high [1]." for n in range(3)],
            "passages": [[f"Peak {n} is very high."] for n in range(3)],
        }
    )
    study = attest.study("peaks")
    with pytest.raises(FailedError, match="expected a mapping of the table's columns"):
        study.upload(frame)
    first = study.upload(frame, GUESS)
    assert first.state == "done"
    assert {one.question for one in study.responses()} == set(frame["question"])
    again = study.upload(frame.assign(system="Once more"), first.mapping)
    assert again.state == "done"
    assert study.response(next(study.responses(system="Once more")).id)["system"] == "Once more"


def test_a_frame_keeps_its_values():
    cells = {
        "score": [0.123456789012345, float("nan")],
        "count": pd.array([3, None], dtype="Int64"),
        "on": [pd.Timestamp("2025-02-03T04:05:06"), pd.NaT],
        "texts": [["a", "é"], pd.array([1.5, 2.0]).to_numpy()],
    }
    with as_file(pd.DataFrame(cells)) as (name, file):
        first, second = map(json.loads, file.read().decode().splitlines())
    assert name == "table.jsonl"
    assert first == {
        "score": 0.123456789012345,
        "count": 3,
        "on": "2025-02-03T04:05:06",
        "texts": ["a", "é"],
    }
    assert second == {"score": None, "count": None, "on": None, "texts": [1.5, 2.0]}


def test_what_is_wrong_with_a_file_is_said(attest):
    study = attest.study("peaks")
    with pytest.raises(FailedError) as error:
        study.upload([{**ROWS[0], "passages": "none"}])
    assert "passages" in str(error.value)
    assert study.systems() == []
    with pytest.raises(AttestError) as refused:
        study.upload(b"%PDF-1.7")
    assert (refused.value.code, "PDF" in str(refused.value)) == ("refused", True)


def test_errors_say_what_the_server_said(attest, live_server):
    with pytest.raises(AttestError) as error:
        attest.study("elsewhere").settings()
    assert (error.value.status, error.value.code) == (404, "not_found")
    with Attest(live_server.url, "attest_wrong") as stranger, pytest.raises(AttestError) as error:
        stranger.studies()
    assert error.value.status == 401


def test_more_responses_than_a_page_holds_come_one_after_the_other(attest):
    rows = [{**ROWS[0], "question": {"id": f"q{n}", "text": f"Question {n}?"}} for n in range(60)]
    study = attest.study("peaks")
    study.upload(rows)
    assert len({one.id for one in study.responses()}) == 60


def test_batches_are_made_and_opened(attest, rita):
    study = attest.study("peaks")
    study.upload(ROWS)
    batch = study.make_batch("Pilot", open=True, raters_per_item=2)
    assert (batch.state, batch.tasks) == ("open", 12)
    assert [one.name for one in study.batches()] == ["Pilot"]
    rater = judge_of(Study.objects.get(), rita)
    task = next_task(BatchRow.objects.get(), rater)
    [held] = study.assignments(batch)
    assert (held.item, held.judge, held.state, held.done_at) == (
        getattr(task, "item_id", None),
        rater.pk,
        "active",
        None,
    )
    assert [(one.name, one.kind) for one in study.judges()] == [(rater.name, "human")]


def test_a_copy_brings_responses_and_batches(attest):
    study = attest.study("peaks")
    study.upload(ROWS)
    study.make_batch("First", questions="sample", sample_size=2, seed=3)
    empty = study.copy("Empty", with_batches=True)
    assert [one.tasks for one in empty.batches()] == [0]
    assert [*empty.responses()] == []
    made = study.copy("Whole", with_responses=True, with_batches=True)
    assert len([*made.responses()]) == len(ROWS)
    [draft] = made.batches()
    assert (draft.name, draft.state, draft.tasks) == ("First", "draft", 0)
    assert made.draw(draft).tasks == 4


# Files -------------------------------------------------------------------------------------------


def test_a_folder_of_tables_goes_as_a_zip(attest, tmp_path):
    folder = tmp_path / "tables"
    (folder / "deep").mkdir(parents=True)
    (folder / ".hidden").mkdir()
    table = "question,output,system\nQ{0}?,A{0} is here.,Careful\n"
    (folder / "a.csv").write_text(table.format(1))
    (folder / "deep/b.csv").write_text(table.format(2))
    (folder / ".hidden/c.csv").write_text(table.format(3))
    upload = attest.study("peaks").upload(folder, GUESS)
    assert (upload.state, upload.name) == ("done", "tables.zip")
    texts = {one.text for one in attest.study("peaks").responses()}
    assert texts == {"A1 is here.", "A2 is here."}


class Counting(httpx.BaseTransport):
    """Reads what is sent piece by piece, and says at first that it is busy."""

    def __init__(self):
        self.sent = []

    def handle_request(self, request):
        size, largest = 0, 0
        for part in request.stream:
            size, largest = size + len(part), max(largest, len(part))
        self.sent.append((size, largest))
        busy = len(self.sent) == 1
        told = {"id": 1, "state": "failed", "error": "No."}
        return httpx.Response(503 if busy else 201, json=told, request=request)


def test_a_large_file_is_read_while_it_is_sent_and_sent_whole_again(tmp_path, monkeypatch):
    monkeypatch.setattr("attest_client.transport.sleep", lambda seconds: None)
    path, size = tmp_path / "large.jsonl", 200_000_000
    with path.open("wb") as file:
        file.truncate(size)
    transport = Counting()
    tracemalloc.start()
    attest = Attest("http://attest", "token", transport=transport)
    with pytest.raises(FailedError):
        attest.study("s").upload(path)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    (first, largest), second = transport.sent
    assert (first, largest) == second
    assert first > size > 1_000_000 > largest
    assert most < 5_000_000


# Trying again ------------------------------------------------------------------------------------


def answering(*answers):
    """A server that answers so, in turn, and what it was asked."""
    asked, left = [], list(answers)

    def handle(request):
        asked.append(request)
        answer = left.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    return httpx.MockTransport(handle), asked


def test_how_far_work_is_is_told(monkeypatch):
    monkeypatch.setattr("attest_client.study.sleep", lambda seconds: None)
    upload = {"id": 1, "size": 100}
    transport, _ = answering(
        httpx.Response(201, json={**upload, "state": "checking"}),
        httpx.Response(200, json={**upload, "state": "checking", "position": 40}),
        httpx.Response(200, json={**upload, "state": "ready"}),
        httpx.Response(200, json={**upload, "state": "done"}),
        httpx.Response(201, json={"id": 2, "state": "running"}),
        httpx.Response(200, json={"id": 2, "state": "running", "share_done": 0.25}),
        httpx.Response(200, json={"id": 2, "state": "done", "share_done": 1.0}),
    )
    told = []
    with Attest("http://attest", "token", transport=transport) as attest:
        study, note = attest.study("s"), lambda *one: told.append(one)
        study.upload(b"{}", progress=note)
        study.run("alce", wait=True, progress=note)
    assert told == [
        ("check of file", 0.0),
        ("check of file", 0.4),
        ("check of file", 1.0),
        ("load of file", 1.0),
        ("run 2", 0.25),
        ("run 2", 1.0),
        ("run 2", 1.0),
    ]


def test_a_busy_server_is_asked_again_under_the_same_key(monkeypatch):
    waited: list[float] = []
    monkeypatch.setattr("attest_client.transport.sleep", waited.append)
    transport, asked = answering(
        httpx.Response(429, headers={"Retry-After": "7"}),
        httpx.ConnectError("gone"),
        httpx.Response(201, json={"id": 1, "state": "done"}),
    )
    with Attest("http://attest", "token", transport=transport) as attest:
        assert attest.study("s").run("alce").id == 1
    assert waited == [7.0, 1.0]
    assert len({one.headers["Idempotency-Key"] for one in asked}) == 1


def test_too_many_requests_wait_as_long_as_they_are_told(attest, settings, monkeypatch):
    settings.ATTEST_REQUESTS_PER_MINUTE = 2
    waited: list[float] = []

    def a_minute_later(seconds):
        waited.append(seconds)
        ApiToken.objects.update(counted_from=None)

    monkeypatch.setattr("attest_client.transport.sleep", a_minute_later)
    study = attest.study("peaks")
    for _ in range(3):
        assert study.settings()["slug"] == "peaks"
    assert len(study.judgments()) == 0
    assert len(study.judgments()) == 0
    assert len(waited) == 2
    assert all(0 < seconds <= 60 for seconds in waited)


class BrokenOff(httpx.SyncByteStream):
    def __iter__(self):
        yield b'{"unit": "r"}\n{"un'
        raise httpx.RemoteProtocolError("closed without a complete message")


def test_a_file_that_breaks_off_is_asked_for_again(monkeypatch):
    waited: list[float] = []
    monkeypatch.setattr("attest_client.transport.sleep", waited.append)
    transport, asked = answering(
        httpx.ConnectError("gone"),
        httpx.Response(200, stream=BrokenOff()),
        httpx.Response(503),
        httpx.Response(200, content=b'{"unit": "r"}\n{"unit": "s1"}\n'),
    )
    with Attest("http://attest", "token", transport=transport) as attest:
        assert [one["unit"] for one in attest.study("s").judgments()] == ["r", "s1"]
    assert len(asked) == 4
    assert len(waited) == 3


def test_a_refusal_is_not_asked_again():
    told = {"error": {"code": "refused", "message": "The batch is closed.", "details": None}}
    transport, asked = answering(httpx.Response(409, json=told))
    attest = Attest("http://attest", "token", transport=transport)
    with pytest.raises(AttestError, match=r"The batch is closed\."):
        attest.study("s").make_batch("B")
    assert len(asked) == 1


def test_without_an_address_it_says_what_to_do(monkeypatch):
    monkeypatch.delenv("ATTEST_URL", raising=False)
    with pytest.raises(ValueError, match="ATTEST_URL"):
        Attest()


# A line for a CI ---------------------------------------------------------------------------------


@pytest.fixture
def judged(attest, live_server, token, monkeypatch):
    study = attest.study("peaks")
    study.upload(ROWS)
    study.run("alce", wait=True)
    monkeypatch.setenv("ATTEST_URL", live_server.url)
    monkeypatch.setenv("ATTEST_TOKEN", token)
    return study


def test_a_bound_is_held_or_missed_by_the_interval(judged, tmp_path, capsys):
    asked = ["check", "peaks", "--judge", "alce", "--system", "Careful"]
    assert main([*asked, "--min", "citation_recall=0.2"]) == 0
    assert "holds" in capsys.readouterr().out
    # The point is 0.83, its interval from 0.23 to 0.99: neither end may pass for the point.
    assert main([*asked, "--min", "citation_recall=0.8"]) == 1
    assert "citation_recall ≥ 0.8" in capsys.readouterr().out
    assert main([*asked, "--max", "citation_recall=0.9"]) == 1
    assert "citation_recall ≤ 0.9" in capsys.readouterr().out
    assert main([*asked, "--max", "citation_recall=0.995"]) == 0
    path = tmp_path / "junit.xml"
    both = ["check", "peaks", "--judge", "alce", "--min", "citation_recall=0.2"]
    assert main([*both, "--junit", str(path)]) == 1
    suite = ElementTree.parse(path).getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("2", "1", "0")
    [missed] = [case for case in suite if case.find("failure") is not None]
    assert (missed.get("classname"), missed.get("name")) == ("Careless", "citation_recall ≥ 0.2")


def test_what_cannot_be_told_does_not_pass(judged, capsys, tmp_path):
    assert main(["check", "peaks", "--min", "citation_recall=0.1"]) == 2
    assert main(["check", "peaks", "--judge", "alce", "--min", "nothing=0.1"]) == 2
    assert main(["check", "peaks", "--judge", "nobody", "--min", "citation_recall=0.1"]) == 2
    assert "nobody names no judge" in capsys.readouterr().err
    assert main(["check", "peaks", "--min", "citation_recall"]) == 2
    assert "KEY=NUMBER" in capsys.readouterr().err
    for bound in ("citation_recall=nan", "citation_recall=inf", "=0.5", "citation_recall="):
        assert main(["check", "peaks", "--min", bound]) == 2
        assert "KEY=NUMBER" in capsys.readouterr().err
    told = tmp_path / "attest.xml"
    elsewhere = ["check", "elsewhere", "--min", "citation_recall=0.1", "--junit", str(told)]
    assert main(elsewhere) == 2
    suite = ElementTree.parse(told).getroot()
    assert (suite.get("errors"), suite.get("name")) == ("1", "Attest: elsewhere")
    assert suite.findall("testcase/error")[0].get("message") in capsys.readouterr().err


# The notebook ------------------------------------------------------------------------------------


def test_the_notebook_runs(live_server, token, monkeypatch):
    monkeypatch.setenv("ATTEST_URL", live_server.url)
    monkeypatch.setenv("ATTEST_TOKEN", token)
    cells = json.loads((ROOT / "docs" / "client.ipynb").read_text("utf-8"))["cells"]
    here: dict[str, Any] = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), here)
    assert here["run"].state == "done"
    assert set(here["report"].table("systems")["system"]) == {"Careful", "Careless"}
    assert len(here["judgments"]) == 20
