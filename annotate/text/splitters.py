"""The sentence splitters by name. A splitter maps a text to its sentence starts."""

import re
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from annotate.text.rules import RULES_VERSION, split_by_rules

Splitter = Callable[[str], list[int]]

DEFAULT_SPLITTER = "rules"

_FULL_STOP = re.compile(r"(?<=\.)\s++(?=\S)")


class SplitterError(ValueError):
    """A splitter that does not exist or cannot run here."""


def split_at_full_stops(text: str) -> list[int]:
    """End a sentence at every full stop before white space."""
    return ([0] if text else []) + [gap.end() for gap in _FULL_STOP.finditer(text)]


@cache
def _punkt() -> Any:
    try:
        return import_module("nltk.tokenize.punkt").PunktTokenizer("english")
    except ImportError:
        raise SplitterError(
            "The splitter 'punkt' needs the Python package nltk, which is not installed: "
            "pip install nltk, then python -m nltk.downloader punkt_tab. "
            f"The splitter '{DEFAULT_SPLITTER}' needs neither."
        ) from None
    except LookupError:
        raise SplitterError(
            "The splitter 'punkt' needs NLTK's data package punkt_tab, which is not installed: "
            "python -m nltk.downloader punkt_tab (or set NLTK_DATA to a folder that holds it). "
            f"The splitter '{DEFAULT_SPLITTER}' needs no data."
        ) from None


def split_by_punkt(text: str) -> list[int]:
    """Split with NLTK's Punkt and its English parameters."""
    starts = [start for start, _ in _punkt().span_tokenize(text)]
    return ([0] if text else []) + starts[1:]


SPLITTERS: dict[str, Splitter] = {
    "rules": split_by_rules,
    "full-stop": split_at_full_stops,
    "punkt": split_by_punkt,
}


def find_splitter(name: str) -> Splitter:
    """Return the splitter called `name`; the error message lists all of them."""
    try:
        return SPLITTERS[name]
    except KeyError:
        raise SplitterError(
            f"There is no sentence splitter '{name}'; expected one of {', '.join(SPLITTERS)}."
        ) from None


def splitter_signature(name: str) -> str:
    """Return the splitter's name and the version that could change its result."""
    find_splitter(name)
    if name == "punkt":
        try:
            return f"punkt:{version('nltk')}"
        except PackageNotFoundError:
            return "punkt:missing"
    return f"{name}:{RULES_VERSION if name == 'rules' else '1'}"


def available_splitters() -> tuple[str, ...]:
    """Return the splitters that can run here, the default first."""
    names = []
    for name in SPLITTERS:
        try:
            SPLITTERS[name]("")
            if name == "punkt":
                _punkt()
        except SplitterError:
            continue
        names.append(name)
    return tuple(names)
