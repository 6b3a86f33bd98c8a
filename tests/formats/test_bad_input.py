"""Bad files: each gives a problem that says where, what was expected and what was found."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.formats import FORMATS, Limits, recognise, unrecognised
from tests.cases import each
from tests.formats import bad_files
from tests.formats.bad_everywhere import EVERYWHERE
from tests.formats.bad_field_files import FIELD_FILES
from tests.formats.reading import example_options, outcome

OWN = [*bad_files.FILES, *FIELD_FILES]
FILES = [*OWN, *EVERYWHERE]


@each("bad", FILES, ids=lambda bad: f"{bad.format}: {bad.name}")
def test_the_first_problem_says_it_all(bad, tmp_path):
    options = example_options(bad.format, tmp_path / "example") | bad.options
    found = outcome(tmp_path / "bad", bad.content, bad.format, **options)
    assert found.problems, "the file was taken for good"
    problem = found.problems[0]
    assert bad.where in str(problem.where)
    assert bad.expected in problem.expected
    assert bad.found in problem.found
    assert bad.advice.lower() in problem.advice.lower()
    assert len(str(problem)) < 1_000
    str(problem).encode()  # can be printed and stored, whatever the file held


HOSTILE = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "{{ settings.SECRET_KEY }}{% debug %}",
    "'; DROP TABLE annotate_response; --",
    "=cmd|' /C calc'!A0",
    "\u202eright to left\u200b \u0007bell\u001b[31m\u0085",
    "tab\tand\r\nlines\u2028\u2029",
    "e\u0301 \U0001f468\u200d\U0001f469\u200d\U0001f467 \ufffd \ufeff",
]


@each("text", HOSTILE, ids=range(len(HOSTILE)))
@each("ascii_only", [True, False])
def test_every_text_field_passes_through_unharmed(text, ascii_only, tmp_path):
    doc = {"title": text, "text": text, "id": text, "extra": text}
    asked = {"id": text, "question": text, "output": text, "docs": [doc], "claims": [text]}
    content = json.dumps([{**asked, "m": text}], ensure_ascii=ascii_only)
    found = outcome(tmp_path / "hostile", content, "alce")
    assert not found.problems
    (record,) = found.responses
    assert (record.question.external_id, record.question.text, record.output) == (text,) * 3
    passage = record.passages[0]
    assert (passage.title, passage.text, passage.external_id) == (text,) * 3
    assert passage.metadata == {"extra": text}
    assert record.question.references == {"claims": [text]}
    assert record.metadata == {"m": text}


@each("key", FORMATS)
def test_a_byte_order_mark_is_no_fault(key, tmp_path):
    example, options = FORMATS[key].example, example_options(key, tmp_path / "example")
    plain = outcome(tmp_path / "plain", example, key, name="example", **options)
    marked = outcome(
        tmp_path / "marked", b"\xef\xbb\xbf" + example.encode(), key, name="example", **options
    )
    assert not marked.problems
    assert marked.all == plain.all
    assert plain.all


MORE = {
    ("aqa-ratings", "aqa-predictions"),
    ("trec-support", "trec-rag"),
    ("trec-assignments", "trec-nuggets"),
}
"""Files that hold all that the other has as well."""


@each("key", FORMATS)
def test_every_format_survives_every_other_one(key, tmp_path):
    """A file read as what it is not gives problems, never records."""
    for other, format in FORMATS.items():
        if other != key:
            found = outcome(tmp_path / "other", format.example, key)
            assert [*found.rows, *found.captured] == []
            assert found.references == [] or (other, key) in MORE
            if (other, key) not in MORE:
                assert not found.responses
                assert found.problems


@each("key", FORMATS)
def test_reading_any_bytes_never_raises(key, tmp_path):
    example = FORMATS[key].example.encode()
    options = example_options(key, tmp_path / "example")

    @settings(max_examples=25, deadline=None)
    @given(data=st.data())
    def damaged(data: st.DataObject) -> None:
        content = bytearray(example)
        for _ in range(data.draw(st.integers(1, 3))):
            at = data.draw(st.integers(0, len(content)))
            width = data.draw(st.integers(0, 4))
            content[at : at + width] = data.draw(
                st.sampled_from([b'"', b"{", b"]", b",", b"\n", b"\\", b"\0", b"-", b"1e999"])
                | st.binary(max_size=4)
            )
        found = outcome(tmp_path / "damaged", bytes(content), key, **options)
        assert found.all or found.problems
        if recognise(bytes(content)) is None:
            assert unrecognised(bytes(content)).found

    damaged()


def test_bad_records_count_towards_the_limit(tmp_path):
    found = outcome(tmp_path / "bad", [1] * 50, "alce", limits=Limits(max_records=10))
    assert len(found.problems) == 11
    assert "ATTEST_MAX_RECORDS" in found.problems[-1].advice
