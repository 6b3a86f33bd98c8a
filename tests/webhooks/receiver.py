"""Somebody who is told: a server of HTTP in a thread, and webhooks that lead to it."""

import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_network
from pathlib import Path
from typing import Any

from annotate.studies import webhooks

DOCS = Path(__file__).resolve().parents[2] / "docs/webhooks.md"
HERE = (ip_network("127.0.0.0/8"),)


class Receiver(ThreadingHTTPServer):
    """Answers with the statuses that it is given, and then with 204."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.statuses = []
        self.got = []

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/attest?channel=peaks"

    @property
    def told(self):
        return [json.loads(body) for _, body in self.got]

    @property
    def ids(self):
        return [headers["webhook-id"] for headers, _ in self.got]


class Handler(BaseHTTPRequestHandler):
    server: Any

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.got.append((dict(self.headers), body))
        self.send_response(self.server.statuses.pop(0) if self.server.statuses else 204)
        self.send_header("Location", f"{self.server.url}/elsewhere")
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *given):
        pass


def documented():
    """What the documents say, in Python, of how a receiver checks a request."""
    (code,) = re.findall(r"```python\n(.*?)```", DOCS.read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(code, names)
    return names["is_from_attest"]


def a_webhook(study):
    """With something that it was told."""
    webhook, _ = webhooks.create(study, "https://example.org/told", ["run.done"], by=None)
    webhooks.send_test(webhook)
    return {"webhook_id": webhook.pk, "delivery_id": webhook.deliveries.get().pk}
