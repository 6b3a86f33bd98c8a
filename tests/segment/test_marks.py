from hypothesis import given

from annotate.text import find_marks, insert_marks, strip_marks
from tests.cases import each
from tests.segment.texts import answers


@each(
    ("text", "numbers"),
    [
        ("[1]", [(1,)]),
        ("[1][2]", [(1,), (2,)]),
        ("[1] [12]", [(1,), (12,)]),
        ("[1, 2]", [(1, 2)]),
        ("[1,2,3]", [(1, 2, 3)]),
        ("[ 1 , 2 ]", [(1, 2)]),
        ("[1-3]", [(1, 2, 3)]),
        ("[1–3]", [(1, 2, 3)]),
        ("[1 – 3]", [(1, 2, 3)]),
        ("[1, 3-4]", [(1, 3, 4)]),
        ("[2-2]", [(2,)]),
        ("[1-50]", [tuple(range(1, 51))]),
        ("[^1]", [(1,)]),
        ("【1】", [(1,)]),
        ("【2†source】", [(2,)]),
        ("【2†】", [(2,)]),
        ("[0]", [(0,)]),
        ("[007]", [(7,)]),
        ("[2019]", [(2019,)]),
        ("[123456789]", [(123456789,)]),
        ("[[1]]", [(1,)]),
        ("[1[2]", [(2,)]),
    ],
)
def test_marks_are_found(text, numbers):
    assert [mark.numbers for mark in find_marks(text)] == numbers


@each(
    "text",
    [
        "[]", "[a]", "[1a]", "[1", "1]", "[1,]", "[,1]", "[1;2]", "[-1]", "[3-1]", "[1-51]",
        "[1-1000]", "[1914-1918]", "[1, 1914-1918]", "[1234567890]", "[١]", "[１]", "[²]",
        "[1-2-3]", "[^a]", "[^1, 2]", "【】", "【a】", "【1†a【b】", "【1†a\nb】",
        "【1†" + "a" * 201 + "】", "[1-50, 51-100, 101]", "[" + "1," * 100 + "1]", "[1\n]",
    ],
)  # fmt: skip
def test_texts_that_are_no_marks(text):
    assert find_marks(text) == ()
    assert strip_marks(text).text == text


@each(
    ("text", "plain"),
    [
        ("Rain falls [1].", "Rain falls."),
        ("Rain falls[1].", "Rain falls."),
        ("Rain falls. [1] Snow, too.", "Rain falls. Snow, too."),
        ("Rain [1] [2]\t[3] falls", "Rain falls"),
        ("Rain [1]falls", "Rain falls"),
        ("Rain [1] [2]falls", "Rain falls"),
        ("Rain.[1]Snow", "Rain.Snow"),
        ('"Rain [1]"', '"Rain"'),
        ("Rain [1](or snow)", "Rain (or snow)"),
        ("[1] Rain", " Rain"),
        ("  [1]", ""),
    ],
)
def test_marks_are_stripped(text, plain):
    assert strip_marks(text).text == plain


def test_stripped_marks_keep_their_positions():
    text = "Rain [1, 2]. [3] Snow"
    stripped = strip_marks(text)
    assert [(m.start, m.end, m.lead, m.text) for m in stripped.marks] == [
        (5, 11, " ", "[1, 2]"),
        (13, 16, " ", "[3]"),
    ]
    assert stripped.positions == (4, 5)


@given(answers)
def test_marks_go_out_and_back(text):
    stripped = strip_marks(text)
    assert insert_marks(stripped) == text
    assert all(text[mark.start : mark.end] == mark.text for mark in stripped.marks)
