"""Attest: six questions about a response of ALCE's kind, each kept by itself."""

import random
import re
import secrets
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bench.databases import Database
from bench.peers.client import Browser
from bench.peers.product import Rater
from bench.rating import CHOICE, ROOT, SLUG, STEP, environment_of, in_django, prepare

COMMAND = ("-m", "config.serving.web")


class Attest:
    name = "Attest"

    def __init__(self, database: Database, folder: Path) -> None:
        self.database, self._folder = database, folder
        self._batch, self._sessions = 0, list[str]()

    def set_up(self, raters: int, responses: int) -> None:
        found = in_django(prepare, self.database, self._folder, raters, responses)
        self._batch, self._sessions = found

    def command(self, port: int) -> tuple[Sequence[str], Mapping[str, str], Path]:
        environment = {"PORT": str(port), "ATTEST_WEB_WORKERS": "2"}
        return (sys.executable, *COMMAND), environment | environment_of(self.database), ROOT

    def rater(self, port: int, number: int, seconds: dict[str, list[float]]) -> Rater:
        token = secrets.token_hex(16)
        cookies = {"sessionid": self._sessions[number], "csrftoken": token}
        browser = Browser(port, cookies, {"X-CSRFToken": token}, seconds)
        return _Rater(browser, f"/studies/{SLUG}/desk/{self._batch}/next/")

    def kept(self) -> int | None:
        found: int = in_django(_judgments, self.database)
        return found


class _Rater:
    def __init__(self, browser: Browser, start: str) -> None:
        self._browser, self._start = browser, start
        self._page, self._steps = "", list[re.Match[str]]()

    async def enter(self) -> None:
        reply = await self._browser.post(self._start, {})
        await self._open(reply.headers["location"])

    async def _open(self, page: str) -> None:
        if "/desk/tasks/" not in page:
            raise RuntimeError("there are too few responses")
        self._page = page
        reply = await self._browser.get(page)
        self._steps = [*STEP.finditer(reply.text)]

    async def save(self, question: int, chance: random.Random) -> None:
        sent = {
            "step": self._steps[question]["step"],
            "value": chance.choice(CHOICE.findall(self._steps[question][0])),
            "edit": secrets.token_hex(16),
            "base": "",
            "seconds": "1.5",
        }
        self._browser.headers["HX-Request"] = "true"
        await self._browser.post(f"{self._page}answer/", sent, kind="save")

    async def go_on(self) -> None:
        self._browser.headers["HX-Request"] = "true"
        reply = await self._browser.post(f"{self._page}finish/", {})
        del self._browser.headers["HX-Request"]
        await self._open(reply.headers["hx-redirect"])


def _judgments(*_: Any) -> int:
    from annotate.models import Judgment

    return Judgment.objects.count()
