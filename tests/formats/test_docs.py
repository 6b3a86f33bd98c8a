"""The documentation has every format, example, column and setting."""

from pathlib import Path

from annotate.formats import FORMATS, JUDGMENT_COLUMNS, response_schema
from tests.cases import each

DOCS = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")


def section(key: str) -> str:
    """What stands under a format's heading."""
    return DOCS.split(f"\n## {key}\n", 1)[1].split("\n## ", 1)[0]


@each("key", FORMATS)
def test_every_format_has_its_heading_and_its_example(key):
    assert FORMATS[key].example.rstrip("\n") in section(key)


def test_every_field_of_attests_own_formats_is_explained():
    for name in response_schema()["properties"]:
        assert f"`{name}" in section("attest")
    for name in JUDGMENT_COLUMNS:
        assert f"`{name}`" in section("judgments")
