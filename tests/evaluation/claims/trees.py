"""Sentences with trees written by hand, and a parser that knows no others.

Each word is written `word head label`, with heads counted from 0 as everywhere.
"""

from evaluation.claims import Claim, Parse, Parser, claims_of_sentences
from evaluation.claims.cleaning import clean_sentence

CUPS = "Cups can be made of glass[1] or plastic[2][3]."
CRASH = (
    "In the plane crash on Grey's Anatomy, the characters who die are Dr. Lexie Grey [1][2] and "
    "Dr. Mark Sloan [3][4][5]."
)
PACKS = (
    "Some brands, such as Export As, come in packs of 25 [2], while standard packs typically "
    "contain 20 cigarettes [4]."
)
QUEENS = (
    "Queen Victoria became Queen of the United Kingdom on 20 June 1837[3], while Queen Anne became "
    "Queen of England, Scotland, and Ireland on 8 March 1702[1]."
)

_TREES = {
    CUPS: """
        Cups 3 nsubjpass NNS
        can 3 aux MD
        be 3 auxpass VB
        made 3 ROOT VBN
        of 3 prep IN
        glass 4 pobj NN
        or 4 cc CC
        plastic 4 pobj NN
    """,
    CRASH: """
        In 12 prep IN
        the 3 det DT
        plane 3 compound NN
        crash 0 pobj NN
        on 3 prep IN
        Greys 6 compound NNP
        Anatomy 4 pobj NNP
        , 12 punct ,
        the 9 det DT
        characters 12 nsubj NNS
        who 11 nsubj WP
        die 9 relcl VBP
        are 12 ROOT VBP
        Dr 15 compound NNP
        Lexie 15 compound NNP
        Grey 12 attr NNP
        and 15 cc CC
        Dr 19 compound NNP
        Mark 19 compound NNP
        Sloan 15 conj NNP
    """,
    PACKS: """
        Some 1 det DT
        brands 8 nsubj NNS
        , 1 punct ,
        such 4 amod JJ
        as 1 prep IN
        Export 6 compound NN
        As 4 pobj NNS
        , 1 punct ,
        come 8 ROOT VBP
        in 8 prep IN
        packs 9 pobj NNS
        of 10 prep IN
        25 11 pobj CD
        , 8 punct ,
        while 18 mark IN
        standard 16 amod JJ
        packs 18 nsubj NNS
        typically 18 advmod RB
        contain 8 advcl VBP
        20 20 nummod CD
        cigarettes 18 dobj NNS
    """,
    QUEENS: """
        Queen 1 compound NNP
        Victoria 2 nsubj NNP
        became 2 ROOT VBD
        Queen 2 attr NNP
        of 3 prep IN
        the 7 det DT
        United 7 compound NNP
        Kingdom 4 pobj NNP
        on 2 prep IN
        20 10 nummod CD
        June 8 pobj NNP
        1837 10 nummod CD
        , 2 punct ,
        while 16 mark IN
        Queen 15 compound NNP
        Anne 16 nsubj NNP
        became 2 advcl VBD
        Queen 16 attr NNP
        of 17 prep IN
        England 18 pobj NNP
        , 19 punct ,
        Scotland 19 conj NNP
        , 21 punct ,
        and 21 cc CC
        Ireland 21 conj NNP
        on 16 prep IN
        8 27 nummod CD
        March 25 pobj NNP
        1702 27 nummod CD
    """,
}


def parse_of(text: str, tree: str) -> Parse:
    """The parse of `text` that is written in `tree`."""
    rows = [line.split() for line in tree.strip().splitlines()]
    words = tuple(row[0] for row in rows)
    starts: list[int] = []
    end = 0
    for word in words:
        starts.append(text.index(word, end))
        end = starts[-1] + len(word)
    heads = tuple(int(row[1]) for row in rows)
    labels, tags = tuple(row[2] for row in rows), tuple(row[3] for row in rows)
    return Parse(words, tuple(starts), heads, labels, tags)


PARSES = {
    (text := clean_sentence(sentence).text): parse_of(text, tree)
    for sentence, tree in _TREES.items()
}


class ByHand:
    """Parses the sentences above, and counts how often it is asked and for how many texts."""

    fingerprint = "parser:by-hand"

    def __init__(self) -> None:
        self.calls: list[int] = []

    def parse(self, texts):
        self.calls.append(len(texts))
        return [PARSES[text] for text in texts]


def claims_of_sentence(sentence: str, parser: Parser) -> list[Claim]:
    """The claims of one sentence."""
    return claims_of_sentences([sentence], parser)[0]
