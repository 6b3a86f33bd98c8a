"""Words as `coverage` compares them: folded, stemmed a little, weighed by how rare they are."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from pathlib import Path

RARITY = Path(__file__).with_name("word_rarity.tsv")

WORD = re.compile(r"\d+(?:[.,:]\d+)*(?:st|nd|rd|th|s)?\b|[^\W\d_]+(?:['’][^\W\d_]+)*|\d+")

_NEGATIONS = (
    "no not none nobody nothing neither nor never cannot without hardly barely scarcely unable "
    "fail fails failed lack lacks lacked"
)
NEGATIONS = frozenset(_NEGATIONS.split())

_FUNCTION_WORDS = (
    "a about after again all also an and any are as at be because been before being both but by "
    "can could did do does doing done during each either etc even ever for from further get gets "
    "got had has have having he her here hers herself him himself his how however i if in into is "
    "it its itself just made make makes many may me might more most much must my myself of off on "
    "one only onto or other our ours out over own per rather s same shall she should since so "
    "some such t than that the their theirs them themselves then there therefore these they this "
    "those though through thus to too under until up upon us very was we were what when where "
    "whether which while who whom whose why will with within would yet you your yours "
    "title answer question"
)
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())

_COUNTED = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen twenty"
)
_NTH = "first second third fourth fifth"
NUMBER_WORDS = {
    # “One” is a pronoun more often than a number.
    **{word: str(n) for n, word in enumerate(_COUNTED.split()) if n > 1},
    **{word: str(n) for n, word in enumerate(_NTH.split(), start=1)},
    "once": "1",
    "twice": "2",
}
ENDINGS = (
    ("ically", "ic"),
    ("ation", "at"),
    ("ators", "at"),
    ("ator", "at"),
    ("ated", "at"),
    ("ating", "at"),
    ("ates", "at"),
    ("ate", "at"),
    ("ies", "y"),
    ("ied", "y"),
    ("ing", ""),
    ("ed", ""),
    ("ly", ""),
    ("sses", "ss"),
    ("es", ""),
    ("s", ""),
    ("e", ""),
)


@lru_cache(200_000)
def folded(text: str) -> str:
    """Small letters without accents."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


@lru_cache(200_000)
def stem(word: str) -> str:
    """A word without its ending; a number as its digits."""
    if word[0].isdigit():
        return number(word)
    if word in NUMBER_WORDS:
        return NUMBER_WORDS[word]
    word = re.sub(r"['’]s$", "", word).replace("’", "'")
    for ending, instead in () if word.endswith("ss") else ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: len(word) - len(ending)] + instead
            break
    # stopped → stop, but not: pass
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return word


def number(word: str) -> str:
    """1,000 and 1000 are one number, and so are 3rd and 3."""
    digits = re.sub(r"(?:st|nd|rd|th|s)$", "", word)
    digits = re.sub(r",(?=\d{3}(?:\D|$))", "", digits)
    return re.sub(r"(\.\d*?)0+$", r"\1", digits).rstrip(".,:") if "." in digits else digits


@cache
def _table() -> tuple[dict[str, float], float]:
    found: dict[str, float] = {}
    unseen = 1.0
    for line in RARITY.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        weight, _, words = line.partition("\t")
        if words:
            found.update(dict.fromkeys(words.split(" "), float(weight)))
        else:
            unseen = float(weight)
    return found, unseen


def rarity(word: str) -> float:
    """How rare a folded word is: ln of how many sentences there are for one that has it."""
    found, unseen = _table()
    return found.get(word, unseen)


def nearest(parts: Sequence[str], hypothesis: str, most: int) -> list[str]:
    """The `most` parts that hold most of a hypothesis' words, by how rare they are; then the first
    of equals."""
    wanted = _weights(hypothesis)

    def held(part: str) -> float:
        return sum(wanted[root] for root in _weights(part).keys() & wanted.keys())

    return sorted(parts, key=held, reverse=True)[:most]


@lru_cache(4_096)
def _weights(text: str) -> dict[str, float]:
    found = (folded(word) for word in WORD.findall(text))
    return {stem(word): rarity(word) for word in found if word not in FUNCTION_WORDS}
