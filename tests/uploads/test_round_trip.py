"""Everything out and in again, into an empty study: the same bytes."""

import pyarrow.parquet as pq
import pytest

from annotate.exchange import parquet, streams
from annotate.exchange.deletion import delete_study
from annotate.formats.spreadsheets import for_spreadsheets
from annotate.formats.tables.guessing import guess
from annotate.models import Judgment, Response, Study
from annotate.studies.lifecycle import create_study
from tests.annotate.deleting import gone
from tests.cases import each
from tests.uploads.files import (
    alce,
    evaluated,
    evaluation,
    item,
    judged,
    judgments,
    lines,
    rating,
    ratings,
    response,
    sentence,
)
from tests.uploads.steps import loaded

pytestmark = pytest.mark.postgresql

ODD = (
    'He said: "a, b;\tc"\n'
    "next line 🦉👩‍🚀 — שלום עולם, العربية e\u0301 ﬁ \u2028 \u00a0\u200b end\r\n=1+1"
)


def human_evaluation(study):
    spare = evaluated(
        3,
        output="Round [5], blue [1][9], and [1] so on.\nNever judged.",
        sentences=[
            sentence("Round [5], blue [1][9], and [1] so on.", 1, 2, 1, 0),
        ],
        automatic_recall_scores=[1],
        automatic_citation_precision_scores=[[2, 1, 0]],
    )
    loaded(study, evaluation(evaluated(1), evaluated(2), spare), "h.json")


def lists(study):
    output = 'Ada Lovelace [1], Alan Turing [2][1], "Dr. Who", Łódź [7].'
    answers = [["Ada Lovelace", "Ada"], ["Alan Turing"]]
    loaded(study, alce(item(1, output=output, answers=answers), item(2)), "qampari.json")


def odd_texts(study):
    row = response(
        1,
        question={
            "id": 'q,"1"\n',
            "text": ODD,
            "references": {"answer": ODD, "claims": [ODD], "other": {"b": 1, "a": [None, 0.1]}},
            "metadata": {"z": ODD, "a": 1},
        },
        system=f'Sys, "{ODD[:20]}"',
        run='1, "2"',
        output=f"{ODD} [1] more.",
        passages=[
            {"n": 3, "title": ODD, "text": ODD, "id": ODD[:30], "url": "https://x.org/?a=b&c"}
        ],
        metadata={"deep": {"k": [1, 2.5, 1e300, True, None, ODD]}},
    )
    empty = response(2, output="", passages=[])
    loaded(study, lines(row, empty), "odd.jsonl")
    about = {"system": row["system"], "run": row["run"], "question_id": row["question"]["id"]}
    rows = [
        judged(1, "r", "utility", "3", judge=ODD, note=ODD, seconds="0.1", **about),
        judged(1, "r", "utility", "", skipped_reason=ODD[:150], score="1", **about),
        judged(1, "s1", "citation_recall", "no", score="1e-07", seconds="1e6", **about),
    ]
    loaded(study, judgments(*rows), "odd.csv")


def spans_and_sources(study):
    spans = [
        {"start": 0, "end": 17, "passages": [1]},
        {"start": 9, "end": 41, "passages": [2, 1], "quote": f"blue {ODD}"},
    ]
    known = {"url": "https://x.org/a", "published": "May 2020", "retrieved": "1 June", "page": "7"}
    row = response(1, citations=spans)
    row["question"] |= {"language": "zh-Hant", "metadata": {"dataset": "things"}}
    row["passages"][0] |= known
    loaded(study, lines(row, response(2)), "spans.jsonl")


def many_ratings(study):
    rows = [rating(n, system) for n in range(30) for system in ("A", "B")]
    loaded(study, ratings(*rows, rating(1, "C", passage="", answer="")), "ratings.csv")


CONTENTS = [
    ("alce", human_evaluation),
    ("alce", lists),
    ("alce", odd_texts),
    ("alce", spans_and_sources),
    ("ais", many_ratings),
]


def exported(study):
    return (
        "".join(streams.output_lines(study)).encode(),
        "".join(streams.judgments_csv(study)).encode(),
        "".join(streams.judgments_jsonl(study)).encode(),
    )


def table_of(study, folder, name):
    count = parquet.write_judgments(study, folder / name)
    table = pq.read_table(folder / name)
    assert table.num_rows == count
    return table


@pytest.mark.django_db
@each(("preset", "fill"), CONTENTS, ids=[f"{fill.__name__}-{preset}" for preset, fill in CONTENTS])
def test_exporting_and_importing_gives_an_identical_export(preset, fill, tmp_path):
    study = create_study(name="Trip", slug="trip", preset=preset, owner=None)
    fill(study)
    outputs, as_csv, as_jsonl = exported(study)
    safe = "".join(for_spreadsheets(streams.judgments_csv(study))).encode()
    table = table_of(study, tmp_path, "first.parquet")
    assert outputs.count(b"\n") == Response.objects.count() > 0
    gone(delete_study(study))
    assert not Study.objects.exists()
    assert not Response.objects.exists()

    for name, rows in (("j.csv", as_csv), ("j.jsonl", as_jsonl), ("safe.csv", safe)):
        study = create_study(name="Trip", slug="trip", preset=preset, owner=None)
        loaded(study, outputs, "outputs.jsonl")
        if as_jsonl:
            upload = loaded(study, rows, name)
            assert upload.result["judgments"] == table.num_rows
        assert exported(study) == (outputs, as_csv, as_jsonl)
        assert table_of(study, tmp_path, "again.parquet").equals(table)
        again = loaded(study, outputs, "outputs.jsonl")
        assert again.result["unchanged"] == again.findings["records"]
        gone(delete_study(study))


@pytest.mark.django_db
def test_judgments_as_parquet_keep_who_counts(tmp_path):
    study = create_study(name="Trip", slug="trip", preset="alce", owner=None)
    loaded(study, lines(response(1)), "outputs.jsonl")
    row = judgments(judged(1, "s1", "citation_recall", "yes", judge="NAME"))
    header, row, _ = row.split(b"\r\n")
    marks = {"in": b"active,yes", "late": b"active,unfinished", "out": b"excluded,excluded"}
    rows = [row.replace(b"NAME", name.encode()) + b"," + said for name, said in marks.items()]
    loaded(study, b"\r\n".join([header + b",standing,counted", *rows, b""]), "j.csv")
    outputs, as_csv, _ = exported(study)
    assert all(said in as_csv for said in marks.values())
    table = table_of(study, tmp_path, "first.parquet")
    gone(delete_study(study))

    study = create_study(name="Trip", slug="trip", preset="alce", owner=None)
    loaded(study, outputs, "outputs.jsonl")
    mapping = guess(table.to_pylist(), table.column_names)
    loaded(study, (tmp_path / "first.parquet").read_bytes(), "j.parquet", mapping=mapping)
    assert exported(study)[1] == as_csv


@pytest.mark.django_db
def test_replaced_responses_and_their_judgments_stay_behind():
    study = create_study(name="Trip", slug="trip", preset="alce", owner=None)
    loaded(study, lines(response(1)), "r.jsonl")
    loaded(study, judgments(judged(1, "s1", "citation_recall", "yes")), "j.csv")
    loaded(study, lines(response(1, output="Flat [1].")), "r.jsonl", replace=True)
    outputs, as_csv, as_jsonl = exported(study)
    assert b"Flat" in outputs
    assert b"round" not in outputs.split(b'"passages"')[0]
    assert as_csv.count(b"\n") == 1
    assert as_jsonl == b""
    assert Judgment.objects.count() == 1


@pytest.mark.django_db
def test_empty_study_exports_empty_files(tmp_path):
    study = create_study(name="Trip", slug="trip", preset="alce", owner=None)
    outputs, as_csv, as_jsonl = exported(study)
    assert (outputs, as_jsonl) == (b"", b"")
    assert as_csv.startswith(b"study,system,run,")
    assert table_of(study, tmp_path, "none.parquet").num_rows == 0
