"""A bundle's JSON about the whole study and the report's filters."""

from typing import Any

from annotate.formats.problems import shown
from annotate.protocol.dimensions import Dimension
from annotate.protocol.protocol import Protocol
from annotate.protocol.study import own_fields, protocol_from
from annotate.protocol.written import NotAProtocol
from evaluation.reports.bundle.archive import Archive, BundleError, wrong
from evaluation.reports.bundle.cells import MOST_INT
from evaluation.reports.data import GuidelinesRecord, ReportData, StudyRecord
from evaluation.reports.filters import Filters

STUDY, FILTERS = "study.json", "filters.json"

_FIELDS: dict[str, tuple[type, ...]] = {
    "slug": (str,),
    "name": (str,),
    "dimensions": (list,),
    "seed": (int,),
    "lines": (str,),
    "reading": (str,),
    "language": (str,),
    "splitter": (str,),
    "citation_cap": (int, type(None)),
    "primary": (str,),
    "raters_per_unit": (int,),
    "guidelines": (list,),
    "parser": (str,),
    "segmentations": (list,),
    "anonymous": (bool,),
    "protocol": (dict,),
    "own": (dict,),
    "files": (list,),
    "versions": (list,),
}
_DEFAULTS: dict[str, Any] = {
    "lines": "first",
    "language": "",
    "primary": "",
    "own": {},
    "files": [],
    "versions": [],
}
"""Defaults of fields that older bundles lack."""

_GUIDELINES: dict[str, tuple[type, ...]] = {
    "version": (int,),
    "published": (str,),
    "digest": (str,),
}
_TYPE_NAMES = {str: "a text", int: "a whole number", list: "a list", bool: "true or false",
         dict: "an object", type(None): "null"}  # fmt: skip


def study_json(data: ReportData) -> dict[str, Any]:
    """Return the study's settings, with the wording of its dimensions and of answered ones."""
    study = data.study
    own = own_fields(study.protocol)
    versions = [list(one) for one in study.versions]
    return (
        study.settings()
        | {"protocol": _protocol(data)}
        | ({"own": own} if own else {})
        | ({"versions": versions} if versions else {})
    )


def _protocol(data: ReportData) -> dict[str, Any]:
    protocol = data.protocol
    answered = {*data.judgments.dimension.tolist()}
    return {
        key: {
            "about": dimension.unit_kind.value,
            "question": dimension.question,
            "help": dimension.help,
            "values": _words(dimension),
            "scale": dimension.scale,
        }
        for place, (key, dimension) in enumerate(protocol.items())
        if key in protocol.offered or place in answered
    }


def _words(dimension: Dimension) -> dict[str, str]:
    """Return the words of its choices; for spans, of their labels and severities."""
    if dimension.is_choice:
        return {value: dimension.label(value) for value in dimension.values}
    return {one.value: one.label for one in (*dimension.choices, *dimension.severities)}


def read_study(archive: Archive) -> StudyRecord:
    """Read the study; refuse choices that this version of Attest does not know."""
    found = _checked(_DEFAULTS | archive.json(STUDY), _FIELDS, "")
    try:
        protocol = protocol_from(found["dimensions"], found.pop("own"))
    except NotAProtocol as error:
        raise wrong(
            STUDY, "dimensions as a protocol file says them", str(error), field="own"
        ) from None
    for key, said in found.pop("protocol").items():
        values = [*said["values"]] if _is_protocol(said) else None
        known = sorted(_words(protocol[key])) if key in protocol else []
        if values is None or key not in protocol or sorted(values) != known:
            raise wrong(
                STUDY,
                f"the choices {', '.join(known)}" if known else f"one of {', '.join(protocol)}",
                f"{', '.join(values)}" if values else shown(said),
                field=f"protocol.{key}",
                advice="Read it with the version of Attest that the manifest names.",
            )
    for name in ("dimensions", "segmentations", "files"):
        known_names = {*protocol} if name == "dimensions" else None
        for one in found[name]:
            if not isinstance(one, str) or (known_names and one not in known_names):
                expected = f"some of {', '.join(protocol)}" if known_names else "texts"
                raise wrong(STUDY, expected, shown(one), field=name)
        found[name] = tuple(found[name])
    guidelines, digests = [], archive.guidelines()
    for place, said in enumerate(found["guidelines"]):
        field = f"guidelines[{place}]"
        if not isinstance(said, dict):
            raise wrong(STUDY, "an object", shown(said), field=field)
        version = GuidelinesRecord(**_checked(said, _GUIDELINES, f"{field}."))
        if digests.pop(version.version, None) != version.digest:
            expected = f"the text with the digest {version.digest}"
            raise wrong(f"guidelines/version-{version.version}.md", expected, "another or none")
        guidelines.append(version)
    if digests:
        raise wrong(STUDY, f"version {min(digests)} of the guidelines", "none", field="guidelines")
    found["guidelines"] = tuple(guidelines)
    found["versions"] = tuple(_version(said, protocol) for said in found["versions"])
    return StudyRecord(**found, protocol=protocol)


def _version(said: object, protocol: Protocol) -> tuple[str, int, int]:
    if isinstance(said, list) and [type(one) for one in said] == [str, int, int]:
        key, version, answers = said
        if key in protocol and 0 < version <= MOST_INT and 0 <= answers <= MOST_INT:
            return key, version, answers
    expected = "a dimension, a version of it and how many answers it has"
    raise wrong(STUDY, expected, shown(said), field="versions")


def read_filters(archive: Archive) -> Filters:
    try:
        return Filters.from_json(archive.json(FILTERS))
    except BundleError:
        raise
    except ValueError as error:
        raise BundleError(f"{FILTERS}, field {error}") from None


def _is_protocol(said: object) -> bool:
    return isinstance(said, dict) and isinstance(said.get("values"), dict)


def _checked(
    said: dict[str, Any], fields: dict[str, tuple[type, ...]], within: str
) -> dict[str, Any]:
    """Return the object; refuse missing or other fields and wrong types."""
    for name in sorted({*said} | {*fields}):
        field = f"{within}{name}"
        if name not in fields:
            raise wrong(STUDY, f"no field but {', '.join(fields)}", "it", field=field)
        if name not in said:
            raise wrong(STUDY, "this field", "none", field=field)
        value, types = said[name], fields[name]
        is_flag = isinstance(value, bool) and bool not in types
        is_huge = isinstance(value, int) and not -1 <= value <= MOST_INT
        if is_flag or is_huge or not isinstance(value, types):
            expected = " or ".join(_TYPE_NAMES[kind] for kind in types)
            raise wrong(STUDY, expected, shown(value), field=field)
    return dict(said)
