"""The grammar of unit keys: `r`, `s1`, `s1.c2`, `s1.a1`, `s1.a1.c2`, `s1.g1`, `s1.g1.c2`, and of
what is made of whole responses: `vs1` is a pair with another response, `k1` a reference's claim."""

import re

from annotate.protocol.dimensions import UnitKind

KEY_CHARS = 30
_NUMBER = "[1-9][0-9]*"
_OF_WHOLE = {"vs": UnitKind.PAIR, "k": UnitKind.REFERENCE_CLAIM}
_KEY = re.compile(
    rf"s{_NUMBER}(?P<claim>\.[ag]{_NUMBER})?(?P<citation>\.c{_NUMBER})?|(?P<whole>vs|k){_NUMBER}"
)


def unit_kind(key: str) -> UnitKind | None:
    """The kind of unit that a key names; None where it is no key."""
    if key == "r":
        return UnitKind.RESPONSE
    found = _KEY.fullmatch(key) if len(key) <= KEY_CHARS else None
    if found is None:
        return None
    if found["whole"]:
        return _OF_WHOLE[found["whole"]]
    if found["claim"]:
        return UnitKind.CLAIM_CITATION if found["citation"] else UnitKind.CLAIM
    return UnitKind.CITATION if found["citation"] else UnitKind.STATEMENT


def key_of_whole(kind: UnitKind, number: int) -> str:
    """The key of the so manieth pair or reference's claim of a response."""
    beginning = next(text for text, known in _OF_WHOLE.items() if known is kind)
    return f"{beginning}{number}"
