"""Check and load files in the terminal, for import_outputs and import_judgments."""

import json
from contextlib import ExitStack
from pathlib import Path
from threading import Event, Thread
from typing import Any

from django.core.files import File
from django.core.management.base import BaseCommand, CommandError
from django.db import connection
from django.template.defaultfilters import pluralize
from tqdm import tqdm

from annotate import uploads
from annotate.formats import FORMATS
from annotate.formats.tables.archive import file_or_zip
from annotate.formats.tables.guessing import guess
from annotate.formats.tables.mapping import MappingError, mapping_in
from annotate.models import Study, Upload
from annotate.web.errors import Refused


def load_path(
    command: BaseCommand,
    study: Study,
    path: Path,
    *,
    kinds: tuple[str, ...],
    passages: Path | None = None,
    mapping: Path | None = None,
    **options: Any,
) -> Upload:
    """Check and load a file, completely or not at all (unless `keep_good`).

    A folder of tables is zipped first.
    """
    for needed in (path, passages, mapping):
        if needed is not None and not needed.is_file() and not (needed is path and path.is_dir()):
            raise CommandError(f"There is no file {needed}.")
    try:
        with ExitStack() as opened:
            handle = opened.enter_context(file_or_zip(path))
            extra = opened.enter_context(passages.open("rb")) if passages else None
            upload = uploads.receive(
                study,
                File(handle, name=path.name),
                name=path.name,
                author=None,
                passages=File(extra, name=passages.name) if passages and extra else None,
                mapping=mapping_in(mapping.read_bytes()) if mapping else None,
                **options,
            )
    except (Refused, MappingError) as refusal:
        raise CommandError(str(refusal)) from None
    found = FORMATS[upload.format]
    judged = kinds == ("judgments",)
    command.stdout.write(f"{path.name}: {found.title}")
    if upload.columns and upload.columns["columns"] and upload.is_unmapped:
        uploads.cancel(upload)
        uploads.discard(upload)
        raise CommandError("This is a table: " + _columns_needed(upload.columns, judged=judged))
    if found.kind not in kinds and not upload.is_unmapped:
        uploads.cancel(upload)
        uploads.discard(upload)
        command_for = "import_judgments" if found.kind == "judgments" else "import_outputs"
        raise CommandError(f"This file holds {found.kind}; use {command_for}.")
    _check(command, upload, judged=judged)
    try:
        uploads.accept(upload, replace=upload.replace, keep_good=upload.keep_good)
    except Refused as refusal:
        uploads.discard(upload)
        raise CommandError(f"{refusal} (--replace)") from None
    _step(upload, "loading")
    if upload.state == Upload.State.QUEUED:
        uploads.send(upload.pk)
        raise CommandError(
            "Another file of this study is being loaded. This one waits; a worker loads it next."
        )
    if upload.state != Upload.State.DONE:
        raise CommandError(f"{upload.get_state_display()}: {upload.error}")
    command.stdout.write(uploads.outcome(upload))
    return upload


def _columns_needed(table: dict[str, Any], *, judged: bool) -> str:
    """Return instructions for a table without a mapping, with a guessed one."""
    mapping = table["guess"]
    if (mapping["rows"] == "judgments") != judged:
        names = [column["name"] for column in table["columns"]]
        mapping = guess((), names, "judgments" if judged else "outputs").as_json()
    return (
        "say which of its columns is what. A guess, to put into a file, mend and give with "
        f"--mapping FILE:\n{json.dumps(mapping, ensure_ascii=False, indent=2)}"
    )


def _check(command: BaseCommand, upload: Upload, *, judged: bool) -> None:
    """Check the file and report its findings. A faulty file ends the command."""
    if left := upload.passed_over:
        command.stdout.write(
            f"The mapping skips {', '.join(left)}, which {pluralize(left, 'says,say')} more "
            f"of each judgment. Give a mapping that names {pluralize(left, 'it,them')} with "
            "--mapping FILE to read it."
        )
    _step(upload, "checking")
    _report_findings(command, upload)
    if upload.state == Upload.State.RECEIVED:
        raise CommandError("The database broke the check off. A worker goes on with it.")
    if upload.state == Upload.State.FAILED:
        raise CommandError(f"The check failed: {upload.error}")
    if upload.state == Upload.State.INVALID:
        count = upload.findings["problem_count"]
        instead = "load the good records with --keep-good."
        if uploads.may_be_table(upload):
            uploads.read_as_table(upload)
            instead = _columns_needed(upload.columns or {}, judged=judged)
        uploads.discard(upload)
        raise CommandError(
            f"{count} error{pluralize(count)}; nothing was stored. Mend the file, or {instead}"
        )


def _step(upload: Upload, what: str) -> None:
    """Do one step, with a progress bar in a terminal."""
    done = Event()
    bar = tqdm(total=upload.size, unit="B", unit_scale=True, desc=what, leave=False, disable=None)

    def watch() -> None:
        while not done.wait(0.5):
            row = Upload.objects.filter(pk=upload.pk).values_list("position", flat=True).first()
            bar.n = row or 0
            bar.refresh()
        connection.close()

    watcher = Thread(target=watch, daemon=True)
    if not bar.disable:
        watcher.start()
    try:
        uploads.work(upload.pk)
    finally:
        done.set()
        if watcher.is_alive():
            watcher.join()
        bar.close()
    upload.refresh_from_db()


def _report_findings(command: BaseCommand, upload: Upload) -> None:
    for problem in upload.findings.get("problems", []):
        command.stderr.write(f"{upload.name}: {problem['text']}")
    more = upload.findings.get("problem_count", 0) - len(upload.findings.get("problems", []))
    if more > 0:
        command.stderr.write(f"… and {more} more.")
    lost, words = upload.findings.get("lost_words", 0), upload.findings.get("words", 0)
    if lost:
        command.stdout.write(
            f"warning: {lost:,} of {words:,} words stand after the first line of their answer and "
            "are not read; the study's settings can have all lines read"
        )
    if parts := upload.findings.get("not_judged", []):
        said = ", ".join(f"{part['count']:,} {part['message']}" for part in parts)
        command.stdout.write(f"shown, but not judged: {said}")
    for warning in upload.findings.get("warnings", []):
        where = "; ".join(warning["places"])
        command.stdout.write(f"warning: {warning['count']} {warning['message']} ({where})")
