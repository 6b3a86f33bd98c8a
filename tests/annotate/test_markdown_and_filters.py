"""The filters that every template has."""

import pytest
from django.template import Context, Template

from annotate.protocol.presets import PRESETS
from annotate.templatetags.attest import file_size, markdown, number, percent, pretty_json
from tests.annotate.pages import policy_faults, visible


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("Plain.", "<p>Plain.</p>\n"),
        ("*a* **b** `c`", "<p><em>a</em> <strong>b</strong> <code>c</code></p>\n"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
        (
            "[x](https://example.org/?a=1&b)",
            '<p><a href="https://example.org/?a=1&amp;b">x</a></p>\n',
        ),
        ("", ""),
    ],
)
def test_markdown(text, html):
    assert markdown(text) == html


@pytest.mark.parametrize(("marks", "level"), [("#", 2), ("##", 3), ("#####", 6), ("######", 6)])
def test_headings_stand_below_the_pages_own(marks, level):
    assert markdown(f"{marks} Title") == f"<h{level}>Title</h{level}>\n"


def test_a_heading_that_is_underlined():
    assert markdown("Title\n=====") == "<h2>Title</h2>\n"


def test_tables_are_aligned_without_inline_style():
    html = markdown("|a|b|c|\n|--:|:-:|---|\n|1|2|3|")
    assert "<table>" in html
    assert '<th class="num">a</th>' in html
    assert '<td class="num">1</td>' in html
    assert "<td>3</td>" in html
    assert policy_faults(html) == []


@pytest.mark.parametrize(
    "text",
    [
        "<script>alert(1)</script>",
        "a <img src=x onerror=alert(1)> b",
        "[x](javascript:alert(1))",
        "[x](JavaScript:alert(1))",
        "[x](&#106;avascript:alert(1))",
        "[x](java&#10;script:alert(1))",
        "[x](vbscript:x)",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x]( javascript:alert(1))",
        "<javascript:alert(1)>",
        "![x](javascript:alert(1))",
        "[x]: javascript:alert(1)\n\n[x]",
        '[x](https://example.org "\\" onmouseover=\\"alert(1)")',
        '```" onclick=alert(1)\n</code><script>\n```',
        "`</code><script>alert(1)</script>`",
        "<style>p{}</style>",
        "<!-- <script> -->",
        "|a|\n|---|\n|<script>alert(1)</script>|",
    ],
)
def test_markdown_is_never_code(text):
    html = markdown(text)
    assert policy_faults(html) == []
    assert "<script" not in html
    assert "<img src=x" not in html


@pytest.mark.parametrize("text", ["[" * 5_000, "*" * 5_000, "> " * 1_000 + "x", "`" * 4_999 + " x"])
def test_markdown_takes_odd_texts(text):
    assert visible(markdown(text)) is not None


@pytest.mark.parametrize("preset", PRESETS)
def test_the_guidelines_of_every_preset(preset):
    html = markdown(PRESETS[preset].guidelines)
    assert policy_faults(html) == []
    assert "<h1>" not in html
    assert "<h2>" in html
    for sign in ("**", "##", "|--"):
        assert sign not in visible(html)


@pytest.mark.parametrize(
    ("share", "shown"),
    [(None, "undefined"), (0.0, "0 %"), (0.256, "26 %"), (1.0, "100 %"), (0.004, "0 %")],
)
def test_percent(share, shown):
    assert percent(share) == shown


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "–"), (0, "0"), (1234567, "1,234,567"), (2.0, "2.0"), (1234.56, "1,234.6")],
)
def test_number(value, shown):
    assert number(value) == shown


@pytest.mark.parametrize(
    ("size", "shown"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (68_000_000, "68.0 MB"),
        (1_000_000_000, "1.0 GB"),
        (5_000_000_000_000, "5000.0 GB"),
    ],
)
def test_file_size(size, shown):
    assert file_size(size) == shown


def test_pretty_json():
    assert pretty_json({"temperatur": "größer", "n": [1]}) == (
        '{\n "temperatur": "größer",\n "n": [\n  1\n ]\n}'
    )
    long = pretty_json({"text": "x" * 10_000})
    assert len(long) < 4_100
    assert long.endswith("…")


def test_json_is_escaped_where_it_is_shown():
    shown = Template("{{ value|pretty_json }}").render(Context({"value": {"<b>": "</pre>"}}))
    assert "&lt;b&gt;" in shown
    assert "</pre>" not in shown
