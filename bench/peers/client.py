"""The browser of a simulated rater: the same for every product, a connection for each request."""

import asyncio
import json
import statistics
import time
from collections import defaultdict
from dataclasses import dataclass, field
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import urlencode

ASKED_FOR_JSON = "application/json"


@dataclass(frozen=True, slots=True)
class Reply:
    status: int
    headers: dict[str, str]
    text: str

    def data(self) -> Any:
        return json.loads(self.text)


@dataclass(slots=True)
class Browser:
    """Keeps cookies; says how long each kind of request took."""

    port: int
    cookies: dict[str, str] = field(default_factory=dict)
    headers: dict[str, str] = field(default_factory=dict)
    seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))

    async def get(self, path: str, *, kind: str = "") -> Reply:
        return await self._ask("GET", path, b"", {}, kind)

    async def post(self, path: str, sent: dict[str, str], *, kind: str = "") -> Reply:
        form = {"Content-Type": "application/x-www-form-urlencoded"}
        return await self._ask("POST", path, urlencode(sent).encode(), form, kind)

    async def post_json(self, path: str, sent: Any, *, kind: str = "") -> Reply:
        form = {"Content-Type": ASKED_FOR_JSON}
        return await self._ask("POST", path, json.dumps(sent).encode(), form, kind)

    async def _ask(
        self, method: str, path: str, body: bytes, form: dict[str, str], kind: str
    ) -> Reply:
        cookies = "; ".join(f"{name}={value}" for name, value in self.cookies.items())
        headers = {
            "Host": f"localhost:{self.port}",
            "Connection": "close",
            "Cookie": cookies,
            "User-Agent": "bench",
            **self.headers,
            **form,
        }
        if method == "POST":
            headers["Content-Length"] = str(len(body))
        head = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        began = time.perf_counter()
        # In HTTP/1.0 nobody answers in chunks.
        raw = await self._exchange(f"{method} {path} HTTP/1.0\r\n{head}\r\n".encode() + body)
        if kind:
            self.seconds[kind].append(time.perf_counter() - began)
        reply = self._read(raw)
        if reply.status >= 400:
            raise RuntimeError(f"{method} {path}: {reply.status} {reply.text[:500]}")
        return reply

    async def _exchange(self, sent: bytes) -> bytes:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(sent)
        raw = await reader.read()
        writer.close()
        return raw

    def _read(self, raw: bytes) -> Reply:
        top, _, text = raw.decode(errors="replace").partition("\r\n\r\n")
        first, *lines = top.split("\r\n")
        headers: dict[str, str] = {}
        for line in lines:
            name, _, value = line.partition(": ")
            headers[name.lower()] = value
            if name.lower() == "set-cookie":
                self.cookies |= {key: one.value for key, one in SimpleCookie(value).items()}
        return Reply(int(first.split()[1]), headers, text)


def late(seconds: list[float]) -> tuple[float, float]:
    """The median and the 95th percentile, in milliseconds."""
    if len(seconds) < 2:
        return (1000 * seconds[0],) * 2 if seconds else (float("nan"),) * 2
    return 1000 * statistics.median(seconds), 1000 * statistics.quantiles(seconds, n=20)[-1]
