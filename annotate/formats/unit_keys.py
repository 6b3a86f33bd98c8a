"""The grammar of unit keys: `r`, `s1`, `s1.c2`, `s1.a1`, `s1.a1.c2`, `s1.g1`, `s1.g1.c2`.

Units of whole responses are `vs1`, a pair with another response, and `k1`, a reference's claim.
"""

import re

from annotate.protocol.dimensions import UnitKind

KEY_CHARS = 30
_NUMBER = "[1-9][0-9]*"
_OF_WHOLE = {"vs": UnitKind.PAIR, "k": UnitKind.REFERENCE_CLAIM}
_KEY = re.compile(
    rf"s{_NUMBER}(?P<claim>\.[ag]{_NUMBER})?(?P<citation>\.c{_NUMBER})?|(?P<whole>vs|k){_NUMBER}"
)


def unit_kind(key: str) -> UnitKind | None:
    """Return the kind of unit that a key names; None if it is not a key."""
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


def whole_unit_key(kind: UnitKind, number: int) -> str:
    """Return the key of a response's nth pair or reference claim."""
    beginning = next(text for text, known in _OF_WHOLE.items() if known is kind)
    return f"{beginning}{number}"
