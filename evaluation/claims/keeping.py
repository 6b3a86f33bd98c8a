"""A divided sentence as plain data, and back: what is stored of it."""

from collections.abc import Mapping
from typing import Any

from evaluation.claims.atomic import claims_from_tree
from evaluation.claims.sentences import Division, Parse


def kept(key: str, division: Division) -> dict[str, Any]:
    """What is needed to make the division again without a parser; `key` names the statement."""
    parse = division.parse
    return {
        "key": key,
        "sentence": division.sentence,
        "words": list(parse.words),
        "starts": list(parse.starts),
        "heads": list(parse.heads),
        "deps": list(parse.deps),
        "tags": list(parse.tags),
        "marks": {str(word): list(numbers) for word, numbers in division.marks.items()},
    }


def made_again(data: Mapping[str, Any]) -> Division:
    """The division that was kept. Its claims follow from the tree."""
    names = ("words", "starts", "heads", "deps", "tags")
    parse = Parse(*(tuple(data[name]) for name in names))
    marks = {int(word): tuple(numbers) for word, numbers in data["marks"].items()}
    claims = claims_from_tree(parse.words, parse.heads, parse.deps, marks) if parse.words else []
    return Division(data["sentence"], parse, marks, tuple(claims))
