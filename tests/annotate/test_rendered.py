"""Answers rendered: what stands where, nothing lost, and nothing of theirs becomes an element."""

import re
from itertools import product

from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.content.shown_response import of_record
from annotate.formats.records import PassageRecord, QuestionRecord, ResponseRecord, Where
from annotate.text import Span, segment
from annotate.text.worked import divide_worked
from tests.annotate.showing import SITES, Read, html_of, read, record, shown
from tests.growth import grows_linearly
from tests.segment.test_all_lines_properties import ANSWERS
from tests.segment.test_worked_answers import DESIGN, OWN, records

ELEMENTS = {
    *("p", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "hr", "div", "br"),
    *("table", "thead", "tbody", "tr", "th", "td", "a", "wbr"),
    *("span", "strong", "em", "code", "sup", "sub", "s"),
}
NAMES = {
    *("class", "dir", "lang", "role", "title", "start", "scope", "tabindex", "href", "hidden"),
    *("aria-label", "data-answer", "data-unit", "data-passages", "data-passage"),
}


def words(text: str) -> str:
    return "".join(text.split())


def tags(raw: str, **choice) -> list[str]:
    """The elements inside the answer, but for statements and chips."""
    found = read(raw, **choice)
    return [tag for tag in found.tags[1:] if tag not in {"span", "wbr"}]


# What becomes of Markdown ------------------------------------------------------------------------


def test_markdown_becomes_elements(subtests):
    for raw, expected in (
        ("# One\n\nTwo.", ["div", "h3", "p"]),
        ("One\n===\n\n###### Six", ["div", "h3", "div", "h6"]),
        ("- a\n  - b\n- c", ["ul", "li", "p", "ul", "li", "p", "li", "p"]),
        ("> a\n> > b", ["blockquote", "p", "blockquote", "p"]),
        ("```py\nx\n```\n\nEnd.", ["div", "p", "pre", "code", "p"]),
        ("a\n\n---\n\nb", ["p", "hr", "p"]),
        (
            "| a | b |\n|---|--:|\n| c |\n",
            ["div", "table", "thead", "tr", "th", "th", "tbody", "tr", "td", "td"],
        ),
        ("**a** *b* `c` H<sub>2</sub>O ~~d~~", ["strong", "em", "code", "sub", "s"]),
        ("one  \ntwo\\\nthree<br>four\nfive", ["br", "br", "br"]),
        ("One.\n\nTwo.", ["p", "p"]),
        ("One. Two [1].", []),
    ):
        with subtests.test(raw=raw):
            assert tags(raw) == expected
    found = read("4. a\n5. b\n\nthen\n\n0. c")
    assert [value for _, name, value in found.attributes if name == "start"] == ["4", "0"]
    code = read("- See:\n\n  ```py\n  if x:\n      y[1]\n  ```\n")
    assert "if x:\n    y[1]" in code.text
    assert code.chips == []
    html = html_of(shown("| a | b | c |\n|:--|:-:|--:|\n| 1 | 2 | 3 |"))
    assert re.findall(r'<td(?: class="([\w-]+)")?>', html) == ["", "to-centre", "to-end"]
    assert words(read("| a | b |\n|---|---|\n| c | d | e |").text).endswith("cde")


def test_words_are_as_a_reader_expects_them(subtests):
    for raw, text in [
        ("Escaped \\*stars\\* stay.", "Escaped *stars* stay."),
        ("A sum $a\\_1 * b$ stays.", "A sum $a\\_1 * b$ stays."),
        (
            "See <https://a.example/x> for it, they say.",
            "See https://a.example/x for it, they say.",
        ),
        ("An ![owl](https://a.example/o.png) flies.", "An owl flies."),
        ("Raw <u>tags</u> and <x y> stay.", "Raw tags and <x y> stay."),
        ("中文没有\n空格。", "中文没有空格。"),
    ]:
        with subtests.test(raw=raw):
            assert " ".join(read(raw).text.split()) == text


# Statements and chips ----------------------------------------------------------------------------


def test_a_mark_is_a_chip_and_leaves_nothing(subtests):
    for raw, chips in [
        ("Rain ([1]).", ["1"]),
        ("Rain **[1]**.", ["1"]),
        ("Rain [1], [2].", ["1", "2"]),
        ("Rain <sup>1, 2</sup>.", ["1", "2"]),
        ("Rain 【1†a】.", ["1"]),
        ("Rain ([a](https://gone.example.org/x)).", ["gone.example.org"]),
        ("Rain [7].", ["7"]),
    ]:
        with subtests.test(raw=raw):
            found = read(raw)
            assert found.chips == chips
            assert words(found.text) == "Rain."


def test_the_space_before_a_chip_is_shown_behind_markup_too(subtests):
    for raw in ["It is *late* [1].", "It is [late](x) [1][2].", "It is late ([1])."]:
        with subtests.test(raw=raw):
            assert "late\u00a0" in read(raw).text


def test_plain_answers_look_as_those_of_one_line(subtests):
    for raw in ["High [1]. Very high [1][2].", "A.[1] B.[2]", "Blue [1,2][9]"]:
        with subtests.test(raw=raw):
            found, before = read(raw), read(raw, lines="first")
            assert found.tags == before.tags
            assert found.chips == before.chips
            assert words(found.text) == words(before.text)


# What is not judged ------------------------------------------------------------------------------


def whole(raw):
    from annotate.formats.division import undivided

    return of_record(record(raw), undivided(record(raw)), 3)


# Whatever it is made of --------------------------------------------------------------------------

HOSTILE = [
    "<script>alert(1)</script> and <img src=x onerror=alert(1)>",
    "[click](javascript:alert(1)) ![i](javascript:alert(2)) <javascript:alert(3)>",
    '[a](https://e.example/" onmouseover="alert(1)) [1](https://e.example/"><script>)',
    "| <td onclick=x> | </table> |\n|---|---|\n| </div></p> | `</code>` |",
    '```"><script>\n</pre></code><script>\n```',
    "# </h3><script>\n\n- </li></ul>\n> </blockquote>",
    "<b><i><sup>unclosed **everything _ever `so [a](https://x.example (1",
    "<a href='javascript:x'>y</a><b onclick=x>z</b><span style='x'>w</span><svg/onload=x>",
    "&lt;script&gt; &#106;avascript: \x00 \ud800",
    "> " * 10_000 + "deep",
    "- " * 5_000 + "deep",
    "*" * 5_000 + "a" + "_" * 5_000,
    "[" * 5_000 + "a" + "](" * 3_000,
    "`" * 999 + "<b>" * 999,
]


def is_safe(found: Read) -> bool:
    hrefs = [value for _, name, value in found.attributes if name == "href"]
    return (
        set(found.tags) <= ELEMENTS
        and {name for _, name, _ in found.attributes} <= NAMES
        and all(re.fullmatch(r"#p\d+", href) for href in hrefs)
    )


def test_nothing_of_theirs_becomes_an_element(subtests):
    for raw, made in product(HOSTILE, (shown, whole)):
        with subtests.test(raw=raw[:50], made=made.__name__):
            html = html_of(made(raw), leads=True)
            assert is_safe(Read(html))
            for word in re.findall(r"(?:alert|deep|unclosed|everything|script)\w*", raw):
                assert word in html


@settings(max_examples=300, deadline=None)
@given(raw=ANSWERS)
def test_every_statement_is_shown_word_for_word(raw):
    divided = segment(raw, lines="all", passages=3, citable=SITES, cap=None)
    found = Read(html_of(of_record(record(raw), divided, 3)).partition('<pre class="answer raw')[0])
    assert is_safe(found)
    assert len(found.chips) == sum(len(s.citations) for s in divided.statements)
    for number, statement in enumerate(divided.statements, 1):
        lit = letters(found.units.get(f"s{number}", ""))
        assert lit == letters(statement.text), number


def letters(text: str) -> str:
    return "".join(re.findall(r"[^\W_]", text))


@settings(max_examples=200, deadline=None)
@given(raw=ANSWERS, given=st.lists(st.tuples(st.integers(0, 60), st.integers(1, 60)), max_size=4))
def test_citations_given_beside_the_answer_all_have_chips(raw, given):
    spans = [Span(a, min(a + n, len(raw)), (2, 3)) for a, n in given if a < len(raw)]
    divided = segment(raw, lines="all", passages=3, spans=spans, cap=None)
    found = Read(html_of(of_record(record(raw), divided, 3)).partition('<pre class="answer raw')[0])
    assert len(found.chips) == sum(len(s.citations) for s in divided.statements)


@settings(max_examples=200, deadline=None)
@given(raw=ANSWERS)
def test_no_word_of_an_answer_judged_as_a_whole_is_lost(raw):
    html = html_of(whole(raw), leads=True)
    found = Read(html.partition('<pre class="answer raw')[0])
    assert is_safe(found)
    said = found.text + " ".join(value for _, name, value in found.attributes if name == "title")
    without_tags = re.sub(r"</?(?:br|sup|sub)>", " ", raw)
    for word in re.findall(r"[^\W\d_]{2,}", without_tags):
        assert word in said.replace(" ", "") or word in said, word


def worked():
    return [case for file in (DESIGN, OWN) for case in records(file)]


def test_worked_answers_are_shown_as_they_are_divided(subtests):
    for case in worked():
        with subtests.test(case=case["id"]):
            divided = divide_worked(case)
            passages = tuple(
                PassageRecord(p["n"], p.get("title", ""), "Text.", url=p.get("url", ""))
                for p in case["passages"]
            )
            held = ResponseRecord(
                Where(), QuestionRecord("What?"), case["output"], passages=passages
            )
            found = Read(
                html_of(of_record(held, divided, 3)).partition('<pre class="answer raw')[0]
            )
            assert len(found.chips) == sum(len(s.citations) for s in divided.statements)
            for number, statement in enumerate(divided.statements, 1):
                lit = words(found.units.get(f"s{number}", ""))
                assert lit == words(statement.text.replace(" | ", " ").replace("~~", ""))


def test_time_grows_with_the_length_alone(subtests):
    def rendered(piece, size):
        raw = piece * (size // len(piece))
        divided = segment(raw, lines="all", passages=3, citable=SITES, cap=None)
        return lambda: of_record(record(raw), divided, 3)

    for piece in ["*", "[", "#", "> ", "a\n", "[1]", "| a ", "长江[1]。\n", "~~a "]:
        with subtests.test(piece=piece):
            assert grows_linearly(rendered(piece, 5_000), rendered(piece, 40_000), most=24)
