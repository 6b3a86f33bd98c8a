"""The filters that every template has."""

from collections.abc import Callable
from typing import Any

from django.template import Context, Template

from annotate.protocol.presets import PRESETS
from annotate.web.template_filters import file_size, markdown, number, percent, pretty_json
from tests.annotate.pages import policy_faults, visible


def test_markdown_is_rendered(subtests):
    for text, html in (
        ("Plain.", "<p>Plain.</p>\n"),
        ("*a* **b** `c`", "<p><em>a</em> <strong>b</strong> <code>c</code></p>\n"),
        ("- a\n- b", "<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n"),
        (
            "[x](https://example.org/?a=1&b)",
            '<p><a href="https://example.org/?a=1&amp;b">x</a></p>\n',
        ),
        ("", ""),
        ("# Title", "<h2>Title</h2>\n"),
        ("## Title", "<h3>Title</h3>\n"),
        ("##### Title", "<h6>Title</h6>\n"),
        ("###### Title", "<h6>Title</h6>\n"),
        ("Title\n=====", "<h2>Title</h2>\n"),
    ):
        with subtests.test(text=text):
            assert markdown(text) == html


def test_tables_are_aligned_without_inline_style():
    html = markdown("|a|b|c|\n|--:|:-:|---|\n|1|2|3|")
    assert "<table>" in html
    assert '<th class="num">a</th>' in html
    assert '<td class="num">1</td>' in html
    assert "<td>3</td>" in html
    assert policy_faults(html) == []


def test_markdown_is_never_code(subtests):
    for text in [
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
    ]:
        with subtests.test(text=text):
            html = markdown(text)
            assert policy_faults(html) == []
            assert "<script" not in html
            assert "<img src=x" not in html


def test_markdown_takes_odd_texts():
    for text in ("[" * 5_000, "*" * 5_000, "> " * 1_000 + "x", "`" * 4_999 + " x"):
        assert visible(markdown(text)) is not None


def test_the_guidelines_of_every_preset(subtests):
    for preset in PRESETS:
        with subtests.test(preset=preset):
            html = markdown(PRESETS[preset].guidelines)
            assert policy_faults(html) == []
            assert "<h1>" not in html
            assert "<h2>" in html
            for sign in ("**", "##", "|--"):
                assert sign not in visible(html)


def test_filters_of_numbers_and_json(subtests):
    cases: tuple[tuple[Callable[..., str], Any, str], ...] = (
        (percent, None, "undefined"),
        (percent, 0.0, "0 %"),
        (percent, 0.256, "26 %"),
        (percent, 1.0, "100 %"),
        (percent, 0.004, "0 %"),
        (number, None, "–"),
        (number, 0, "0"),
        (number, 1234567, "1,234,567"),
        (number, 2.0, "2.0"),
        (number, 1234.56, "1,234.6"),
        (file_size, 0, "0 bytes"),
        (file_size, 999, "999 bytes"),
        (file_size, 1000, "1.0 kB"),
        (file_size, 68_000_000, "68.0 MB"),
        (file_size, 1_000_000_000, "1.0 GB"),
        (file_size, 5_000_000_000_000, "5000.0 GB"),
        (
            pretty_json,
            {"temperatur": "größer", "n": [1]},
            '{\n "temperatur": "größer",\n "n": [\n  1\n ]\n}',
        ),
    )
    for show, value, shown in cases:
        with subtests.test(value=value):
            assert show(value) == shown
    long = pretty_json({"text": "x" * 10_000})
    assert len(long) < 4_100
    assert long.endswith("…")
    shown = Template("{{ value|pretty_json }}").render(Context({"value": {"<b>": "</pre>"}}))
    assert "&lt;b&gt;" in shown
    assert "</pre>" not in shown
