from hypothesis import given

from annotate.text import clean_output
from tests.cases import each
from tests.segment.texts import answers


@each(
    ("raw", "cleaned"),
    [
        ("", ("", 0, 0, False)),
        (" \n\t", ("", 0, 0, False)),
        ("Rain.", ("Rain.", 0, 5, False)),
        ("\n Rain. \n", ("Rain.", 2, 7, False)),
        ("Rain.\nSnow.", ("Rain.", 0, 5, True)),
        ("Rain.\r\nSnow.", ("Rain.", 0, 5, True)),
        ("Rain.\rSnow.", ("Rain.\rSnow.", 0, 11, False)),
        ("Rain.<|im_end|>", ("Rain.", 0, 5, False)),
        ("Rain. <|im_end|> ", ("Rain.", 0, 5, False)),
        (" <|im_end|> Rain.", ("Rain.", 12, 17, False)),
        ("Rain<|im_end|>fall", ("Rainfall", 0, 18, False)),
        ("<|im_end|>", ("", 0, 0, False)),
        ("<|im_end|>\nRain.", ("", 0, 0, True)),
    ],
)
def test_output_is_cleaned(raw, cleaned):
    assert tuple(clean_output(raw)) == cleaned


@given(answers)
def test_the_span_bounds_what_was_kept(raw):
    cleaned = clean_output(raw)
    assert raw[cleaned.raw_start : cleaned.raw_end].replace("<|im_end|>", "") == cleaned.text
    assert "\n" not in cleaned.text
    assert cleaned.cut == ("\n" in raw.strip())
