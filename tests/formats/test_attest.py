"""Attest's own outputs, their schema, and writing them back."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from annotate.formats import (
    FORMATS,
    GivenStatement,
    Limits,
    PassageRecord,
    QuestionRecord,
    ResponseRecord,
    Where,
    response_schema,
    write_response,
)
from annotate.formats.attest import response
from annotate.formats.fields import Fields
from annotate.formats.json_values import value_problems
from annotate.text import Span
from tests.cases import each
from tests.formats.reading import outcome

LINE: dict[str, Any] = {
    "question": {"id": "q1", "text": "How high?", "references": {"answers": [["2,962 m"]]}},
    "system": "S",
    "output": "High [1].",
    "passages": [{"n": 1, "title": "T", "text": "Text."}],
}
VALIDATOR = Draft202012Validator(response_schema())


def cited(**changes: Any) -> dict[str, Any]:
    """A citation of the line as a span of it."""
    return {"start": 0, "end": 9, "passages": [1], **changes}


def accepted(value: Any) -> bool:
    """What the reader thinks of a line's value, which must be what the schema thinks of it."""
    where, limits = Where(line=1), Limits()
    problems = list(value_problems(value, where, limits))
    if fields := Fields.of(value, where, problems):
        response(fields, limits)
    assert (not problems) == VALIDATOR.is_valid(value), (problems, value)
    return not problems


@pytest.fixture
def path(tmp_path):
    return tmp_path / "responses.jsonl"


def test_a_whole_line(path):
    line = {
        **LINE,
        "question": {**LINE["question"], "language": "de-AT", "dataset": "peaks"},
        "run": 42,
        "is_list": True,
        "citations": [
            {"start": 0, "end": 9, "passages": [3]},
            {"start": 1, "end": 2.0, "passages": [3, 3], "quote": "Hi"},
        ],
        "metadata": {"a": 1},
        "extra": [None],
        "passages": [
            {
                "n": 3,
                "title": "",
                "text": "",
                "id": 9,
                "url": "https://example.org/x",
                "published": "May 2020",
                "retrieved": "2024-05-01",
                "page": 12,
                "rank": 1,
            }
        ],
    }
    (record,) = outcome(path, line, "attest").responses
    assert record == ResponseRecord(
        where=Where(line=1),
        question=QuestionRecord(
            "How high?", "q1", {"answers": [["2,962 m"]]}, {"dataset": "peaks"}, "de-AT"
        ),
        output="High [1].",
        system="S",
        run="42",
        passages=(
            PassageRecord(
                3,
                "",
                "",
                "9",
                "https://example.org/x",
                published="May 2020",
                retrieved="2024-05-01",
                page="12",
                metadata={"rank": 1},
            ),
        ),
        is_list=True,
        metadata={"a": 1, "extra": [None]},
        citations=(Span(0, 9, (3,)), Span(1, 2, (3, 3), "Hi")),
    )


def test_an_unknown_field_does_not_push_metadata_out(path):
    line = {**LINE, "metadata": {"extra": 1}, "extra": 2}
    (record,) = outcome(path, line, "attest").responses
    assert record.metadata == {"extra": 1, "extra_": 2}


@each(
    ("changes", "field"),
    [
        ({"statements": [{"text": "A.", "passages": [2]}]}, "statements[0].passages[0]"),
        ({"passages": [*LINE["passages"], *LINE["passages"]]}, "passages[1].n"),
        ({"citations": [cited(), cited(passages=[1, 2])]}, "citations[1].passages[1]"),
        ({"citations": [cited(start=3, end=3)]}, "citations[0].end"),
        ({"citations": [cited(start=3, end=2)]}, "citations[0].end"),
        ({"citations": [cited(end=10)]}, "citations[0].end"),
        ({"citations": [cited(start=9, end=10)]}, "citations[0].end"),
        ({"citations": [cited(passages=[1] * 2501)] * 2}, "citations"),
    ],
)
def test_rules_beyond_the_schema(path, changes, field):
    line = {**LINE, **changes}
    assert VALIDATOR.is_valid(line)
    found = outcome(path, line, "attest")
    assert [problem.where.field for problem in found.problems] == [field]


def test_given_statements_have_their_own_citations(path):
    line = {**LINE, "statements": [{"text": "High [1].", "passages": [1]}], "citations": []}
    assert accepted(line)
    line["citations"] = [cited()]
    assert not accepted(line)
    (problem,) = outcome(path, line, "attest").problems
    assert problem.where.field == "citations"


@each(
    ("languages", "is_accepted"),
    [
        (["en", "zh-Hant", "pt-BR", "yue", "de-CH-1901"], True),
        (["e", "English", "zh_Hant", "en-", "en\n", "ﬁ", "en-" * 12], False),
    ],
)
def test_invalid_language_codes_are_refused(languages, is_accepted):
    for language in languages:
        line = {**LINE, "question": {**LINE["question"], "language": language}}
        assert accepted(line) is is_accepted, language


REMOVED = object()
PATHS = [
    ("question",),
    ("question", "id"),
    ("question", "text"),
    ("question", "references"),
    *(("question", "references", name) for name in ("answer", "annotations", "qa_pairs")),
    *(("question", "references", name) for name in ("answers", "claims", "other")),
    *(("question", name) for name in ("language", "dataset", "metadata", "other")),
    *((name,) for name in ("system", "run", "output", "is_list", "metadata", "other")),
    ("passages",),
    ("passages", 0),
    *(("passages", 0, name) for name in ("n", "title", "text", "id", "url", "metadata", "x")),
    *(("passages", 0, name) for name in ("published", "retrieved", "page")),
    ("citations",),
    ("citations", 0),
    *(("citations", 0, name) for name in ("start", "end", "passages", "quote", "other")),
    ("statements",),
    ("statements", 0),
    *(("statements", 0, name) for name in ("text", "passages", "other")),
]
VALUES = [
    REMOVED, None, True, 0, 1, 1.0, 1.5, -3, 2**31, 2**53, 10**300, "", " \n", "text", "x" * 101,
    "x" * 201, "x" * 501, "nul \0", "half \ud800", "whole \U0001f600", "http://example.org",
    "javascript:alert(1)", "\nhttp://example.org", [], ["a"], [["a"]], [[1]], [1], {}, {"a\0": 1},
    {"a": {"b": ["\udfff"]}}, [{"long_answer": "x"}], [{"long_answer": 1}],
    [{"short_answers": ["x"]}], [{"short_answers": "x"}],
]  # fmt: skip


@each("place", PATHS, ids=lambda place: ".".join(map(str, place)))
def test_reader_and_schema_agree_on_every_field(place):
    verdicts = set()
    for value in VALUES:
        line = json.loads(json.dumps(LINE))
        if place[0] == "citations":
            line["citations"] = [cited()]
        else:
            line["statements"] = [{"text": "A [1].", "passages": [1]}]
        target = line
        for step in place[:-1]:
            target = target[step]
        if value is REMOVED:
            if isinstance(target, list) or place[-1] not in target:
                continue
            del target[place[-1]]
        else:
            target[place[-1]] = value
        if place[:2] == ("passages", 0) or place == ("passages",):
            line["statements"] = None  # they would cite a passage that is gone
        if place == ("statements", 0, "passages") and value in ([], None, 0):
            continue
        verdicts.add(accepted(line))
    assert False in verdicts


@each("value", [None, 1, "x", [], [LINE], {}])
def test_reader_and_schema_agree_on_what_is_no_response(value):
    assert not accepted(value)


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
metadata = st.dictionaries(
    texts, st.none() | texts | st.floats(allow_nan=False, allow_infinity=False) | st.lists(texts)
).map(lambda each: {f"m{key}": value for key, value in each.items()})


@st.composite
def responses(draw):
    passages = tuple(
        PassageRecord(
            n,
            draw(texts),
            draw(texts),
            draw(texts),
            draw(st.sampled_from(["", "https://example.org/?q=é"])),
            draw(texts),
            draw(texts),
            draw(texts),
            draw(metadata),
        )
        for n in draw(st.lists(st.integers(1, 50), unique=True, max_size=3))
    )
    statements = st.builds(
        GivenStatement,
        texts.filter(str.strip),
        st.lists(st.sampled_from(passages), max_size=3).map(tuple) if passages else st.just(()),
    )
    output = draw(texts)
    given = draw(st.none() | st.lists(statements, max_size=2).map(tuple))
    return ResponseRecord(
        where=Where(line=1),
        question=QuestionRecord(
            draw(texts.filter(str.strip)),
            draw(texts),
            draw(st.fixed_dictionaries({}, optional={"claims": st.lists(texts), "mine": texts})),
            draw(metadata),
            draw(st.sampled_from(["", "zh", "pt-BR"])),
        ),
        output=output,
        system=draw(texts),
        run=draw(texts),
        passages=passages,
        is_list=draw(st.booleans()),
        statements=given,
        metadata=draw(metadata),
        citations=draw(spans(output, passages)) if given is None else (),
    )


def spans(output, passages):
    """Citations of some of the passages by stretches of the output."""
    if not output or not passages:
        return st.just(())
    places = st.lists(st.integers(0, len(output)), min_size=2, max_size=2, unique=True).map(sorted)
    numbers = st.lists(st.sampled_from([p.n for p in passages]), min_size=1, max_size=3).map(tuple)
    span = st.builds(lambda at, cited, q: Span(at[0], at[1], cited, q), places, numbers, texts)
    return st.lists(span, max_size=3).map(tuple)


@given(record=responses())
def test_writing_and_reading_back(record, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "back.jsonl"
    line = write_response(record)
    assert VALIDATOR.is_valid(json.loads(line))
    found = outcome(path, line, "attest")
    assert not found.problems
    assert found.responses == [record]
    assert write_response(found.responses[0]) == line


@each("key", ["alce", "alce-citations", "alce-utility", "aqa-ratings"])
def test_responses_of_other_formats_can_be_written_too(tmp_path, key):
    for record in outcome(tmp_path / "in", FORMATS[key].example, key).responses:
        (back,) = outcome(tmp_path / "out", write_response(record), "attest").responses
        assert back == replace(record, where=Where(line=1), judgments=())
