"""Lists of words."""


def words(listed: str) -> frozenset[str]:
    return frozenset(listed.split())
