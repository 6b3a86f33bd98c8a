"""The filters and options of a report: from the page, a command, or a bundle."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from typing import Any, Literal, cast, get_args

from annotate.protocol.dimensions import KEY
from annotate.protocol.shipped import SHIPPED
from annotate.protocol.slices import DATASET, SliceError, is_key, split_slice
from evaluation.statistics.error_bars import RESAMPLES

LabelMethod = Literal["majority", "dawid-skene", "adjudicated"]
LABEL_METHODS: tuple[LabelMethod, ...] = get_args(LabelMethod)

FEWEST_RESAMPLES, MOST_RESAMPLES = 10, 20_000
MOST_SEED = 2**32 - 1
MOST_ID = 2**63 - 1
MOST_NAMES = 1_000
LISTS = ("systems", "slices", "compare", "dimensions", "judges")

_YES = {"1", "on", "true", "yes"}
_NO = {"", "0", "off", "false", "no"}


class FilterError(ValueError):
    """A filter is invalid. The message names the field, the expected and the given value."""

    def __init__(self, field: str, expected: str, found: object) -> None:
        super().__init__(f"{field}: expected {expected}, found {_shown(found)}.")


@dataclass(frozen=True, slots=True)
class Filters:
    """Filters of a report. An empty list means all; no seed means the study's."""

    systems: tuple[str, ...] = ()
    slices: tuple[str, ...] = ()
    """Only questions of these slices: `key=value`, for each named key one of its values."""

    split: str = DATASET
    """The key whose slices are shown side by side."""

    compare: tuple[str, ...] = ()
    """Two slices to compare within the report, or none."""

    batch: int | None = None
    dimensions: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()
    primary: str = ""
    """The judge to report first; the report chooses one if empty."""

    fine_grained: bool = False
    """Only responses with a citation within a sentence."""

    labels: LabelMethod = "majority"
    excluded_in: bool = False
    """Answers of excluded raters count."""

    outliers: bool = False
    """Automatic scores of systems that use the metric themselves are shown."""

    resamples: int = RESAMPLES
    seed: int | None = None

    def __post_init__(self) -> None:
        for name in LISTS:
            _check_names(name, getattr(self, name))
        for name in ("slices", "compare"):
            for one in getattr(self, name):
                _check_slice(name, one)
        if not isinstance(self.split, str) or not is_key(self.split):
            raise FilterError("split", "a key of metadata, such as dataset", self.split)
        if len(set(self.compare)) not in (0, 2):
            raise FilterError("compare", "two slices, or none", ", ".join(self.compare))
        for key in self.dimensions:
            if not KEY.match(key):
                raise FilterError("dimensions", "the key of a dimension", key)
        if not isinstance(self.primary, str):
            raise FilterError("primary", "the name of a judge", self.primary)
        if self.batch is not None:
            _check_number("batch", self.batch, 1, MOST_ID)
        for name in ("fine_grained", "excluded_in", "outliers"):
            if not isinstance(getattr(self, name), bool):
                raise FilterError(name, "true or false", getattr(self, name))
        if self.labels not in LABEL_METHODS:
            raise FilterError("labels", f"one of {', '.join(LABEL_METHODS)}", self.labels)
        _check_number("resamples", self.resamples, FEWEST_RESAMPLES, MOST_RESAMPLES)
        if self.seed is not None:
            _check_number("seed", self.seed, 0, MOST_SEED)
        # The order of a choice does not matter.
        for name in ("systems", "slices", "compare", "judges"):
            object.__setattr__(self, name, tuple(sorted(set(getattr(self, name)))))
        own = sorted({*self.dimensions} - {*SHIPPED})
        chosen = (*(key for key in SHIPPED if key in self.dimensions), *own)
        object.__setattr__(self, "dimensions", chosen)

    # JSON ----------------------------------------------------------------------------------------

    def as_json(self) -> dict[str, Any]:
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in asdict(self).items()
        }

    @classmethod
    def from_json(cls, given: object) -> "Filters":
        """Read the object of `as_json`; missing fields have their defaults."""
        if not isinstance(given, Mapping):
            raise FilterError("filters", "an object", given)
        known = _field_names()
        for name in given:
            if name not in known:
                raise FilterError(str(name), f"one of the fields {', '.join(known)}", name)
        values = dict(given)
        for name in LISTS:
            if name in values:
                if not isinstance(values[name], list):
                    raise FilterError(name, "a list of names", values[name])
                _check_names(name, values[name])
                values[name] = tuple(values[name])
        return cls(**values)

    @property
    def digest(self) -> str:
        """Return a digest that identifies these filters."""
        text = json.dumps(self.as_json(), sort_keys=True, ensure_ascii=False)
        return sha256(text.encode()).hexdigest()[:16]

    # Addresses -----------------------------------------------------------------------------------

    def as_query(self) -> dict[str, list[str]]:
        """Return the filters that differ from the defaults, for `urlencode(…, doseq=True)`."""
        usual, query = Filters(), dict[str, list[str]]()
        for name in _field_names():
            value = getattr(self, name)
            if value == getattr(usual, name):
                continue
            if isinstance(value, tuple):
                query[name] = list(value)
            else:
                query[name] = ["1" if value is True else str(value)]
        return query

    @classmethod
    def from_query(cls, query: Mapping[str, Sequence[str]]) -> "Filters":
        """Read the lists of a query or form; other names are ignored."""
        values: dict[str, Any] = {}
        for name in LISTS:
            values[name] = tuple(one for one in query.get(name, ()) if one)
        for name in ("fine_grained", "excluded_in", "outliers"):
            values[name] = _read_flag(name, _last(query, name))
        for name in ("batch", "seed", "resamples"):
            text = _last(query, name)
            if text:
                values[name] = _read_number(name, text)
        values["primary"] = _last(query, "primary")
        if split := _last(query, "split"):
            values["split"] = split
        if labels := _last(query, "labels"):
            values["labels"] = cast(LabelMethod, labels)
        return cls(**values)


def _field_names() -> list[str]:
    return [field.name for field in fields(Filters)]


def _check_names(field: str, names: Sequence[object]) -> None:
    if len(names) > MOST_NAMES:
        raise FilterError(field, f"at most {MOST_NAMES:,} names", f"{len(names):,} names")
    for name in names:
        if not isinstance(name, str) or not name:
            raise FilterError(field, "a list of names", name)


def _check_slice(field: str, one: str) -> None:
    try:
        split_slice(one)
    except SliceError:
        raise FilterError(field, "a key and a value, such as dataset=asqa", one) from None


def _check_number(field: str, value: object, least: int, most: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
        raise FilterError(field, f"a whole number from {least} to {most}", value)


def _last(query: Mapping[str, Sequence[str]], name: str) -> str:
    values = query.get(name, ())
    return values[-1].strip() if values else ""


def _read_flag(name: str, text: str) -> bool:
    if text.lower() in _YES | _NO:
        return text.lower() in _YES
    raise FilterError(name, "1 or nothing", text)


def _read_number(name: str, text: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(MOST_ID))):
        raise FilterError(name, "a whole number", text)
    return int(text)


def _shown(found: object) -> str:
    text = f"“{found}”" if isinstance(found, str) else repr(found)
    return text if len(text) <= 80 else f"{text[:79]}…"
