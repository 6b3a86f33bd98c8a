"""A report as PDF: its HTML file, printed by an installed Chromium."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
"""Names of the installed program."""

PATIENCE = 300
"""Seconds after which the browser is stopped."""

ARGUMENTS = (
    "--headless",
    "--disable-gpu",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--no-pdf-header-footer",
    # The file requests nothing. If it did, no host would be found.
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


class PdfError(Exception):
    """There is no PDF. The message says why, and what to do."""


def chromium(path: str = "") -> str:
    """Return the program at this path, or the first one on PATH."""
    found = shutil.which(path) if path else next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        where = f"{path} is no program that can be run" if path else "Chromium is not installed"
        raise PdfError(
            f"{where}: a PDF is printed by it. Install Chromium, name it by ATTEST_CHROMIUM, or "
            "write the report with --html and print that from any browser."
        )
    return found


def report_pdf(html: str, path: str = "") -> bytes:
    """Return the PDF of a report's HTML file, which needs no other file and runs no script.

    Chromium keeps its sandbox, except for root, where it refuses to start with it: it opens only
    this file.
    """
    program = chromium(path)
    with tempfile.TemporaryDirectory(prefix="report-pdf-") as folder:
        page, made = Path(folder, "report.html"), Path(folder, "report.pdf")
        page.write_text(html, encoding="utf-8")
        unsafe = ["--no-sandbox"] if os.geteuid() == 0 else []
        given = [f"--user-data-dir={folder}/profile", f"--print-to-pdf={made}", page.as_uri()]
        try:
            done = subprocess.run(  # noqa: S603 - the operator named the program
                [program, *ARGUMENTS, *unsafe, *given],
                capture_output=True,
                check=False,
                timeout=PATIENCE,
            )
        except subprocess.TimeoutExpired:
            raise PdfError(f"{program} did not end within {PATIENCE} seconds.") from None
        if not made.exists():
            said = done.stderr.decode(errors="replace").strip().splitlines()[-1:]
            raise PdfError(f"{program} made no PDF (status {done.returncode}): {' '.join(said)}")
        return made.read_bytes()
