"""All that a study gives out, as JSON: each export's name and text.

`python -m tests.config.exported`, in a process of its own, for the database that it is told.
"""

import base64
import contextlib
import io
import json
import tempfile
from pathlib import Path
from typing import Any

import django

COMMANDS = (
    ("export_outputs", "peaks"),
    ("export_judgments", "peaks", "--format", "csv"),
    ("export_judgments", "peaks", "--format", "jsonl"),
    ("export_judgments", "peaks", "--counted"),
    ("aggregate", "peaks", "--method", "majority"),
    ("aggregate", "peaks", "--method", "dawid-skene"),
    ("report", "peaks", "--json", "--resamples", "200"),
    ("report", "peaks", "--markdown", "--resamples", "200"),
)
PAGES = (
    "data/outputs.jsonl",
    "data/evidence.csv",
    "data/inquiries.csv",
    "data/flags.csv",
    "data/claims.csv",
    "data/labels.csv",
)


def everything():
    from django.core.management import call_command
    from django.test import Client

    from annotate.models import User

    found: dict[str, Any] = {}
    for command in COMMANDS:
        out = io.StringIO()
        call_command(*command, stdout=out, stderr=io.StringIO())
        found[" ".join(command)] = out.getvalue()
    client = Client(SERVER_NAME="localhost")
    client.force_login(User.objects.get(username="alice"))
    for page in PAGES:
        answer: Any = client.get(f"/studies/peaks/{page}")
        assert answer.status_code == 200, (page, answer.status_code)
        found[page] = b"".join(answer.streaming_content if answer.streaming else [answer.content])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "peaks.zip"
        with contextlib.redirect_stdout(io.StringIO()):
            call_command("bundle", "peaks", "--out", str(path), "--resamples", "200")
        found["bundle"] = path.read_bytes()
    return {
        name: text if isinstance(text, str) else base64.b64encode(text).decode()
        for name, text in found.items()
    }


if __name__ == "__main__":
    django.setup()
    print(json.dumps(everything()))
