"""Divide answers in languages other than English into sentences with `sentencex`.

English has this project's own rules. So do Chinese and Japanese, where the library misses ends
before a number (`。2020年`). The library gets bounded stretches, since it reads the whole input for
each sentence.
"""

import re
from collections.abc import Callable
from functools import partial
from importlib.metadata import version

from annotate.text.rules import split_answer
from annotate.text.scripts import guess_language
from annotate.text.splitters import DEFAULT_SPLITTER, Splitter, find_splitter

LANGUAGES_VERSION = "1"
ENGLISH = "en"
STRETCH = 2_000
_LOOKED_BACK = 40
_NO_ENDS = dict.fromkeys(("hi", "mr", "ne", "sa"), ".")
"""Characters at which the library ends a sentence although the language only abbreviates with
them."""

_FULL_WIDTH = ("zh", "ja")
_WIDE_LETTER = "\u3005-\u30ff\u3400-\u9fff\uf900-\ufaff"
_WIDE_END = re.compile(
    rf"(?:[。！？｡]|(?<=[{_WIDE_LETTER}])(?:[!?]|\.(?=\s))|[!?](?=\s))"
    r"[。！？｡!?]*+[\"'”’」』]*+(?![)）\]］】》〉。！？｡])\s*+(?=\S)"
)
"""A full stop with the closing quotes after it; Latin full stops only after wide letters."""

_CLOSING = frozenset("\"'”’»)]}）」』，,،؛;")

_HALF = re.compile("[\ud800-\udfff]")
"""Half surrogates, which the library rejects."""

_BLANK_BEFORE_STOP = re.compile(r"[^\S\x00-\x7f](?=\.)")
"""Non-ASCII blanks, such as the no-break space. After a letter they make the library panic."""

_TAG = re.compile(r"[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,6}\Z")
_ELLIPSIS = re.compile(r"(?:\.\.+|…+)[\"'”’»)\]]*\s*\Z")


def is_language(code: str) -> bool:
    """Return whether this could be a language code such as `zh` or `pt-BR`."""
    return _TAG.match(code) is not None


def primary(code: str) -> str:
    """Return the language of a code without region and script: `pt` for `pt-BR`."""
    return code.partition("-")[0].lower()


def splitter_for(text: str, language: str, english: str = DEFAULT_SPLITTER) -> Splitter:
    """Return the splitter for a paragraph; `english` names the one for English. Without a
    language, the script decides."""
    code = primary(language) or guess_language(text)
    if code in _FULL_WIDTH:
        return split_full_width
    if code != ENGLISH:
        return partial(split_by_library, code)
    return split_answer if english == DEFAULT_SPLITTER else find_splitter(english)


def languages_signature() -> str:
    """Return the identity of everything that could change these divisions."""
    return f"sentencex-{version('sentencex')}.{LANGUAGES_VERSION}"


def split_full_width(text: str) -> list[int]:
    """Return the sentence starts of a Chinese or Japanese text. The first is 0."""
    return [0] * bool(text) + [end.end() for end in _WIDE_END.finditer(text)]


def split_by_library(code: str, text: str) -> list[int]:
    """Return the sentence starts of `text`. The first is 0."""
    text = _HALF.sub("\ufffd", text)
    starts = [0] if text else []
    cut = 0
    while cut < len(text):
        stretch = text[cut : cut + STRETCH]
        ends = _ends(code, stretch)
        if cut + len(stretch) < len(text):
            ends = ends[:-1]  # the last sentence may continue after this stretch
        for start in (cut + end for end in ends):
            before = text[max(starts[-1], start - _LOOKED_BACK) : start]
            if start < len(text) and not _goes_on(code, before, text[start]):
                starts.append(start)
        cut += ends[-1] if ends else len(stretch)
    return starts


def _ends(code: str, stretch: str) -> list[int]:
    """Return the library's sentence ends. If it panics, retry with plain spaces."""
    divide = _library()
    try:
        found = divide(code, stretch)
    except BaseException as fault:
        if type(fault).__name__ != "PanicException":  # not an Exception, and without a module
            raise
        found = divide(code, _BLANK_BEFORE_STOP.sub(" ", stretch))
    return [boundary["end_index"] for boundary in found]


def _goes_on(code: str, sentence: str, following: str) -> bool:
    """Return whether the library's sentence end is wrong."""
    if following in _CLOSING or (following.islower() and _ELLIPSIS.search(sentence)):
        return True
    return sentence.rstrip("\"'”’»)] \n")[-1:] in _NO_ENDS.get(code, ())


def _library() -> Callable[[str, str], list[dict[str, int]]]:
    from sentencex import get_sentence_boundaries  # compiled: loaded only when needed

    return get_sentence_boundaries  # type: ignore[no-any-return]
