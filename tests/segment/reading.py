"""An answer divided with all its lines, written short enough to compare by eye."""

from typing import Any

from annotate.text import Citable, Segmentation, Span, segment

SITES = (
    Citable(1, "Tides", "https://www.example.org/tides/"),
    Citable(2, "The Moon", "https://moon.example.com/sea?utm_source=chat"),
    Citable(3, "Currents", "http://currents.example.net/gulf#stream"),
)


def divided(raw: str, passages: int | None = 3, **choice: Any) -> Segmentation:
    """The answer with all its lines."""
    return segment(raw, lines="all", passages=passages, cap=None, **choice)


def brief(raw: str, passages: int | None = 3, **choice: Any) -> list[str]:
    """Each statement with what it cites: `Honey keeps. ← 2, 3`; what is not judged in brackets."""
    found = divided(raw, passages, **choice)
    lines = []
    for statement in found.statements:
        cites = ", ".join(c.url or str(c.number) for c in statement.citations)
        lines.append((statement.start, f"{statement.text} ← {cites}" if cites else statement.text))
    lines += [(part.start, f"[{part.kind}]") for part in found.not_judged]
    return [line for _, line in sorted(lines)]


def spans(*given: tuple[Any, ...]) -> tuple[Span, ...]:
    """Citations given beside the answer."""
    return tuple(Span(*each) for each in given)
