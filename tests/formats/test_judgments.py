"""Judgments in the long form: CSV and JSON Lines, in and out."""

import json
from datetime import datetime
from typing import Any, get_args

from hypothesis import given
from hypothesis import strategies as st

from annotate.formats import (
    JUDGMENT_COLUMNS,
    JudgeKind,
    JudgmentRecord,
    JudgmentRow,
    Where,
    judgments_csv_header,
    unit_kind,
    write_judgment_csv,
    write_judgment_jsonl,
)
from annotate.formats.judgment_fields import OTHER
from annotate.protocol.dimensions import UnitKind
from annotate.protocol.shipped import SHIPPED
from tests.cases import each
from tests.formats.reading import outcome
from tests.protocol.some_answers import values_of

UNITS = {
    UnitKind.RESPONSE: "r",
    UnitKind.STATEMENT: "s2",
    UnitKind.CITATION: "s2.c10",
    UnitKind.CLAIM: "s3.a1",
    UnitKind.CLAIM_CITATION: "s3.a1.c2",
    UnitKind.PAIR: "vs12",
    UnitKind.REFERENCE_CLAIM: "k3",
}
ROW = {
    "study": "peaks",
    "system": "S",
    "run": "",
    "question_id": "q1",
    "unit": "s1.c2",
    "dimension": "citation_support",
    "judge": "rater-1",
    "judge_kind": "human",
    "value": "full",
    "score": "0.5",
    "skipped_reason": "",
    "seconds": "3",
    "note": 'Says, "so".\nTwice.',
    "created": "2024-05-01T12:30:00+02:00",
}


def csv_of(*rows: dict[str, str]) -> str:
    columns = [*JUDGMENT_COLUMNS, *(name for name in OTHER if name in rows[0])]
    quoted = [
        ",".join('"' + row[name].replace('"', '""') + '"' for name in columns) for row in rows
    ]
    return "\n".join([",".join(columns), *quoted]) + "\n"


def json_of(**changes: Any) -> str:
    row = {**ROW, "score": 0.5, "seconds": 3, **changes}
    return json.dumps({name: value for name, value in row.items() if value is not ...})


@each(
    ("changes", "field"),
    [
        ({"value": "", "skipped_reason": ""}, "value"),
        ({"skipped_reason": "broken"}, "skipped_reason"),
        ({"value": "yes"}, "value"),
        ({"dimension": "beauty"}, "dimension"),
        ({"unit": "s1"}, "unit"),
        ({"unit": "s0.c1"}, "unit"),
        ({"unit": "s1.c2 "}, "unit"),
        ({"unit": "s1.a1.c1"}, "unit"),
        ({"judge_kind": "robot"}, "judge_kind"),
        ({"created": "yesterday"}, "created"),
        ({"created": "2024-05-01"}, "created"),
        ({"created": "0001-01-01T00:00:00+12:00"}, "created"),
        ({"created": "9999-12-31T23:59:59-12:00"}, "created"),
        ({"run": "x" * 101}, "run"),
    ],
)
def test_wrong_texts_in_either_form(tmp_path, changes, field):
    row = {**ROW, **changes}
    for name, text, key in (
        ("j.csv", csv_of(row), "judgments"),
        ("j.jsonl", json_of(**changes), "judgments-jsonl"),
    ):
        found = outcome(tmp_path / name, text, key)
        assert not found.rows
        assert [problem.where.field for problem in found.problems] == [field]


@each("dimension", SHIPPED.values(), ids=lambda d: d.key)
def test_every_dimension_takes_its_values_about_its_units(tmp_path, dimension):
    rows = [
        {
            **ROW,
            "unit": UNITS[dimension.unit_kind],
            "dimension": dimension.key,
            "judge": f"j{n}",
            "value": value,
            **(dict.fromkeys(OTHER, "T") if dimension.unit_kind is UnitKind.PAIR else {}),
        }
        for n, value in enumerate(values_of(dimension))
    ]
    found = outcome(tmp_path / "j.csv", csv_of(*rows), "judgments")
    assert not found.problems
    assert [row.judgment.value for row in found.rows] == values_of(dimension)


def test_the_same_judgment_twice_is_refused(tmp_path):
    found = outcome(
        tmp_path / "j.csv",
        csv_of(ROW, {**ROW, "judge": "b"}, {**ROW, "value": "none"}),
        "judgments",
    )
    assert len(found.rows) == 2
    assert found.problems[0].where.line == 6
    assert "the first is at line 2" in found.problems[0].found


@each(
    ("key", "kind"),
    [(key, kind) for kind, key in UNITS.items()]
    + [
        (key, None)
        for key in (
            "", "R", "s", "s01", "s1.", "c1", "s1.c1.a1", "s1c1", "s１", "vs", "vs0", "k01",
            "k1.c1", "v1",
        )
    ],
)  # fmt: skip
def test_the_grammar_of_unit_keys(key, kind):
    assert unit_kind(key) == kind


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
names = texts.filter(str.strip)


moments = st.datetimes(datetime(1900, 1, 1), datetime(2199, 12, 31))


@st.composite
def judgment_rows(draw):
    dimension = draw(st.sampled_from(list(SHIPPED.values())))
    value = draw(st.sampled_from(["", *values_of(dimension)]))
    is_pair = dimension.unit_kind is UnitKind.PAIR
    return JudgmentRow(
        where=Where(),
        study=draw(texts),
        system=draw(names),
        run=draw(texts),
        question_id=draw(names),
        judgment=JudgmentRecord(
            unit=UNITS[dimension.unit_kind],
            dimension=dimension.key,
            judge=draw(names),
            judge_kind=draw(st.sampled_from(get_args(JudgeKind))),
            value=value,
            score=draw(st.none() | st.floats(0, 1)),
            skipped_reason="" if value else draw(names),
            seconds=draw(st.none() | st.floats(0, allow_infinity=False)),
            note=draw(texts),
            created=draw(st.just("") | moments.map(lambda time: time.isoformat())),
            other_system=draw(names) if is_pair else None,
            other_run=draw(texts) if is_pair else None,
        ),
    )


@each("key", ["judgments", "judgments-jsonl"])
@each(
    ("standing", "counted"),
    [("active", "yes"), ("paused", "unfinished"), ("excluded", "unfinished"), ("excluded",) * 2],
)
def test_standing_and_counted_survive_a_round_trip(tmp_path, key, standing, counted):
    judged = JudgmentRecord(
        "s1", "citation_recall", "rater-1", "human", "yes", standing=standing, counted=counted
    )
    row = JudgmentRow(Where(), "peaks", "example-7b", "", "q1", judged)
    text = judgments_csv_header(standing=True) + write_judgment_csv(row)
    if key == "judgments-jsonl":
        text = write_judgment_jsonl(row)
    (back,) = outcome(tmp_path / "j", text, key).rows
    assert (back.judgment.standing, back.judgment.counted) == (standing, counted)


@each(
    ("changes", "expected"),
    [
        ({"counted": "no"}, "one of yes, unfinished, excluded, or nothing"),
        ({"counted": "excluded"}, "another word where the rater's standing is not excluded"),
        ({"counted": "yes", "judge_kind": "automatic"}, "it is said of raters' answers"),
    ],
)
def test_contradictory_counted_values_are_refused(tmp_path, changes, expected):
    row = {**ROW, "judge_kind": "human", "note": "", **changes}
    text = f"{','.join(row)}\n{','.join(row.values())}\n"
    [problem] = outcome(tmp_path / "j.csv", text, "judgments").problems
    assert problem.where.field == "counted"
    assert expected in str(problem)


@each("key", ["judgments", "judgments-jsonl"])
def test_writing_and_reading_back(key, tmp_path_factory):
    @given(row=judgment_rows())
    def round_trip(row):
        pairs = row.judgment.other_system is not None
        if key == "judgments":
            text = judgments_csv_header(pairs=pairs) + write_judgment_csv(row)
        else:
            text = write_judgment_jsonl(row)
        found = outcome(tmp_path_factory.getbasetemp() / key, text, key)
        assert not found.problems
        (back,) = found.rows
        if key == "judgments":
            assert judgments_csv_header(pairs=pairs) + write_judgment_csv(back) == text
        else:
            assert write_judgment_jsonl(back) == text
        assert (back.judgment.score, back.judgment.seconds) == (
            row.judgment.score,
            row.judgment.seconds,
        )

    round_trip()
