"""Words as `coverage` compares them: folded, stemmed, weighted by rarity."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
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
    """Return lower case without accents."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in plain if not unicodedata.combining(sign))


@lru_cache(200_000)
def stem(word: str) -> str:
    """Return a word without its ending; a number as its digits."""
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
    """Return a number's digits: 1,000 equals 1000, and 3rd equals 3."""
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
    """Return the rarity of a folded word: ln of the number of sentences for one that has it."""
    found, unseen = _table()
    return found.get(word, unseen)


def nearest(parts: Sequence[str], hypothesis: str, most: int) -> list[str]:
    """Return the `most` parts that share most words with a hypothesis, weighted by rarity."""
    wanted = _weights(hypothesis)

    def held(part: str) -> float:
        return sum(wanted[root] for root in _weights(part).keys() & wanted.keys())

    return sorted(parts, key=held, reverse=True)[:most]


@lru_cache(4_096)
def _weights(text: str) -> dict[str, float]:
    found = (folded(word) for word in WORD.findall(text))
    return {stem(word): rarity(word) for word in found if word not in FUNCTION_WORDS}


_VERBS = (
    "is was are were has have had will would can could did does do may might must be becomes "
    "became began bought brought built came chose drew fell felt found gave got grew held kept "
    "knew led left lost made met paid ran said sang saw sent sold spoke stood taught told took "
    "went won wrote wins writes says plays lives leads makes takes holds"
)
VERBS = frozenset(_VERBS.split())
"""A subject comes before these, and before words in “-ed”."""

STILL_SAID = frozenset(["only", "just", "merely", "simply", "least"])
"""“Not only A” states A."""

JOINING = frozenset(["of", "the", "and", "for"])
"""Words that an abbreviation omits: the “of” of “Republic of Korea”."""

FEWEST_LETTERS = 5
"""Common first letters of two forms of a name: “America” and “American” match, “France”
and “French” do not."""

MOST_LETTERS = 6
"""Letters of an abbreviation."""


def is_negation(word: str) -> bool:
    """Return whether a folded word denies the words after it."""
    return word in NEGATIONS or word.endswith(("n't", "n’t"))


def numbers(words: Sequence[str]) -> set[str]:
    """Return numbers, in digits or words, as digits."""
    return {root for root in (stem(folded(word)) for word in words) if root[0].isdigit()}


def names(words: Sequence[str]) -> dict[str, str]:
    """Return the words of names, those with a capital, by their stems.

    The first word of a sentence counts if another capital follows, or a verb that needs a subject:
    “Logan was climbed”, but not “Later that year”. “May” within a sentence is the month.
    """
    found: dict[str, str] = {}
    for number, word in enumerate(words):
        small = folded(word)
        if not word[0].isupper() or len(small) < 2 or small in NUMBER_WORDS:
            continue
        if (small in FUNCTION_WORDS and not (number and word == "May")) or is_negation(small):
            continue
        after = words[number + 1] if number + 1 < len(words) else ""
        if number or after[:1].isupper() or folded(after) in VERBS or after.endswith("ed"):
            found.setdefault(stem(small), word)
    return found


def abbreviations(words: Sequence[str]) -> Iterator[str]:
    """Yield first letters of neighbouring capitalised words: “uk” of “The United Kingdom”."""
    run = ""
    for word in words:
        if folded(word) in JOINING:
            continue
        if word[0].isupper():
            run += folded(word)[0]
            yield from (run[-length:] for length in range(2, min(len(run), MOST_LETTERS) + 1))
        else:
            run = ""


def denied(words: Sequence[str]) -> set[str]:
    """Return the stems that a negation denies: the next content word, and adverbs before it."""
    small = [folded(word) for word in words]
    found: set[str] = set()
    for number, (word, after) in enumerate(pairwise([*small, ""])):
        if not is_negation(word) or after in STILL_SAID or after[:1].isdigit():
            continue  # “not only”; “No. 5”
        for other in small[number + 1 :]:
            if is_negation(other):
                break
            if other in FUNCTION_WORDS or other == "longer":
                continue
            found.add(stem(other))
            if not other.endswith("ly"):
                break
    return found
