"""A report on paper: its HTML file, printed by a Chromium that is installed here."""

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")
"""What Chromium is called where it is installed."""

PATIENCE = 300
"""Seconds after which a browser that does not end is given up."""

ARGUMENTS = (
    "--headless",
    "--disable-gpu",
    "--disable-extensions",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
    "--no-pdf-header-footer",
    # The file asks for nothing; were it otherwise, nothing would be found.
    "--host-resolver-rules=MAP * ~NOTFOUND",
)


class PdfError(Exception):
    """Why there is no PDF, and what to do."""


def chromium(path: str = "") -> str:
    """The program at this path, or the first one on PATH."""
    found = shutil.which(path) if path else next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        where = f"{path} is no program that can be run" if path else "Chromium is not installed"
        raise PdfError(
            f"{where}: a PDF is printed by it. Install Chromium, name it by ATTEST_CHROMIUM, or "
            "write the report with --html and print that from any browser."
        )
    return found


def report_pdf(html: str, path: str = "") -> bytes:
    """The PDF of a report's HTML file, which holds all that it shows and runs no script.

    Chromium keeps its sandbox. Only for root, with whom it refuses that, it goes without: all that
    it opens is this file.
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
