"""From sentences with marks to their atomic claims."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

from evaluation.claims.atomic import Claim, claims_from_tree
from evaluation.claims.cleaning import CLEANING_VERSION, clean_sentence

CLAIMS_VERSION = "claims:2"


class Parse(NamedTuple):
    """A parsed text: by word its text, offset, head (its own index for a root), label and tag.

    Tags are parts of speech, `""` where the parser gives none.
    """

    words: tuple[str, ...] = ()
    starts: tuple[int, ...] = ()
    heads: tuple[int, ...] = ()
    deps: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


class Parser(Protocol):
    """Gives dependency trees with the labels of spaCy's English pipelines."""

    @property
    def fingerprint(self) -> str:
        """Names everything that could change a tree."""
        ...

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """A tree for each text, in their order."""
        ...


@dataclass(frozen=True, slots=True)
class ParsedSentence:
    """A sentence as it was parsed, the numbers cited after each word, and its claims."""

    sentence: str
    parse: Parse
    marks: Mapping[int, Sequence[int]]
    claims: tuple[Claim, ...]


def divide(sentences: Iterable[str], parser: Parser) -> list[ParsedSentence]:
    """Divide sentences, given with their marks, into claims; each text is parsed once.

    A sentence without a word has no claim, whatever it cites: nothing is said that a passage could
    support.
    """
    given = list(sentences)
    clean = {sentence: clean_sentence(sentence) for sentence in dict.fromkeys(given)}
    texts = list(dict.fromkeys(one.text for one in clean.values() if one.has_word))
    parses = dict(zip(texts, parser.parse(texts), strict=True)) if texts else {}
    made: dict[str, ParsedSentence] = {}
    for sentence, one in clean.items():
        parse = parses.get(one.text, Parse())
        marks = one.by_word(parse.words, parse.starts)
        claims = (
            claims_from_tree(parse.words, parse.heads, parse.deps, marks) if parse.words else []
        )
        made[sentence] = ParsedSentence(sentence, parse, marks, tuple(claims))
    return [made[sentence] for sentence in given]


def claims_of_sentences(sentences: Iterable[str], parser: Parser) -> list[list[Claim]]:
    """The atomic claims of each sentence, given with its marks, in the order of the marks."""
    return [list(division.claims) for division in divide(sentences, parser)]


def claims_signature(parser: Parser) -> str:
    """Every choice that could change the claims of a sentence."""
    return f"{CLAIMS_VERSION}|{CLEANING_VERSION}|{parser.fingerprint}"
