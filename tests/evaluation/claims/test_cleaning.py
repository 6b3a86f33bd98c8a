"""Sentences as the parser gets them, and the words that marks belong to."""

from evaluation.claims.cleaning import clean_sentence


def marked(sentence):
    """The clean text with its marks put back, for reading."""
    clean = clean_sentence(sentence)
    text, end = "", 0
    for offset, numbers in clean.marks:
        text += clean.text[end:offset] + str(list(numbers))
        end = offset
    return text + clean.text[end:]


def test_cleaning(subtests):
    for sentence, expected in [
        ("Cups of glass[1] or plastic[2][3].", "Cups of glass[1] or plastic[2][3]"),
        ("Grey's Anatomy, Dr. Grey [1].", "Greys Anatomy, Dr Grey[1]"),
        ("a well-known “fact” (of 1,234.5) [1, 3-5]!", "a wellknown fact of 1,2345[1, 3, 4, 5]"),
        ("one[^1] two【2】 three【3†page 4】", "one[1] two[2] three[3]"),
        ("glass[1]or clay", "glass[1] or clay"),
        ("glass[1], clay [2] , wood", "glass[1], clay[2] , wood"),
        ("a — [1] b", "a[1] b"),
        ("a [1] — b", "a[1] b"),
        ("  [1] First,\u00a0second.\t[2]  ", "[1]First, second[2]"),
        ("array[i] and [citation needed]", "arrayi and citation needed"),
        ("naïve Öl 北京 x_1", "naïve Öl 北京 x_1"),
        ("[7].", "[7]"),
        ("", ""),
    ]:
        with subtests.test(sentence=sentence, expected=expected):
            assert marked(sentence) == expected
