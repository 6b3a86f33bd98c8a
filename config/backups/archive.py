"""The backup file: a zip of the database, the uploaded files, and a manifest."""

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import IO, Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile, ZipInfo

FORM = 1
MANIFEST, SECRETS, FILES, CORPORA = "manifest.json", "secrets.env", "files/", "corpora/"
BLOCK = 1_000_000

Ask = Callable[[str], list[tuple[Any, ...]]]
"""Run a query on a snapshot of a database."""


class BackupError(Exception):
    """A failed backup or restore. The message has the reason and what to do."""


@dataclass(frozen=True)
class Member:
    """One file of the zip."""

    bytes: int
    sha256: str


@dataclass
class Manifest:
    """The contents of a backup, and the version that made it."""

    version: str
    made_at: str
    database: str
    """`sqlite` or `postgresql`. A backup of one cannot be restored into the other."""

    migrations: list[list[str]]
    counts: dict[str, int]
    """The number of rows of each table."""

    signed_with: str
    """A salted digest that reveals whether an installation has the same SECRET_KEY."""

    sealed_with: list[str]
    """The digests of the secrets that decrypt the keys of connections."""

    missing: list[str] = field(default_factory=list)
    """Missing files of uploads, and folders of corpora."""

    members: dict[str, Member] = field(default_factory=dict)
    form: int = FORM

    @property
    def files(self) -> list[str]:
        """The names of the uploaded files."""
        return [name.removeprefix(FILES) for name in self.members if name.startswith(FILES)]

    @property
    def corpora(self) -> list[str]:
        """The paths of the files of corpora, which begin with their folder."""
        return [name.removeprefix(CORPORA) for name in self.members if name.startswith(CORPORA)]

    @property
    def rows(self) -> int:
        return sum(self.counts.values())


class BackupWriter:
    """A writer of members, and of the manifest at the end."""

    def __init__(self, to: ZipFile) -> None:
        self.zip = to
        self.members: dict[str, Member] = {}

    @contextmanager
    def member(self, name: str) -> Iterator[Callable[[bytes], None]]:
        digest, size = hashlib.sha256(), 0
        info = ZipInfo(name, time.gmtime()[:6])
        info.compress_type = ZIP_DEFLATED
        with self.zip.open(info, "w", force_zip64=True) as to:

            def write(block: bytes) -> None:
                nonlocal size
                digest.update(block)
                size += len(block)
                to.write(block)

            yield write
        self.members[name] = Member(size, digest.hexdigest())

    def copy(self, name: str, file: IO[bytes]) -> None:
        with self.member(name) as write:
            while block := file.read(BLOCK):
                write(block)

    def finish(self, manifest: Manifest) -> None:
        manifest.members = self.members
        self.zip.writestr(MANIFEST, json.dumps(asdict(manifest), indent=1))


class Backup:
    """A verified backup: all its files match the manifest."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self.zip = ZipFile(path)
        except FileNotFoundError:
            raise BackupError(f"{path}: there is no such file.") from None
        except (BadZipFile, OSError) as problem:
            raise BackupError(
                f"{path}: expected a backup, found another file: {problem}."
            ) from None
        self.manifest = self._manifest()
        self._compare()

    def open(self, name: str) -> IO[bytes]:
        return self.zip.open(name)

    def _manifest(self) -> Manifest:
        expected = "expected the manifest of a backup"
        try:
            found = json.loads(self.zip.read(MANIFEST))
        except (KeyError, ValueError, BadZipFile) as problem:
            raise BackupError(f"{self.path}: {expected}, {MANIFEST}: {problem}.") from None
        form = found.get("form") if isinstance(found, dict) else None
        if form != FORM:
            raise BackupError(
                f"{self.path}: {expected} of form {FORM}, found {form!r}. Restore it with the "
                "version of Attest that made it."
            )
        missing = {each.name for each in fields(Manifest)} ^ found.keys()
        if missing:
            raise BackupError(f"{self.path}: {expected}, without {', '.join(sorted(missing))}.")
        members = {name: Member(**member) for name, member in found["members"].items()}
        return Manifest(**found | {"members": members})

    def _compare(self) -> None:
        named = {*self.manifest.members, MANIFEST}
        odd = named ^ set(self.zip.namelist())
        if odd:
            raise BackupError(
                f"{self.path}: its manifest and its content differ by {sorted(odd)[0]!r}. Take "
                "another backup."
            )
        for name, member in self.manifest.members.items():
            if (found := self._digest(name)) != member.sha256:
                raise BackupError(
                    f"{self.path}: {name} is damaged: expected the SHA-256 {member.sha256}, found "
                    f"{found}. Take another backup."
                )

    def _digest(self, name: str) -> str:
        try:
            with self.zip.open(name) as file:
                return digest_of(file)
        except (BadZipFile, OSError, EOFError) as problem:
            return f"none ({problem})"


def digest_of(file: IO[bytes]) -> str:
    digest = hashlib.sha256()
    while block := file.read(BLOCK):
        digest.update(block)
    return digest.hexdigest()
