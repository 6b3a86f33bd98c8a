"""The grammar of unit keys: `r`, `s1`, `s1.c2`, `s1.a1`, `s1.a1.c2`, `s1.g1`, `s1.g1.c2`."""

import re

from annotate.protocol.dimensions import UnitKind

KEY_CHARS = 30
_NUMBER = "[1-9][0-9]*"
_KEY = re.compile(rf"s{_NUMBER}(?P<claim>\.[ag]{_NUMBER})?(?P<citation>\.c{_NUMBER})?")


def unit_kind(key: str) -> UnitKind | None:
    """The kind of unit that a key names; None where it is no key."""
    if key == "r":
        return UnitKind.RESPONSE
    found = _KEY.fullmatch(key) if len(key) <= KEY_CHARS else None
    if found is None:
        return None
    if found["claim"]:
        return UnitKind.CLAIM_CITATION if found["citation"] else UnitKind.CLAIM
    return UnitKind.CITATION if found["citation"] else UnitKind.STATEMENT
