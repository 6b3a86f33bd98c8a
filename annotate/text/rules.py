"""A sentence splitter by rules, for English prose; needs no data and no training.

A candidate is a run of `.`, `!`, `?` or `…`, perhaps closed by quotes or brackets, before white
space. What stands before and after it decides. Each candidate looks at a bounded stretch of text,
so the whole takes linear time.
"""

import re
from string import ascii_uppercase
from typing import NamedTuple

from annotate.text.abbreviations import (
    ABBREVIATIONS,
    BEFORE_MORE,
    BEFORE_NUMBER,
    EITHER,
    EITHER_CAPITALISED,
    STARTERS,
)

RULES_VERSION = "1"

_STOPS = ".!?…"
_CANDIDATE = re.compile(
    rf"(?<![{_STOPS}])(?P<stop>[{_STOPS}]++)(?P<close>[\"'”’»)\]}}*]*+)\s++(?=\S)"
)
_LONGEST_WORD = 24
_BEFORE = re.compile(r"[^\s(\[{\"'“‘«/—–-]*\Z")
_NEXT = re.compile(r"(?P<open>[\"'“‘«(\[{*$€£¥#@]{0,4}+)(?P<word>[^\W_]?[\w'’&]{0,24})")
_ROMAN = re.compile(r"[IVXLC]{1,6}\Z")
_DOTTED = re.compile(r"(?:[^\W\d_]{1,2}\.)+[^\W\d_]{1,3}\Z")
_ENUMERATOR = re.compile(r"(?:[0-9]{1,3}(?:\.[0-9]{1,3})*+|[A-Za-z]|[ivxIVX]{1,5})\Z")
_CAPTION = re.compile(r"(?:Figure|Table|Listing|Box|Chapter|Section|Part|Step) [0-9.]{1,8}\Z")
_REFERENCE = re.compile(r"(?:\b|(?<=\W))refs?\.\s{1,4}[0-9]\Z", re.IGNORECASE)
_URL = re.compile(r"https?\b|www\b")


class _Candidate(NamedTuple):
    """A possible end of a sentence: the word before it, the stop, and what follows.

    `label` is true where all of the sentence so far is a number, letter or caption such as `2.`.
    """

    before: str
    stop: str
    close: str
    opening: str
    following: str
    label: bool


def _starts_small(candidate: _Candidate) -> bool:
    """Whether what follows starts with a small letter; `iPhone` and URLs do not count."""
    following = candidate.following
    if not following[:1].islower() or _URL.match(following):
        return False
    return following.lower() == following


def _opens_with_starter(candidate: _Candidate) -> bool:
    following = candidate.following
    return following[:1].isupper() and following.lower().replace("’", "'") in STARTERS


def _is_abbreviation(before: str) -> bool:
    return before.lower() in ABBREVIATIONS or _DOTTED.match(before) is not None


def _is_number(following: str) -> bool:
    """Whether `following` is a figure, a Roman numeral or a letter; `A` and `I` are words."""
    if following in ("A", "I"):
        return False
    return following[:1].isdigit() or len(following) == 1 or _ROMAN.match(following) is not None


def _ends_at_full_stop(candidate: _Candidate) -> bool:
    before, following = candidate.before, candidate.following
    word = before.lower()
    if candidate.label:
        return False
    if word in BEFORE_NUMBER and _is_number(following):
        return False
    if word in BEFORE_MORE:
        return False
    initial = len(before) == 1 and before.isalpha() and before != "I"
    name = word in EITHER_CAPITALISED and not before.islower()
    if initial or name or word in EITHER or _DOTTED.match(before):
        return _opens_with_starter(candidate)
    return True


def _starts_small_after_sentence(candidate: _Candidate) -> bool:
    """Whether the stop is a plain full stop after a common word: then small letters may follow."""
    before = candidate.before
    plain = candidate.stop == "." and not (candidate.close or candidate.opening or candidate.label)
    return plain and len(before) >= 3 and before.isalpha() and not _is_abbreviation(before)


def _ends_sentence(candidate: _Candidate) -> bool:
    if not candidate.following and not candidate.opening:
        return False
    if _starts_small(candidate):
        return _starts_small_after_sentence(candidate)
    if candidate.following[:1].isdigit() and "(" in candidate.opening:
        return False
    return candidate.stop != "." or _ends_at_full_stop(candidate)


_NO_PLAIN_WORDS = frozenset({*BEFORE_NUMBER, *BEFORE_MORE, *EITHER, *EITHER_CAPITALISED})


def _ends_plainly(found: re.Match[str], before: str, text: str) -> bool:
    """Whether a full stop surely ends a sentence, as most do: after a small word that is never
    shortened nor a Roman numeral, before a capital letter. All else is looked at more closely."""
    return (
        text[found.end()] in ascii_uppercase
        and found[1] == "."
        and not found[2]
        and len(before) > 1
        and before.isascii()
        and before.isalpha()
        and before.islower()
        and before not in _NO_PLAIN_WORDS
        and bool(before.strip("ivx"))
    )


def _is_label(text: str, start: int, stop: int, before: str) -> bool:
    """Whether `text[start:stop]`, or what follows a colon in it, only numbers what comes next."""
    if _CAPTION.match(text, start, stop):
        return True
    if not _ENUMERATOR.match(before):
        return False
    opening = stop - len(before)
    return opening <= start or text[max(start, opening - 2) : opening].strip() in (":", ";")


def split_answer(text: str) -> list[int]:
    """As `split_by_rules`, but `ref. 5` ends no sentence, nor `refs. 5 and 6`."""
    starts = split_by_rules(text)
    if "ref" not in text and "Ref" not in text:
        return starts
    return [start for start in starts if not _REFERENCE.search(text, max(0, start - 8), start + 1)]


def split_by_rules(text: str) -> list[int]:
    """Where each sentence of `text` starts; the first starts at 0."""
    starts = [0] if text else []
    for found in _CANDIDATE.finditer(text):
        stop = found.start()
        word_before = _BEFORE.search(text[max(0, stop - _LONGEST_WORD) : stop])
        after = _NEXT.match(text, found.end())
        before = word_before[0] if word_before else ""
        if _ends_plainly(found, before, text):
            starts.append(found.end())
            continue
        candidate = _Candidate(
            before,
            found["stop"],
            found["close"],
            after["open"] if after else "",
            after["word"] if after else "",
            _is_label(text, starts[-1], stop, before),
        )
        if _ends_sentence(candidate):
            starts.append(found.end())
    return starts
