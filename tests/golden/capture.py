"""Captures what the demo gives out: `make golden`.

Builds the demo study afresh in a data folder of its own, has it judged, rated and decided, and
keeps as text what comes out of it: exports, reports, forms, pages, the programming interface.
Without options the result is compared with the golden files; the status is 1 where it differs, and
what differs first is shown.

To accept an intended change:

    make golden ARGS=--diff     # look at all that differs
    make golden ARGS=--write    # rewrite the golden files

Files are rewritten only where they have changed; commit them with the change that caused it.
`--out DIR` writes elsewhere, to compare two captures; there `--diff` compares with DIR instead.
"""

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from tests.golden import files

MOST_SHOWN = 12
TO_ACCEPT = """
If this was meant, look at all of it and accept it:
    make golden ARGS=--diff
    make golden ARGS=--write
"""

HELD = {"PYTHONHASHSEED": "0", "OMP_NUM_THREADS": "1"}


def capture() -> dict[str, str]:
    """Every artefact by its name. Once a process: it holds the clock still and keeps it so."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "tests.golden.settings"
    os.chdir(Path(__file__).parents[2])  # commands are given the demo's files by short paths
    from tests.golden import stillness

    stillness.hold()
    import django
    from django.conf import settings

    folder = Path(tempfile.mkdtemp(prefix="attest-golden-"))
    try:
        django.setup()
        return _captured(folder)
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        shutil.rmtree(settings.DATA_DIR, ignore_errors=True)


def _captured(folder: Path) -> dict[str, str]:
    from tests.golden import demo, exports, pages, raters, reports
    from tests.golden.doors import Kept

    kept = Kept(folder)
    demo.build(kept)
    exports.fresh(kept)
    reports.fresh(kept)
    raters.rate_the_demo(kept)
    demo.research(kept)
    exports.everything(kept)
    exports.scores(kept)
    pages.everything(kept)
    reports.everything(kept)
    return kept.texts


def hold_the_order() -> None:
    """Begin anew where sets of texts would come in another order each time.

    The order in which an upload names its systems and judges is that of a set, and so are their
    keys, which stand in addresses.
    """
    if any(os.environ.get(name) != value for name, value in HELD.items()):
        here = [sys.executable, "-m", "tests.golden.capture", *sys.argv[1:]]
        os.execve(sys.executable, here, {**os.environ, **HELD})


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description="Capture what the demo gives out.")
    parser.add_argument("--write", action="store_true", help="rewrite the golden files")
    parser.add_argument("--diff", action="store_true", help="show what differs")
    parser.add_argument("--out", type=Path, metavar="DIR", help="instead of the golden files")
    options = parser.parse_args(arguments)
    where: Path = options.out.resolve() if options.out else files.FOLDER
    found = capture()
    golden = files.read(where)
    differing = list(files.differences(golden, found))
    if options.diff or not (options.write or options.out):
        sys.stdout.writelines(differing if options.diff else differing[:MOST_SHOWN])
    if options.write or (options.out and not options.diff):
        for line in files.write(found, where, effort=8 if where == files.FOLDER else 0):
            print(line)
        return 0
    print(f"{len(found)} artefacts, {len(differing)} differ from {where}.")
    if differing and not options.diff:
        print(TO_ACCEPT)
    return 1 if differing else 0


if __name__ == "__main__":
    hold_the_order()
    sys.exit(main(sys.argv[1:]))
