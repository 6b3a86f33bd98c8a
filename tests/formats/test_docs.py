"""The documentation has every format, example, column and setting."""

from dataclasses import fields
from pathlib import Path

from annotate.formats import FORMATS, JUDGMENT_COLUMNS, Limits, limits, response_schema
from tests.cases import each

DOCS = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")


def section(key: str) -> str:
    """What stands under a format's heading."""
    return DOCS.split(f"\n## {key}\n", 1)[1].split("\n## ", 1)[0]


@each("key", FORMATS)
def test_every_format_has_its_heading_and_its_example(key):
    assert FORMATS[key].example.rstrip("\n") in section(key)


OWN = {"attest", "judgments", "judgments-jsonl", "references", "references-jsonl", "questions"}
OWN |= {"captures", "table", "table-judgments"}


def test_the_documentation_of_each_format_of_others_is_named():
    part = DOCS.split("\n### Where each is described\n", 1)[1].split("\n## ", 1)[0]
    rows = [line.split("|")[1:3] for line in part.splitlines() if line.startswith("| `")]
    for key in {*FORMATS} - OWN:
        said = [where for named, where in rows if f"`{key}`" in named]
        assert said, key
        assert all("](https://" in where for where in said)


def test_every_field_of_attests_own_formats_is_explained():
    for name in response_schema()["properties"]:
        assert f"`{name}" in section("attest")
    for name in JUDGMENT_COLUMNS:
        assert f"`{name}`" in section("judgments")


def test_every_limit_is_there_with_its_setting():
    for field in fields(Limits):
        if field.name == "dimensions":
            continue  # what may be judged is no limit
        assert f"{field.default:,}" in DOCS
    for name in ("RAISE_BYTES", "RAISE_RECORDS", "RAISE_FIELD_CHARS", "RAISE_PASSAGES"):
        setting = next(word for word in getattr(limits, name).split() if word.startswith("ATTEST"))
        assert f"`{setting}`" in DOCS
