"""Answers of several lines and blocks."""

import re

from annotate.text import count_words, marked_text
from annotate.text.scripts import is_unspaced
from tests.cases import each
from tests.segment.reading import brief, divided, spans


@each(
    ("raw", "expected"),
    [
        ("Hello!\n\nOwls hunt [1].\nBy ear [2].", ["Hello!", "Owls hunt. ← 1", "By ear. ← 2"]),
        ("One\r\ntwo [1].\r\n\r\nThree.", ["One two. ← 1", "Three."]),
        ("# Owls\n\nThey hunt [1].", ["[heading]", "They hunt. ← 1"]),
        ("**Owls**\n\nThey hunt [1].", ["[heading]", "They hunt. ← 1"]),
        ("**Owls hunt.**", ["Owls hunt."]),
        ("**Owls** [1]", ["Owls ← 1"]),
        ("Key facts:\n- Fast [1]\n- Quiet", ["[label]", "Fast ← 1", "Quiet"]),
        ("Here are all of the facts:\n- Fast", ["Here are all of the facts:", "Fast"]),
        ("主要特点：\n\n- 快[1]", ["[label]", "快 ← 1"]),
        ("1. One. Two [1].\n2. C", ["One.", "Two. ← 1", "C"]),
        ("> Owls hunt [1].\n> By\n> ear.", ["Owls hunt. ← 1", "By ear."]),
        ("```\nx[1]\n```\nDone [2].", ["[code]", "Done. ← 2"]),
        ("```\nx[1]\n", ["[code]"]),
        ("A\n\n---\n\nB", ["A", "[rule]", "B"]),
        ("|a|b|\n|-|-|\n|1. x|y [1]|\n||z|", ["[table_header]", "1. x | y ← 1", "z"]),
        ("Owls hunt.\n\n[1][2]\n\nBy ear.", ["Owls hunt. ← 1, 2", "By ear."]),
        ("[1][2]", [" ← 1, 2"]),
        ("[1]\n\nOwls hunt.", [" ← 1", "Owls hunt."]),
        (
            "Owls hunt. https://a.example/x\\\nBy ear.",
            ["Owls hunt. ← https://a.example/x", "By ear."],
        ),
        (
            "Owls hunt [1].\n\nSources:\n[1] A\n[2] B\nBye.",
            ["Owls hunt. ← 1", "[label]", "[reference_list]", "Bye."],
        ),
        (
            "Owls hunt [1].\n\n## References\n\n- A\n- B",
            ["Owls hunt. ← 1", "[heading]", "[reference_list]"],
        ),
        ("Owls hunt [1].\n\n[1] A\n[2] B", ["Owls hunt. ← 1", "[reference_list]"]),
        ("Owls hunt [1].\n\n[1] A", ["Owls hunt. ← 1", "A ← 1"]),
        (
            "Owls hunt [^1].\n\n[^1]: A, b.\n  Goes on.\n\n[2]: http://b",
            ["Owls hunt. ← 1", "[reference_list]"],
        ),
        ("The owls **hunt. By** ear.", ["The owls hunt.", "By ear."]),
        ("Owls hunt. **By ear** [1].", ["Owls hunt.", "By ear. ← 1"]),
        ("5*6*7 is 210 and snake_case_words stay.", ["5*6*7 is 210 and snake_case_words stay."]),
        ("See cf. ref. 5 here.", ["See cf. ref. 5 here."]),
        ("Two parts.\n\n(1) Wings\n(2) Ears", ["Two parts.", "(1) Wings (2) Ears"]),
        ("They swim (1).\n\n(1) Smith\n(2) Jones", ["They swim. ← 1", "[reference_list]"]),
        ("**Wings (1)**", ["Wings ← 1"]),
        ("**Wings (1) and (2) fly**", ["[heading]"]),
        ("Owls [1].\nSources:\n- A\n- B", ["Owls. ← 1", "[label]", "[reference_list]"]),
        ("Owls.\n\n[^1]: A\n\n    More of A.\n\nBye.", ["Owls.", "[reference_list]", "Bye."]),
        ("Owls.\n\n[^1]: A\n\n```\nx\n```", ["Owls.", "[reference_list]", "[code]"]),
        ("Owls hunt.\\\nBy ear\\\ntoo.", ["Owls hunt.", "By ear too."]),
        ("", []),
        (" \n\t\n", []),
    ],
)
def test_blocks_are_divided(raw, expected):
    assert brief(raw) == expected


@each(
    ("raw", "expected"),
    [
        ("长江很长[1]。它流入东海。[2]", ["长江很长。 ← 1", "它流入东海。 ← 2"]),
        ("他说：“好。”然后走了[1]。", ["他说：“好。”", "然后走了。 ← 1"]),
        ("本当ですか？はい[1]。", ["本当ですか？", "はい。 ← 1"]),
        ("用Node.js写。1. 甲[1]。Yes.好。", ["用Node.js写。", "1. 甲。 ← 1", "Yes.好。"]),
        ("أين؟ هنا. [1]", ["أين؟", "هنا. ← 1"]),
        ("यह नदी है [1]। डॉ. शर्मा आए।", ["यह नदी है। ← 1", "डॉ. शर्मा आए।"]),
        (
            "Das ist z. B. gut [1]. Am 3. Mai kam er.",
            ["Das ist z. B. gut. ← 1", "Am 3. Mai kam er."],
        ),
        ("Il pleut… mais peu. Oui.", ["Il pleut… mais peu.", "Oui."]),
    ],
)
def test_languages_are_divided(raw, expected):
    language = "de" if raw.startswith("Das") else "fr" if raw.startswith("Il") else ""
    assert brief(raw, language=language) == expected


@each(
    ("text", "words"),
    [
        ("Two words.", 2),
        ("长江很长。", 4),
        ("iPhone 15在中国。", 5),
        ("Ça va", 2),
        ("", 0),
        ("สวัสดี", 6),
    ],
)
def test_how_many_words_a_text_has(text, words):
    assert count_words(text) == words


def test_each_sign_parts_words_as_its_script_does_whatever_stands_around_it():
    wide = re.compile("[\u3000-\u3004\u3008-\u301f\uff01-\uff0f\uff1a-\uff20]")
    for sign in map(chr, (*range(0xD800), *range(0xE000, 0x10000), 0x20000)):
        parts = bool(wide.match(sign)) or sign.isspace()
        words = 2 if parts else 3 if is_unspaced(sign) else 1
        assert count_words(f"a{sign}b") == words, hex(ord(sign))


def test_each_paragraph_has_its_own_script():
    assert brief("Dr. Lee came.\n\n他来了。他走了。") == ["Dr. Lee came.", "他来了。", "他走了。"]


def test_a_long_text_without_stops_is_one_sentence():
    assert len(divided("长" * 9_000).statements) == 1
    assert len(divided("长江。" * 3_000).statements) == 3_000


def test_citations_given_as_spans():
    raw = "Cats sleep. They hunt at dawn."
    given = spans((0, 11, (1,)), (5, 20, (2, 3), "they hunt"), (17, 30, (1,)))
    assert brief(raw, spans=given) == ["Cats sleep. ← 1, 2, 3", "They hunt at dawn. ← 2, 3, 1"]
    second = divided(raw, spans=given).statements[1]
    assert [(c.span, c.quote, raw[c.start : c.end]) for c in second.citations] == [
        (1, "they hunt", "They hun"),
        (1, "they hunt", "They hun"),
        (2, "", "hunt at dawn."),
    ]
    assert [(group.word, group.at_end) for group in second.groups] == [(2, False), (5, True)]
    found = divided(raw, spans=given)
    assert marked_text(found, second) == "They hunt [2][3] at dawn. [1]"


def test_span_that_repeats_a_mark_counts_once():
    raw = "Cats sleep [1]. They hunt [2]."
    assert brief(raw, spans=spans((0, 14, (1, 2)), (16, 29, (2,)))) == [
        "Cats sleep. ← 1, 2",
        "They hunt. ← 2",
    ]


def test_lists_with_all_lines():
    raw = "- Cork [1], Bath [2]\n- Lyme"
    assert brief(raw, question="Where?", mode="list") == [
        "Where? Cork ← 1",
        "Where? Bath ← 2",
        "Where? Lyme",
    ]


def test_the_words_without_marks():
    raw = "# Owls\n\n**They** hunt [1].\n\n|a|\n|-|\n|b [2]|\n\nSources:\n[1] X\n[2] Y"
    assert divided(raw).plain == "# Owls\nThey hunt.\n|a|\n|-|\nb\nSources:"


def test_positions_of_marks():
    (statement,) = divided("Owls **hunt** [1] by ear [2][3], too [1].").statements
    assert [(g.numbers, g.word, g.place, g.at_end) for g in statement.groups] == [
        ((1,), 2, 2, False),
        ((2, 3), 4, 5, False),
        ((1,), 6, 8, True),
    ]
    assert statement.words == 7


def test_words_of_scripts_without_spaces():
    (statement,) = divided("长江[1]很长。").statements
    assert (statement.words, statement.groups[0].word) == (5, 2)


@each(
    ("lines", "expected"),
    [
        ("all", ["One.", "Two", "Three."]),
        ("flat", ["One.", "Two\n\nThree."]),
        ("first", ["One."]),
    ],
)
def test_how_much_is_read(lines, expected):
    from annotate.text import segment

    found = segment("One.\nTwo\n\nThree.", lines=lines, passages=1)
    assert [statement.text for statement in found.statements] == expected
    assert ("lines:" in found.signature) == (lines != "first")
