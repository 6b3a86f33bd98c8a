"""A worked answer for each row of the table of mark styles."""

from annotate.text.styles import SHOWN
from tests.cases import each
from tests.segment.reading import SITES, brief, divided

WORKED = {
    "square": (
        "Owls hunt [1]. By ear [2-3], too [1; 2].",
        ["Owls hunt. ← 1", "By ear, too. ← 2, 3, 1, 2"],
    ),
    "caret": ("Owls hunt.[^1] By ear.[^2^][^3]", ["Owls hunt. ← 1", "By ear. ← 2, 3"]),
    "word": (
        "Owls hunt [Source 1]. By ear [citation:2]. They fly [Docs 1, 3].",
        ["Owls hunt. ← 1", "By ear. ← 2", "They fly. ← 1, 3"],
    ),
    "wide": ("Owls hunt［１］. By ear［２、３］.", ["Owls hunt. ← 1", "By ear. ← 2, 3"]),
    "lens": ("Owls hunt【1】. By ear【2†ears.pdf】.", ["Owls hunt. ← 1", "By ear. ← 2"]),
    "lens_index": ("Owls hunt【4:0†a】. By ear.【4:2†b】", ["Owls hunt. ← 1", "By ear. ← 3"]),
    "sup": ("Owls hunt<sup>1</sup>. By ear.<sup>[2]</sup>", ["Owls hunt. ← 1", "By ear. ← 2"]),
    "cite": ("Owls hunt <cite>1</cite>.", ["Owls hunt. ← 1"]),
    "superscript": (
        "Owls hunt¹. By ear.²,³ They weigh 2 kg, or 10³ g on 5 m² of x².",
        ["Owls hunt. ← 1", "By ear. ← 2, 3", "They weigh 2 kg, or 10³ g on 5 m² of x²."],
    ),
    "round": ("Owls hunt (1). By ear (2, 3).", ["Owls hunt. ← 1", "By ear. ← 2, 3"]),
    "link": (
        "Owls hunt [1](https://a.example). By [ear](https://example.org/tides) they do "
        "([a.example](https://a.example/x)).",
        ["Owls hunt. ← 1", "By ear they do. ← 1, https://a.example/x"],
    ),
    "address": (
        "Owls hunt (https://example.org/tides). By ear. https://b.example/ears?x=1",
        ["Owls hunt. ← 1", "By ear. ← https://b.example/ears?x=1"],
    ),
}


@each("style", list(SHOWN))
def test_each_mark_style_is_read(style):
    raw, expected = WORKED[style]
    assert brief(raw, citable=SITES) == expected
    assert divided(raw, citable=SITES).styles[style] >= 1


@each(
    "raw",
    [
        "It was built in [1990] and then.",
        "He wrote [sic] and [...] and [a] and [x1] there.",
        "See `row[1]` here.",
        "Its law is $a[1] + b$ here.",
        "There are (1) ears, (2) eyes and (3) wings.",
        "It has two (1). And twelve (12).",
        "Look at Fig. (1) or Table (2).",
        "From (1866) to (1990-1997).",
        "A [word](page.md) and ![a picture](https://a.example/p.png).",
        "In the middle https://a.example/x of a sentence.",
    ],
)
def test_brackets_without_numbers_are_no_marks(raw):
    assert all(not statement.citations for statement in divided(raw).statements)


@each(
    ("raw", "text"),
    [
        ("Big ([1]).", "Big."),
        ("Big [1], [2].", "Big."),
        ("Big ([1], [2]; [3]).", "Big."),
        ("Big **[1]** now.", "Big now."),
        ("Big **([1])**.", "Big."),
        ("Big (see also [1]).", "Big (see also)."),
        ("Big, [1].", "Big."),
        ("Big ([1], and small).", "Big (and small)."),
        ("Cats, [1], dogs.", "Cats, dogs."),
        ("Big [1] now.", "Big now."),
        ("Big [1]now.", "Big now."),
        ("([1]) Big.", "Big."),
        ("Big [[1]].", "Big."),
        ("Big ( [1] ).", "Big."),
        ("大[1]的。", "大的。"),
        ("Big <sup>[1]</sup>, <sup>[2]</sup>.", "Big."),
        ("Big *[2].*", "Big."),
        ("Big[1], [2]now.", "Big now."),
        ("大[1], [2]的。", "大的。"),
        ("Big ([^1^](https://a.example)).", "Big."),
        ("Big https://a.example/x[1].", "Big."),
        ("Big. [A](https://a.example), [B](https://b.example)", "Big."),
        ("Big [Tides](https://example.org/tides), [1].", "Big."),
        ("Big¹⁻³, 5 J kg⁻¹.", "Big, 5 J kg⁻¹."),
    ],
)
def test_nothing_is_left_of_a_mark(raw, text):
    assert [each.text for each in divided(raw, citable=SITES).statements] == [text]


@each("after", [" agree.", ", however, agree.", ": they agree.", " – all agree."])
def test_a_link_that_opens_a_sentence(after):
    raw = f"It ebbs. [Guides](https://a.example){after}"
    assert brief(raw) == ["It ebbs.", f"Guides{after} ← https://a.example"]


@each(
    "address",
    [
        "http://example.org/tides",
        "https://WWW.example.org/tides/",
        "https://example.org/tides#top",
        "https://example.org/tides?utm_source=a&utm_medium=b",
    ],
)
def test_the_same_address(address):
    assert brief(f"It ebbs ({address}).", citable=SITES) == ["It ebbs. ← 1"]


def test_other_parameters_make_another_address():
    address = "https://example.org/tides?page=2"
    assert brief(f"It ebbs ({address}).", citable=SITES) == [f"It ebbs. ← {address}"]
