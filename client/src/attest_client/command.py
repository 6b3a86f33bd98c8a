"""The command `attest`, for terminals and continuous integration."""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import httpx

from attest_client import Attest, AttestError, __version__
from attest_client.checking import PEOPLE, Bound, check, junit, junit_of_error

MISSED, CANNOT_TELL = 1, 2


def main(arguments: Sequence[str] | None = None) -> int:
    """Return the exit status: 0 if all bounds hold, 1 if one is missed, 2 if one is unknown."""
    parser = argparse.ArgumentParser(
        prog="attest", description="ATTEST_URL and ATTEST_TOKEN say where Attest is and who asks."
    )
    parser.add_argument("--version", action="version", version=f"attest {__version__}")
    parser.add_argument("--address", default="", help="instead of ATTEST_URL")
    commands = parser.add_subparsers(dest="command", required=True)
    checking = commands.add_parser("check", help="hold a study's numbers to bounds")
    checking.add_argument("study", help="its slug")
    checking.add_argument(
        "--judge", default=PEOPLE, help="the judge's name or how it begins; default: people"
    )
    checking.add_argument("--min", action="append", default=[], metavar="KEY=NUMBER")
    checking.add_argument("--max", action="append", default=[], metavar="KEY=NUMBER")
    checking.add_argument("--system", action="append", default=[], help="default: every system")
    checking.add_argument("--junit", type=Path, help="write JUnit XML here")
    asked = parser.parse_args(arguments)
    try:
        return _check(asked)
    except (AttestError, ValueError, httpx.TransportError) as error:
        print(f"attest: {error}", file=sys.stderr)
        if asked.junit:
            asked.junit.write_text(junit_of_error(asked.study, str(error)), encoding="utf-8")
        return CANNOT_TELL


def _check(asked: argparse.Namespace) -> int:
    bounds = [Bound.of(text) for text in asked.min]
    bounds += [Bound.of(text, at_least=False) for text in asked.max]
    if not bounds:
        raise ValueError("Say what must hold: --min KEY=NUMBER or --max KEY=NUMBER.")
    with Attest(asked.address) as attest:
        report = attest.study(asked.study).report()
    found = check(report, bounds, judge=asked.judge, systems=asked.system)
    for one in found:
        word = "holds" if one.holds else "missed" if one.can_be_told else "is unknown"
        print(f"{word:15} {one.system}: {one.bound}; {one.said}")
    if asked.junit:
        asked.junit.write_text(junit(asked.study, found), encoding="utf-8")
    if any(not one.can_be_told for one in found):
        return CANNOT_TELL
    return 0 if all(one.holds for one in found) else MISSED


if __name__ == "__main__":
    sys.exit(main())
