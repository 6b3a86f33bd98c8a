"""Names, dates and times of day: the last word heads a name, the month a date."""

import re

from training.parser.clear.tree import TreebankTree
from training.parser.clear.words import words

MONTHS = words(
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec"
)
CLOCK = words("am pm a.m. p.m. a.m p.m est gmt et edt pdt cst pst o'clock")

_NAMING = frozenset(("PROPN", "NOUN", "X", "ADJ", "NUM"))
_HEADING_A_MONTH = frozenset(("nmod:unmarked", "compound", "nmod", "nummod", "obl:unmarked"))
_OF_A_MONTH = frozenset(
    ("nmod:unmarked", "appos", "compound", "nummod", "obl:unmarked", "nmod", "dep")
)
_DIGIT = re.compile(r"\d")
_DIGIT_OR_SHORT_YEAR = re.compile(r"'?\d")


def convert_names(tree: TreebankTree) -> None:
    for word in tree.words:
        if tree.rels[word] == "goeswith":
            tree.rels[word] = "compound"
    for word in tree.words:
        _head_name_by_last_word(tree, word)
    for word in tree.words:
        if tree.rels[word] == "flat":
            tree.rels[word] = "compound"
    for word in tree.words:
        if tree.low[word].strip(".") in MONTHS and tree.xpos[word].startswith("NNP"):
            _head_date_by_month(tree, word)
    for word in tree.words:
        _head_time_by_half_of_day(tree, word)


def _head_name_by_last_word(tree: TreebankTree, first: int) -> None:
    """`Grey` heads `Lexie Grey`; in `Boeing 747` the number modifies."""
    rest = [k for k in tree.children(first) if tree.rels[k] == "flat" and k > first]
    names = [word for word in rest if tree.upos[word] != "NUM"]
    for word in rest:
        tree.rels[word] = "compound" if word in names else "nummod"
    if names and (tree.upos[first] in _NAMING or tree.xpos[first].startswith("NN")):
        tree.swap(first, names[-1], "compound")


def _head_date_by_month(tree: TreebankTree, month: int) -> None:
    """`June` heads `20 June 1837`."""
    day = tree.heads[month]
    if (
        abs(day - month) == 1
        and _DIGIT.match(tree.forms[day])
        and tree.rels[month] in _HEADING_A_MONTH
    ):
        tree.swap(day, month, "nummod")
    for child in tree.children(month):
        if _DIGIT_OR_SHORT_YEAR.match(tree.forms[child]) and tree.rels[child] in _OF_A_MONTH:
            tree.rels[child] = "nummod"


def _head_time_by_half_of_day(tree: TreebankTree, word: int) -> None:
    """`PM` heads `7:30 PM`."""
    time = tree.heads[word]
    if (
        tree.low[word] in CLOCK
        and tree.rels[word] == "nmod:unmarked"
        and time < word
        and _DIGIT.match(tree.forms[time])
    ):
        tree.swap(time, word, "nummod")
