"""Sentences: the answer at the top, and the notes on the method."""

from typing import Annotated, Literal, TypedDict

from evaluation.reports.shape.rules import Text, rule

SentenceKey = Literal[
    "correlation",
    "kappa",
    "misses",
    "caution",
    "judges",
    "people",
    "groups",
    "systems",
    "few",
    "nothing",
]


class Sentence(TypedDict):
    key: SentenceKey
    text: Text


Headline = Annotated[list[Sentence], rule(minItems=1, maxItems=16)]


class Note(TypedDict):
    key: Text
    title: Text
    text: Text
