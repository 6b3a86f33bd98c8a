"""Pairs made of pairs: statements that a premise entails, changed so that it does so no more.

A change that leaves a trace in the statement (an odd number, a “not”) would teach to look for the
trace. So where premise and statement can be changed alike, a second pair is made in which both are,
and which is entailed; a false clause has a true one for its twin.
"""

import random
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from evaluation.entailment.mismatches import is_negation
from evaluation.entailment.nearest import held, wanted
from evaluation.entailment.words import FUNCTION_WORDS, NUMBER_WORDS, folded
from training.scorer.pairs import LabelledPair, matches

_NAMED = "January February March April June July August September October November December"
_MONTHS = _NAMED.split()
"""Without May, which is a verb more often."""
_MONTH = re.compile(rf"\b(?:{'|'.join(_MONTHS)})\b")
_YEAR = re.compile(r"\b(?:1[0-9]|20)\d\d\b")
_NUMBER = re.compile(r"(?<![\d.,:/\[-])\d{1,3}(?:,\d{3})*(?:\.\d+)?(?![\d:/-]|[.,]\d)")
_NAME = re.compile(r"[A-Z][\w’'-]+(?: (?:of |the )?[A-Z][\w’'-]+)*")
_AUXILIARY = re.compile(
    r"\b(is|was|are|were|will|would|can|could|should|must|may|might)\b(?! not\b)"
)
_ALIKE = re.compile(r"\b(and|or|with|both|between|as well as|together|like|unlike)\b|,")
"""What joins two names either of which may come first."""

NEAR = 60
"""Premises among which the nearest wrong one is looked for."""
TOO_NEAR = 0.75
"""One that holds more of a statement's words than this may entail it."""

Made = Iterator[tuple[str, str, int]]
"""Premise, hypothesis and label."""


class Others(NamedTuple):
    """What pairs of the same source lend."""

    pairs: Sequence[LabelledPair]
    """Entailed ones."""
    by_premise: dict[str, list[str]]
    """The statements that a premise entails."""


Maker = Callable[[LabelledPair, Others, random.Random], Made]


def other_number(pair: LabelledPair, _: Others, chance: random.Random) -> Made:
    """A number of both texts, in the statement another of about its size."""
    found = [one[0] for one in _NUMBER.finditer(pair.hypothesis) if not _YEAR.fullmatch(one[0])]
    yield from _replaced(pair, found, lambda number: _about(number, chance), chance)


def other_date(pair: LabelledPair, _: Others, chance: random.Random) -> Made:
    """A year or a month of both texts, in the statement another."""
    found = _YEAR.findall(pair.hypothesis) + _MONTH.findall(pair.hypothesis)

    def instead(old: str) -> str:
        if old.isdigit():
            return str(int(old) + chance.choice([-1, 1]) * chance.randint(1, 20))
        return chance.choice([month for month in _MONTHS if month != old])

    yield from _replaced(pair, found, instead, chance)


def _replaced(
    pair: LabelledPair, found: Sequence[str], instead: Callable[[str], str], chance: random.Random
) -> Made:
    both = sorted({one for one in found if _word(one).search(pair.premise)})
    if not both:
        return
    old = chance.choice(both)
    new = instead(old)
    if _word(new).search(f"{pair.premise} {pair.hypothesis}"):
        return
    said = _word(old).sub(new, pair.hypothesis)
    yield pair.premise, said, 0
    yield _word(old).sub(new, pair.premise), said, 1


def _word(text: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w.,]){re.escape(text)}(?![\w]|[.,]\d)")


def _about(number: str, chance: random.Random) -> str:
    plain = number.replace(",", "")
    decimals = len(plain.partition(".")[2])
    value = float(plain)
    step = max(10.0**-decimals, abs(value) * chance.uniform(0.1, 0.6))
    other = value + step if value <= step or chance.random() < 0.5 else value - step
    return f"{other:{',' if ',' in number else ''}.{decimals}f}"


def other_name(pair: LabelledPair, _: Others, chance: random.Random) -> Made:
    """A name of the statement's, replaced by another one of the premise's."""
    said = _names(pair.hypothesis)
    both = [name for name in said if name in pair.premise]
    words = {word for name in said for word in name.split()}
    others = [name for name in _names(pair.premise) if not words & set(name.split())]
    if both and others:
        old, new = chance.choice(both), chance.choice(others)
        if not _listed(pair.premise, old, new):
            yield pair.premise, _word(old).sub(new, pair.hypothesis), 0


def _listed(premise: str, *names: str) -> bool:
    """Whether only names stand between two of them, as in a list: what is true of one often is of
    the other."""
    first, last = sorted(names, key=premise.index)
    between = premise[premise.index(first) + len(first) : premise.index(last)]
    return not re.sub(r"\b(?:and|or|&)\b", "", _NAME.sub("", between)).strip(" ,;")


def swapped_roles(pair: LabelledPair, _: Others, chance: random.Random) -> Made:
    """“A beat B” as “B beat A”: where the statement has two names, and nothing joins them."""
    said = _names(pair.hypothesis)
    if len(said) != 2 or not all(name in pair.premise for name in said):
        return
    one, other = said
    before, rest = pair.hypothesis.split(one, 1)
    between, found, after = rest.partition(other)
    if found and between.strip() and not _ALIKE.search(f"{before} {between}"):
        yield pair.premise, f"{before}{other}{between}{one}{after}", 0


def _names(text: str) -> list[str]:
    """Runs of words with a capital, each once; a sentence's first word counts with the next."""
    found: dict[str, None] = {}
    for one in _NAME.finditer(text):
        words = one[0].split()
        begins = text[: one.start()].rstrip()[-1:] in (*".!?", "")
        while words and _is_no_name(folded(words[0])):
            del words[0]
            begins = False
        if len(words) > begins:
            found.setdefault(" ".join(words))
    return list(found)


def _is_no_name(word: str) -> bool:
    return word in FUNCTION_WORDS or word in NUMBER_WORDS or is_negation(word)


def denied(pair: LabelledPair, _: Others, chance: random.Random) -> Made:
    """“Is” as “is not”; or the other way round, where the premise denies it too."""
    words = pair.hypothesis.split()
    if any(is_negation(folded(word.strip(".,;"))) for word in words):
        without = re.sub(r"\b(\w+) not\b", r"\1", pair.hypothesis, count=1)
        if without != pair.hypothesis:
            yield pair.premise, without, 0
        return
    found = list(_AUXILIARY.finditer(pair.hypothesis))
    if found:
        place = chance.choice(found).end()
        yield pair.premise, f"{pair.hypothesis[:place]} not{pair.hypothesis[place:]}", 0


def false_clause(pair: LabelledPair, others: Others, chance: random.Random) -> Made:
    """A true statement with a clause that the premise says nothing about; and, where there is one,
    with another true one."""
    true = [one for one in others.by_premise[pair.premise] if one != pair.hypothesis]
    if true:
        yield pair.premise, _joined(pair.hypothesis, chance.choice(true), chance), 1
    other = _near(pair, others, chance)
    if other is not None and len(other.hypothesis) < 200:
        yield pair.premise, _joined(pair.hypothesis, other.hypothesis, chance), 0


def _joined(one: str, other: str, chance: random.Random) -> str:
    first, second = (one, other) if chance.random() < 0.5 else (other, one)
    begins = second.split()[0]
    if folded(begins) in FUNCTION_WORDS and begins != "I":
        second = second[0].lower() + second[1:]
    return f"{first.rstrip(' .')}, and {second}"


def other_passage(pair: LabelledPair, others: Others, chance: random.Random) -> Made:
    """The statement with the passage of another one that shares most of its words."""
    other = _near(pair, others, chance)
    if other is not None:
        yield other.premise, pair.hypothesis, 0


def _near(pair: LabelledPair, others: Others, chance: random.Random) -> LabelledPair | None:
    """Of some pairs about another text the one whose premise holds most of the statement, and
    still not so much that it may entail it."""
    words = wanted(pair.hypothesis)
    whole = sum(words.values())
    some = chance.sample(others.pairs, min(NEAR, len(others.pairs)))
    found = [
        (share, place)
        for place, one in enumerate(some)
        if one.premise != pair.premise
        and not (one.group and one.group == pair.group)
        and (share := held(one.premise, words)) < TOO_NEAR * whole
    ]
    return some[max(found)[1]] if found else None


MAKERS: dict[str, Maker] = {
    "made-number": other_number,
    "made-date": other_date,
    "made-name": other_name,
    "made-roles": swapped_roles,
    "made-denied": denied,
    "made-clause": false_clause,
    "made-passage": other_passage,
}
"""By the source that what they make is said to be from."""


def hard_negatives(
    pairs: Sequence[LabelledPair], sources: Sequence[str], seed: int
) -> list[LabelledPair]:
    """Everything that can be made of the entailed pairs of these sources. The same pairs and seed
    give the same."""
    by_source: defaultdict[str, list[LabelledPair]] = defaultdict(list)
    for pair in pairs:
        if pair.label and matches(pair.source, sources):
            by_source[pair.source].append(pair)
    found: dict[tuple[str, str], LabelledPair] = {}
    for source, entailed in sorted(by_source.items()):
        by_premise: defaultdict[str, list[str]] = defaultdict(list)
        for pair in entailed:
            by_premise[pair.premise].append(pair.hypothesis)
        others = Others(entailed, by_premise)
        for number, pair in enumerate(entailed):
            for name, maker in MAKERS.items():
                chance = random.Random(f"{seed} {source} {name} {number}")  # noqa: S311
                for premise, hypothesis, label in maker(pair, others, chance):
                    made = LabelledPair(premise, hypothesis, label, name, pair.group)
                    found.setdefault((premise, hypothesis), made)
    known = {(pair.premise, pair.hypothesis) for pair in pairs}
    return [made for texts, made in found.items() if texts not in known]
