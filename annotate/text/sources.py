"""What an answer's marks may cite: the numbers, titles and addresses of its passages."""

from collections.abc import Iterable

from annotate.text.addresses import normalised
from annotate.text.types import value


@value
class Citable:
    """Passage `n` of a response, with what marks can name."""

    n: int
    title: str = ""
    url: str = ""


class Sources:
    """The passages of one response. `count` is None if it is unknown."""

    def __init__(self, citable: Iterable[Citable] = (), count: int | None = None) -> None:
        self.count = count
        self.titles: dict[int, str] = {}
        self._by_address: dict[str, int] = {}
        for each in citable:
            self.titles[each.n] = _folded(each.title)
            if each.url:
                self._by_address.setdefault(normalised(each.url), each.n)

    def at(self, url: str) -> int:
        """Return the number of the passage with this address, or 0."""
        return self._by_address.get(normalised(url), 0) if self._by_address else 0

    def is_title(self, number: int, label: str) -> bool:
        """Return whether `label` is the title of the passage with this number."""
        return bool(label) and self.titles.get(number) == _folded(label)


def _folded(title: str) -> str:
    return " ".join(title.casefold().split())
