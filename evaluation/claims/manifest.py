"""A list of a model's files with their hashes, so that a broken file is found and named."""

import hashlib
import json
from pathlib import Path
from typing import Final

MANIFEST: Final = "manifest.json"

_BLOCK = 1 << 20


class ManifestError(Exception):
    """A file of a model is missing or is not as it was; the message says which."""


def write_manifest(folder: Path) -> None:
    """List all files of the folder, also in folders below, but the list itself."""
    listed = {
        path.relative_to(folder).as_posix(): sha256(path)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path != folder / MANIFEST
    }
    text = json.dumps(listed, ensure_ascii=False, indent=2)
    (folder / MANIFEST).write_text(f"{text}\n", encoding="utf-8")


def check_manifest(folder: Path) -> None:
    """Compare the files with the list. Files that the list does not name are not looked at."""
    try:
        listed: dict[str, str] = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ManifestError(f"{folder / MANIFEST} is missing, which lists its files.") from error
    except ValueError as error:
        raise ManifestError(f"{folder / MANIFEST} is broken: {error}") from error
    for name, expected in listed.items():
        path = folder / name
        if not path.is_file():
            raise ManifestError(f"{path} is missing.")
        found = sha256(path)
        if found != expected:
            raise ManifestError(
                f"{path} is broken or was changed: expected the SHA-256 {expected[:12]}…, found "
                f"{found[:12]}…."
            )


def sha256(path: Path) -> str:
    made = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            made.update(block)
    return made.hexdigest()
