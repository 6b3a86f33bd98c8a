"""Large studies go out, and large files come in, a piece at a time."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotate.exchange import streams
from annotate.studies.lifecycle import create_study
from tests.cases import each
from tests.uploads.files import evaluated, evaluation, rating, ratings, responses
from tests.uploads.steps import loaded

WRITERS = [streams.output_lines, streams.judgments_csv, streams.judgments_jsonl]


@pytest.fixture
def filled(study, make_study, monkeypatch):
    """Three chunks of responses; half of them bring their own sentences."""
    monkeypatch.setattr(streams, "CHUNK", 10)
    loaded(study, evaluation(*(evaluated(n) for n in range(15))), "h.json")
    loaded(study, responses(15), "r.jsonl")
    return study


def queries(function, *arguments):
    with CaptureQueriesContext(
        connection,
    ) as captured:
        count = sum(1 for _ in function(*arguments))
    return count, len(captured)


@pytest.mark.parametrize("write", WRITERS)
def test_the_number_of_queries_grows_with_chunks_and_not_with_rows(filled, write, monkeypatch):
    _, in_three = queries(write, filled)
    monkeypatch.setattr(streams, "CHUNK", 30)
    _, in_one = queries(write, filled)
    monkeypatch.setattr(streams, "CHUNK", 1_000)
    _, in_one_of_many = queries(write, filled)
    assert in_one == in_one_of_many
    each = in_one - 1  # the last query finds nothing more
    assert in_one < in_three <= 3 * each + 1
    assert each <= 6


@each("form", ["outputs.jsonl", "judgments.csv", "judgments.jsonl"])
def test_downloads_are_streamed(filled, browser, form):
    with CaptureQueriesContext(connection) as captured:
        answer = browser.get(f"/studies/things/data/{form}")
        before = len(captured)
        assert answer.streaming
        body = b"".join(answer.streaming_content)
    assert len(captured) - before >= 6, "nothing was read before it was sent"
    assert f'filename="things-{form}"' in answer["Content-Disposition"]
    expected = {
        "outputs.jsonl": streams.output_lines,
        "judgments.csv": streams.judgments_csv,
        "judgments.jsonl": streams.judgments_jsonl,
    }[form](filled)
    assert body.decode() == "".join(expected)


def test_parquet_is_sent_as_a_file(filled, browser):
    answer = browser.get("/studies/things/data/judgments.parquet")
    body = b"".join(answer.streaming_content)
    assert body[:4] == body[-4:] == b"PAR1"
    assert browser.get("/studies/things/data/judgments.xlsx").status_code == 404


def test_the_check_asks_a_few_questions_for_each_chunk(make_study, monkeypatch):
    """Not one for each row: reading a file again costs a fixed number of queries a chunk."""
    from annotate import uploads
    from annotate.uploads import chunks
    from tests.uploads.steps import receive

    ais = create_study(name="short", slug="short", preset="ais", owner=None)
    loaded(ais, ratings(*(rating(n) for n in range(40))), "ratings.csv")
    counts = []
    for size in (5, 10):
        monkeypatch.setattr(chunks, "CHUNK_RECORDS", size)
        upload = receive(ais, ratings(*(rating(n) for n in range(40))), "ratings.csv")
        with CaptureQueriesContext(connection) as captured:
            uploads.work(upload.pk)
        counts.append(len(captured))
    assert counts[0] - counts[1] <= 4 * 10
    assert counts[0] < 8 * 10 + 20
