"""The doors through which a capture reaches Attest: addresses, commands, and rows by their names.

Nothing of Attest is imported by path here or in the files beside this one, so that they run
unchanged on code before and after its modules move.
"""

import io
import json
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.apps import apps
from django.conf import settings
from django.core.management import CommandError, call_command
from django.test import Client

from tests.golden.normal import normal
from tests.golden.stillness import CLOCK

TOLD = ("Content-Type", "Content-Disposition", "Location", "HX-Redirect", "HX-Refresh", "Vary")
CITED, SHORT = "demo-cited-answers", "demo-short-answers"
STUDIES = (CITED, SHORT)


def rows(name: str) -> Any:
    """All rows of one of the models of people and what they judge."""
    return apps.get_model("annotate", name)._default_manager.order_by("pk")


class Kept:
    """The artefacts by name. The part of a name before the first slash says in which file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.texts: dict[str, str] = {}
        self.folders = {
            str(folder): "FOLDER",
            str(settings.DATA_DIR): "DATA",
            str(settings.BASE_DIR): "HERE",
        }

    def keep(self, name: str, text: str) -> None:
        name = normal(name, self.folders)
        if name in self.texts:
            raise ValueError(f"Two artefacts are called {name}.")
        self.texts[name] = normal(text, self.folders)

    def command(self, name: str, command: str, *arguments: object) -> None:
        """What a command prints, and what it says beside it."""
        out, err = io.StringIO(), io.StringIO()
        try:
            call_command(command, *map(str, arguments), stdout=out, stderr=err)
        except CommandError as error:
            err.write(f"CommandError: {error}\n")
        said = f"{out.getvalue()}--- stderr\n{err.getvalue()}"
        self.keep(name, f"$ {command} {' '.join(map(str, arguments))}\n{said}")

    def file(self, name: str, path: Path) -> None:
        """What a command wrote into a file."""
        self.keep(name, as_text(path.read_bytes(), path.name))


class Visitor:
    """Somebody signed in with a browser. Whatever they are answered can be kept."""

    def __init__(self, kept: Kept, username: str = "") -> None:
        self.kept = kept
        self.client = Client(SERVER_NAME="localhost")
        if username:
            self.client.force_login(rows("User").get(username=username))

    def get(self, group: str, path: str, *, part: bool = False, called: str = "") -> str:
        """Open an address, keep the answer, and return its text; `part` as htmx asks for it."""
        headers = {"HX-Request": "true"} if part else {}
        name = f"{group}{called or path}{' (part)' if part else ''}"
        return self._kept(name, self.client.get(path, headers=headers))

    def post(
        self, name: str, path: str, data: Mapping[str, object], *, part: bool = False
    ) -> tuple[str, str]:
        """Send a form, keep the answer; where it leads, and its text. A minute passes."""
        CLOCK.pass_minutes(1)
        headers = {"HX-Request": "true"} if part else {}
        answer = self.client.post(path, dict(data), headers=headers)
        return answer.headers.get("Location", ""), self._kept(name, answer)

    def _kept(self, name: str, answer: Any) -> str:
        content = b"".join(answer.streaming_content) if answer.streaming else answer.content
        head = [f"{answer.status_code}"]
        head += [f"{each}: {answer.headers[each]}" for each in TOLD if each in answer.headers]
        text = as_text(content, answer.headers.get("Content-Type", ""))
        self.kept.keep(name, "\n".join([*head, "", text]))
        return text


def as_text(content: bytes, kind: str) -> str:
    """Text as it is; Parquet as its schema and rows, an archive as its files."""
    if content[:4] == b"PAR1":
        return _parquet(content)
    if content[:4] == b"PK\x03\x04":
        return _archive(content)
    if "png" in kind and not content.startswith(b"PNG of"):
        raise ValueError("A picture was drawn.")
    return content.decode()


def _parquet(content: bytes) -> str:
    import pyarrow.parquet

    with tempfile.NamedTemporaryFile(suffix=".parquet") as file:
        file.write(content)
        file.flush()
        table = pyarrow.parquet.read_table(file.name)
    lines = [json.dumps(row, ensure_ascii=False, default=str) for row in table.to_pylist()]
    return "\n".join([table.schema.to_string(), "", *lines])


def _archive(content: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        parts = [(f.filename, f.date_time, archive.read(f)) for f in archive.infolist()]
    return "\n".join(f"--- {name} {when}\n{as_text(found, name)}" for name, when, found in parts)
