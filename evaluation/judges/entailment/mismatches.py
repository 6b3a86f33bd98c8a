"""What a statement may name, count or deny otherwise than its source: read off its words alone."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from evaluation.judges.entailment.words import FUNCTION_WORDS, NEGATIONS, NUMBER_WORDS, folded, stem

_VERBS = (
    "is was are were has have had will would can could did does do may might must be becomes "
    "became began bought brought built came chose drew fell felt found gave got grew held kept "
    "knew led left lost made met paid ran said sang saw sent sold spoke stood taught told took "
    "went won wrote wins writes says plays lives leads makes takes holds"
)
VERBS = frozenset(_VERBS.split())
"""Before one of these, or one in “-ed”, stands a subject."""

STILL_SAID = frozenset(["only", "just", "merely", "simply", "least"])
"""“Not only A” says A."""

JOINING = frozenset(["of", "the", "and", "for"])
"""What an abbreviation leaves out: the “of” of “Republic of Korea”."""

FEWEST_LETTERS = 5
"""How many first letters make two names forms of one: “America” and “American” are found so,
“France” and “French” are not."""

MOST_LETTERS = 6
"""Of an abbreviation."""


def is_negation(word: str) -> bool:
    """Whether a folded word denies what comes after it."""
    return word in NEGATIONS or word.endswith(("n't", "n’t"))


def numbers(words: Sequence[str]) -> set[str]:
    """Numbers, in digits or words, as digits."""
    return {root for root in (stem(folded(word)) for word in words) if root[0].isdigit()}


def names(words: Sequence[str]) -> dict[str, str]:
    """The words of names by their stems: those with a capital.

    Every sentence begins with one; its first word counts if another follows, or a verb that
    needs a subject: “Logan was climbed”, but not “Later that year”. “May” within a sentence is
    the month.
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
    """The first letters of neighbouring words with a capital: “uk” of “The United Kingdom”."""
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
    """The stems that a negation stands before: the next content word, and adverbs before it."""
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
