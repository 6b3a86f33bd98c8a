"""Recognise the script of a text, and guess its language."""

import re
import unicodedata
from functools import lru_cache

UNSPACED = frozenset({"CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR", "TIBETAN"})
"""Scripts without spaces between words."""

_LANGUAGES = {
    "LATIN": "en",
    "CJK": "zh",
    "HIRAGANA": "ja",
    "KATAKANA": "ja",
    "HANGUL": "ko",
    "ARABIC": "ar",
    "DEVANAGARI": "hi",
    "HEBREW": "he",
    "CYRILLIC": "ru",
    "GREEK": "el",
    "THAI": "th",
    "BENGALI": "bn",
    "GURMUKHI": "pa",
    "GUJARATI": "gu",
    "TAMIL": "ta",
    "TELUGU": "te",
    "KANNADA": "kn",
    "MALAYALAM": "ml",
    "SINHALA": "si",
    "ORIYA": "or",
    "ARMENIAN": "hy",
    "GEORGIAN": "ka",
    "ETHIOPIC": "am",
    "MYANMAR": "my",
    "KHMER": "km",
    "LAO": "lo",
    "TIBETAN": "bo",
}
_URDU = frozenset("ٹڈڑںھہۂےۓ۔")
OTHER_LETTERS = re.compile(
    "[\u0370-\u1dff\u2c00-\u2dff\u2e80-\ud7ff\uf900-\ufdff\uff66-\uffdc\U00010000-\U0003ffff]"
)
"""Blocks of letters that are not Latin. Searching these first is much faster."""

_SAMPLED = 400
"""Number of letters that suffice to recognise a paragraph's script."""


@lru_cache(maxsize=4096)
def script_of(letter: str) -> str:
    """Return the Unicode name of a letter's script; empty for other characters."""
    if not letter.isalpha():
        return ""
    name = unicodedata.name(letter, "")
    first = name.partition(" ")[0]
    return {"FULLWIDTH": "LATIN", "HALFWIDTH": "KATAKANA", "IDEOGRAPHIC": "CJK"}.get(first, first)


def is_unspaced(sign: str) -> bool:
    """Return whether the character's script has no spaces between words."""
    return bool(sign) and not sign.isascii() and script_of(sign) in UNSPACED


def guess_language(text: str) -> str:
    """Return the likeliest language for the text's script; English by default."""
    if not OTHER_LETTERS.search(text):
        return "en"
    counts: dict[str, int] = {}
    sampled = 0
    for sign in text:
        if script := script_of(sign):
            counts[script] = counts.get(script, 0) + 1
            sampled += 1
            if sampled == _SAMPLED:
                break
    if not counts:
        return "en"
    # A Chinese sentence is much shorter than the Latin names in it.
    weights = {script: n * (3 if script in UNSPACED else 1) for script, n in counts.items()}
    if "HIRAGANA" in counts or "KATAKANA" in counts:
        weights["HIRAGANA"] = weights.pop("CJK", 0) + sum(
            weights.pop(script, 0) for script in ("HIRAGANA", "KATAKANA")
        )
    main = max(weights, key=lambda script: weights[script])
    if main == "ARABIC" and not _URDU.isdisjoint(text):
        return "ur"
    return _LANGUAGES.get(main, "en")
