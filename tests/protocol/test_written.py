"""Protocol files: what is read, and what is refused with the line and the field that are wrong."""

from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from annotate.protocol.answers import Choice
from annotate.protocol.dimensions import Condition, Derived, Dimension, UnitKind
from annotate.protocol.formulas import WORDS
from annotate.protocol.protocol import Protocol, ProtocolFile, Variant
from annotate.protocol.shipped import PROTOCOLS
from annotate.protocol.written import NotAProtocol, read, write
from tests.cases import each

GOOD = """\
protocol: tone
version: 2
title: Tone
raters: 2
citations: 2
dimensions:
  - key: usable
    about: response
    title: Usable
    question: Can it be used at all?
    choices:
      - {value: "yes", label: Certainly}
      - {value: "no", label: Never}
    low_to_high: ["no", "yes"]
    positive: ["yes"]
    scale: nominal
    sight: nothing
  - key: tone
    about: response
    title: How it sounds
    question: Is the tone fitting?
    choices:
      - {value: "1", label: Odd}
      - {value: "2", label: Fine}
    positive: ["2"]
    scale: ordinal
    label: median
    sight: nothing
    asked_of: [people]
    shown_when:
      - {dimension: usable, is: ["yes"]}
    unasked: "1"
  - key: backed
    about: statement
    title: Backed
    question: How far is it backed?
    choices: [{value: full, label: Full}, {value: half, label: Half}, {value: none, label: None}]
    low_to_high: [none, half, full]
    positive: [full]
    scale: ordinal
    sight: cited
  - key: backing
    about: citation
    title: Backing
    question: Does it back the statement?
    choices: [{value: helps, label: Helps}, {value: idle, label: Idle}]
    low_to_high: [idle, helps]
    positive: [helps]
    scale: nominal
    sight: cited
    part_of: backed
variants:
  - {key: tone_first, title: The first line, lines: first}
derived:
  - key: fine
    about: response
    title: Fine
    question: Is it usable and fine?
    formula: usable is yes and tone is at least 2
  - key: mean_backing
    about: statement
    title: Mean backing
    question: How much is backed?
    of: backed
    weights: {full: 1, half: 0.5, none: 0}
    uncited: 0
guidelines: |
  # Judging tone
"""


EARLIER = """\
  - {key: usable, about: response, title: Usable, question: Usable?, scale: nominal, sight: nothing,
     choices: [{value: "yes", label: Y}, {value: "no", label: N}], positive: ["yes"],
     low_to_high: ["no", "yes"]}
"""

NO = '"no"'

# What is changed in the good file and to what; the words of the line that is named, its field, and
# words of what is said. Where a field is missing, the line is that of what lacks it.
BROKEN = [
    ("no key", "protocol: tone\n", "", "version: 2", "protocol", "a text; found nothing"),
    ("a key with spaces", "protocol: tone", "protocol: my tone", "my tone", "protocol",
     "a-z, then"),
    ("a key too long", "protocol: tone", f"protocol: {'x' * 25}", "xxxx", "protocol", "at most 23"),
    ("no version", "version: 2\n", "", "protocol: tone", "version", "found nothing"),
    ("a version in words", "version: 2", "version: two", "two", "version",
     "1 to 9,999; found “two”"),
    ("version nought", "version: 2", "version: 0", "version: 0", "version", "from 1 to 9,999"),
    ("a broken number", "version: 2", "version: 2.5", "2.5", "version", "a whole number"),
    ("no title", "title: Tone\n", "", "protocol: tone", "title", "a text; found nothing"),
    ("an empty title", "title: Tone\n", "title: ' '\n", "title: ' '", "title", "found nothing"),
    ("a list as title", "title: Tone\n", "title: [a]\n", "title: [a]", "title",
     "a text; found a list"),
    ("a hundred raters", "raters: 2", "raters: 100", "raters: 100", "raters", "from 1 to 99"),
    ("no citation", "citations: 2", "citations: 0", "citations: 0", "citations", "from 1 to 99"),
    ("an unknown field", "raters: 2", "rater: 2", "rater: 2", "rater",
     "one of the fields citations, "),
    ("a field twice", "raters: 2", "raters: 2\nraters: 3", "raters: 3", "raters",
     "each field once"),
    ("a field without a name", "raters: 2", "? [a]\n: 2", "? [a]", "",
     "the name of a field; found a list"),
    ("frozen maybe", "raters: 2", "frozen: maybe", "maybe", "frozen", "yes or no; found “maybe”"),
    ("other lines", "raters: 2", "lines: last", "last", "lines", "one of all, first, flat"),
    ("dimensions as a text", GOOD[GOOD.index("dimensions"):GOOD.index("variants")],
     "dimensions: many\n", "many", "dimensions", "a list of 1 to 60; found “many”"),
    ("no dimensions", GOOD[GOOD.index("dimensions"):GOOD.index("variants")], "dimensions: []\n",
     "dimensions: []", "dimensions", "a list of 1 to 60; found 0"),
    ("a dimension as a text", "  - key: usable\n", "  - usable\n  - key: usable\n", "- usable",
     "dimensions[0]", "fields; found “usable”"),
    ("a unit that is none", "about: statement\n    title: Backed", "about: page\n    title: Backed",
     "about: page", "dimensions[2].about", "one of response, statement, citation"),
    ("no unit", "    about: statement\n    title: Backed", "    title: Backed", "key: backed",
     "dimensions[2].about", "found nothing"),
    ("no question", "    question: Is the tone fitting?\n", "", "- key: tone",
     "dimensions[1].question", "found nothing"),
    ("a question too long", "Is the tone fitting?", "x" * 2_001, "xxxx", "dimensions[1].question",
     "at most 2,000 characters; found 2,001"),
    ("one choice", '      - {value: "no", label: Never}\n', "", "choices:", "dimensions[0].choices",
     "at least two choices; found 1"),
    ("a choice without a label", "label: Never", "help: Never", "help: Never",
     "dimensions[0].choices[1].label", "found nothing"),
    ("an empty label", "label: Never", "label: ''", "label: ''", "dimensions[0].choices[1].label",
     "found nothing"),
    ("a choice without a value", '{value: "no", label: Never}', "{label: Never}", "label: Never",
     "dimensions[0].choices[1].value", "found nothing"),
    ("a value twice", '{value: "no", label: Never}', '{value: "yes", label: Never}', "choices:",
     "dimensions[0].choices", "each value once; found “yes” 2 times"),
    ("a value with a stroke", "{value: half,", "{value: a|b,", "a|b", "dimensions[2].choices",
     "values of at most 20 of a-z"),
    ("an order that lacks one", "[none, half, full]", "[none, full]", "[none, full]",
     "dimensions[2].low_to_high", "each of full, half, none once; found none, full"),
    ("an order as a text", "[none, half, full]", "none", "low_to_high: none",
     "dimensions[2].low_to_high", "a list of texts; found “none”"),
    ("a positive that is none", "positive: [full]", "positive: [good]", "[good]",
     "dimensions[2].positive", "some of full, half, none, but not all; found good"),
    ("all positive", "positive: [full]", "positive: [none, half, full]", "positive: [none",
     "dimensions[2].positive", "but not all"),
    ("a scale that is none", "scale: nominal\n    sight: nothing",
     "scale: interval\n    sight: nothing",
     "interval", "dimensions[0].scale", "one of nominal, ordinal; found “interval”"),
    ("a choice with bounds", "scale: nominal\n    sight: nothing",
     "scale: nominal\n    low: 0\n    high: 9\n    sight: nothing", "high: 9",
     "dimensions[0].high", "nothing, since the answer is one choice"),
    ("bounds in words", "scale: nominal\n    sight: nothing",
     "scale: nominal\n    low: few\n    sight: nothing", "few", "dimensions[0].low",
     "a number such as 100 or -0.5"),
    ("an answer that is none", "scale: nominal\n    sight: nothing",
     "scale: nominal\n    answer: song\n    sight: nothing", "song", "dimensions[0].answer",
     "one of choice, number, several, text, spans"),
    ("no sight", "    sight: nothing\n  - key: tone", "  - key: tone", "- key: usable",
     "dimensions[0].sight", "found nothing"),
    ("asked of cats", "asked_of: [people]", "asked_of: [cats]", "cats", "dimensions[1].asked_of",
     "people, automatic or both; found “cats”"),
    ("a median of words", "    low_to_high: [none, half, full]",
     "    label: median\n    low_to_high: [none, half, full]",
     "label: median", "dimensions[2].label", "a median needs an ordinal scale of whole numbers"),
    ("a majority of numbers", "    label: median\n", "", "- key: tone", "dimensions[1].label",
     "median, or values that are not all numbers"),
    ("last of a statement", "    part_of: backed\n", "    comes_last: yes\n", "comes_last",
     "dimensions[3].comes_last", "only with a dimension of the response; found citation"),
    ("writing of a citation", "    part_of: backed\n", "    writes: yes\n", "writes",
     "dimensions[3].writes", "only with a dimension of claims"),
    ("unasked of nothing", '    shown_when:\n      - {dimension: usable, is: ["yes"]}\n', "",
     "unasked", "dimensions[1].unasked", "hangs on one answer about the same unit; found 0"),
    ("unasked with no answer", 'unasked: "1"', 'unasked: "3"', "unasked", "dimensions[1].unasked",
     "one of 1, 2; found “3”"),
    ("a condition on nobody", "dimension: usable,", "dimension: useful,", "shown_when",
     "dimensions[1].shown_when", "one of usable, backed, backing; found “useful”"),
    ("a condition on itself", "dimension: usable,", "dimension: tone,", "shown_when",
     "dimensions[1].shown_when", "found “tone”"),
    ("a condition on no answer", '{dimension: usable, is: ["yes"]}', "{dimension: usable}",
     "{dimension",
     "dimensions[1].shown_when[0].is", "a list of answers; found nothing"),
    ("a condition on a wrong answer", 'is: ["yes"]}', "is: [good]}", "shown_when",
     "dimensions[1].shown_when", "some of no, yes, which usable is answered with; found good"),
    ("a condition on another unit", "dimension: usable,", "dimension: backed,", "shown_when",
     "dimensions[1].shown_when", "found good|some of none|about the unit"),
    ("a part of nothing", "part_of: backed", "part_of: usable", "part_of", "dimensions[3].part_of",
     "a dimension of what this one's unit is a part of; found “usable”"),
    ("a key twice", "  - key: backing", "  - key: backed", "- key: backed", "dimensions[3].key",
     "each key once; found “backed” again"),
    ("a number with a question's key", "  - key: fine", "  - key: tone", "- key: tone",
     "derived[0].key", "each key once; found “tone” again"),
    ("a formula of nothing", "usable is yes and", "useful is yes and", "formula",
     "derived[0].formula",
     "one of usable, tone, backed, backing; found “useful”"),
    ("a formula that ends", "at least 2", "at least", "formula", "derived[0].formula", "an answer"),
    ("no formula", "    formula: usable is yes and tone is at least 2\n", "", "- key: fine",
     "derived[0].formula", "a text; found nothing"),
    ("weights of another unit", " of: backed", " of: backing", "of: backing", "derived[1].of",
     "one of backed; found “backing”"),
    ("a weight too much", "half: 0.5", "half: 1.5", "weights", "derived[1].weights.half",
     "a number from 0 to 1, such as 0.5; found “1.5”"),
    ("a weight that lacks", "half: 0.5, ", "", "weights", "derived[1].weights.half",
     "found nothing"),
    ("a weight of no answer", "half: 0.5", "half: 0.5, much: 1", "weights",
     "derived[1].weights.much",
     "one of the fields full, half, none"),
    ("weights as a list", "weights: {full: 1, half: 0.5, none: 0}", "weights: [1]", "weights",
     "derived[1].weights", "a number for each answer; found a list"),
    ("every response", "    label: median\n", "    label: median\n    every: yes\n", "every",
     "dimensions[1].every", "only with a dimension of statements; found response"),
    ("every statement with what it cites", "sight: cited\n  - key: backing",
     "sight: cited\n    every: yes\n  - key: backing", "every: yes", "dimensions[2].every",
     "only with no passage or all of them in sight"),
    ("every statement and uncited ones", "sight: cited\n  - key: backing",
     "sight: all\n    every: yes\n  - key: backing", "uncited: 0", "derived[1].uncited",
     "nothing, since backed is asked of every statement"),
    ("a formula and weights", "    of: backed\n", "    of: backed\n    formula: backed is full\n",
     "formula: backed", "derived[1].formula", "one of the fields about"),
    ("an earlier one of nothing", "variants:", "earlier:\n" + EARLIER.replace("usable", "useful") +
     "variants:", "key: useful", "earlier[0].key", "the key of a dimension above"),
    ("an earlier one that is not", "variants:", "earlier:\n" + EARLIER + "variants:", "key: usable",
     "earlier[0].version", "each version before 1 once; found 1"),
    ("an earlier one with other answers", "dimensions:\n  - key: usable\n",
     f"earlier:\n{EARLIER.replace(NO, 'never')}dimensions:\n  - key: usable\n    version: 2\n",
     "key: usable", "earlier[0].key", "the answers of version 2"),
    ("a variant without lines", ", lines: first}", "}", "tone_first", "variants[0].lines",
     "found nothing"),
    ("an anchor", "raters: 2", "raters: &n 2", "&n", "", "plain data; found an anchor"),
    ("a tag", "raters: 2", "raters: !!python/name:os.system 2", "!!python", "", "plain data"),
    ("no YAML", "raters: 2", "raters: [2", "", "", "YAML"),
    ("a tab", "    about: statement\n    title: Backed", "\tabout: statement\n    title: Backed",
     "\tabout", "", "YAML; found "),
]  # fmt: skip


def faults_of(text):
    with pytest.raises(NotAProtocol) as caught:
        read(text)
    assert str(caught.value) == "\n".join(map(str, caught.value.faults))
    return caught.value.faults


def test_the_good_file_is_read():
    file = read(GOOD)
    assert (file.name, file.raters, file.citations, file.frozen) == ("tone 2", 2, 2, False)
    assert [*file.protocol] == ["usable", "tone", "backed", "backing"]
    assert file.protocol["usable"].asked_of == ("people",)
    assert file.protocol["tone"].shown_when == (Condition("usable", ("yes",)),)
    assert file.protocol["backed"].choices[2] == Choice("none", "None")
    assert file.protocol.derived["mean_backing"].weights == (
        ("none", 0),
        ("half", 0.5),
        ("full", 1),
    )
    assert file.guidelines == "# Judging tone\n"


@each(
    ("was", "to", "line", "field", "words"), [row[1:] for row in BROKEN], ids=[r[0] for r in BROKEN]
)
def test_a_broken_file_is_refused_with_line_and_field(was, to, line, field, words):
    assert was in GOOD
    text = GOOD.replace(was, to, 1)
    fault = next(each for each in faults_of(text) if each.field == field)
    assert any(each in str(fault) for each in words.split("|")), fault
    if line:
        lines = text.splitlines()
        assert line in lines[fault.line - 1], (fault.line, lines[fault.line - 1])


def test_all_that_is_wrong_is_told_at_once_in_the_order_of_lines():
    text = GOOD
    for was, to in (
        ("version: 2", "version: x"),
        ("raters: 2", "colour: red"),
        ("label: Never", "help: Never"),
        ("sight: cited\n  - key: backing", "sight: some\n  - key: backing"),
        ("at least 2", "at last 2"),
    ):
        text = text.replace(was, to, 1)
    found = faults_of(text)
    assert [fault.field for fault in found] == [
        "version", "colour", "dimensions[0].choices[1].label", "dimensions[2].sight",
        "derived[0].formula",
    ]  # fmt: skip
    assert [fault.line for fault in found] == sorted(fault.line for fault in found)


# What is meant to do harm ------------------------------------------------------------------------


@each(
    ("text", "words"),
    [
        ("", "fields such as “protocol: mine”; found nothing"),
        ("- a\n- b", "found a list"),
        ("tone", "found “tone”"),
        ("a: 1\n---\nb: 2", "another document"),
        ("a: " + "[" * 300_000, "at most 20 lists and fields within each other"),
        ("a: " + "[" * 100_000 + "]" * 100_000, "at most 20 lists and fields within each other"),
        ("a: " + "{a: " * 90_000, "at most 20 lists and fields within each other"),
        ("- " * 150_000 + "x", "at most 20 lists and fields within each other"),
        ("? " * 150_000 + "x", "at most 20 lists and fields within each other"),
        ("\n".join(" " * n + "a:" for n in range(300)), "at most 20 lists and fields"),
        ("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]", "plain data; found an anchor"),
        ("<<: *a", "plain data; found an anchor, an alias or a tag"),
        ("!!python/object/apply:os.system [ls]", "plain data"),
        ("!mine {a: 1}", "plain data"),
        ("protocol: to\0ne", "control characters are not allowed"),
        ("protocol: to\x07ne", "control characters are not allowed"),
        ("protocol: to\ud800ne", "surrogates not allowed"),
        (GOOD.replace("title: Tone\n", 'title: "To\\0ne"\n'), "title: expected at most"),
        (GOOD + "x" * 400_000, "at most 400,000 characters"),
        (GOOD.replace("# Judging tone", "x" * 200_001), "guidelines: expected at most 200,000"),
        (GOOD.replace("raters: 2", f"raters: {'9' * 5_000}"), "raters: expected"),
    ],
    ids=str,
)
def test_a_bomb_is_refused(text, words):
    assert any(words in str(fault) for fault in faults_of(text))


@each("name", ["dimensions", "choices", "derived", "shown_when"])
def test_a_list_has_its_end(name):
    one = {"dimensions": "{key: a}", "choices": "{value: a, label: A}", "derived": "{key: a}",
           "shown_when": "{dimension: usable, is: [a]}"}[name]  # fmt: skip
    long = f"{name}: [{', '.join([one] * 61)}]"
    text = (
        GOOD.replace("raters: 2", long)
        if name in {"dimensions", "derived"}
        else GOOD.replace("    about: citation\n", f"    about: citation\n    {long}\n")
    )
    assert any("a list of" in str(f) and f.field.endswith(name) for f in faults_of(text))


@given(st.data())
def test_any_line_left_out_is_a_protocol_or_refused(data):
    lines = GOOD.splitlines()
    del lines[data.draw(st.integers(0, len(lines) - 1))]
    try:
        found = read("\n".join(lines))
    except NotAProtocol as error:
        told = [fault.line for fault in error.faults]
        assert told == sorted(told)
    else:
        assert read(write(found)).name == found.name


# There and back ----------------------------------------------------------------------------------

TEXTS = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"], include_characters="\n"),
    min_size=1, max_size=40,
).filter(lambda text: bool(text.strip()))  # fmt: skip
KEYS = st.from_regex(r"[a-z][a-z0-9_]{0,11}", fullmatch=True).filter(
    lambda key: key not in WORDS  # which no formula can name
)
VALUES = st.from_regex(r"[a-z][a-z0-9_]{0,9}", fullmatch=True)


@st.composite
def dimensions(draw, key, before):
    kind = draw(st.sampled_from([*UnitKind]))
    is_pair = kind is UnitKind.PAIR
    numbers = draw(st.booleans()) and not is_pair
    some = st.lists(VALUES, min_size=2, max_size=5, unique=True)
    values = ["1", "2", "3"] if numbers else draw(some)
    order = tuple(values) if numbers else tuple(draw(st.permutations(values)))
    earlier = [one for one in before if one.unit_kind is kind]
    conditions: tuple[Condition, ...] = ()
    if earlier and draw(st.booleans()):
        other = draw(st.sampled_from(earlier))
        conditions = (Condition(other.key, (other.low_to_high[0],)),)
    is_every = kind is UnitKind.STATEMENT and draw(st.booleans())
    return Dimension(
        key=key,
        unit_kind=kind,
        title=draw(TEXTS),
        question=draw(TEXTS),
        help=draw(st.one_of(st.just(""), TEXTS)),
        choices=tuple(
            Choice(value, draw(TEXTS), draw(st.sampled_from(["", "x"]))) for value in values
        ),
        low_to_high=order,
        positive=frozenset(
            draw(st.lists(st.sampled_from(values), max_size=0 if is_pair else len(values) - 1))
        ),
        scale="ordinal" if numbers else draw(st.sampled_from(["nominal", "ordinal"])),
        label_by="median" if numbers else "majority",
        sight=draw(st.sampled_from(["nothing", "all", *["cited"] * (not is_every)])),
        asked_of=("people",) if is_pair or draw(st.booleans()) else ("people", "automatic"),
        ties="none" if is_pair else draw(st.sampled_from(["low", "high", "none"])),
        shown_when=conditions,
        unasked=order[0] if conditions and not is_pair and draw(st.booleans()) else "",
        cited_only=kind is UnitKind.RESPONSE and draw(st.booleans()),
        every=is_every,
        detected="" if is_pair else draw(st.sampled_from(["", "bad tone"])),
        version=draw(st.integers(1, 9_999)),
    )  # fmt: skip


@st.composite
def files(draw):
    made: list[Dimension] = []
    for key in draw(st.lists(KEYS, min_size=1, max_size=4, unique=True)):
        made.append(draw(dimensions(key, made)))
    one = draw(st.sampled_from(made))
    numbers = [] if one.unit_kind is UnitKind.PAIR else [
        Derived("x@2", one.unit_kind, draw(TEXTS), "?", formula=f"{one.key} is positive",
                of_judges=draw(st.booleans()), decides_early=draw(st.booleans())),
        Derived("x@3", one.unit_kind, draw(TEXTS), "?", of=one.key, of_judges=draw(st.booleans()),
                weights=tuple((v, draw(st.integers(0, 20)) / 20) for v in one.low_to_high),
                uncited=0.5 if one.unit_kind is UnitKind.STATEMENT and not one.every else None),
    ]  # fmt: skip
    return ProtocolFile(
        key=draw(KEYS), version=draw(st.integers(1, 9_999)), title=draw(TEXTS),
        protocol=Protocol(made, numbers), summary=draw(st.one_of(st.just(""), TEXTS)),
        source=draw(st.one_of(st.just(""), TEXTS)), guidelines=draw(st.one_of(st.just(""), TEXTS)),
        raters=draw(st.integers(1, 99)), citations=draw(st.integers(1, 99)),
        lines=draw(st.sampled_from(["all", "first", "flat"])), frozen=draw(st.booleans()),
        variants=[Variant("v", draw(TEXTS), "", "first")] if draw(st.booleans()) else [],
    )  # fmt: skip


def told(file):
    """All that a file says; protocols themselves are equal only if they are the same."""
    said = {one.name: getattr(file, one.name) for one in fields(file) if one.name != "protocol"}
    return said | {"dimensions": dict(file.protocol), "derived": dict(file.protocol.derived)}


@settings(max_examples=30)
@given(files())
def test_what_is_written_is_read_again(file):
    again = read(write(file))
    assert told(again) == told(file)
    assert write(again) == write(file)


@each("name", PROTOCOLS)
def test_a_shipped_file_is_written_and_read_again(name):
    assert told(read(write(PROTOCOLS[name]))) == told(PROTOCOLS[name])
