"""Check a report's numbers against bounds, for continuous integration.

The bound applies to the end of the interval, not to the estimate: a number that is above the bound
by chance does not pass.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from xml.etree import ElementTree

from attest_client.reports import Figure, Report

PEOPLE = "people"
_NOT_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Bound:
    """The least (`at_least`) or the greatest value of one number."""

    key: str
    value: float
    at_least: bool = True

    @classmethod
    def of(cls, text: str, *, at_least: bool = True) -> "Bound":
        """Parse a bound such as `citation_recall=0.8`."""
        key, _, value = text.partition("=")
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if not key.strip() or not math.isfinite(number):
            raise ValueError(f"Expected KEY=NUMBER, as citation_recall=0.8; found {text}")
        return cls(key.strip(), number, at_least)

    def __str__(self) -> str:
        return f"{self.key} {'≥' if self.at_least else '≤'} {self.value:g}"


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of checking one bound for one system."""

    bound: Bound
    system: str
    figure: Figure | None
    said: str
    holds: bool
    can_be_told: bool = True


def judge_named(report: Report, name: str) -> str:
    """Return the only judge with this name or prefix; empty for people."""
    if name in {"", PEOPLE}:
        return ""
    known = sorted(set(report.judges.values()))
    exact = [judge for judge in known if judge == name]
    found = exact or [judge for judge in known if judge.startswith(name)]
    if len(found) != 1:
        said = "no judge" if not found else f"{len(found)} judges"
        raise ValueError(f"{name} names {said}. The report has: {', '.join(known) or 'none'}")
    return found[0]


def check(
    report: Report, bounds: Sequence[Bound], *, judge: str = PEOPLE, systems: Iterable[str] = ()
) -> list[Checked]:
    """Check every bound for every system, or for some systems."""
    named, chosen = judge_named(report, judge), set(systems)
    rows = [row["system"] for row in report["systems"]["rows"]]
    if unknown := chosen - set(rows):
        raise ValueError(f"No system is called {', '.join(sorted(unknown))}: {', '.join(rows)}")
    if not rows:
        raise ValueError("The report has no system.")
    figures = {(one.system, one.key): one for one in report.figures() if one.judge == named}
    return [
        _held(bound, system, figures.get((system, bound.key)))
        for system in rows
        if not chosen or system in chosen
        for bound in bounds
    ]


def _held(bound: Bound, system: str, figure: Figure | None) -> Checked:
    if figure is None:
        return Checked(bound, system, None, "no such number", holds=False, can_be_told=False)
    end = figure.low if bound.at_least else figure.high
    if figure.value is None or end is None:
        why = figure.reason or "no interval"
        return Checked(bound, system, figure, why, holds=False, can_be_told=False)
    holds = end >= bound.value if bound.at_least else end <= bound.value
    said = f"{figure.value:.3f} [{figure.low:.3f}, {figure.high:.3f}], n = {figure.n}"
    return Checked(bound, system, figure, said, holds=holds)


def junit(study: str, found: Sequence[Checked]) -> str:
    """Return the results as JUnit XML, which CI servers show."""
    failed = sum(one.can_be_told and not one.holds for one in found)
    counts = {
        "tests": str(len(found)),
        "failures": str(failed),
        "errors": str(sum(not one.can_be_told for one in found)),
    }
    suite = _suite(study, counts)
    for one in found:
        about = {"classname": one.system, "name": str(one.bound)}
        case = ElementTree.SubElement(suite, "testcase", about)
        if not one.holds:
            kind = "failure" if one.can_be_told else "error"
            ElementTree.SubElement(case, kind, {"message": one.said})
    return _written(suite)


def junit_of_error(study: str, said: str) -> str:
    """Return JUnit XML with an error, if no bound could be checked."""
    suite = _suite(study, {"tests": "1", "failures": "0", "errors": "1"})
    case = ElementTree.SubElement(suite, "testcase", {"classname": study, "name": "attest check"})
    ElementTree.SubElement(case, "error", {"message": said})
    return _written(suite)


def _written(suite: ElementTree.Element) -> str:
    """Return the XML text, without characters of names that XML forbids."""
    text = ElementTree.tostring(suite, encoding="unicode", xml_declaration=True)
    return _NOT_XML.sub("\N{REPLACEMENT CHARACTER}", text)


def _suite(study: str, counts: dict[str, str]) -> ElementTree.Element:
    return ElementTree.Element("testsuite", {"name": f"Attest: {study}", **counts})
