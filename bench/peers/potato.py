"""Potato: six schemes about a page, each kept when it is answered, in one process with threads."""

import json
import random
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench.peers.client import Browser
from bench.peers.product import QUESTIONS, WANTED, Rater, page_of

SHOWN = re.compile(r'id="instance_id"[^>]*value="([^"]*)"')


class Potato:
    name = "Potato"
    database = None

    def __init__(self, python: Path, folder: Path) -> None:
        self._python, self._folder = python, folder

    def set_up(self, raters: int, responses: int) -> None:
        self.make([page_of(n) for n in range(responses)], [*QUESTIONS], "random")

    def make(self, pages: Sequence[str], questions: Sequence[Sequence[str]], order: str) -> None:
        """Each page an item with these questions."""
        items = [{"id": f"q{n}", "text": page} for n, page in enumerate(pages)]
        lines = "".join(json.dumps(item) + "\n" for item in items)
        (self._folder / "items.jsonl").write_text(lines)
        schemes = [
            {
                "annotation_type": "radio",
                "name": f"q{n}",
                "description": f"Question {n}",
                "labels": list(values),
                "sequential_key_binding": True,
            }
            for n, values in enumerate(questions)
        ]
        told = {
            "annotation_task_name": "bench",
            "task_dir": ".",
            "output_annotation_dir": "out",
            "data_files": ["items.jsonl"],
            "item_properties": {"id_key": "id", "text_key": "text"},
            "require_password": False,
            "user_config": {"allow_all_users": True, "users": []},
            "max_annotations_per_item": WANTED,
            "assignment_strategy": order,
            "annotation_schemes": schemes,
            "site_dir": "default",
        }
        # What is JSON is YAML, too.
        (self._folder / "config.yaml").write_text(json.dumps(told))

    def command(self, port: int) -> tuple[Sequence[str], Mapping[str, str], Path]:
        potato = self._python.with_name("potato")
        return (str(potato), "start", "config.yaml", "-p", str(port)), {}, self._folder

    def rater(self, port: int, number: int, seconds: dict[str, list[float]]) -> Rater:
        return _Rater(Browser(port, seconds=seconds), f"rater{number}")

    def kept(self) -> int | None:
        return None


class _Rater:
    def __init__(self, browser: Browser, name: str) -> None:
        self._browser, self._name = browser, name
        self._page, self._answers = "", dict[str, str]()

    async def enter(self) -> None:
        await self._browser.post("/auth", {"action": "login", "email": self._name, "pass": ""})
        await self._open()

    async def _open(self) -> None:
        reply = await self._browser.get("/annotate")
        if not (found := SHOWN.search(reply.text)):
            raise RuntimeError("there are too few responses")
        if found[1] == self._page:
            raise RuntimeError("the same response was shown again")
        self._page, self._answers = found[1], {}

    async def save(self, question: int, chance: random.Random) -> None:
        """Its page sends all answers so far with each."""
        choice = chance.choice(QUESTIONS[question])
        self._answers[f"q{question}:{choice}"] = choice
        sent = {
            "instance_id": self._page,
            "annotations": self._answers,
            "span_annotations": [],
            "response_time_seconds": 1.5,
        }
        reply = await self._browser.post_json("/updateinstance", sent, kind="save")
        if reply.data().get("status") == "error":
            raise RuntimeError(f"an answer was refused: {reply.text[:300]}")

    async def go_on(self) -> None:
        sent = {"action": "next_instance", "instance_id": self._page}
        await self._browser.post_json("/annotate", sent)
        await self._open()
